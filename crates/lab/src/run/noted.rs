//! Notes where results come from, as soon as there is one: a run that adds nothing leaves no trace.

use super::{RunEvent, Watcher};
use crate::journal::{Journal, JournalError};
use crate::provenance::Provenance;

/// A watcher that hands everything on.
pub(super) struct Noted<'a> {
    watcher: &'a mut dyn Watcher,
    /// Where to note what; none when it is done.
    note: Option<(Journal<Provenance>, &'a Provenance)>,
    failed: Option<JournalError>,
}

impl<'a> Noted<'a> {
    pub(super) fn new(
        watcher: &'a mut dyn Watcher,
        path: &std::path::Path,
        provenance: Option<&'a Provenance>,
    ) -> Result<Self, JournalError> {
        let mut note = None;
        if let Some(provenance) = provenance {
            let (journal, known) = Journal::<Provenance>::open(path)?;
            note = (known.last() != Some(provenance)).then_some((journal, provenance));
        }
        Ok(Self { watcher, note, failed: None })
    }

    /// The run is over; what kept us from noting.
    pub(super) fn finish(self) -> Result<(), JournalError> {
        self.failed.map_or(Ok(()), Err)
    }
}

impl Watcher for Noted<'_> {
    fn event(&mut self, event: &RunEvent<'_>) {
        if matches!(event, RunEvent::Finished { .. } | RunEvent::Measured(_) | RunEvent::Scored(_))
            && let Some((mut journal, provenance)) = self.note.take()
        {
            self.failed = journal.append(provenance).err();
        }
        self.watcher.event(event);
    }
}

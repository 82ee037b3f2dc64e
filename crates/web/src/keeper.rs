//! Keeps the records of matches that are over in a store, so that they outlive the server.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ludex_arena::{End, MatchRecord, Row, Store, StoreError};

use crate::reply::Refusal;

/// Matches that are listed.
const LISTED: u64 = 100;

/// Matches that ratings are made of.
const MOST_RESULTS: u64 = 50_000;
/// Rows that are read at a time.
const AT_ONCE: usize = 1000;

/// A store that all matches share.
pub(crate) struct Keeper {
    store: Mutex<Store>,
}

impl Keeper {
    /// Opens the store in this file, or makes it.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { store: Mutex::new(Store::open(path)?) })
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a match, unless it was merely left.
    pub(crate) fn keep(&self, record: &MatchRecord) {
        let is_left = record.ludex.as_ref().is_some_and(|details| details.end == End::Aborted);
        if is_left || record.steps() == 0 {
            return;
        }
        if let Err(error) = self.store().append(record) {
            tracing::warn!("a match could not be kept: {error}");
        }
    }

    /// The last matches, the newest first.
    pub(crate) fn rows(&self) -> Result<Vec<Row>, Refusal> {
        let store = self.store();
        let found = store.count().and_then(|count| {
            let behind = i64::try_from(count.saturating_sub(LISTED)).unwrap_or(0);
            store.list(None, behind, usize::try_from(LISTED).unwrap_or(0))
        });
        let mut rows = found.map_err(|error| Refusal::broken(error.to_string()))?;
        rows.reverse();
        Ok(rows)
    }

    /// Every match that was played to its end, of all games or of one; the last ones if there are
    /// very many.
    pub(crate) fn results(&self, game: Option<&str>) -> Result<Vec<Row>, Refusal> {
        let store = self.store();
        let broken = |error: StoreError| Refusal::broken(error.to_string());
        let count = store.count().map_err(broken)?;
        let mut behind = i64::try_from(count.saturating_sub(MOST_RESULTS)).unwrap_or(0);
        let mut rows = Vec::new();
        loop {
            let some = store.list(game, behind, AT_ONCE).map_err(broken)?;
            let Some(last) = some.last() else { return Ok(rows) };
            behind = last.number;
            rows.extend(some.into_iter().filter(|row| row.completed));
        }
    }

    /// A match, by its number.
    pub(crate) fn record(&self, number: i64) -> Result<MatchRecord, Refusal> {
        let found = self.store().record(number).map_err(|error| Refusal::broken(error.to_string()))?;
        found.ok_or_else(|| Refusal::missing("there is no such match"))
    }
}

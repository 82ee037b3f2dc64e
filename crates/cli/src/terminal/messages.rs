//! What the thread of the match tells the screen.

use std::sync::mpsc::Sender;
use std::time::Duration;

use ludex_arena::{Event, MatchRecord, MoveReport, Observer, Request};

use super::hint::Hint;

/// News of a match, or from the keyboard in line mode.
pub(crate) enum Message {
    /// The match begins.
    Started(Box<MatchRecord>),
    /// Players are asked; by role: who has a choice.
    Asked { thinking: Vec<bool>, clock: Option<Duration> },
    /// A person is asked.
    Request(Request),
    /// A player answered; what it chose is shown when all have chosen.
    Answered { role: usize },
    /// A joint move was made.
    Moved(Box<Made>),
    /// Moves were taken back until so many are left.
    TakenBack(usize),
    /// The record is complete.
    Ended(Box<MatchRecord>),
    /// Nothing more comes.
    Over,
    /// A search for a hint is done.
    Hint(Hint),
    /// Line mode: a line was read; none: the input ended.
    Line(Option<String>),
}

/// What a joint move adds to the record.
pub(crate) struct Made {
    pub(crate) moves: Vec<String>,
    pub(crate) state: String,
    pub(crate) time: u64,
    /// All of them so far: those of the start come without an event.
    pub(crate) errors: Vec<Vec<String>>,
    pub(crate) thinking: Vec<Option<MoveReport>>,
}

/// Sends what happens to the screen. Whoever is gone misses it.
pub(crate) struct Feed(pub(crate) Sender<Message>);

impl Observer for Feed {
    fn event(&mut self, event: &Event<'_>) {
        let message = match event {
            Event::Started { record } => Message::Started(Box::new((*record).clone())),
            Event::Asked { thinking, clock, .. } => {
                Message::Asked { thinking: thinking.to_vec(), clock: *clock }
            }
            Event::Answered { role, .. } => Message::Answered { role: *role },
            Event::Moved { record, .. } => Message::Moved(Box::new(Made {
                moves: record.moves.last().cloned().unwrap_or_default(),
                state: record.states.last().cloned().unwrap_or_default(),
                time: record.state_times.last().copied().unwrap_or_default(),
                errors: record.errors.clone(),
                thinking: thinking(record),
            })),
            Event::TakenBack { step, .. } => Message::TakenBack(*step),
            Event::Ended { record } => Message::Ended(Box::new((*record).clone())),
            Event::Waiting { .. } => return,
        };
        let _ = self.0.send(message);
    }
}

/// The search reports of the last joint move.
fn thinking(record: &MatchRecord) -> Vec<Option<MoveReport>> {
    record.ludex.as_ref().and_then(|details| details.thinking.last().cloned()).unwrap_or_default()
}

//! What happens in a match, for those who watch.

use std::time::Duration;

use crate::record::{MatchRecord, MoveReport, PlayerFault};

/// Somebody who watches a match. Events come on the thread of the referee: whoever takes long holds
/// the match up, though nobody's clock runs meanwhile.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, event: &Event<'_>);

    /// How often to be told that time passes while players think; none: never.
    fn ticks(&self) -> Option<Duration> {
        None
    }
}

/// Nobody watches.
impl Observer for () {
    fn event(&mut self, _: &Event<'_>) {}
}

/// Everything goes to a function.
impl<F: FnMut(&Event<'_>)> Observer for F {
    fn event(&mut self, event: &Event<'_>) {
        self(event);
    }
}

/// What happens in a match. Steps count from 1; step 0 is getting ready.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The match begins: the record has the players and the first state.
    Started {
        /// As far as it goes.
        record: &'a MatchRecord,
    },
    /// Players are asked.
    Asked {
        /// For which step.
        step: usize,
        /// By role: whether it is asked, and has a choice.
        thinking: &'a [bool],
        /// How long they have; none if playouts are counted.
        clock: Option<Duration>,
    },
    /// Time passes.
    Waiting {
        /// Since they were asked.
        elapsed: Duration,
    },
    /// A player answered, or did not.
    Answered {
        /// For which step.
        step: usize,
        /// Index of the role.
        role: usize,
        /// What is played; none at the start.
        chosen: Option<&'a str>,
        /// How long it took.
        took: Duration,
        /// What the player thought.
        report: Option<&'a MoveReport>,
        /// What went wrong: the move is a random one.
        fault: Option<&'a PlayerFault>,
    },
    /// The moves are made.
    Moved {
        /// How many joint moves were made.
        step: usize,
        /// As far as it goes: the last moves, errors and state are those of this step.
        record: &'a MatchRecord,
    },
    /// A person took moves back.
    TakenBack {
        /// How many joint moves are left.
        step: usize,
        /// As far as it goes now.
        record: &'a MatchRecord,
    },
    /// The match is over.
    Ended {
        /// All of it.
        record: &'a MatchRecord,
    },
}

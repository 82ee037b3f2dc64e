//! The desk of a session: what is asked, what was found, and everyone who waits for either.
//!
//! Three kinds of threads meet here and nowhere else. The one that answers reads; the guard and the search
//! put down what they find; whoever sets up engines puts down games. The lock is held for moments only,
//! never while an engine or a search works, so nobody who hangs makes others hang.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex_reasoner::{Choice, Progress};
use ludex_search::{SearchReport, Stop};

use super::follower::History;

/// What the guard found out about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The role has moves.
    Open {
        /// All of them, as the sheet spells them.
        legal: Arc<Vec<String>>,
        /// One of them: made if the search has none.
        pick: String,
    },
    /// The game is over.
    Over {
        /// By role; none where the rules give no value, or several.
        goals: Vec<Option<u8>>,
    },
    /// The role has no legal move, though the game is not over: a fault of the rules.
    Stuck,
    /// None of the histories is possible.
    Impossible,
    /// The engine could not say.
    Failed(String),
}

/// What the search found out about a position.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub report: Option<Arc<SearchReport<String>>>,
    /// More thinking would change nothing; or the search has failed.
    pub finished: bool,
    /// Why the search failed.
    pub failure: Option<String>,
    /// Whose search it is.
    pub generation: u32,
}

/// What all threads see.
pub(super) struct SessionState {
    /// The session is over.
    pub closed: bool,
    /// Counts positions.
    pub serial: u64,
    /// Counts requests: one for the position at hand goes on where the last one ended.
    pub request: u64,
    /// The first of these that is possible is the position.
    pub histories: Arc<Vec<History>>,
    /// Thinking ends here; while somebody waits for an answer, it does not.
    pub until: Option<Instant>,
    /// Counts engines; threads of older ones go home.
    pub generation: u32,
    pub choice: Option<Choice>,
    /// No better engine will come.
    pub settled: bool,
    /// There is no engine at all, and why.
    pub failure: Option<String>,
    /// Ends the thinking of the current search.
    pub stop: Stop,
    pub threads: usize,
    pub memory: usize,
    /// About the position at hand.
    pub found: Option<Found>,
    /// About the position at hand, with the number of the history that is possible.
    pub standing: Option<(usize, Standing)>,
}

pub(super) struct SharedState {
    state: Mutex<SessionState>,
    changed: Condvar,
    /// To cancel the set-up of engines.
    pub progress: Progress,
}

/// A position to work on.
pub(super) struct Order {
    pub serial: u64,
    pub request: u64,
    pub histories: Arc<Vec<History>>,
    pub threads: usize,
}

impl SharedState {
    pub(super) fn new(threads: usize, memory: usize) -> Self {
        let state = SessionState {
            closed: false,
            serial: 1,
            request: 1,
            histories: Arc::new(vec![History::new()]),
            until: None,
            generation: 0,
            choice: None,
            settled: false,
            failure: None,
            stop: Stop::new(),
            threads,
            memory,
            found: None,
            standing: None,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), progress: Progress::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, SessionState> {
        // Nothing in there is left half done by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something and tells everyone.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut SessionState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits for a change, but not for ever.
    pub(super) fn wait<'a>(
        &self,
        guard: MutexGuard<'a, SessionState>,
        longest: Option<Duration>,
    ) -> MutexGuard<'a, SessionState> {
        match longest {
            None => self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner),
            Some(time) => self.changed.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0,
        }
    }

    /// Waits for the next request, as the thread of an engine. None: go home.
    pub(super) fn next_order(&self, generation: u32, last: u64) -> Option<Order> {
        let mut state = self.lock();
        loop {
            if state.closed || state.generation != generation {
                return None;
            }
            if state.request != last {
                return Some(Order {
                    serial: state.serial,
                    request: state.request,
                    histories: Arc::clone(&state.histories),
                    threads: state.threads,
                });
            }
            state = self.wait(state, None);
        }
    }

    /// Puts down what a search found, unless the question or the search is an old one.
    pub(super) fn found(&self, serial: u64, found: Found) {
        self.change(|state| {
            let newer = state.found.as_ref().is_none_or(|known| known.generation <= found.generation);
            if state.serial == serial && newer {
                state.found = Some(found);
            }
        });
    }

    /// Puts down what the guard found.
    pub(super) fn standing(&self, serial: u64, at: usize, standing: Standing) {
        self.change(|state| {
            // What an engine could say counts more than what another could not.
            let known =
                state.standing.as_ref().is_some_and(|(_, known)| !matches!(known, Standing::Failed(_)));
            if state.serial == serial && !known {
                state.standing = Some((at, standing));
            }
        });
    }
}

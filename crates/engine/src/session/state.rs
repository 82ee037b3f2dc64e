//! The state that all threads of a session share: the position, its results, and who waits.
//!
//! The threads of a session communicate only here. The guard and the thinker write results, set-up
//! writes engines, the thread that answers reads. The lock is never held while an engine or a
//! search works, so a thread that hangs does not block the others.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex_reasoner::{EngineChoice, Progress};
use ludex_search::{SearchReport, Stop, Watch};

use super::follower::History;

/// What the guard knows about a position.
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

/// The result of the search for a position.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub report: Option<Arc<SearchReport<String>>>,
    /// Nothing is left to search, or the search has failed.
    pub finished: bool,
    /// Why the search failed.
    pub failure: Option<String>,
    /// The engine whose search it is.
    pub generation: u32,
}

/// The state behind the lock.
pub(super) struct SessionState {
    /// The session is over.
    pub closed: bool,
    /// Counts positions.
    pub serial: u64,
    /// Counts requests: another one for the same position resumes the search.
    pub request: u64,
    /// The first of these that is possible is the position.
    pub histories: Arc<Vec<History>>,
    /// Thinking ends here; while somebody waits for an answer, it does not.
    pub until: Option<Instant>,
    /// Counts engines; threads of older engines end.
    pub generation: u32,
    pub choice: Option<EngineChoice>,
    /// No better engine will come.
    pub settled: bool,
    /// There is no engine at all, and why.
    pub failure: Option<String>,
    /// Ends the thinking of the current search.
    pub stop: Stop,
    pub threads: usize,
    pub memory: usize,
    /// The search result for the current position.
    pub found: Option<Found>,
    /// What the guard says about the current position, with the index of the possible history.
    pub standing: Option<(usize, Standing)>,
}

/// What a thread of an engine does next.
pub(super) enum Task {
    Order(Order),
    /// Somebody asks about the tree.
    Questions,
    End,
}

pub(super) struct SharedState {
    state: Mutex<SessionState>,
    changed: Condvar,
    /// To cancel the set-up of engines.
    pub progress: Progress,
    /// Where questions about the tree wait for the thinker.
    pub watch: Watch,
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
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            progress: Progress::new(),
            watch: Watch::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, SessionState> {
        // No panic can leave the state half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes all waiting threads.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut SessionState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits for a change, at most so long.
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

    /// Waits for the next request, as a thread of an engine. None: the thread ends.
    pub(super) fn next_order(&self, generation: u32, last: u64) -> Option<Order> {
        match self.next_task(generation, last, false) {
            Task::Order(order) => Some(order),
            Task::Questions | Task::End => None,
        }
    }

    /// Waits for the next request or, if the thread answers them, for questions about its tree.
    pub(super) fn next_task(&self, generation: u32, last: u64, answers: bool) -> Task {
        let mut state = self.lock();
        loop {
            if state.closed || state.generation != generation {
                return Task::End;
            }
            if state.request != last {
                return Task::Order(Order {
                    serial: state.serial,
                    request: state.request,
                    histories: Arc::clone(&state.histories),
                    threads: state.threads,
                });
            }
            if answers && self.watch.is_asked() {
                return Task::Questions;
            }
            state = self.wait(state, None);
        }
    }

    /// Publishes a search result, unless the position or the engine is an old one.
    pub(super) fn found(&self, serial: u64, found: Found) {
        self.change(|state| {
            let newer = state.found.as_ref().is_none_or(|known| known.generation <= found.generation);
            if state.serial == serial && newer {
                state.found = Some(found);
            }
        });
    }

    /// Publishes what the guard found.
    pub(super) fn standing(&self, serial: u64, at: usize, standing: Standing) {
        self.change(|state| {
            // An answer of one engine counts more than the failure of another.
            let known =
                state.standing.as_ref().is_some_and(|(_, known)| !matches!(known, Standing::Failed(_)));
            if state.serial == serial && !known {
                state.standing = Some((at, standing));
            }
        });
    }
}

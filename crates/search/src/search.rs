//! The interface of a search.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Failure, Game, RoleId, State};

use crate::budget::Budget;
use crate::look::{Look, LookError, Question};
use crate::report::SearchReport;

/// What a search plays: a game, a role in it, a seed and a number of threads.
#[derive(Clone)]
pub struct SearchContext {
    /// The game; every state and id means something in this game only.
    pub game: Arc<dyn Game>,
    /// The role to choose moves for.
    pub role: RoleId,
    /// Seed of all randomness. With limits in playouts, the same seed and the same calls give the
    /// same results.
    pub seed: u64,
    /// Number of search threads.
    pub threads: usize,
}

/// Why [`Search::think`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The playout limit is reached.
    Playouts,
    /// The deadline is reached.
    Time,
    /// The stop flag was set.
    Requested,
    /// More search cannot change the result.
    Finished,
}

/// Time spent in the parts of a search, for benchmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchTimes {
    /// Simulation: playouts and everything that belongs to them.
    pub playouts: Duration,
    /// Part of `playouts` in which a policy chose moves for all lanes at once, without learning.
    pub choosing: Duration,
    /// Part of `playouts` spent on state transitions. Work done once per leaf or playout is
    /// excluded: loading leaves, goals, learning.
    pub stepping: Duration,
}

impl std::ops::AddAssign for SearchTimes {
    fn add_assign(&mut self, other: Self) {
        self.playouts += other.playouts;
        self.choosing += other.choosing;
        self.stepping += other.stepping;
    }
}

impl std::iter::Sum for SearchTimes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let mut sum = Self::default();
        all.for_each(|times| sum += times);
        sum
    }
}

/// A search algorithm.
///
/// Call [`set_root`](Search::set_root), then [`think`](Search::think) any number of times: each
/// call resumes the search. [`report`](Search::report) has a legal move from the first root on,
/// even before the first call of `think`.
pub trait Search: Send {
    /// Sets the state to search. Statistics about it from earlier searches are kept.
    fn set_root(&mut self, state: &State) -> Result<(), Failure>;

    /// Searches until a limit of the budget is reached or the root needs no search.
    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure>;

    /// The current result for the root.
    fn report(&self) -> SearchReport;

    /// What the tree knows about a node, when the search rests; while it runs, ask through the
    /// [`Watch`](crate::Watch) of its budget.
    fn look(&self, question: &Question) -> Result<Look, LookError> {
        let _ = question;
        Err(LookError::NoTree)
    }

    /// Time spent since the root was set, for benchmarks. Zero if the search does not measure it.
    fn times(&self) -> SearchTimes {
        SearchTimes::default()
    }
}

//! What a search is to those who use it.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Failure, Game, RoleId, State};

use crate::budget::Budget;
use crate::report::SearchReport;

/// For whom a search thinks.
#[derive(Clone)]
pub struct SearchContext {
    /// The game; every state and id means something in this game only.
    pub game: Arc<dyn Game>,
    /// The role to choose moves for.
    pub role: RoleId,
    /// Same seed, same calls with playouts as limits: same thoughts.
    pub seed: u64,
    /// How many threads may think.
    pub threads: usize,
}

/// Why a search came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The playouts are used up.
    Playouts,
    /// The time is used up.
    Time,
    /// Somebody set the flag.
    Requested,
    /// More thinking would change nothing: the search is done with this root.
    Finished,
}

/// What time went into: for benchmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchTimes {
    /// Playouts, everything that belongs to them included.
    pub playouts: Duration,
    /// That part of it in which a policy chose moves in all lanes at once; what it takes to learn is not in it.
    pub choosing: Duration,
    /// That part of it which goes into steps, without what is done once for a leaf or a playout: taking up leaves, scoring, learning.
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

/// A way to choose moves.
///
/// Call [`set_root`](Search::set_root), then [`think`](Search::think) as often as wanted: each call goes on
/// where the last one ended. [`report`](Search::report) has a move from the first root on, even if
/// there was no time to think about it.
pub trait Search: Send {
    /// Thinks about this state from now on. What is remembered about it is kept.
    fn set_root(&mut self, state: &State) -> Result<(), Failure>;

    /// Thinks until a limit of the budget is reached, or there is nothing left to think about.
    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure>;

    /// What is known about the root.
    fn report(&self) -> SearchReport;

    /// What its time went into since the root was set, as far as a search can tell: for
    /// benchmarks.
    fn times(&self) -> SearchTimes {
        SearchTimes::default()
    }
}

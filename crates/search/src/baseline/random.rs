//! `random`: plays a uniformly random legal move.

use ludex_game::{Failure, State};

use super::legal_moves;
use crate::budget::Budget;
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, StopReason};

/// Plays a uniformly random legal move.
pub struct Random {
    context: SearchContext,
    random: fastrand::Rng,
    report: SearchReport,
}

impl Random {
    /// A search for a role of a game; its seed decides all moves.
    pub fn new(context: SearchContext) -> Self {
        let random = fastrand::Rng::with_seed(context.seed);
        Self { context, random, report: SearchReport::default() }
    }
}

impl Search for Random {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let legal = legal_moves(&self.context, state)?;
        let best = self.random.choice(legal);
        self.report = SearchReport { best, ..SearchReport::default() };
        Ok(())
    }

    fn think(&mut self, _: &Budget) -> Result<StopReason, Failure> {
        Ok(StopReason::Finished)
    }

    fn report(&self) -> SearchReport {
        self.report.clone()
    }
}

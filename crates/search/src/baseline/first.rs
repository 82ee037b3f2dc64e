//! `legal`: always plays the first legal move, in the order of move ids. The reference players of
//! the field have had one since 2005; it shows whether a referee works.

use ludex_game::{Failure, State};

use super::legal_moves;
use crate::budget::Budget;
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, StopReason};

/// Plays the first legal move.
pub struct First {
    context: SearchContext,
    report: SearchReport,
}

impl First {
    /// A search for a role of a game.
    pub fn new(context: SearchContext) -> Self {
        Self { context, report: SearchReport::default() }
    }
}

impl Search for First {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let best = legal_moves(&self.context, state)?.first().copied();
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

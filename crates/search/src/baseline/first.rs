//! `legal`: always the first legal move in the order of the game's ids. The reference players of the
//! field have had one since 2005; it finds out whether a referee works.

use ludex_game::{Failure, State};

use super::legal_moves;
use crate::budget::Budget;
use crate::search::{Search, Seat, Stopped};
use crate::thinking::Thinking;

/// Makes the first legal move.
pub struct First {
    seat: Seat,
    thinking: Thinking,
}

impl First {
    /// A player for a seat.
    pub fn new(seat: Seat) -> Self {
        Self { seat, thinking: Thinking::default() }
    }
}

impl Search for First {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let best = legal_moves(&self.seat, state)?.first().copied();
        self.thinking = Thinking { best, ..Thinking::default() };
        Ok(())
    }

    fn think(&mut self, _: &Budget) -> Result<Stopped, Failure> {
        Ok(Stopped::Finished)
    }

    fn thinking(&self) -> Thinking {
        self.thinking.clone()
    }
}

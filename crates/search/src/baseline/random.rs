//! `random`: a uniformly random legal move.

use ludex_game::{Failure, State};

use super::legal_moves;
use crate::budget::Budget;
use crate::search::{Search, Seat, Stopped};
use crate::thinking::Thinking;

/// Makes a random legal move.
pub struct Random {
    seat: Seat,
    random: fastrand::Rng,
    thinking: Thinking,
}

impl Random {
    /// A player for a seat; its seed decides all moves.
    pub fn new(seat: Seat) -> Self {
        let random = fastrand::Rng::with_seed(seat.seed);
        Self { seat, random, thinking: Thinking::default() }
    }
}

impl Search for Random {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let legal = legal_moves(&self.seat, state)?;
        let best = self.random.choice(legal);
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

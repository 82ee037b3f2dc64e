//! `minimax`: as published, deeper and deeper until the time is up.
//!
//! # What it does
//! The searching role takes the move with the highest value, its opponent the one with the lowest;
//! leaves have the value of the evaluation, ends of the game their goal. "The depth bound is thus
//! raised iteratively until time is up." Nothing is cut off and nothing is remembered: the method
//! that the others of the family are measured against.
//!
//! More than two players: all others together minimise. One player: it maximises. Chance gives the
//! mean. Simultaneous moves: [`super::levels`].
//!
//! # References
//! H. Finnsson, CADIA-Player, 2007, section 2.1.2; M. Thielscher, slides on general game playing:
//! minimax, and the bipartite graph for simultaneous moves.
//!
//! # Status
//! A baseline.

use ludex_game::{Failure, State};

use super::batches::Batches;
use super::evaluation::Evaluation;
use super::full_width::{FullWidth, Told};
use super::guarantee::Guarantee;
use super::levels::Order;
use super::options::Simultaneous;
use super::value::Value;
use crate::budget::Budget;
use crate::report::{Proof, SearchReport};
use crate::search::{Search, SearchContext, StopReason};

/// Plain minimax.
pub struct Minimax(FullWidth<Guarantee>);

impl Minimax {
    /// A search for a role of a game.
    pub fn new(context: SearchContext, simultaneous: Simultaneous, evaluation: Box<dyn Evaluation>) -> Self {
        let order = Order::of(simultaneous);
        let batches = Batches::new(&context.game, evaluation, Guarantee::new(&context, order));
        Self(FullWidth::new(context, batches))
    }
}

impl Told for Guarantee {
    fn goals(&self, value: &Value) -> Vec<f64> {
        self.all_goals(value.guess)
    }

    fn proof(&self, value: &Value) -> Option<Proof> {
        value.proof(self.range)
    }

    fn is_better(&self, value: &Value, than: &Value) -> bool {
        value.is_preferred(*than, self.range)
    }
}

impl Search for Minimax {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.0.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        self.0.think(budget)
    }

    fn report(&self) -> SearchReport {
        self.0.report()
    }
}

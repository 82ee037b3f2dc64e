//! Tree search with playouts: UCT, in batches.
//!
//! # What it does
//! Algorithm 6 of the thesis, for many leaves at once. [`descend`] follows the tree for every role until it leaves it;
//! [`batch`] gathers leaves, has the game play behind all of them in one call, adds one node for each and hands the
//! returns up the tree. Visits of leaves that are on their way count as the worst return until they are back (virtual loss),
//! so that a batch spreads. With one leaf and one playout at a time (`batch=1,playouts=1`) it is what the papers describe.
//!
//! # References
//! H. Finnsson, CADIA-Player: A General Game Playing Agent, 2007, chapters 3 and 4.

mod amaf;
mod batch;
mod clocked;
mod descend;
mod knowledge;
mod options;
mod pace;
mod refilling;
mod report;
mod worker;

pub(crate) use knowledge::Knowledge;
pub use options::{Decision, Policy, Refill, UctOptions};
pub(crate) use pace::Took;
pub(crate) use worker::Worker;

use std::time::Instant;

use ludex_game::{Failure, State};

use crate::budget::Budget;
use crate::parallel::{Parallel, leaf, tree};
use crate::report::SearchReport;
use crate::search::{Search, Seat, Stopped, Times};
use crate::utility::Utility;

/// Tree search with playouts: one tree, searched by one or several threads.
pub struct Uct {
    pub(crate) knowledge: Knowledge,
    workers: Vec<Worker>,
}

impl Uct {
    /// A player for a seat.
    pub fn new(seat: Seat, options: UctOptions) -> Self {
        let utility = Utility::new(seat.game.roles());
        let workers = (0..seat.threads.max(1)).map(|_| Worker::new(&options, &utility, &seat.game)).collect();
        Self { knowledge: Knowledge::new(seat, options, utility), workers }
    }

    /// One batch after the other.
    fn think_alone(&mut self, budget: &Budget) -> Result<Stopped, Failure> {
        let Self { knowledge, workers } = self;
        let Some(worker) = workers.first_mut() else { return Ok(Stopped::Finished) };
        loop {
            let begun = Instant::now();
            let size = match knowledge.next_size(begun, budget) {
                Ok(size) => size,
                Err(stopped) => {
                    knowledge.finish(worker)?;
                    return Ok(stopped);
                }
            };
            if knowledge.look_at_memory(budget.memory) && knowledge.has_moved_on() {
                knowledge.finish(worker)?;
                knowledge.keep_within(budget.memory);
            }
            knowledge.gather(worker, size);
            worker.simulate()?;
            knowledge.absorb(worker);
            knowledge.pace.measured(size, worker.took_since(begun));
        }
    }
}

impl Search for Uct {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.knowledge.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<Stopped, Failure> {
        if !self.knowledge.can_think() {
            return Ok(Stopped::Finished);
        }
        self.workers.iter_mut().filter(|worker| worker.is_under_way()).for_each(Worker::reset);
        self.knowledge.left = budget.playouts;
        self.knowledge.pace.begin(Instant::now(), budget.deadline, budget.playouts);
        match (self.workers.len(), self.knowledge.options.parallel) {
            (1, _) => self.think_alone(budget),
            (_, Parallel::Leaf) => leaf::think(&mut self.knowledge, &mut self.workers, budget),
            _ => tree::think(&mut self.knowledge, &mut self.workers, budget),
        }
    }

    fn report(&self) -> SearchReport {
        Knowledge::report(&[&self.knowledge], true)
    }

    fn times(&self) -> Times {
        self.knowledge.times
    }
}

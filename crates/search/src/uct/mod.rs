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
mod batch_sizer;
mod descend;
mod options;
mod refilling;
mod report;
mod shared_tree;
mod timed_policy;
mod worker;

pub(crate) use batch_sizer::BatchTime;
pub use options::{Decision, Policy, Refill, UctOptions};
pub(crate) use shared_tree::SharedTree;
pub(crate) use worker::Worker;

use std::time::Instant;

use ludex_game::{Failure, State};

use crate::budget::Budget;
use crate::parallel::{Parallel, leaf, tree};
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, SearchTimes, StopReason};
use crate::utility::Utility;

/// Tree search with playouts: one tree, searched by one or several threads.
pub struct Uct {
    pub(crate) shared: SharedTree,
    workers: Vec<Worker>,
}

impl Uct {
    /// A player for a seat.
    pub fn new(context: SearchContext, options: UctOptions) -> Self {
        let utility = Utility::new(context.game.roles());
        let workers =
            (0..context.threads.max(1)).map(|_| Worker::new(&options, &utility, &context.game)).collect();
        Self { shared: SharedTree::new(context, options, utility), workers }
    }

    /// One batch after the other.
    fn think_single_threaded(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let Self { shared, workers } = self;
        let Some(worker) = workers.first_mut() else { return Ok(StopReason::Finished) };
        loop {
            let begun = Instant::now();
            let size = match shared.next_size(begun, budget) {
                Ok(size) => size,
                Err(stopped) => {
                    shared.finish(worker)?;
                    return Ok(stopped);
                }
            };
            if shared.check_memory(budget.memory) && shared.has_unreachable() {
                shared.finish(worker)?;
                shared.limit_memory(budget.memory);
            }
            shared.select_leaves(worker, size);
            worker.simulate()?;
            shared.apply(worker);
            shared.sizer.record(size, worker.batch_time_since(begun));
        }
    }
}

impl Search for Uct {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.shared.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if !self.shared.can_search() {
            return Ok(StopReason::Finished);
        }
        self.workers.iter_mut().filter(|worker| worker.has_in_flight()).for_each(Worker::reset);
        self.shared.playouts_left = budget.playouts;
        self.shared.sizer.begin(Instant::now(), budget.deadline, budget.playouts);
        match (self.workers.len(), self.shared.options.parallel) {
            (1, _) => self.think_single_threaded(budget),
            (_, Parallel::Leaf) => leaf::think(&mut self.shared, &mut self.workers, budget),
            _ => tree::think(&mut self.shared, &mut self.workers, budget),
        }
    }

    fn report(&self) -> SearchReport {
        SharedTree::report(&[&self.shared], true)
    }

    fn times(&self) -> SearchTimes {
        self.shared.times
    }
}

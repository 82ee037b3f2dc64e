//! UCT: Monte Carlo tree search with UCB1, in batches of leaves.
//!
//! # What it does
//! Algorithm 6 of the thesis, for many leaves at once. [`descend`] selects leaves. [`batch`] has
//! the game run playouts after all of them in one call, adds one node per leaf and backpropagates
//! the returns. Unfinished visits count as the worst return (virtual loss), so the leaves of a
//! batch differ. With one leaf and one playout at a time (`batch=1,playouts=1`) it is the algorithm
//! of the papers.
//!
//! # References
//! H. Finnsson, CADIA-Player: A General Game Playing Agent, 2007, chapters 3 and 4.

mod amaf;
mod batch;
mod batch_sizer;
mod descend;
mod lookahead;
mod looking;
mod options;
mod recycling;
mod refilling;
mod report;
mod returns_seen;
mod shared_tree;
mod solver;
mod timed_policy;
mod worker;

pub(crate) use batch_sizer::BatchTime;
pub use options::{Decision, Policy, Refill, UctOptions};
pub(crate) use shared_tree::SharedTree;
pub(crate) use worker::Worker;

use std::time::Instant;

use ludex_game::{Failure, MoveId, State};

use crate::budget::Budget;
use crate::look::{Look, LookError, Question};
use crate::parallel::{Parallel, leaf, tree};
use crate::report::{Proof, SearchReport};
use crate::search::{Search, SearchContext, SearchTimes, StopReason};
use crate::utility::Utility;

/// UCT: one tree, searched by one or several threads.
pub struct Uct {
    pub(crate) shared: SharedTree,
    workers: Vec<Worker>,
}

impl Uct {
    /// A search for a role of a game.
    pub fn new(context: SearchContext, options: UctOptions) -> Self {
        let utility = Utility::new(context.game.roles());
        let workers =
            (0..context.threads.max(1)).map(|_| Worker::new(&options, &utility, &context.game)).collect();
        Self { shared: SharedTree::new(context, options, utility), workers }
    }

    /// Runs one batch after another.
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
            if shared.waits_to_free() {
                shared.finish(worker)?;
                shared.begin_freeing();
            }
            shared.recycle(budget.memory, size.leaves);
            shared.select_leaves(worker, size);
            shared.look_ahead(worker)?;
            worker.simulate()?;
            shared.apply(worker);
            shared.sizer.record(size, worker.batch_time_since(begun));
        }
    }
}

impl Uct {
    /// Whether the root needs a search.
    pub(crate) fn needs_search(&self) -> bool {
        self.shared.can_search() && !self.shared.is_root_decided()
    }

    /// Learns what another search has proved about moves at the root.
    pub(crate) fn learn(&mut self, proofs: &[(MoveId, Proof)]) {
        self.shared.learn(proofs);
    }

    /// The mean number of steps of a simulation from the root; none before the first.
    pub(crate) fn mean_length(&self) -> Option<f64> {
        let (steps, playouts) = (self.shared.steps as f64, self.shared.playouts as f64);
        (playouts > 0.0).then(|| steps / playouts)
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
        self.shared.tree.reserve(budget.memory);
        self.shared.sizer.begin(Instant::now(), budget.deadline, budget.playouts);
        let stopped = match (self.workers.len(), self.shared.options.parallel) {
            (1, _) => self.think_single_threaded(budget),
            (_, Parallel::Leaf) => leaf::think(&mut self.shared, &mut self.workers, budget),
            _ => tree::think(&mut self.shared, &mut self.workers, budget),
        }?;
        self.shared.debug_check(budget.deadline.is_some());
        Ok(stopped)
    }

    fn report(&self) -> SearchReport {
        SharedTree::report(&[&self.shared], true)
    }

    fn look(&self, question: &Question) -> Result<Look, LookError> {
        self.shared.look(question)
    }

    fn times(&self) -> SearchTimes {
        self.shared.times
    }
}

//! Leaf parallelization: one thread has the tree, all threads run playouts.
//!
//! # What it does
//! One thread selects a batch of leaves for each thread. All batches are simulated at the same
//! time; then the first thread backpropagates the results in order. Every thread has its own
//! strategy, which learns from its own playouts. With limits in playouts, the same seed and number
//! of threads give the same result.
//!
//! # Differs from the paper
//! Finnsson sends single playouts to other machines and uses results as they arrive. Here threads
//! wait for each other after each batch, which is long.
//!
//! # References
//! H. Finnsson, CADIA-Player: A General Game Playing Agent, 2007, section 4.4; T. Cazenave, N.
//! Jouandeau, On the parallelization of UCT, 2007 ("at the leaves").
//!
//! # Status
//! Optional.

use std::time::Instant;

use ludex_game::Failure;

use super::threads::run_on_threads;
use crate::budget::Budget;
use crate::search::StopReason;
use crate::uct::{BatchTime, SharedTree, Worker};

/// Searches until a limit of the budget is reached.
pub(crate) fn think(
    shared: &mut SharedTree,
    workers: &mut [Worker],
    budget: &Budget,
) -> Result<StopReason, Failure> {
    loop {
        let begun = Instant::now();
        let mut size = match shared.next_size(begun, budget) {
            Ok(size) => size,
            Err(stopped) => return Ok(stopped),
        };
        shared.begin_freeing();
        shared.recycle(budget.memory, size.leaves);
        for worker in workers.iter_mut() {
            // The batches of other threads may leave fewer playouts.
            if let Some(playouts_left) = shared.playouts_left {
                size = size.at_most(playouts_left);
            }
            shared.select_leaves(worker, size);
            shared.look_ahead(worker)?;
        }
        let simulated = run_on_threads(workers.iter_mut(), |worker| worker.simulate());
        simulated.into_iter().collect::<Result<(), Failure>>()?;
        workers.iter_mut().for_each(|worker| shared.apply(worker));
        let playouts = workers.iter().map(|worker| worker.took.playouts).max().unwrap_or_default();
        shared.sizer.record(size, BatchTime { all: begun.elapsed(), playouts, finished: None });
    }
}

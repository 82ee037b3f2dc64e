//! Leaf parallelisation: playouts are handed to other threads.
//!
//! # What it does
//! One thread walks through the tree and gathers a batch of leaves for each thread; all batches are simulated at the same
//! time; then the first thread takes up what came of them, in order. Every thread has a strategy of its own that learns from
//! its own playouts. With limits in playouts, the same seed and as many threads, everything is the same again.
//!
//! # Differs from the paper
//! Finnsson sends single playouts to other machines and takes results when they come; here threads wait for each other
//! after each batch, which is long.
//!
//! # References
//! H. Finnsson, CADIA-Player: A General Game Playing Agent, 2007, section 4.4; T. Cazenave, N. Jouandeau, On the
//! parallelization of UCT, 2007 ("at the leaves").
//!
//! # Status
//! Optional.

use std::time::Instant;

use ludex_game::Failure;

use super::threads::run_on_threads;
use crate::budget::Budget;
use crate::search::StopReason;
use crate::uct::{BatchTime, SharedTree, Worker};

/// Thinks until the budget ends it.
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
        shared.limit_memory(budget.memory);
        for worker in workers.iter_mut() {
            // What the batches before have left may be less.
            if let Some(playouts_left) = shared.playouts_left {
                size = size.at_most(playouts_left);
            }
            shared.select_leaves(worker, size);
        }
        let simulated = run_on_threads(workers.iter_mut(), |worker| worker.simulate());
        simulated.into_iter().collect::<Result<(), Failure>>()?;
        workers.iter_mut().for_each(|worker| shared.apply(worker));
        let playouts = workers.iter().map(|worker| worker.took.playouts).max().unwrap_or_default();
        shared.sizer.record(size, BatchTime { all: begun.elapsed(), playouts, finished: None });
    }
}

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

use super::threads::on_threads;
use crate::budget::Budget;
use crate::search::Stopped;
use crate::uct::{Knowledge, Took, Worker};

/// Thinks until the budget ends it.
pub(crate) fn think(
    knowledge: &mut Knowledge,
    workers: &mut [Worker],
    budget: &Budget,
) -> Result<Stopped, Failure> {
    loop {
        let begun = Instant::now();
        let mut size = match knowledge.next_size(begun, budget) {
            Ok(size) => size,
            Err(stopped) => return Ok(stopped),
        };
        knowledge.keep_within(budget.memory);
        for worker in workers.iter_mut() {
            // What the batches before have left may be less.
            if let Some(left) = knowledge.left {
                size = size.at_most(left);
            }
            knowledge.gather(worker, size);
        }
        let simulated = on_threads(workers.iter_mut(), |worker| worker.simulate());
        simulated.into_iter().collect::<Result<(), Failure>>()?;
        workers.iter_mut().for_each(|worker| knowledge.absorb(worker));
        let playouts = workers.iter().map(|worker| worker.took.playouts).max().unwrap_or_default();
        knowledge.pace.measured(size, Took { all: begun.elapsed(), playouts, back: None });
    }
}

//! Tree parallelization: all threads search one tree.
//!
//! # What it does
//! A global lock guards the tree. A thread holds it to select a batch of leaves, releases it during
//! the playouts, and takes it again to add nodes and backpropagate. Unfinished visits count as
//! losses (virtual loss), so threads select different leaves. The larger the share of playouts in
//! the time, the less threads wait for each other. Every thread has its own strategy, which learns
//! from its own playouts.
//!
//! # References
//! G. Chaslot, M. Winands, J. van den Herik, Parallel Monte-Carlo tree search, 2008: a global lock
//! and virtual loss.
//!
//! # Status
//! Default. Results depend on the timing of threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ludex_game::Failure;

use super::threads::run_on_threads;
use crate::budget::Budget;
use crate::search::StopReason;
use crate::uct::{SharedTree, Worker};

/// Why a thread stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThreadExit {
    /// A limit of the budget is reached.
    Stopped(StopReason),
    /// Nodes can be freed once no thread holds ids of nodes.
    WaitsToFree,
    /// Another thread has failed.
    OtherFailed,
}

/// Searches until a limit of the budget is reached.
pub(crate) fn think(
    shared: &mut SharedTree,
    workers: &mut [Worker],
    budget: &Budget,
) -> Result<StopReason, Failure> {
    loop {
        let search = TreeParallel { shared: Mutex::new(shared), failed: AtomicBool::new(false) };
        let exits = run_on_threads(workers.iter_mut(), |worker| search.work(worker, budget));
        let exits = exits.into_iter().collect::<Result<Vec<ThreadExit>, Failure>>()?;
        let stopped = exits.iter().find_map(|exit| match exit {
            ThreadExit::Stopped(stopped) => Some(*stopped),
            _ => None,
        });
        match stopped {
            Some(stopped) => return Ok(stopped),
            None => shared.begin_freeing(),
        }
    }
}

/// State shared by the threads.
struct TreeParallel<'a> {
    shared: Mutex<&'a mut SharedTree>,
    failed: AtomicBool,
}

impl<'a> TreeParallel<'a> {
    fn lock(&self) -> MutexGuard<'_, &'a mut SharedTree> {
        // If a thread panics, joining it ends the search, so a poisoned lock does not matter.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one batch after another.
    fn work(&self, worker: &mut Worker, budget: &Budget) -> Result<ThreadExit, Failure> {
        let mut shared = self.lock();
        loop {
            if self.failed.load(Ordering::Relaxed) {
                return Ok(ThreadExit::OtherFailed);
            }
            let begun = Instant::now();
            let size = match shared.next_size(begun, budget) {
                Ok(size) => size,
                Err(stopped) => {
                    drop(shared);
                    return self.finish(worker).map(|()| ThreadExit::Stopped(stopped));
                }
            };
            if shared.waits_to_free() {
                drop(shared);
                return self.finish(worker).map(|()| ThreadExit::WaitsToFree);
            }
            shared.recycle(budget.memory, size.leaves);
            shared.select_leaves(worker, size);
            let looked = shared.look_ahead(worker);
            drop(shared);
            let simulated = looked.and_then(|()| worker.simulate());
            if simulated.is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            simulated?;
            shared = self.lock();
            shared.apply(worker);
            shared.sizer.record(size, worker.batch_time_since(begun));
        }
    }
    /// Finishes the playouts that a worker has in flight and backpropagates them.
    fn finish(&self, worker: &mut Worker) -> Result<(), Failure> {
        if worker.has_in_flight() {
            let begun = Instant::now();
            worker.finish()?;
            let mut shared = self.lock();
            shared.apply(worker);
            shared.sizer.finished(begun.elapsed());
        }
        Ok(())
    }
}

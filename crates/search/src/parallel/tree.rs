//! Tree parallelisation: all threads walk through one tree.
//!
//! # What it does
//! A lock guards the tree. A thread takes it to select a batch of leaves, plays behind them without it, and takes it again
//! to add nodes and hand up returns. Visits of leaves that are being simulated count as losses until they are back, so that
//! other threads go elsewhere (virtual loss). The more of the time playouts take, the less threads wait for each other.
//! Every thread has a strategy of its own that learns from its own playouts.
//!
//! # References
//! G. Chaslot, M. Winands, J. van den Herik, Parallel Monte-Carlo tree search, 2008: a global lock and virtual loss.
//!
//! # Status
//! Default. What is found depends on which thread is first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ludex_game::Failure;

use super::threads::run_on_threads;
use crate::budget::Budget;
use crate::search::StopReason;
use crate::uct::{SharedTree, Worker};

/// Why a thread came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThreadExit {
    /// The budget says so.
    Stopped(StopReason),
    /// Memory is short, and something could be given up once nobody holds numbers of nodes.
    MemoryFull,
    /// Another thread has failed.
    OtherFailed,
}

/// Thinks until the budget ends it.
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
            None => shared.limit_memory(budget.memory),
        }
    }
}

/// What threads share.
struct TreeParallel<'a> {
    shared: Mutex<&'a mut SharedTree>,
    failed: AtomicBool,
}

impl<'a> TreeParallel<'a> {
    fn lock(&self) -> MutexGuard<'_, &'a mut SharedTree> {
        // A thread that panicked takes the whole search with it when it is joined.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One batch after the other.
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
            if shared.check_memory(budget.memory) && shared.has_unreachable() {
                drop(shared);
                return self.finish(worker).map(|()| ThreadExit::MemoryFull);
            }
            shared.select_leaves(worker, size);
            drop(shared);
            let simulated = worker.simulate();
            if simulated.is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            simulated?;
            shared = self.lock();
            shared.apply(worker);
            shared.sizer.record(size, worker.batch_time_since(begun));
        }
    }
    /// Plays what a worker has under way to its end, and takes it up.
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

//! Tree parallelisation: all threads walk through one tree.
//!
//! # What it does
//! A lock guards the tree. A thread takes it to gather a batch of leaves, plays behind them without it, and takes it again
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

use super::threads::on_threads;
use crate::budget::Budget;
use crate::search::Stopped;
use crate::uct::{Knowledge, Worker};

/// Why a thread came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Back {
    /// The budget says so.
    Stopped(Stopped),
    /// Memory is short, and something could be given up once nobody holds numbers of nodes.
    MemoryIsShort,
    /// Another thread has failed.
    OtherFailed,
}

/// Thinks until the budget ends it.
pub(crate) fn think(
    knowledge: &mut Knowledge,
    workers: &mut [Worker],
    budget: &Budget,
) -> Result<Stopped, Failure> {
    loop {
        let together = Together { knowledge: Mutex::new(knowledge), failed: AtomicBool::new(false) };
        let backs = on_threads(workers.iter_mut(), |worker| together.work(worker, budget));
        let backs = backs.into_iter().collect::<Result<Vec<Back>, Failure>>()?;
        let stopped = backs.iter().find_map(|back| match back {
            Back::Stopped(stopped) => Some(*stopped),
            _ => None,
        });
        match stopped {
            Some(stopped) => return Ok(stopped),
            None => knowledge.keep_within(budget.memory),
        }
    }
}

/// What threads share.
struct Together<'a> {
    knowledge: Mutex<&'a mut Knowledge>,
    failed: AtomicBool,
}

impl<'a> Together<'a> {
    fn lock(&self) -> MutexGuard<'_, &'a mut Knowledge> {
        // A thread that panicked takes the whole search with it when it is joined.
        self.knowledge.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One batch after the other.
    fn work(&self, worker: &mut Worker, budget: &Budget) -> Result<Back, Failure> {
        let mut knowledge = self.lock();
        loop {
            if self.failed.load(Ordering::Relaxed) {
                return Ok(Back::OtherFailed);
            }
            let begun = Instant::now();
            let size = match knowledge.next_size(begun, budget) {
                Ok(size) => size,
                Err(stopped) => {
                    drop(knowledge);
                    return self.finish(worker).map(|()| Back::Stopped(stopped));
                }
            };
            if knowledge.look_at_memory(budget.memory) && knowledge.has_moved_on() {
                drop(knowledge);
                return self.finish(worker).map(|()| Back::MemoryIsShort);
            }
            knowledge.gather(worker, size);
            drop(knowledge);
            let simulated = worker.simulate();
            if simulated.is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            simulated?;
            knowledge = self.lock();
            knowledge.absorb(worker);
            knowledge.pace.measured(size, worker.took_since(begun));
        }
    }
    /// Plays what a worker has under way to its end, and takes it up.
    fn finish(&self, worker: &mut Worker) -> Result<(), Failure> {
        if worker.is_under_way() {
            let begun = Instant::now();
            worker.finish()?;
            let mut knowledge = self.lock();
            knowledge.absorb(worker);
            knowledge.pace.finished(begun.elapsed());
        }
        Ok(())
    }
}

//! The thinker: the thread that searches in time slices and publishes a report after each.
//!
//! The first slice is short, so that a move is there soon; later ones grow. A search does not begin
//! a batch that would end after its slice, so after a slice without playouts the next is twice as
//! long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Game, RoleId};
use ludex_search::{Budget, SearchContext, Stop, StopReason};

use super::SessionOptions;
use super::follower::Follower;
use super::state::{Found, Order, SharedState, Task};
use crate::runner::{MakeSearch, SearchFault, SearchRunner, catch_panic};
use crate::spelling::Spelling;

/// The first slice: long enough for a batch of playouts in most games.
const FIRST_SLICE: Duration = Duration::from_millis(5);
/// The longest slice: an answer is at most this much older than the search.
const LONGEST_SLICE: Duration = Duration::from_millis(50);

/// The thinker of one engine.
#[derive(Clone)]
pub(super) struct Thinker {
    pub shared: Arc<SharedState>,
    pub role: RoleId,
    pub spelling: Arc<Spelling>,
    pub make: MakeSearch,
    pub options: SessionOptions,
    pub generation: u32,
    pub stop: Stop,
}

/// A search and the position that it works on.
struct Work {
    follower: Follower,
    runner: SearchRunner,
    /// Number of the position.
    serial: u64,
    /// Playouts so far for the position.
    playouts: u64,
    slice: Duration,
    /// Nothing is left to search.
    finished: bool,
}

impl Thinker {
    /// Searches until the session is over or a better engine is there.
    pub(super) fn run(self, game: Arc<dyn Game>) {
        let mut last = 0;
        let mut work = None;
        loop {
            let order = match self.shared.next_task(self.generation, last, true) {
                Task::Order(order) => order,
                Task::Questions => {
                    work = self.answer(work, last);
                    continue;
                }
                Task::End => break,
            };
            last = order.request;
            let mut mine = work.take().unwrap_or_else(|| self.work(&game, order.threads));
            let thought = catch_panic(|| {
                let result = self.think_about(&mut mine, &order);
                (result, mine)
            });
            let fault = match thought {
                Ok((Ok(()), mine)) => {
                    work = Some(mine);
                    continue;
                }
                Ok((Err(fault), _)) => fault,
                Err(message) => SearchFault::Panic(message),
            };
            // The last report before the fault stays.
            self.shared.change(|state| {
                if state.serial == order.serial && state.generation == self.generation {
                    let report = state.found.take().and_then(|found| found.report);
                    let (failure, generation) = (Some(fault.to_string()), self.generation);
                    state.found = Some(Found { report, finished: true, failure, generation });
                }
            });
        }
    }

    /// Answers questions while nothing is to be thought about. A search that fails over it is dropped.
    fn answer(&self, work: Option<Work>, last: u64) -> Option<Work> {
        let work = work.and_then(|mut work| {
            let answered = catch_panic(|| {
                let result = work.runner.answer(&self.shared.watch.at(work.serial));
                result.is_ok().then_some(work)
            });
            answered.ok().flatten()
        });
        // Nothing is known about another position, unless its search is about to begin.
        if self.shared.lock().request == last {
            self.shared.watch.at(work.as_ref().map_or(0, |work| work.serial)).refuse_later();
        }
        work
    }

    fn work(&self, game: &Arc<dyn Game>, threads: usize) -> Work {
        let context =
            SearchContext { game: Arc::clone(game), role: self.role, seed: self.options.seed, threads };
        Work {
            follower: Follower::new(Arc::clone(game)),
            runner: SearchRunner::new(Arc::clone(&self.make), context),
            serial: 0,
            playouts: 0,
            slice: FIRST_SLICE,
            finished: false,
        }
    }

    fn think_about(&self, work: &mut Work, order: &Order) -> Result<(), SearchFault> {
        if self.options.playouts.is_some() && !self.settled() {
            return Ok(()); // a better engine will come, with a thinker of its own
        }
        if work.serial != order.serial {
            work.serial = order.serial;
            work.finished = false;
            work.slice = FIRST_SLICE;
            let Some((_, state)) = work.follower.follow(&order.histories)? else {
                work.finished = true;
                return Ok(()); // the guard reports it
            };
            work.runner.set_threads(order.threads);
            work.runner.set_root(&state)?;
            self.publish(work)?;
        }
        while !work.finished && self.slice(work)? {
            self.publish(work)?;
        }
        Ok(())
    }

    /// Waits until no better engine can come. False if one has come, or the session is over.
    fn settled(&self) -> bool {
        let mut state = self.shared.lock();
        while !state.settled && !state.closed && state.generation == self.generation {
            state = self.shared.wait(state, None);
        }
        state.settled && !state.closed && state.generation == self.generation
    }

    /// Searches for a slice. False if there is nothing to do for now.
    fn slice(&self, work: &mut Work) -> Result<bool, SearchFault> {
        let memory = {
            let state = self.shared.lock();
            let over = state.until.is_some_and(|until| Instant::now() >= until);
            if state.closed || over || state.generation != self.generation || state.serial != work.serial {
                return Ok(false);
            }
            // A stop that is set from now on counts.
            self.stop.clear();
            state.memory
        };
        let begun = Instant::now();
        let deadline = self.options.playouts.is_none().then(|| begun + work.slice);
        let playouts = self.options.playouts;
        let watch = self.shared.watch.at(work.serial);
        let budget = Budget { deadline, playouts, memory, stop: self.stop.clone(), watch };
        let stopped = work.runner.think(&budget)?;
        let took = begun.elapsed();
        let idle = work.runner.report()?.playouts == work.playouts;
        // A search that returns at once without a playout needs more time, and must not spin.
        if stopped == StopReason::Time && idle {
            work.slice *= 2;
            std::thread::sleep(FIRST_SLICE.saturating_sub(took));
        } else {
            work.slice = (work.slice * 3 / 2).min(LONGEST_SLICE.max(work.slice));
        }
        work.finished = stopped == StopReason::Finished || stopped == StopReason::Playouts;
        Ok(true)
    }

    /// Publishes the report so far.
    fn publish(&self, work: &mut Work) -> Result<(), SearchFault> {
        let report = work.runner.report()?;
        work.playouts = report.playouts;
        let game = work.runner.game();
        let name = |id| self.spelling.apply(&game.move_name(id));
        let report = Arc::new(report.named(self.options.candidates, name));
        let (finished, generation) = (work.finished, self.generation);
        let found = Found { report: Some(report), finished, failure: None, generation };
        self.shared.found(work.serial, found);
        Ok(())
    }
}

//! The thread that thinks: slices of search, and after each the best move so far on the desk.
//!
//! Slices are short at first, so that something is there soon, and grow. A search does not begin a step
//! that would end behind its slice, so if a slice brings nothing the next one is twice as long.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Failure, Game, RoleId};
use ludex_search::{Budget, Search, Seat, Stop, Stopped};

use super::desk::{Desk, Found, Order};
use super::follower::Follower;
use super::report::Reporter;
use super::{Make, SessionOptions};
use crate::spelling::Spelling;

const FIRST_SLICE: Duration = Duration::from_millis(5);
const LONGEST_SLICE: Duration = Duration::from_millis(50);

/// What a thinker needs to know.
#[derive(Clone)]
pub(super) struct Thinker {
    pub desk: Arc<Desk>,
    pub role: RoleId,
    pub spelling: Arc<Spelling>,
    pub make: Make,
    pub options: SessionOptions,
    pub generation: u32,
    pub stop: Stop,
}

/// A search at work.
struct Work {
    follower: Follower,
    search: Option<Box<dyn Search>>,
    /// How many threads it was made for.
    threads: usize,
    /// The position it thinks about.
    serial: u64,
    thought: Duration,
    slice: Duration,
    /// There is nothing left to think about.
    finished: bool,
}

impl Thinker {
    /// Thinks until the session is over or a better engine is there.
    pub(super) fn run(self, game: Arc<dyn Game>) {
        let mut last = 0;
        let mut work = None;
        while let Some(order) = self.desk.next_order(self.generation, last) {
            last = order.request;
            let mut mine = work.take().unwrap_or_else(|| Work::new(Arc::clone(&game)));
            let thought = catch_unwind(AssertUnwindSafe(|| {
                let result = self.think_about(&mut mine, &order);
                (result, mine)
            }));
            let failure = match thought {
                Ok((Ok(()), mine)) => {
                    work = Some(mine);
                    continue;
                }
                Ok((Err(failure), _)) => failure.to_string(),
                Err(_) => "the search panicked".to_owned(),
            };
            // What it found before it failed stays.
            self.desk.change(|state| {
                if state.serial == order.serial && state.generation == self.generation {
                    let report = state.found.take().and_then(|found| found.report);
                    let generation = self.generation;
                    state.found = Some(Found { report, finished: true, failure: Some(failure), generation });
                }
            });
        }
    }

    fn think_about(&self, work: &mut Work, order: &Order) -> Result<(), Failure> {
        if self.options.playouts.is_some() && !self.settled() {
            return Ok(()); // a better engine will come, and a thinker with it
        }
        if work.serial != order.serial {
            work.serial = order.serial;
            work.finished = false;
            work.thought = Duration::ZERO;
            work.slice = FIRST_SLICE;
            let Some((_, state)) = work.follower.follow(&order.histories)? else {
                work.finished = true;
                return Ok(()); // the guard says so too
            };
            if work.threads != order.threads {
                work.search = None;
                work.threads = order.threads;
            }
            let game = work.follower.game();
            let search = work.search.get_or_insert_with(|| {
                let (seed, threads) = (self.options.seed, order.threads);
                (self.make)(Seat { game: Arc::clone(game), role: self.role, seed, threads })
            });
            search.set_root(&state)?;
            self.publish(work);
        }
        while !work.finished && self.slice(work)? {
            self.publish(work);
        }
        Ok(())
    }

    /// Waits until it is clear that no better engine will come. False if one has come, or nobody wants one.
    fn settled(&self) -> bool {
        let mut state = self.desk.lock();
        while !state.settled && !state.closed && state.generation == self.generation {
            state = self.desk.wait(state, None);
        }
        state.settled && !state.closed && state.generation == self.generation
    }

    /// Thinks for a while. False if there is nothing to do for now.
    fn slice(&self, work: &mut Work) -> Result<bool, Failure> {
        let memory = {
            let state = self.desk.lock();
            let over = state.until.is_some_and(|until| Instant::now() >= until);
            if state.closed || over || state.generation != self.generation || state.serial != work.serial {
                return Ok(false);
            }
            // Whoever comes from now on sets it again.
            self.stop.clear();
            state.memory
        };
        let Some(search) = work.search.as_mut() else { return Ok(false) };
        let begun = Instant::now();
        let deadline = self.options.playouts.is_none().then(|| begun + work.slice);
        let playouts = self.options.playouts;
        let budget = Budget { deadline, playouts, memory, stop: self.stop.clone() };
        let before = search.thinking().playouts;
        let stopped = search.think(&budget)?;
        let took = begun.elapsed();
        work.thought += took;
        let idle = search.thinking().playouts == before;
        // A search that comes back at once and has done nothing needs more time, and must not spin.
        if stopped == Stopped::Time && idle {
            work.slice *= 2;
            std::thread::sleep(FIRST_SLICE.saturating_sub(took));
        } else {
            work.slice = (work.slice * 3 / 2).min(LONGEST_SLICE.max(work.slice));
        }
        work.finished = stopped == Stopped::Finished || stopped == Stopped::Playouts;
        Ok(true)
    }

    /// Puts the best move so far on the desk.
    fn publish(&self, work: &Work) {
        let Some(search) = work.search.as_ref() else { return };
        let reporter = Reporter {
            game: &**work.follower.game(),
            role: self.role,
            spelling: &self.spelling,
            candidates: self.options.candidates,
        };
        let report = reporter.report(&search.thinking(), work.thought);
        let (finished, generation) = (work.finished, self.generation);
        let found = Found { report: Some(Arc::new(report)), finished, failure: None, generation };
        self.desk.found(work.serial, found);
    }
}

impl Work {
    fn new(game: Arc<dyn Game>) -> Self {
        Self {
            follower: Follower::new(game),
            search: None,
            threads: 0,
            serial: 0,
            thought: Duration::ZERO,
            slice: FIRST_SLICE,
            finished: false,
        }
    }
}

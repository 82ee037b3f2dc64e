//! A player's search at work on one game: the part that a [`Session`](crate::Session) and a referee
//! share.
//!
//! A [`SearchRunner`] makes the search when it is first needed, sets its root, lets it think within
//! a budget, measures the time and reports. A search may fail or panic; the caller then gets a
//! [`SearchFault`], and the next root gets a new search.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Failure, Game, State};
use ludex_search::{
    Budget, Look, LookError, Question, Search, SearchContext, SearchReport, StopReason, Watch,
};

/// Makes the search of a seat.
pub type MakeSearch = Arc<dyn Fn(SearchContext) -> Box<dyn Search> + Send + Sync>;

/// Why a search has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchFault {
    /// The engine or the search gave up.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The search panicked, with this message.
    #[error("the player panicked: {0}")]
    Panic(String),
}

/// A search, and how to make it again after a fault.
pub struct SearchRunner {
    make: MakeSearch,
    context: SearchContext,
    search: Option<Box<dyn Search>>,
    /// Search time since the root was set.
    elapsed: Duration,
}

impl SearchRunner {
    /// A runner for a seat; the search is made with the first root.
    pub fn new(make: MakeSearch, context: SearchContext) -> Self {
        Self { make, context, search: None, elapsed: Duration::ZERO }
    }

    /// The game that ids in reports belong to.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.context.game
    }

    /// Uses so many threads from the next root on. Another number needs another search.
    pub fn set_threads(&mut self, threads: usize) {
        if self.context.threads != threads {
            self.context.threads = threads;
            self.drop_search();
        }
    }

    /// Makes a state the root; a tree that contains it is kept.
    pub fn set_root(&mut self, state: &State) -> Result<(), SearchFault> {
        self.elapsed = Duration::ZERO;
        self.run(|search| search.set_root(state))
    }

    /// Searches until a limit of the budget is reached or nothing is left to search.
    pub fn think(&mut self, budget: &Budget) -> Result<StopReason, SearchFault> {
        self.run(|search| search.think(budget))
    }

    /// The report about the root, with the search time.
    pub fn report(&mut self) -> Result<SearchReport, SearchFault> {
        let report = self.run(|search| Ok(search.report()))?;
        Ok(SearchReport { elapsed: self.elapsed, ..report })
    }

    /// What the search knows about a node, now that it rests.
    pub fn look(&mut self, question: &Question) -> Result<Result<Look, LookError>, SearchFault> {
        self.run(|search| Ok(search.look(question)))
    }

    /// Answers what was asked while the search rested.
    pub fn answer(&mut self, watch: &Watch) -> Result<(), SearchFault> {
        let game = Arc::clone(&self.context.game);
        self.run(|search| {
            watch.answer(&*game, |question| search.look(question));
            Ok(())
        })
    }

    /// Calls the search, which is made first if there is none.
    fn run<T>(&mut self, call: impl FnOnce(&mut dyn Search) -> Result<T, Failure>) -> Result<T, SearchFault> {
        let begun = Instant::now();
        let result = catch_panic(|| {
            let search = self.search.get_or_insert_with(|| (self.make)(self.context.clone()));
            call(&mut **search)
        });
        self.elapsed += begun.elapsed();
        let fault = match result {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(failure)) => SearchFault::Failure(failure),
            Err(message) => SearchFault::Panic(message),
        };
        self.drop_search();
        Err(fault)
    }

    /// Drops the search. After a panic, dropping it may panic as well.
    fn drop_search(&mut self) {
        let search = self.search.take();
        let _ = catch_panic(|| drop(search));
    }
}

/// Runs a closure; a panic becomes its message. The caller must not use what the closure left half
/// done.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| message(&*panic).to_owned())
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

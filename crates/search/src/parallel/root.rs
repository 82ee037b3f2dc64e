//! Root parallelization: each thread has its own tree.
//!
//! # What it does
//! Searches with different seeds run independently. At the end, visits and returns of their root
//! moves are summed, and the best sum decides (*single run*). Or the sums are formed several times
//! during the search, and every search continues with them at its root (*multiple runs*): `N(a) =
//! N_0(a) + Σ_i (N_i(a) - N_0(a))`, where `N_0` are the counts after the last exchange; the same
//! for returns. With limits in playouts, the same seed and number of threads give the same result.
//!
//! # Differs from the paper
//! In multiple runs each search keeps the tree below its root; Cazenave and Jouandeau start new
//! ones.
//!
//! # References
//! T. Cazenave, N. Jouandeau, On the parallelization of UCT, 2007; H. Finnsson, CADIA-Player: A
//! General Game Playing Agent, 2007, section 4.4.2.
//!
//! # Status
//! Optional.

use std::time::{Duration, Instant};

use ludex_game::{Failure, State};

use super::Parallel;
use super::threads::run_on_threads;
use crate::budget::Budget;
use crate::look::{Look, LookError, Question, Watch};
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, SearchTimes, StopReason};
use crate::uct::{SharedTree, Uct, UctOptions};

/// Number of exchanges in a call with a playout limit.
const EXCHANGES: u64 = 16;
/// Time between exchanges in a call with a deadline.
const EXCHANGE_INTERVAL: Duration = Duration::from_millis(25);

/// Root-parallel searches of one state.
pub(crate) struct RootParallel {
    searches: Vec<Uct>,
    /// Whether root statistics are exchanged during the search.
    merged: bool,
    /// Visits and returns of the root's edges after the last exchange: `N_0`.
    base: Vec<(u32, f64)>,
    /// The state being searched.
    root: Option<State>,
}

impl RootParallel {
    /// One search per thread of the context.
    pub(crate) fn new(context: &SearchContext, options: UctOptions) -> Self {
        let mut seeds = fastrand::Rng::with_seed(context.seed);
        let one = |_| {
            let context = SearchContext { seed: seeds.u64(..), threads: 1, ..context.clone() };
            Uct::new(context, options)
        };
        let searches = (0..context.threads).map(one).collect();
        Self { searches, merged: options.parallel == Parallel::RootMerged, base: Vec::new(), root: None }
    }

    /// Runs all searches at the same time; returns why the first one stopped.
    fn run(&mut self, budgets: &[Budget]) -> Result<StopReason, Failure> {
        let pairs = self.searches.iter_mut().zip(budgets);
        let all = run_on_threads(pairs, |(search, budget)| search.think(budget));
        let all = all.into_iter().collect::<Result<Vec<StopReason>, Failure>>()?;
        Ok(all.first().copied().unwrap_or(StopReason::Finished))
    }

    /// Splits a budget among the searches, with this many playouts in total.
    fn budgets(&self, budget: &Budget, playouts: Option<u64>) -> Vec<Budget> {
        let count = self.searches.len() as u64;
        let share = |at: u64| playouts.map(|all| all / count + u64::from(at < all % count));
        let memory = budget.memory / self.searches.len().max(1);
        // Looks are answered where all trees rest.
        let watch = Watch::new();
        let one = |at| Budget { playouts: share(at), memory, watch: watch.clone(), ..budget.clone() };
        (0..count).map(one).collect()
    }

    /// Sums what all searches found since the last exchange, and gives every search the sum.
    fn exchange(&mut self) {
        let all: Vec<Vec<(u32, f64)>> =
            self.searches.iter_mut().map(|search| search.shared.root_edges()).collect();
        let edges = all.first().map_or(0, Vec::len);
        self.base.resize(edges, (0, 0.0));
        for (at, sum) in self.base.iter_mut().enumerate() {
            let before = *sum;
            for of in &all {
                sum.0 = sum.0.saturating_add(of[at].0.saturating_sub(before.0));
                sum.1 += of[at].1 - before.1;
            }
        }
        for search in &mut self.searches {
            search.shared.set_root_edges(&self.base);
        }
    }
}

impl Search for RootParallel {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.searches.iter_mut().try_for_each(|search| search.set_root(state))?;
        // Statistics from the last root must not be counted again.
        if self.root.as_ref() != Some(state) {
            self.base.clear();
            self.root = Some(state.clone());
        }
        Ok(())
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if !self.merged || !self.searches.iter().all(|search| search.shared.can_search()) {
            return self.run(&self.budgets(budget, budget.playouts));
        }
        let mut playouts_left = budget.playouts;
        let each = playouts_left.map(|playouts_left| playouts_left.div_ceil(EXCHANGES));
        self.exchange();
        loop {
            let part = playouts_left.zip(each).map(|(playouts_left, each)| playouts_left.min(each));
            let mut budgets = self.budgets(budget, part);
            let pause = Instant::now() + EXCHANGE_INTERVAL;
            let is_last = budget.deadline.is_none_or(|deadline| deadline <= pause);
            if !is_last {
                budgets.iter_mut().for_each(|budget| budget.deadline = Some(pause));
            }
            let stopped = self.run(&budgets)?;
            self.exchange();
            if let Some(first) = self.searches.first() {
                budget.watch.answer(&*first.shared.context.game, |question| self.look(question));
            }
            playouts_left = playouts_left.zip(part).map(|(playouts_left, part)| playouts_left - part);
            let goes_on = match stopped {
                StopReason::Playouts => playouts_left != Some(0),
                StopReason::Time => !is_last,
                StopReason::Requested | StopReason::Finished => false,
            };
            if !goes_on {
                return Ok(stopped);
            }
        }
    }

    fn report(&self) -> SearchReport {
        let parts: Vec<&SharedTree> = self.searches.iter().map(|search| &search.shared).collect();
        SharedTree::report(&parts, self.merged)
    }

    /// What the first tree knows; with exchanges, its root has the statistics of all.
    fn look(&self, question: &Question) -> Result<Look, LookError> {
        self.searches.first().map_or(Err(LookError::NoTree), |first| first.look(question))
    }

    fn times(&self) -> SearchTimes {
        self.searches.iter().map(Search::times).sum()
    }
}

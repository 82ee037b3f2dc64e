//! `ludex`: tree search that proves, with an alpha-beta search beside it that proves more.
//!
//! # What it does
//! Most of the time belongs to the tree search ([`crate::Uct`]) with its solver. A share of it goes
//! to alpha-beta without an evaluation ([`prover`]), which looks from the same root for forced wins
//! and losses, step by step deeper, and hands what it proves to the tree: moves that lose are not
//! searched any more, and a proved win ends the search. Where its depth comes near the length of the
//! remaining game, it gets a larger share.
//!
//! # References
//! M. Winands, Y. Björnsson, J.-T. Saito, Monte-Carlo tree search solver, 2008; H. Baier, M. Winands,
//! MCTS-minimax hybrids, 2015 (shallow minimax searches beside tree search).

mod prover;

use std::time::{Duration, Instant};

use ludex_game::{Failure, State};

use crate::budget::Budget;
use crate::look::{Look, LookError, Question};
use crate::parallel::{Parallel, tree_search};
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, SearchTimes, StopReason};
use crate::uct::{Uct, UctOptions};
use prover::Prover;

/// The longest turn: afterwards the prover goes on. A turn ends with finished playouts, so short ones
/// would cost something.
const TURN: Duration = Duration::from_secs(2);
const TURN_PLAYOUTS: u64 = 200_000;

/// The search of the preset `ludex` for a role of a game; `share` is the prover's part of the work.
/// Root parallelization has no prover: its trees are searched apart.
pub fn champion(context: SearchContext, options: UctOptions, share: f64) -> Box<dyn Search> {
    match options.parallel {
        Parallel::Root | Parallel::RootMerged if context.threads > 1 => tree_search(context, options),
        _ => Box::new(Champion::new(context, options, share)),
    }
}

/// A tree search and its prover.
struct Champion {
    tree: Uct,
    prover: Option<Prover>,
}

impl Champion {
    fn new(context: SearchContext, options: UctOptions, share: f64) -> Self {
        let prover = Prover::new(&context, share);
        Self { tree: Uct::new(context, options), prover: prover.filter(|_| options.solver) }
    }

    /// One turn of both: the prover's share of a budget, then the tree's.
    fn take_turns(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if self.tree.needs_search() {
            let length = self.tree.mean_length();
            // Without its prover the tree goes on; if the rules are at fault, it finds that out itself.
            match self.prover.as_mut().map(|prover| prover.work(budget, length)) {
                Some(Ok(true)) => {
                    self.tree.learn(&self.prover.iter().flat_map(Prover::proofs).collect::<Vec<_>>())
                }
                Some(Err(_)) => self.prover = None,
                Some(Ok(false)) | None => {}
            }
        }
        let Some(prover) = &self.prover else { return self.tree.think(budget) };
        if prover.has_value() {
            return Ok(StopReason::Finished);
        }
        let memory = budget.memory.saturating_sub(prover.memory(budget.memory));
        self.tree.think(&Budget { memory, ..budget.clone() })
    }
}

impl Search for Champion {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let set = self.prover.as_mut().map(|prover| prover.set_root(state));
        if let Some(Err(_)) = set {
            self.prover = None;
        }
        self.tree.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let mut playouts_left = budget.playouts;
        loop {
            let end = Instant::now() + TURN;
            let is_last = budget.deadline.is_none_or(|deadline| deadline <= end);
            let turn = Budget {
                deadline: budget.deadline.map(|deadline| deadline.min(end)),
                playouts: playouts_left.map(|left| left.min(TURN_PLAYOUTS)),
                ..budget.clone()
            };
            let stopped = self.take_turns(&turn)?;
            playouts_left = playouts_left.map(|left| left.saturating_sub(TURN_PLAYOUTS));
            let goes_on = match stopped {
                StopReason::Playouts => playouts_left.is_some_and(|left| left > 0),
                StopReason::Time => !is_last,
                StopReason::Requested | StopReason::Finished => false,
            };
            if !goes_on {
                return Ok(stopped);
            }
        }
    }

    fn report(&self) -> SearchReport {
        let report = self.tree.report();
        match &self.prover {
            Some(prover) => prover.complete(report),
            None => report,
        }
    }

    fn look(&self, question: &Question) -> Result<Look, LookError> {
        self.tree.look(question)
    }

    fn times(&self) -> SearchTimes {
        self.tree.times()
    }
}

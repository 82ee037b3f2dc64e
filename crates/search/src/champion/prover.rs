//! An alpha-beta search beside the tree, for proofs only.
//!
//! It judges nothing at its horizon, so all it finds are ends of the game that can be forced: what
//! the role can guarantee, whatever all others do. Such a lower bound holds in every game. What it
//! cannot guarantee is an upper bound for the tree only with two players whose goals have a constant
//! sum, as long as no two players have been seen to choose at once.

use std::time::{Duration, Instant};

use ludex_game::{Failure, MoveId, State};
use ludex_knowledge::constant_sum;

use crate::budget::Budget;
use crate::minimax::{AlphaBeta, AlphaBetaOptions, Neutral};
use crate::report::{Proof, SearchReport};
use crate::search::{Search, SearchContext, StopReason};
use crate::utility::Utility;

/// Below this, a slice is not worth beginning: it is owed.
const LEAST_TIME: Duration = Duration::from_millis(2);
const LEAST_POSITIONS: f64 = 64.0;

/// The share where the end is near: its depth has reached this part of the mean length of playouts.
const NEAR: f64 = 0.6;
const SHARE_NEAR_THE_END: f64 = 0.4;

/// The part of the memory limit for its table, and the most it gets.
const MEMORY_PART: usize = 8;
const MOST_MEMORY: usize = 1 << 30;

/// The prover and what is owed to it.
pub(super) struct Prover {
    search: AlphaBeta,
    /// There are two players whose goals have a constant sum.
    has_sum: bool,
    share: f64,
    /// Seconds, or positions if playouts are limited, that it did not use yet.
    owed: f64,
    /// Nothing is left to be proved at this root.
    is_finished: bool,
    last: SearchReport,
}

impl Prover {
    /// For a game of several players without chance; none elsewhere.
    pub(super) fn new(context: &SearchContext, share: f64) -> Option<Self> {
        let utility = Utility::new(context.game.roles());
        if share <= 0.0 || utility.roles() < 2 || utility.has_chance() {
            return None;
        }
        let has_sum =
            utility.opponent(context.role.index()).is_some() && constant_sum(&*context.game).is_some();
        let options = AlphaBetaOptions { window: 0.0, ..AlphaBetaOptions::default() };
        let evaluation = Box::new(Neutral::new(&*context.game));
        Some(Self {
            search: AlphaBeta::new(SearchContext { threads: 1, ..context.clone() }, options, evaluation),
            has_sum,
            share,
            owed: 0.0,
            is_finished: false,
            last: SearchReport::default(),
        })
    }

    pub(super) fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.search.set_root(state)?;
        (self.is_finished, self.last) = (false, self.search.report());
        Ok(())
    }

    /// Works for its share of a budget. Returns whether there may be news. `length` is the mean
    /// length of playouts from the root, if it is known.
    pub(super) fn work(&mut self, budget: &Budget, length: Option<f64>) -> Result<bool, Failure> {
        if self.is_finished {
            return Ok(false);
        }
        let near = length.is_some_and(|length| f64::from(self.last.depth) >= NEAR * length);
        let share = if near { self.share.max(SHARE_NEAR_THE_END) } else { self.share };
        let memory = self.memory(budget.memory);
        let begun = Instant::now();
        let part = match (budget.deadline, budget.playouts) {
            (_, Some(playouts)) => {
                self.owed += playouts as f64 * share;
                if self.owed < LEAST_POSITIONS {
                    return Ok(false);
                }
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
                let positions = self.owed as u64;
                Budget { playouts: Some(positions), memory, ..budget.clone() }
            }
            (Some(deadline), None) => {
                let time = deadline.saturating_duration_since(begun).as_secs_f64();
                self.owed += time * share;
                let slice = self.owed.min(time / 2.0);
                if slice < LEAST_TIME.as_secs_f64() {
                    return Ok(false);
                }
                let deadline = Some(begun + Duration::from_secs_f64(slice));
                Budget { deadline, memory, ..budget.clone() }
            }
            (None, None) => return Ok(false),
        };
        let stopped = self.search.think(&part)?;
        self.is_finished = stopped == StopReason::Finished;
        let used = match budget.playouts {
            Some(_) => self.owed,
            None => begun.elapsed().as_secs_f64(),
        };
        self.owed = (self.owed - used).max(0.0);
        self.last = self.search.report();
        Ok(true)
    }

    /// What is proved about the moves of the root.
    pub(super) fn proofs(&self) -> Vec<(MoveId, Proof)> {
        let is_upper_bound = self.knows_upper_bounds();
        let known = self.last.candidates.iter().filter_map(|candidate| {
            let proof = candidate.proof?;
            let high = if is_upper_bound { proof.high } else { 100 };
            let steps = proof.steps.filter(|_| proof.low == high);
            Some((candidate.id, Proof { high, steps, ..proof }))
        });
        known.collect()
    }

    /// Whether what the role cannot guarantee is more than it can get.
    fn knows_upper_bounds(&self) -> bool {
        self.has_sum && !self.search.has_seen_simultaneous_moves()
    }

    /// Whether the value of the root is proved, and with it the move to make.
    pub(super) fn has_value(&self) -> bool {
        let is_all = self.last.proof.is_some_and(|proof| proof.low == 100);
        self.is_finished && self.last.proven && (is_all || self.knows_upper_bounds())
    }

    /// Memory that it takes of a limit.
    pub(super) fn memory(&self, limit: usize) -> usize {
        (limit / MEMORY_PART).min(MOST_MEMORY)
    }

    /// The tree's report, with the move and the proof if the value is known: iterative deepening
    /// finds the shortest win and the longest resistance.
    pub(super) fn complete(&self, report: SearchReport) -> SearchReport {
        if !self.has_value() {
            return report;
        }
        let mut candidates = report.candidates;
        let better = self.last.best.and_then(|best| candidates.iter().position(|known| known.id == best));
        let Some(at) = better else { return SearchReport { candidates, ..report } };
        let mut best = candidates.remove(at);
        best.proof = self.last.candidates.first().and_then(|first| first.proof).or(best.proof);
        best.values = self.last.values.clone();
        candidates.insert(0, best);
        SearchReport {
            best: self.last.best,
            values: self.last.values.clone(),
            candidates,
            principal_variation: self.last.principal_variation.clone(),
            proven: true,
            proof: self.last.proof,
            ..report
        }
    }
}

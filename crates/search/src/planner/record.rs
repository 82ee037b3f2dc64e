//! The best plan so far and what is proved: what all methods of a planner share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ludex_game::{Failure, MoveId};

use super::problem::Problem;

/// Moves to the first terminal state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The moves; none if the start is terminal.
    pub moves: Vec<MoveId>,
    /// What it is worth: the goal at its end.
    pub score: u8,
    /// The method that found it.
    pub method: &'static str,
}

/// What is known so far.
#[derive(Debug)]
pub(crate) struct Record {
    inner: Mutex<Inner>,
    /// Work of all methods, in states or what takes as long.
    nodes: AtomicU64,
}

#[derive(Clone, Debug)]
struct Inner {
    best: Option<Plan>,
    bound: u8,
    /// The method that proved the bound; none while it is the one that the model shows.
    proof: Option<&'static str>,
    /// No plan is better than the best one; without a plan, none exists.
    settled: bool,
}

impl Record {
    pub(crate) fn new(bound: u8) -> Self {
        let inner = Inner { best: None, bound, proof: None, settled: false };
        Self { inner: Mutex::new(inner), nodes: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a plan of this worth and length would be an improvement.
    pub(crate) fn wants(&self, score: u8, length: usize) -> bool {
        let inner = self.lock();
        inner
            .best
            .as_ref()
            .is_none_or(|best| score > best.score || score == best.score && length < best.moves.len())
    }

    /// Takes a plan if it is an improvement and the game confirms it. Says whether the score rose.
    pub(crate) fn offer(&self, problem: &Problem, plan: Plan) -> Result<bool, Failure> {
        if !self.wants(plan.score, plan.moves.len()) {
            return Ok(false);
        }
        if problem.value(&plan.moves)? != Some(plan.score) {
            return Err(Failure::Limit(format!("a plan of {} is not what the rules say", plan.method)));
        }
        let mut inner = self.lock();
        let known = inner.best.as_ref().map(|best| (best.score, best.moves.len()));
        let rises = known.is_none_or(|(score, _)| plan.score > score);
        if rises || known.is_some_and(|(score, length)| plan.score == score && plan.moves.len() < length) {
            inner.best = Some(plan);
        }
        Ok(rises)
    }

    /// A method has proved that no plan is worth more.
    pub(crate) fn prove_bound(&self, bound: u8, method: &'static str) {
        let mut inner = self.lock();
        if bound < inner.bound {
            (inner.bound, inner.proof) = (bound, Some(method));
        }
    }

    /// A method has looked at everything that matters: the best plan is the best there is, or there is
    /// none.
    pub(crate) fn settle(&self, method: &'static str) {
        let mut inner = self.lock();
        let score = inner.best.as_ref().map_or(0, |best| best.score);
        if !inner.settled && (score < inner.bound || inner.best.is_none()) {
            (inner.bound, inner.proof) = (score, Some(method));
        }
        inner.settled = true;
    }

    /// Whether nothing is left to find.
    pub(crate) fn is_settled(&self) -> bool {
        let inner = self.lock();
        inner.settled || inner.best.as_ref().is_some_and(|best| best.score >= inner.bound)
    }

    pub(crate) fn best(&self) -> Option<Plan> {
        self.lock().best.clone()
    }

    /// The worth of the best plan; none without one.
    pub(crate) fn score(&self) -> Option<u8> {
        self.lock().best.as_ref().map(|best| best.score)
    }

    pub(crate) fn bound(&self) -> (u8, Option<&'static str>) {
        let inner = self.lock();
        (inner.bound, inner.proof)
    }

    pub(crate) fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }
}

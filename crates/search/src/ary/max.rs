//! `ary-max`: UCT+T and nested Monte Carlo search together, MAX of the paper.
//!
//! # What it does
//! For each move both searches "evaluate independently the position and provide their evaluation of
//! the best move found. The move with the best associated score is then transmitted" (Méhat,
//! Cazenave 2010, section 6). The score is that of the best playout; of equal ones UCT's is played.
//! The search whose playout was played remembers the rest of it.
//!
//! # Parameters
//! `threads=1`: MAX1, both have a part of the time. `share` is UCT's part (default 0.5; section 7
//! proposes other ratios). `threads=2`: MAX2, each has a thread and all of the time. If playouts are
//! counted, both together run as many as are asked for, in either form.
//!
//! # Status
//! As published.

use std::time::{Duration, Instant};

use ludex_game::{Failure, State};

use super::nested::{Nested, NestedOptions};
use super::uct::{AryUct, AryUctOptions};
use crate::budget::Budget;
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, StopReason};

/// Options of MAX.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AryMaxOptions {
    /// A thread for each search (MAX2), instead of a part of the time (MAX1).
    pub threads: bool,
    /// UCT's part of the time, 0 to 1.
    pub share: f64,
    /// Options of UCT.
    pub uct: AryUctOptions,
    /// Options of nested Monte Carlo search.
    pub nested: NestedOptions,
}

/// MAX, for a game for one.
pub struct AryMax {
    uct: AryUct,
    nested: Nested,
    threads: bool,
    share: f64,
}

impl AryMax {
    /// A search for the only role of a game.
    pub fn new(context: SearchContext, options: AryMaxOptions) -> Self {
        Self {
            uct: AryUct::new(context.clone(), options.uct),
            nested: Nested::new(context, options.nested),
            threads: options.threads,
            share: options.share.clamp(0.0, 1.0),
        }
    }

    /// The budgets of UCT and of the nested search. In one thread the second begins when the first
    /// ends.
    fn budgets(&self, budget: &Budget) -> (Budget, Budget) {
        let share = if self.threads { 0.5 } else { self.share };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a number")]
        let first = budget.playouts.map(|all| (all as f64 * share).round() as u64);
        let rest = budget.playouts.zip(first).map(|(all, first)| all.saturating_sub(first));
        let half = Budget { memory: budget.memory / 2, ..budget.clone() };
        let deadline = match budget.deadline {
            Some(deadline) if !self.threads => {
                let now = Instant::now();
                let time = deadline.saturating_duration_since(now).as_secs_f64() * self.share;
                Some(now + Duration::from_secs_f64(time))
            }
            other => other,
        };
        (Budget { deadline, playouts: first, ..half.clone() }, Budget { playouts: rest, ..half })
    }
}

/// The score of a search's best playout.
fn score(report: &SearchReport) -> Option<u8> {
    report.proof.map(|proof| proof.low)
}

/// What two searches together came to. One that has finished with the root has the last word if its
/// value is proved; otherwise the other one goes on.
fn both(uct: StopReason, nested: StopReason, is_proved: bool) -> StopReason {
    match (uct, nested) {
        (StopReason::Requested, _) | (_, StopReason::Requested) => StopReason::Requested,
        (StopReason::Finished, StopReason::Finished) => StopReason::Finished,
        (StopReason::Finished, _) | (_, StopReason::Finished) if is_proved => StopReason::Finished,
        (StopReason::Finished, other) | (other, _) => other,
    }
}

impl Search for AryMax {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.uct.set_root(state)?;
        self.nested.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if self.report().proven {
            return Ok(StopReason::Finished);
        }
        let (first, second) = self.budgets(budget);
        let (uct, nested) = if self.threads {
            let Self { uct, nested, .. } = self;
            std::thread::scope(|scope| {
                let other = scope.spawn(|| nested.think(&second));
                let own = uct.think(&first);
                match other.join() {
                    Ok(other) => (own, other),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            })
        } else {
            let own = self.uct.think(&first);
            let other =
                if self.uct.report().proven { Ok(StopReason::Finished) } else { self.nested.think(&second) };
            (own, other)
        };
        Ok(both(uct?, nested?, self.report().proven))
    }

    fn report(&self) -> SearchReport {
        let (uct, nested) = (self.uct.report(), self.nested.report());
        let (playouts, steps) = (uct.playouts + nested.playouts, uct.steps + nested.steps);
        let (nodes, memory) = (uct.nodes, uct.memory + nested.memory);
        let is_nested_better = score(&nested) > score(&uct);
        let proven = uct.proven || nested.proven;
        let (better, other) = if is_nested_better { (nested, uct) } else { (uct, nested) };
        // A proof of one search holds for the other's plan as well.
        let proof = better.proof.map(|mut proof| {
            proof.high = proof.high.min(other.proof.map_or(proof.high, |known| known.high));
            proof
        });
        SearchReport { playouts, steps, nodes, memory, proven, proof, ..better }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_has_finished_does_not_end_the_other() {
        use StopReason::{Finished, Playouts, Requested, Time};
        assert_eq!(both(Finished, Time, false), Time);
        assert_eq!(both(Playouts, Finished, false), Playouts);
        assert_eq!(both(Playouts, Finished, true), Finished);
        assert_eq!(both(Finished, Finished, false), Finished);
        assert_eq!(both(Time, Requested, true), Requested);
    }
}

//! `maxn`: every player wants its own best.
//!
//! # What it does
//! Positions have a value for each role. Where a role chooses, it takes the child that is best for
//! itself, and that child's values become those of the position; ends of the game have their goals,
//! the horizon what the evaluation says of each role. Iterative deepening at full width: of the
//! cutoffs of alpha-beta, hardly any are sound here.
//!
//! - *Ties*: of children that are equally good for a role, the one that is worst for the searching
//!   role counts; then the first. The paper leaves it open, and values depend on it.
//! - *Simultaneous moves*: the searching role first, then the others in the order of roles, each
//!   knowing the moves before. Chance gives the mean of all values.
//! - Two players: the same as minimax if their goals have a constant sum; otherwise both maximise.
//!   One player: it maximises.
//!
//! What is proved here is what everyone gets if everyone plays so, not what a role can guarantee.
//!
//! # References
//! C. Luckhart, K. Irani, An algorithmic solution of n-person games, 1986; N. Sturtevant, R. Korf,
//! On pruning techniques for multi-player games, 2000; H. Finnsson, CADIA-Player, 2007, section
//! 2.1.4.

use ludex_game::{Failure, State};

use super::batches::{Backup, Batches};
use super::evaluation::Evaluation;
use super::full_width::{FullWidth, Told};
use super::levels::{Levels, Order, Seats};
use super::value::Chooser;
use crate::budget::Budget;
use crate::report::{Proof, SearchReport};
use crate::search::{Search, SearchContext, StopReason};
use crate::utility::is_chance;

/// Maxⁿ search.
pub struct MaxN(FullWidth<OwnBest>);

impl MaxN {
    /// A search for a role of a game.
    pub fn new(context: SearchContext, evaluation: Box<dyn Evaluation>) -> Self {
        let roles = context.game.roles();
        let chance = roles.iter().map(|role| is_chance(role));
        let seats = Seats::new(chance, context.role.index(), Order::Single);
        let batches = Batches::new(&context.game, evaluation, OwnBest { roles: roles.len(), seats });
        Self(FullWidth::new(context, batches))
    }
}

/// Everyone takes its own best.
struct OwnBest {
    roles: usize,
    seats: Seats,
}

/// What every role gets.
#[derive(Clone, Debug, PartialEq)]
struct Shares {
    goals: Box<[f32]>,
    /// Whether all leaves below are ends of the game.
    exact: bool,
    /// Steps to the end.
    steps: u16,
}

impl OwnBest {
    /// Whether a role prefers some shares to others.
    fn prefers(&self, role: usize, shares: &Shares, to: &Shares) -> bool {
        let own = self.seats.own;
        shares.goals[role] > to.goals[role]
            || shares.goals[role] >= to.goals[role] && role != own && shares.goals[own] < to.goals[own]
    }

    fn take(&self, role: usize, options: impl Iterator<Item = Shares>) -> Shares {
        if self.seats.choosers.get(role) == Some(&Chooser::Chance) {
            return self.mean(options);
        }
        let (mut best, mut exact): (Option<Shares>, bool) = (None, true);
        for shares in options {
            exact &= shares.exact;
            if best.as_ref().is_none_or(|best| self.prefers(role, &shares, best)) {
                best = Some(shares);
            }
        }
        let best = best.unwrap_or_else(|| self.end(|_| None));
        Shares { exact, ..best }
    }

    fn mean(&self, options: impl Iterator<Item = Shares>) -> Shares {
        let (mut sum, mut count) =
            (Shares { goals: vec![0.0; self.roles].into(), exact: true, steps: 0 }, 0u32);
        for shares in options {
            sum.goals.iter_mut().zip(&shares.goals).for_each(|(sum, goal)| *sum += goal);
            sum.exact &= shares.exact;
            sum.steps = sum.steps.max(shares.steps);
            count += 1;
        }
        sum.goals.iter_mut().for_each(|goal| *goal /= count.max(1) as f32);
        sum
    }
}

impl Backup for OwnBest {
    type Value = Shares;

    fn seats(&self) -> &Seats {
        &self.seats
    }

    fn end(&self, goal: impl Fn(usize) -> Option<u8>) -> Shares {
        let goals = (0..self.roles).map(|role| f32::from(goal(role).unwrap_or(0))).collect();
        Shares { goals, exact: true, steps: 0 }
    }

    fn guess(&self, judged: &[f32]) -> Shares {
        let cut = |&value: &f32| if value.is_nan() { 50.0 } else { value.clamp(0.0, 100.0) };
        Shares { goals: judged.iter().map(cut).collect(), exact: false, steps: 0 }
    }

    fn a_step_earlier(&self, value: Shares) -> Shares {
        Shares { steps: value.steps.saturating_add(1), ..value }
    }

    fn choose(&self, levels: &Levels, level: usize, values: &[Shares], base: u32) -> Shares {
        match levels.role(level) {
            Some(role) => {
                let options = levels.options(level).iter();
                self.take(role, options.map(|option| self.choose(levels, level + 1, values, base + option)))
            }
            None => values[base as usize].clone(),
        }
    }

    fn choose_alone(&self, role: usize, values: &[Shares]) -> Shares {
        self.take(role, values.iter().cloned())
    }
}

impl Told for OwnBest {
    fn goals(&self, value: &Shares) -> Vec<f64> {
        value.goals.iter().map(|&goal| f64::from(goal)).collect()
    }

    fn proof(&self, value: &Shares) -> Option<Proof> {
        // Expectations are rounded outwards.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "goals are 0 to 100")]
        let whole = |goal: f32| goal.clamp(0.0, 100.0) as u8;
        let own = value.goals.get(self.seats.own).copied().unwrap_or(0.0);
        let (low, high) = (whole((own + 1e-3).floor()), whole((own - 1e-3).ceil()));
        value.exact.then_some(Proof { low, high, steps: Some(value.steps) })
    }

    fn is_better(&self, value: &Shares, than: &Shares) -> bool {
        let own = self.seats.own;
        let (new, old) = (value.goals[own], than.goals[own]);
        // Of equal ends, a good one soon and a bad one late.
        let steps = if new > 50.0 { value.steps < than.steps } else { value.steps > than.steps };
        new > old || new >= old && value.exact && than.exact && steps
    }
}

impl Search for MaxN {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.0.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        self.0.think(budget)
    }

    fn report(&self) -> SearchReport {
        self.0.report()
    }
}

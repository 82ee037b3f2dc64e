//! Values for one role against all others: what it can guarantee.
//!
//! The searching role maximises its goal, the others minimise it, chance gives the mean. With two
//! players whose goals have a constant sum, this is minimax; with more players it is the paranoid
//! reduction (Sturtevant and Korf 2000).

use ludex_game::RoleId;
use ludex_knowledge::constant_sum;

use super::batches::Backup;
use super::evaluation::goal_values;
use super::levels::{Levels, Order, Seats};
use super::value::{Range, Tally, Value};
use crate::search::SearchContext;
use crate::utility::is_chance;

/// What the searching role can guarantee.
#[derive(Clone, Debug)]
pub(super) struct Guarantee {
    pub(super) seats: Seats,
    pub(super) range: Range,
    /// The sum of two players' goals, if it is proved to be constant.
    sum: Option<u32>,
}

impl Guarantee {
    /// For the role of a context.
    pub(super) fn new(context: &SearchContext, order: Order) -> Self {
        let (game, own) = (&context.game, context.role.index());
        let chance = game.roles().iter().map(|role| is_chance(role));
        let range = Range::of_goals(&goal_values(&**game, RoleId::new(own)));
        Self { seats: Seats::new(chance, own, order), range, sum: constant_sum(&**game) }
    }

    /// The goals of all roles, from that of the searching one. Without a constant sum, the others are
    /// taken to get what it does not.
    pub(super) fn all_goals(&self, own: f32) -> Vec<f64> {
        let own = f64::from(own);
        let others = (f64::from(self.sum.unwrap_or(100)) - own).clamp(0.0, 100.0);
        let value = |role: usize| if role == self.seats.own { own } else { others };
        (0..self.seats.choosers.len()).map(value).collect()
    }
}

impl Backup for Guarantee {
    type Value = Value;

    fn seats(&self) -> &Seats {
        &self.seats
    }

    fn end(&self, goal: impl Fn(usize) -> Option<u8>) -> Value {
        Value::of_end(goal(self.seats.own))
    }

    fn guess(&self, judged: &[f32]) -> Value {
        self.range.guess(judged.get(self.seats.own).copied().unwrap_or(f32::NAN))
    }

    fn a_step_earlier(&self, value: Value) -> Value {
        value.a_step_earlier()
    }

    fn choose(&self, levels: &Levels, level: usize, values: &[Value], base: u32) -> Value {
        if level >= levels.len() {
            return values[base as usize];
        }
        let options = levels.options(level);
        let count = u32::try_from(options.len()).unwrap_or(u32::MAX);
        let mut tally = Tally::new(levels.chooser(level), count, self.range);
        for option in options {
            tally.add(self.choose(levels, level + 1, values, base + option));
        }
        tally.value()
    }

    fn choose_alone(&self, role: usize, values: &[Value]) -> Value {
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        let mut tally = Tally::new(self.seats.choosers[role], count, self.range);
        for &value in values {
            tally.add(value);
        }
        tally.value()
    }
}

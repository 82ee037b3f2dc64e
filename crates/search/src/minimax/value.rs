//! Values of positions: a guess, and proved bounds around it.
//!
//! All values are goals of the searching role, from 0 to 100. The guess comes from the evaluation of
//! positions at the horizon; the bounds come from ends of the game alone. So a bound that is proved
//! at any depth, in any window, holds for good:
//!
//! `low ≤ guess ≤ high`, and the value of best play is in `low ..= high`.

use std::cmp::Ordering;

use super::matrix_game::{self, Solution};
use crate::report::Proof;

/// The value of a position for the searching role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    /// What the search expects.
    pub(super) guess: f32,
    /// It gets at least this, whatever the others do.
    pub(super) low: f32,
    /// It gets at most this, if the others play their best against it.
    pub(super) high: f32,
    /// Steps to the end in best play as far as it was searched; 0 unless the value is exact.
    pub(super) steps: u16,
}

/// The goals that a role can get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) low: f32,
    pub(super) high: f32,
}

/// Errors of expectations, at most.
const ROUNDING: f32 = 1e-3;

/// A guess differs by this much at least from the lowest and the highest goal: what is proved counts
/// more than what is guessed.
const MARGIN: f32 = 0.01;

impl Range {
    /// From the goals that the rules name; all goals if they are not known. A terminal state without
    /// a goal counts as 0, so 0 is always possible. If nothing else is, the way to the end still has
    /// a length, so the range is not a single value.
    pub(super) fn of_goals(goals: &[u8]) -> Self {
        let high = goals.iter().copied().max().filter(|&goal| goal > 0).unwrap_or(100);
        Self { low: 0.0, high: f32::from(high) }
    }

    /// The middle: what is above it is worth reaching soon.
    fn middle(self) -> f32 {
        f32::midpoint(self.low, self.high)
    }

    /// The value of a position at the horizon. What is not a number counts as the middle.
    pub(super) fn guess(self, guess: f32) -> Value {
        let margin = MARGIN.min((self.high - self.low) / 4.0);
        let guess = if guess.is_nan() { self.middle() } else { guess };
        let guess = guess.clamp(self.low + margin, self.high - margin);
        Value { guess, low: self.low, high: self.high, steps: 0 }
    }
}

impl Value {
    /// The value of a terminal state.
    pub(super) fn of_end(goal: Option<u8>) -> Self {
        let goal = f32::from(goal.unwrap_or(0));
        Self { guess: goal, low: goal, high: goal, steps: 0 }
    }

    /// Whether it is proved.
    pub(super) fn is_exact(self) -> bool {
        self.low >= self.high
    }

    /// The same, seen a step earlier.
    pub(super) fn a_step_earlier(self) -> Self {
        let steps = if self.is_exact() { self.steps.saturating_add(1) } else { 0 };
        Self { steps, ..self }
    }

    /// Whether the searching role prefers it to another value: more of the goal, or an end that is
    /// good for it sooner, or any other end later.
    pub(super) fn is_preferred(self, to: Self, range: Range) -> bool {
        match self.guess.total_cmp(&to.guess) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal if self.is_exact() && to.is_exact() => {
                let soon = self.guess > range.middle();
                if soon { self.steps < to.steps } else { self.steps > to.steps }
            }
            Ordering::Equal => self.low > to.low,
        }
    }

    /// What is proved, in whole goals; none if nothing is. Expectations are rounded outwards.
    pub(super) fn proof(self, range: Range) -> Option<Proof> {
        if self.low <= range.low && self.high >= range.high && range.low < range.high {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "goals are 0 to 100")]
        let whole = |goal: f32| goal.clamp(0.0, 100.0) as u8;
        let (low, high) = (whole((self.low + ROUNDING).floor()), whole((self.high - ROUNDING).ceil()));
        Some(Proof { low, high, steps: self.is_exact().then_some(self.steps) })
    }

    /// The same with bounds that are proved elsewhere.
    pub(super) fn within(self, low: f32, high: f32, steps: u16) -> Self {
        let was_exact = self.is_exact();
        let (low, high) = (self.low.max(low), self.high.min(high));
        let steps = if was_exact { self.steps } else { steps };
        Self { guess: self.guess.clamp(low, high.max(low)), low, high, steps }
    }
}

/// Who chooses among options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chooser {
    /// The searching role: the highest value.
    Own,
    /// The others, united against it: the lowest value.
    Others,
    /// The role `random`: the mean.
    Chance,
    /// The searching role and its opponent at once, by mixed strategies. Options are the pairs of
    /// their moves, the opponent's fastest; the number is that of the opponent's moves.
    Both(u32),
}

/// Collects the values of options, for one who chooses among them.
///
/// Of options that are proved to have the same value, the searching role prefers a short way to what
/// is good for it and a long way to anything else; the others do the same from their side.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    chooser: Chooser,
    range: Range,
    /// Options added, and options of the node.
    added: u32,
    count: u32,
    guess: f32,
    low: f32,
    high: f32,
    /// Steps of the preferred option with the value `steps_of`.
    steps: u16,
    steps_of: f32,
    /// All values so far, where both choose at once.
    cells: Vec<Value>,
}

impl Tally {
    /// For a choice between so many options.
    pub(super) fn new(chooser: Chooser, count: u32, range: Range) -> Self {
        let start = match chooser {
            Chooser::Own => f32::NEG_INFINITY,
            Chooser::Others => f32::INFINITY,
            Chooser::Chance | Chooser::Both(_) => 0.0,
        };
        let (guess, low, high, steps_of) = (start, start, start, f32::NAN);
        Self { chooser, range, added: 0, count, guess, low, high, steps: 0, steps_of, cells: Vec::new() }
    }

    /// Adds the value of an option; says whether its guess is the best so far.
    pub(super) fn add(&mut self, value: Value) -> bool {
        let first = self.added == 0;
        self.added += 1;
        let is_better = match self.chooser {
            Chooser::Own => value.guess > self.guess,
            Chooser::Others => value.guess < self.guess,
            Chooser::Chance => {
                self.guess += value.guess;
                self.low += value.low;
                self.high += value.high;
                self.steps = self.steps.max(value.steps);
                return first;
            }
            Chooser::Both(_) => {
                self.cells.push(value);
                self.steps = self.steps.max(value.steps);
                return first;
            }
        };
        if is_better || first {
            self.guess = value.guess;
        }
        match self.chooser {
            Chooser::Own => {
                self.low = self.low.max(value.low);
                self.high = self.high.max(value.high);
            }
            _ => {
                self.low = self.low.min(value.low);
                self.high = self.high.min(value.high);
            }
        }
        let is_preferred = value.is_exact() && self.prefers(value);
        if is_preferred {
            (self.steps, self.steps_of) = (value.steps, value.low);
        }
        is_better || first || (is_preferred && value.guess == self.guess)
    }

    /// Whether an exact value is preferred to the best exact one so far.
    fn prefers(&self, value: Value) -> bool {
        let (new, old, middle) = (value.low, self.steps_of, self.range.middle());
        let (is_better, soon) = match self.chooser {
            Chooser::Own => (new > old, new > middle),
            _ => (new < old, new < middle),
        };
        let is_sooner = value.steps < self.steps;
        let is_later = value.steps > self.steps;
        old.is_nan() || is_better || (new == old && if soon { is_sooner } else { is_later })
    }

    /// The guesses of all options, where both choose at once.
    pub(super) fn guesses(&self) -> impl Iterator<Item = f32> {
        self.cells.iter().map(|value| value.guess)
    }

    /// Whether no other option can change the result: the best there is is proved already.
    pub(super) fn is_settled(&self) -> bool {
        match self.chooser {
            Chooser::Own => self.low >= self.range.high,
            Chooser::Others => self.high <= self.range.low,
            Chooser::Chance | Chooser::Both(_) => false,
        }
    }

    /// The mixed strategies of both, if all of their pairs are added.
    pub(super) fn strategies(&self) -> Option<Solution> {
        let Chooser::Both(columns) = self.chooser else { return None };
        (self.added == self.count).then(|| self.solve(columns, |value| value.guess))
    }

    fn solve(&self, columns: u32, of: fn(&Value) -> f32) -> Solution {
        let payoffs: Vec<f64> = self.cells.iter().map(|value| f64::from(of(value))).collect();
        matrix_game::solve(&payoffs, columns as usize)
    }

    /// The value of the matrix game. It grows with every payoff, so the game of the lower bounds
    /// gives a lower bound, and that of the upper ones an upper one.
    fn value_of_matrix(&self, columns: u32) -> Value {
        if self.added < self.count {
            return self.range.guess(f32::NAN);
        }
        #[allow(clippy::cast_possible_truncation, reason = "goals need few digits")]
        let solved = |of: fn(&Value) -> f32| self.solve(columns, of).value as f32;
        let guess = solved(|value| value.guess);
        if self.cells.iter().all(|value| value.is_exact()) {
            return Value { guess, low: guess, high: guess, steps: self.steps };
        }
        let (low, high) = (solved(|value| value.low), solved(|value| value.high));
        Value { guess: guess.clamp(low, high.max(low)), low, high, steps: 0 }
    }

    /// The value of the choice. Options that were not added may be worth anything.
    pub(super) fn value(&self) -> Value {
        let (range, rest) = (self.range, (self.count.saturating_sub(self.added)) as f32);
        let (guess, low, high) = match self.chooser {
            Chooser::Own => (self.guess, self.low, if rest > 0.0 { range.high } else { self.high }),
            Chooser::Others => (self.guess, if rest > 0.0 { range.low } else { self.low }, self.high),
            Chooser::Both(columns) => return self.value_of_matrix(columns),
            Chooser::Chance => {
                let count = self.count.max(1) as f32;
                let low = (self.low + rest * range.low) / count;
                let high = (self.high + rest * range.high) / count;
                let guess = (self.guess + rest * range.middle()) / count;
                (guess, low, high)
            }
        };
        if self.added == 0 && self.chooser != Chooser::Chance {
            return range.guess(f32::NAN);
        }
        let is_exact = low >= high;
        let knows_steps = is_exact && (self.chooser == Chooser::Chance || self.steps_of == low);
        let steps = if knows_steps { self.steps } else { 0 };
        Value { guess: guess.clamp(low, high.max(low)), low, high, steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Range = Range { low: 0.0, high: 100.0 };

    fn exact(goal: f32, steps: u16) -> Value {
        Value { guess: goal, low: goal, high: goal, steps }
    }

    fn tally(chooser: Chooser, values: &[Value]) -> Value {
        let mut tally = Tally::new(chooser, u32::try_from(values.len()).unwrap(), RANGE);
        values.iter().for_each(|&value| {
            tally.add(value);
        });
        tally.value()
    }

    #[test]
    fn guesses_stay_between_the_ends() {
        assert!(RANGE.guess(100.0).guess < 100.0 && RANGE.guess(-5.0).guess > 0.0);
        assert_eq!(RANGE.guess(f32::NAN).guess, 50.0);
        assert!(!RANGE.guess(100.0).is_exact());
        assert!(!Range::of_goals(&[0]).guess(40.0).is_exact());
        assert_eq!(Range::of_goals(&[0, 60, 20]).guess(90.0).high, 60.0);
    }

    #[test]
    fn wins_come_soon_and_losses_late() {
        let wins = [exact(100.0, 5), exact(100.0, 3), exact(0.0, 1)];
        assert_eq!(tally(Chooser::Own, &wins), exact(100.0, 3));
        assert_eq!(tally(Chooser::Own, &[exact(0.0, 2), exact(0.0, 8)]), exact(0.0, 8));
        assert_eq!(tally(Chooser::Others, &[exact(0.0, 2), exact(0.0, 8)]), exact(0.0, 2));
        assert_eq!(tally(Chooser::Others, &wins[..2]), exact(100.0, 5));
    }

    #[test]
    fn bounds_of_what_is_not_searched_are_open() {
        let mut tally = Tally::new(Chooser::Own, 2, RANGE);
        assert!(tally.add(exact(50.0, 1)));
        let value = tally.value();
        assert_eq!((value.low, value.high, value.guess), (50.0, 100.0, 50.0));
        assert!(!tally.is_settled() && !tally.add(RANGE.guess(30.0)));
        assert_eq!((tally.value().low, tally.value().high), (50.0, 100.0));
    }

    #[test]
    fn both_choose_by_mixed_strategies() {
        let pennies = [exact(100.0, 1), exact(0.0, 2), exact(0.0, 3), exact(100.0, 1)];
        assert_eq!(tally(Chooser::Both(2), &pennies), exact(50.0, 3));
        let open = [exact(100.0, 1), RANGE.guess(0.0), exact(0.0, 3), exact(100.0, 1)];
        let value = tally(Chooser::Both(2), &open);
        assert!(value.low == 50.0 && value.high == 100.0 && (value.guess - 50.0).abs() < 0.1, "{value:?}");
    }

    #[test]
    fn chance_gives_the_mean_of_guesses_and_bounds() {
        let value = tally(Chooser::Chance, &[exact(100.0, 1), RANGE.guess(50.0)]);
        assert_eq!((value.low, value.guess, value.high), (50.0, 75.0, 100.0));
        assert_eq!(tally(Chooser::Chance, &[exact(100.0, 1), exact(50.0, 4)]), exact(75.0, 4));
    }
}

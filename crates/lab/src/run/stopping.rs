//! When there have been enough matches of a cell.
//!
//! Matches run in parallel and finish in any order. So that results do not depend on that order, a
//! rule only ever sees the matches from the first one on without a gap, in whole pairs of seats;
//! and once it has seen enough, matches behind that do not count, even if they were played.

use crate::experiment::Stopping;
use crate::statistics::{Estimate, decided};

/// Whether these scores are enough.
pub(crate) fn enough(stopping: &Stopping, scores: &[f64]) -> bool {
    match stopping {
        Stopping::HalfWidth(percent) => Estimate::of(scores).interval().half_width() * 100.0 <= *percent,
        Stopping::Sprt(test) => decided(test, scores).is_some(),
    }
}

/// The scores of a cell by the number of the match, and how far they count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    scores: Vec<Option<f64>>,
    /// Those before the first gap.
    prefix: Vec<f64>,
    /// How many of them the rule has seen.
    seen: usize,
    /// After how many it had seen enough.
    stopped: Option<usize>,
}

impl Tally {
    /// A match was played.
    pub(crate) fn add(&mut self, number: u64, score: f64) {
        let Ok(at) = usize::try_from(number) else { return };
        if self.scores.len() <= at {
            self.scores.resize(at + 1, None);
        }
        self.scores[at] = Some(score);
    }

    /// Whether a match was played.
    pub(crate) fn has(&self, number: u64) -> bool {
        usize::try_from(number).is_ok_and(|at| self.scores.get(at).is_some_and(Option::is_some))
    }

    /// How many matches with numbers below this were played.
    pub(crate) fn played(&self, below: u64) -> u64 {
        let below = usize::try_from(below).unwrap_or(usize::MAX).min(self.scores.len());
        self.scores[..below].iter().flatten().count() as u64
    }

    /// After how many matches the rule had seen enough, if it has.
    pub(crate) fn stopped(&mut self, stopping: Option<&Stopping>) -> Option<u64> {
        let stopping = stopping?;
        while let Some(Some(score)) = self.scores.get(self.prefix.len()) {
            self.prefix.push(*score);
        }
        while self.stopped.is_none() && self.seen + 2 <= self.prefix.len() {
            self.seen += 2;
            if enough(stopping, &self.prefix[..self.seen]) {
                self.stopped = Some(self.seen);
            }
        }
        self.stopped.map(|count| count as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Sprt;

    #[test]
    fn intervals_are_those_of_wilson() {
        // 50 of 100: 0.4038 to 0.5962.
        let scores: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
        assert!(enough(&Stopping::HalfWidth(9.7), &scores));
        assert!(!enough(&Stopping::HalfWidth(9.5), &scores));
        assert!(!enough(&Stopping::HalfWidth(10.0), &[]));
    }

    #[test]
    fn a_test_decides_for_either_side_or_not_yet() {
        let test = Stopping::Sprt(Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 });
        let scores = |wins: usize, of: usize| -> Vec<f64> {
            (0..of).map(|n| if n < wins { 1.0 } else { 0.0 }).collect()
        };
        assert!(enough(&test, &scores(75, 100)), "clearly better");
        assert!(enough(&test, &scores(40, 100)), "clearly not");
        assert!(!enough(&test, &scores(4, 7)));
        assert!(!enough(&test, &scores(0, 1)));
    }

    #[test]
    fn only_whole_pairs_before_the_first_gap_count() {
        let rule = Some(&Stopping::HalfWidth(30.0));
        let mut in_order = Tally::default();
        let scores = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        let mut when = Vec::new();
        for (number, &score) in (0..).zip(&scores) {
            in_order.add(number, score);
            when.push(in_order.stopped(rule));
        }
        let stop = in_order.stopped(rule).unwrap();
        assert!(stop % 2 == 0 && stop < 10, "{when:?}");
        // The other way round nothing is decided until the first match is there, and then the same.
        let mut backwards = Tally::default();
        for (number, &score) in scores.iter().enumerate().rev() {
            assert_eq!(backwards.stopped(rule), None);
            backwards.add(number as u64, score);
        }
        assert_eq!(backwards.stopped(rule), Some(stop));
        assert_eq!(backwards.stopped(None), None);
        assert!(backwards.has(3) && !backwards.has(10));
        assert_eq!((backwards.played(4), backwards.played(100)), (4, 10));
    }
}

//! How long before a deadline an answer must leave, learned from how late answers were.
//!
//! `margin(clock) = floor(clock) + 2 · late`, but at most 40 % of the clock, where `late` is the longest time
//! that lately passed between the moment when an answer was to leave and the moment when it had left
//! (waking up on a busy machine, putting the reply together, writing it). It fades by a fifth with each
//! answer. Without an order, the floor is 5 % of the clock, at least 120 ms and at most 500 ms: a clock of one
//! second leaves 0.88 s to think. How long the network takes nobody here can see; whoever plays across the
//! world gives a larger floor.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const LEAST: Duration = Duration::from_millis(120);
const MOST: Duration = Duration::from_millis(500);
/// Part of the clock that the floor is.
const PART: f64 = 0.05;
/// Part of the clock that the margin is at most: short clocks are played too.
const MOST_PART: f64 = 0.4;
/// What is left of a delay after each answer without one.
const FADING: f64 = 0.8;

/// What is known about delays.
#[derive(Debug)]
pub(super) struct Margin {
    /// As ordered.
    floor: Option<Duration>,
    late: Mutex<Duration>,
}

impl Margin {
    pub(super) fn new(floor: Option<Duration>) -> Self {
        Self { floor, late: Mutex::default() }
    }

    /// How long before the end of a clock an answer should leave.
    pub(super) fn of(&self, clock: Duration) -> Duration {
        let floor = self.floor.unwrap_or_else(|| clock.mul_f64(PART).clamp(LEAST, MOST));
        let late = *self.late.lock().unwrap_or_else(PoisonError::into_inner);
        (floor + late * 2).min(clock.mul_f64(MOST_PART))
    }

    /// An answer left this much later than it should have.
    pub(super) fn observe(&self, late: Duration) {
        let mut known = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        *known = late.max(known.mul_f64(FADING));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn one_second_is_playable_and_long_clocks_are_careful() {
        let margin = Margin::new(None);
        assert_eq!(margin.of(ms(1000)), ms(120));
        assert_eq!(margin.of(ms(5000)), ms(250));
        assert_eq!(margin.of(ms(60_000)), ms(500));
        assert_eq!(margin.of(ms(100)), ms(40));
        assert_eq!(Margin::new(Some(ms(700))).of(ms(10_000)), ms(700));
    }

    #[test]
    fn delays_are_learned_and_fade() {
        let margin = Margin::new(None);
        margin.observe(ms(50));
        assert_eq!(margin.of(ms(1000)), ms(220));
        for _ in 0..30 {
            margin.observe(ms(1));
        }
        assert!(margin.of(ms(1000)) < ms(130));
        margin.observe(ms(5000));
        assert_eq!(margin.of(ms(1000)), ms(400));
    }
}

//! How long before a deadline an answer must leave, learned from how late things happen on this
//! machine.
//!
//! `margin(clock) = floor(clock) + 2 · late`, but at most 40 % of the clock. `late` is the longest
//! delay of late: between the moment when an answer was to leave and the moment when it had left,
//! or between the moment when the heartbeat wanted to wake up and the moment when it did. It halves
//! every twenty seconds. Without an order, the floor is 5 % of the clock, at least 120 ms and at
//! most 500 ms: on a machine with nothing else to do, a clock of one second leaves 0.88 s to think.
//! How long the network takes nobody here can see; whoever plays across the world gives a larger
//! floor.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const LEAST: Duration = Duration::from_millis(120);
const MOST: Duration = Duration::from_millis(500);
/// Part of the clock that the floor is.
const PART: f64 = 0.05;
/// Part of the clock that the margin is at most: short clocks are played too.
const MOST_PART: f64 = 0.4;
/// After this long, half of a delay is forgotten.
const HALF_LIFE: Duration = Duration::from_secs(20);

/// What is known about delays.
#[derive(Debug)]
pub(super) struct Margin {
    /// As ordered.
    floor: Option<Duration>,
    /// The longest delay, and when it was looked at last.
    late: Mutex<(Duration, Instant)>,
}

impl Margin {
    pub(super) fn new(floor: Option<Duration>) -> Self {
        Self { floor, late: Mutex::new((Duration::ZERO, Instant::now())) }
    }

    /// How long before the end of a clock an answer should leave.
    pub(super) fn of(&self, clock: Duration) -> Duration {
        let floor = self.floor.unwrap_or_else(|| clock.mul_f64(PART).clamp(LEAST, MOST));
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner).0;
        (floor + late * 2).min(clock.mul_f64(MOST_PART))
    }

    /// Something happened this much later than it should have.
    pub(super) fn observe(&self, late: Duration) {
        self.observe_at(late, Instant::now());
    }

    fn observe_at(&self, late: Duration, now: Instant) {
        let mut known = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let lives = now.saturating_duration_since(known.1).as_secs_f64() / HALF_LIFE.as_secs_f64();
        *known = (late.max(known.0.mul_f64(0.5f64.powf(lives))), now);
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
        let now = Instant::now();
        margin.observe_at(ms(50), now);
        assert_eq!(margin.of(ms(1000)), ms(220));
        margin.observe_at(ms(1), now + HALF_LIFE);
        let half = margin.of(ms(1000));
        assert!(half > ms(165) && half < ms(175), "{half:?}");
        margin.observe_at(ms(1), now + HALF_LIFE * 20);
        assert_eq!(margin.of(ms(1000)), ms(122));
        margin.observe_at(ms(5000), now + HALF_LIFE * 20);
        assert_eq!(margin.of(ms(1000)), ms(400));
    }
}

//! How many leaves are simulated at once, and how often each: as suits the game and the time.
//!
//! Playouts behind a leaf are cheap once it is in its lane, and every leaf costs a walk through the tree: with few batches a
//! move, several playouts a leaf are better, with many, fewer (../shared/SEARCH.md). The time of a batch is measured: one that
//! would end after the deadline is not begun.

use std::time::{Duration, Instant};

use super::options::UctOptions;

/// How much to simulate at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub leaves: usize,
    pub playouts: u32,
}

/// Decides on sizes.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    lanes: usize,
    batch: usize,
    playouts: u32,
    /// Time of a playout of a batch, on average of late; the longest batch.
    longest: Duration,
    average: Option<Duration>,
}

impl Pace {
    pub(super) fn new(lanes: usize, options: &UctOptions) -> Self {
        Self {
            lanes: lanes.max(1),
            batch: options.batch,
            playouts: options.playouts,
            longest: Duration::ZERO,
            average: None,
        }
    }

    /// The next size; none if there is no time for another batch.
    pub(super) fn next(&self, now: Instant, deadline: Option<Instant>, left: Option<u64>) -> Option<Size> {
        if deadline.is_some_and(|deadline| now + self.longest >= deadline) {
            return None;
        }
        let leaves = if self.batch == 0 { self.lanes } else { self.batch };
        // How many batches of eight playouts a leaf are still to come, as far as is known.
        let by_time = deadline.zip(self.average).map(|(deadline, average)| {
            let time = deadline.saturating_duration_since(now);
            time.as_nanos() / average.as_nanos().max(1)
        });
        let by_count = left.map(|left| u128::from(left) / (8 * leaves as u128));
        let to_come = by_time.into_iter().chain(by_count).min().unwrap_or(0);
        let playouts = match (self.playouts, self.lanes) {
            (0, 1) => 1,
            (0, _) if to_come < 1000 => 8,
            (0, _) if to_come < 4000 => 4,
            (0, _) => 2,
            (playouts, _) => playouts,
        };
        // A small number of playouts is spread over some batches, so that later ones profit from earlier ones.
        let (leaves, playouts) = match left {
            Some(left) if self.batch == 0 => {
                let most = usize::try_from(left / (20 * u64::from(playouts))).unwrap_or(usize::MAX);
                (leaves.min(most.max(1)), playouts)
            }
            _ => (leaves, playouts),
        };
        let playouts = left.map_or(playouts, |left| playouts.min(u32::try_from(left).unwrap_or(u32::MAX)));
        let leaves = match left {
            Some(left) => {
                leaves.min(usize::try_from(left / u64::from(playouts.max(1))).unwrap_or(usize::MAX))
            }
            None => leaves,
        };
        Some(Size { leaves: leaves.max(1), playouts: playouts.max(1) })
    }

    /// A batch took this long.
    pub(super) fn measured(&mut self, size: Size, time: Duration) {
        self.longest = self.longest.max(time).mul_f64(0.999);
        // As if it had had eight playouts a leaf: that is what sizes are decided by.
        let scaled = time.mul_f64(8.0 / f64::from(size.playouts.min(8)).max(1.0));
        self.average = Some(self.average.map_or(scaled, |average| (average * 7 + scaled) / 8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_playouts_are_kept_and_do_not_look_at_the_clock() {
        let pace = Pace::new(512, &UctOptions::default());
        let now = Instant::now();
        let mut left = 10_000u64;
        let mut batches = 0;
        while left > 0 {
            let size = pace.next(now, None, Some(left)).unwrap();
            let count = size.leaves as u64 * u64::from(size.playouts);
            assert!(count > 0 && count <= left);
            left -= count;
            batches += 1;
        }
        assert!(batches >= 20, "{batches}");
    }

    #[test]
    fn a_batch_that_would_be_late_is_not_begun() {
        let mut pace = Pace::new(512, &UctOptions::default());
        let now = Instant::now();
        let soon = now + Duration::from_millis(5);
        assert!(pace.next(now, Some(soon), None).is_some());
        pace.measured(Size { leaves: 512, playouts: 8 }, Duration::from_millis(7));
        assert_eq!(pace.next(now, Some(soon), None), None);
        let later = now + Duration::from_millis(50);
        assert_eq!(pace.next(now, Some(later), None), Some(Size { leaves: 512, playouts: 8 }));
        let much_later = now + Duration::from_secs(50);
        assert_eq!(pace.next(now, Some(much_later), None), Some(Size { leaves: 512, playouts: 2 }));
    }

    #[test]
    fn what_is_set_is_taken() {
        let options = UctOptions { batch: 1, playouts: 1, ..UctOptions::default() };
        let pace = Pace::new(512, &options);
        let size = pace.next(Instant::now(), None, Some(1000)).unwrap();
        assert_eq!(size, Size { leaves: 1, playouts: 1 });
    }
}

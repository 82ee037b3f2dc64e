//! How many leaves are simulated at once, and how often each: as suits the game and the time.
//!
//! Playouts behind a leaf are cheap once it is in its lane, and every leaf costs a walk through the tree: with few
//! batches a move, several playouts a leaf are better, with many, fewer. The time of a batch is measured: one that
//! would end after the deadline is not begun. What a batch takes is not known beforehand, so the first is small, and
//! the next ones grow.

use std::time::{Duration, Instant};

use super::options::UctOptions;

/// How much to simulate at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub leaves: usize,
    pub playouts: u32,
}

impl Size {
    /// The same with no more playouts than this.
    pub(crate) fn at_most(self, left: u64) -> Self {
        let playouts = self.playouts.min(u32::try_from(left).unwrap_or(u32::MAX)).max(1);
        let leaves = usize::try_from(left / u64::from(playouts)).unwrap_or(usize::MAX);
        Self { leaves: self.leaves.min(leaves).max(1), playouts }
    }

    fn total(self) -> u64 {
        self.leaves as u64 * u64::from(self.playouts)
    }
}

/// How many times as much as the last batch the next one may be, as long as nothing is known about that.
const GROWTH: u64 = 4;

/// Leaves of the first batch before a deadline.
const FIRST: usize = 16;

/// Playouts a leaf while few batches fit into a move.
const MANY: u32 = 8;

/// Decides on sizes.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    lanes: usize,
    /// Batches that are on their way at the same time.
    threads: u64,
    batch: usize,
    playouts: u32,
    /// The size of the last batch, and what batches of that size take at most.
    last: Option<(Size, Duration)>,
    /// The same of the smallest batch so far.
    smallest: Option<(Size, Duration)>,
}

impl Pace {
    pub(super) fn new(lanes: usize, threads: usize, options: &UctOptions) -> Self {
        let (lanes, threads) = (lanes.max(1), threads.max(1) as u64);
        Self { lanes, threads, batch: options.batch, playouts: options.playouts, last: None, smallest: None }
    }

    /// A thought begins. Batches may have grown where there was more time, before the first move, beyond what there
    /// is time for now: then it begins small again. Else the player would never think any more.
    pub(super) fn begin(&mut self, now: Instant, deadline: Option<Instant>) {
        let (Some(deadline), Some((_, took))) = (deadline, self.last) else { return };
        let time = deadline.saturating_duration_since(now);
        if took < time {
            return;
        }
        self.last = self.smallest;
        // Even that was too long: it may have been disturbed, and is slowly forgotten.
        if let Some((_, took)) = self.smallest.as_mut().filter(|(_, took)| *took >= time) {
            *took /= 2;
        }
    }

    /// The next size; none if there is no time for another batch.
    pub(super) fn next(&self, now: Instant, deadline: Option<Instant>, left: Option<u64>) -> Option<Size> {
        let wanted = self.wanted(now, deadline, left);
        let Some(deadline) = deadline else { return Some(wanted) };
        let time = deadline.saturating_duration_since(now);
        let Some((last, took)) = self.last else {
            let first = Size { leaves: wanted.leaves.min(FIRST), playouts: 1 };
            return (!time.is_zero()).then_some(first);
        };
        if took >= time {
            return None;
        }
        // Larger batches take at most as much more time as they are larger.
        let most = (last.total().saturating_mul(GROWTH)).max(1);
        let by_time = time.as_nanos().saturating_mul(u128::from(last.total())) / took.as_nanos().max(1);
        let most = most.min(u64::try_from(by_time).unwrap_or(u64::MAX)).max(last.total());
        if wanted.total() <= most {
            return Some(wanted);
        }
        let leaves = wanted.leaves.min(usize::try_from(most).unwrap_or(usize::MAX)).max(1);
        let playouts = u32::try_from(most / leaves as u64).unwrap_or(u32::MAX).clamp(1, wanted.playouts);
        Some(Size { leaves, playouts })
    }

    /// What would be best, if the time of a batch did not matter.
    fn wanted(&self, now: Instant, deadline: Option<Instant>, left: Option<u64>) -> Size {
        let mut leaves = if self.batch == 0 { self.lanes } else { self.batch };
        // How many batches with many playouts a leaf are still to come, as far as is known.
        let whole = leaves as u64 * u64::from(MANY);
        let by_time = deadline.zip(self.last).map(|(deadline, (size, took))| {
            let time = deadline.saturating_duration_since(now).as_nanos();
            time * u128::from(size.total()) / (took.as_nanos().max(1) * u128::from(whole))
        });
        let by_count = left.map(|left| u128::from(left / whole));
        let to_come = by_time.into_iter().chain(by_count).min().unwrap_or(0);
        let mut playouts = match (self.playouts, self.lanes) {
            (0, 1) => 1,
            (0, _) if to_come < 1000 => MANY,
            (0, _) if to_come < 4000 => MANY / 2,
            (0, _) => MANY / 4,
            (playouts, _) => playouts,
        };
        if let Some(left) = left {
            // A small number of playouts is spread over some batches, so that later ones profit from earlier ones.
            if self.batch == 0 {
                let most = left / (20 * self.threads * u64::from(playouts));
                leaves = leaves.min(usize::try_from(most).unwrap_or(usize::MAX).max(1));
            }
            playouts = playouts.min(u32::try_from(left).unwrap_or(u32::MAX)).max(1);
            leaves = leaves.min(usize::try_from(left / u64::from(playouts)).unwrap_or(usize::MAX));
        }
        Size { leaves: leaves.max(1), playouts: playouts.max(1) }
    }

    /// A batch took this long.
    pub(crate) fn measured(&mut self, size: Size, time: Duration) {
        let took = match self.last {
            // Of batches of one size the longest counts, and is slowly forgotten.
            Some((last, took)) if last == size => time.max(took.mul_f64(0.98)),
            _ => time,
        };
        self.last = Some((size, took));
        if self.smallest.is_none_or(|(smallest, _)| size.total() <= smallest.total()) {
            self.smallest = self.last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_playouts_are_kept_and_do_not_look_at_the_clock() {
        let pace = Pace::new(512, 1, &UctOptions::default());
        let now = Instant::now();
        let mut left = 10_000u64;
        let mut batches = 0;
        while left > 0 {
            let size = pace.next(now, None, Some(left)).unwrap();
            assert!(size.total() > 0 && size.total() <= left);
            left -= size.total();
            batches += 1;
        }
        assert!(batches >= 20, "{batches}");
    }

    #[test]
    fn a_batch_that_would_be_late_is_not_begun() {
        let mut pace = Pace::new(512, 1, &UctOptions::default());
        let now = Instant::now();
        let in_time = |milliseconds| Some(now + Duration::from_millis(milliseconds));
        assert_eq!(pace.next(now, in_time(5), None), Some(Size { leaves: FIRST, playouts: 1 }));
        pace.measured(Size { leaves: 512, playouts: 8 }, Duration::from_millis(7));
        assert_eq!(pace.next(now, in_time(5), None), None);
        assert_eq!(pace.next(now, in_time(50), None), Some(Size { leaves: 512, playouts: 8 }));
        assert_eq!(pace.next(now, in_time(50_000), None), Some(Size { leaves: 512, playouts: 2 }));
    }

    #[test]
    fn batches_grow_to_what_there_is_time_for() {
        let mut pace = Pace::new(512, 1, &UctOptions::default());
        let now = Instant::now();
        let deadline = Some(now + Duration::from_millis(100));
        let mut sizes = Vec::new();
        for _ in 0..8 {
            let size = pace.next(now, deadline, None).unwrap();
            // A millisecond, and a hundredth of one for every playout.
            pace.measured(size, Duration::from_micros(1000 + 10 * size.total()));
            sizes.push(size.total());
        }
        assert!(sizes.windows(2).all(|pair| pair[1] <= GROWTH * pair[0]), "{sizes:?}");
        assert_eq!(sizes.last(), Some(&4096));
    }

    #[test]
    fn less_time_than_before_is_used_too() {
        let mut pace = Pace::new(512, 1, &UctOptions::default());
        let now = Instant::now();
        let in_time = |milliseconds| Some(now + Duration::from_millis(milliseconds));
        let takes = |size: Size| Duration::from_micros(1000 + 10 * size.total());
        for _ in 0..8 {
            let size = pace.next(now, in_time(100), None).unwrap();
            pace.measured(size, takes(size));
        }
        // The last batch took 42 ms.
        assert_eq!(pace.next(now, in_time(10), None), None);
        pace.begin(now, in_time(10));
        let size = pace.next(now, in_time(10), None).unwrap();
        assert!(takes(size) <= Duration::from_millis(10), "{size:?}");
        // One disturbance is not remembered for good.
        pace.measured(Size { leaves: 1, playouts: 1 }, Duration::from_millis(70));
        let thoughts = (0..9).take_while(|_| {
            pace.begin(now, in_time(10));
            pace.next(now, in_time(10), None).is_none()
        });
        assert!(thoughts.count() < 6);
    }

    #[test]
    fn what_is_set_is_taken() {
        let options = UctOptions { batch: 1, playouts: 1, ..UctOptions::default() };
        let pace = Pace::new(512, 1, &options);
        let size = pace.next(Instant::now(), None, Some(1000)).unwrap();
        assert_eq!(size, Size { leaves: 1, playouts: 1 });
    }
}

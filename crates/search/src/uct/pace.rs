//! How many leaves are simulated at once, and how often each: as suits the game and the time.
//!
//! What comes back from a batch tells where the next one should look, so a thought needs many of them: in checkers a player
//! with six batches a move wins one of six matches against one with about fifty (experiment `sizes`). But every batch costs a run
//! of the circuit for all lanes, and every leaf a walk through the tree: so there are several playouts a leaf, and batches are
//! larger where there is time. The time of a batch is measured: one that would end after the deadline is not begun. What a batch takes is not
//! known beforehand, so the first is small, and the next ones grow.

use std::time::{Duration, Instant};

use super::options::{Refill, UctOptions};
use super::refilling::Refilling;
use crate::parallel::Parallel;

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

    pub(super) fn total(self) -> u64 {
        self.leaves as u64 * u64::from(self.playouts)
    }
}

/// How long a batch took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Took {
    pub all: Duration,
    /// Of it, for playouts.
    pub playouts: Duration,
    /// Where lanes are refilled: how many playouts came back meanwhile, whenever they began.
    pub back: Option<u64>,
}

/// How many times as much as the last batch the next one may be, as long as nothing is known about that.
const GROWTH: u64 = 4;

/// Leaves of the first batch before a deadline.
const FIRST: usize = 16;

/// Playouts a leaf, if there are many leaves.
const MANY: u32 = 8;

/// How many times as many where the tree takes most of the time: then playouts cost little, and a leaf is worth more of them. In
/// connect four, with 20 ms a move, this had 56 % of 200 matches against 64 leaves with 8 playouts each.
const MORE: u32 = 2;

/// The tree takes most of the time when playouts have less than this share of it; until they have more than that.
const LITTLE: f64 = 0.35;
const MUCH: f64 = 0.65;

/// Batches that a thought needs before they fill the lanes.
const SOME_ROUNDS: u64 = 50;

/// Batches that a thought needs before they are larger than that.
const ROUNDS: u64 = 200;

/// Decides on sizes.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    lanes: usize,
    /// Playouts of the smallest batch: with fewer it would take as long.
    least: u64,
    /// Leaves of a batch before each of them has several playouts.
    spread: u64,
    /// Batches that are on their way at the same time.
    threads: u64,
    batch: usize,
    playouts: u32,
    /// The time of this thought, and its number of playouts, as far as they are limited.
    time: Option<Duration>,
    limit: Option<u64>,
    /// The size of the last batch, and what batches of that size take at most.
    last: Option<(Size, Duration)>,
    /// The same of the smallest batch so far.
    smallest: Option<(Size, Duration)>,
    /// Whether the tree takes most of the time; never where choices are made lane by lane, which take longer.
    is_tree_slow: bool,
    /// Time, and time of it for playouts, that was not looked at for this.
    unjudged: (Duration, Duration),
    looks_at_lanes: bool,
    refilling: Refilling,
}

impl Pace {
    pub(super) fn new(lanes: usize, threads: usize, options: &UctOptions) -> Self {
        let (lanes, threads) = (lanes.max(1), threads.max(1) as u64);
        let (least, spread) = match options.looks_at_lanes() {
            // Most of the time goes into single lanes, and batches that are not full cost little more. There is more to learn
            // behind more leaves.
            true => (lanes.div_ceil(4), 64),
            // Several playouts keep one bad one from spoiling a leaf for long.
            false => (lanes, 8),
        };
        let least = least as u64;
        let (batch, playouts) = (options.batch, options.playouts);
        Self {
            lanes,
            least,
            spread,
            threads,
            batch,
            playouts,
            time: None,
            limit: None,
            last: None,
            smallest: None,
            is_tree_slow: false,
            unjudged: (Duration::ZERO, Duration::ZERO),
            looks_at_lanes: options.looks_at_lanes(),
            refilling: Refilling::new(match options.parallel {
                // Threads that wait for each other do so for whole batches.
                Parallel::Leaf if threads > 1 => Refill::Never,
                _ => options.refill,
            }),
        }
    }

    /// Number of lanes of the game.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether lanes are to be refilled where batches have this size. Before a deadline it must be known how long a batch takes by itself: so
    /// long it may take until everything is over.
    pub(super) fn flows(&self, size: Size) -> bool {
        let is_known = |(last, _): (Size, Duration)| 2 * last.total() >= size.total();
        let is_safe = self.time.is_none() || self.last.is_some_and(is_known);
        let is_possible = !self.looks_at_lanes && self.lanes > 1 && size.leaves > 1;
        // Where the tree takes most of the time there is little to compare, and what comes back sooner tells it more.
        let is_wanted = match self.limit {
            None if self.is_tree_slow => self.refilling.is_wanted_beside_a_slow_tree(),
            limit => self.refilling.is_wanted(size, limit.is_some()),
        };
        is_possible && is_safe && is_wanted
    }

    /// A thought begins. Batches may have grown where there was more time, before the first move, beyond what there
    /// is time for now: then it begins small again. Else the player would never think any more.
    pub(super) fn begin(&mut self, now: Instant, deadline: Option<Instant>, limit: Option<u64>) {
        self.time = deadline.map(|deadline| deadline.saturating_duration_since(now));
        self.limit = limit;
        self.refilling.begin();
        let (Some(time), Some((_, took))) = (self.time, self.last) else { return };
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
        let wanted = self.wanted(left);
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
    fn wanted(&self, left: Option<u64>) -> Size {
        let by_time = self.time.zip(self.last).map(|(time, (size, took))| self.playouts_in(time, size, took));
        let by_limit = self.limit.map(|limit| limit / self.threads);
        let expected = by_limit.into_iter().chain(by_time).min();
        // What is decided by a number of playouts must not depend on a clock.
        let more = if self.is_tree_slow && by_limit.is_none() { MORE } else { 1 };
        let many = more * MANY;
        let most = self.lanes as u64 * u64::from(many);
        let of = |playouts: u64| {
            // Twice the playouts for twice the leaves, if there is time for half as many batches.
            let full = self.lanes as u64 * u64::from(more * more);
            let filling = (playouts.saturating_mul(u64::from(more)) / SOME_ROUNDS).min(full);
            filling.max(playouts / ROUNDS).min(most)
        };
        let total = match expected {
            // A number of playouts is no reason to fill the lanes: it does not matter how long they take.
            Some(playouts) if by_limit == expected => of(playouts).max(1),
            Some(playouts) => of(playouts).max(self.least),
            None => most,
        };
        // Very many batches: then what a leaf costs counts less than what more leaves tell.
        let batches = expected.unwrap_or(0) / most;
        let mut playouts = match (self.playouts, self.lanes) {
            (0, 1) => 1,
            (0, _) if batches < 1000 => u32::try_from(total / self.spread).unwrap_or(many).clamp(1, many),
            (0, _) if batches < 4000 => many / 2,
            (0, _) => many / 4,
            (playouts, _) => playouts,
        };
        let mut leaves = match self.batch {
            0 => usize::try_from(total / u64::from(playouts)).unwrap_or(usize::MAX).min(self.lanes),
            batch => batch,
        };
        if self.batch == 0 && by_limit.is_none() && !self.looks_at_lanes {
            leaves = self.with_all_lanes(leaves, playouts);
        }
        if let Some(left) = left {
            playouts = playouts.min(u32::try_from(left).unwrap_or(u32::MAX)).max(1);
            leaves = leaves.min(usize::try_from(left / u64::from(playouts)).unwrap_or(usize::MAX));
        }
        Size { leaves: leaves.max(1), playouts: playouts.max(1) }
    }

    /// About as many leaves, but so that the same number of lanes can play behind each and none is left over; as many as before, if that is near
    /// enough: what was measured is about batches of one size.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a few lanes"
    )]
    fn with_all_lanes(&self, leaves: usize, playouts: u32) -> usize {
        let is_near = |known: usize| 3 * known >= 2 * leaves && 2 * known <= 3 * leaves;
        let Size { leaves: known, playouts: same } = self.refilling.size();
        if same == playouts && is_near(known) {
            return known;
        }
        // The nearest of the lanes, a half of them, a quarter, ...
        let doublings = (self.lanes as f64 / leaves.max(1) as f64).log2().round().max(0.0);
        match 1usize << doublings as u32 {
            each if each <= playouts as usize => self.lanes / each,
            _ => leaves,
        }
    }

    /// How many playouts there is time for, if a batch of this size took so long.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of playouts")]
    fn playouts_in(&self, time: Duration, size: Size, took: Duration) -> u64 {
        if let Some(rate) = self.refilling.rate() {
            return (rate * time.as_secs_f64()) as u64;
        }
        let playouts = time.as_nanos() * u128::from(size.total()) / took.as_nanos().max(1);
        u64::try_from(playouts).unwrap_or(u64::MAX)
    }

    /// A batch was simulated, or a part of it where lanes are refilled.
    pub(crate) fn measured(&mut self, size: Size, took: Took) {
        let Took { all: time, playouts, back } = took;
        self.unjudged = (self.unjudged.0 + time, self.unjudged.1 + playouts);
        // Where lanes are refilled, some parts take no time, and others all of it.
        if back.is_none() || self.last.is_none_or(|(_, took)| self.unjudged.0 >= took) {
            let (time, playouts) = std::mem::take(&mut self.unjudged);
            let share = playouts.as_secs_f64() / time.as_secs_f64().max(1e-9);
            let bound = if self.is_tree_slow { MUCH } else { LITTLE };
            self.is_tree_slow = !self.looks_at_lanes && share < bound;
        }
        // Smaller ones come first and last, and say little; and where the number of playouts is given, no clock decides.
        if self.limit.is_none() && size == self.wanted(None) {
            self.refilling.measured(size, time, back);
        }
        if back.is_some() {
            if let Some((_, took)) = &mut self.last {
                *took = time.max(*took);
            }
            return;
        }
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

    /// It took this long until what was under way had come to its end.
    pub(crate) fn finished(&mut self, time: Duration) {
        self.refilling.finished();
        if let Some((_, took)) = &mut self.last {
            *took = time.max(took.mul_f64(0.8));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::Policy;
    use super::*;

    /// A batch of which playouts took most of the time.
    fn measured(pace: &mut Pace, size: Size, time: Duration) {
        let playouts = time.mul_f64(0.8);
        pace.measured(size, Took { all: time, playouts, back: None });
    }

    /// As a thought of this time and this many playouts begins, where playouts take a microsecond each.
    fn thinking(time: Option<Duration>, limit: Option<u64>, options: &UctOptions) -> Pace {
        let mut pace = Pace::new(512, 1, options);
        measured(&mut pace, Size { leaves: 512, playouts: 1 }, Duration::from_micros(512));
        let now = Instant::now();
        pace.begin(now, time.map(|time| now + time), limit);
        pace
    }

    #[test]
    fn limits_in_playouts_are_kept_and_do_not_look_at_the_clock() {
        for limit in [1, 7, 500, 10_000] {
            let pace = thinking(None, Some(limit), &UctOptions::default());
            let now = Instant::now();
            let (mut left, mut batches) = (limit, 0);
            while left > 0 {
                let size = pace.next(now, None, Some(left)).unwrap();
                assert!(size.total() > 0 && size.total() <= left);
                left -= size.total();
                batches += 1;
            }
            assert!(batches >= limit.min(SOME_ROUNDS), "{batches} for {limit}");
        }
    }

    /// A thought has many batches; only where time is short their size is what fits into the lanes.
    #[test]
    fn more_time_makes_larger_batches() {
        let wanted = |milliseconds: u64, options: &UctOptions| {
            thinking(Some(Duration::from_millis(milliseconds)), None, options).wanted(None)
        };
        let uniform = UctOptions::default();
        assert_eq!(wanted(20, &uniform), Size { leaves: 64, playouts: 8 });
        assert_eq!(wanted(200, &uniform), Size { leaves: 128, playouts: 8 });
        assert_eq!(wanted(1000, &uniform), Size { leaves: 512, playouts: 8 });
        assert_eq!(wanted(5000, &uniform), Size { leaves: 512, playouts: 4 });
        assert_eq!(wanted(60_000, &uniform), Size { leaves: 512, playouts: 2 });
        // Whichever comes to its end first.
        let both = |limit| thinking(Some(Duration::from_millis(20)), Some(limit), &uniform).wanted(None);
        assert_eq!([both(500), both(1 << 40)], [Size { leaves: 10, playouts: 1 }, wanted(20, &uniform)]);
        // Who looks at single lanes need not fill them.
        let by_lane = UctOptions { policy: Policy::Nst, ..uniform };
        assert_eq!(wanted(2, &by_lane), Size { leaves: 64, playouts: 2 });
        assert_eq!(wanted(10, &by_lane), Size { leaves: 66, playouts: 3 });
        assert_eq!(wanted(30, &by_lane), Size { leaves: 64, playouts: 8 });
        assert_eq!(wanted(1000, &by_lane), Size { leaves: 512, playouts: 8 });
    }

    #[test]
    fn a_batch_that_would_be_late_is_not_begun() {
        let mut pace = Pace::new(512, 1, &UctOptions::default());
        let now = Instant::now();
        let in_time = |milliseconds| Some(now + Duration::from_millis(milliseconds));
        assert_eq!(pace.next(now, in_time(5), None), Some(Size { leaves: FIRST, playouts: 1 }));
        measured(&mut pace, Size { leaves: 512, playouts: 8 }, Duration::from_millis(7));
        assert_eq!(pace.next(now, in_time(5), None), None);
        assert_eq!(pace.next(now, in_time(50), None), Some(Size { leaves: 512, playouts: 8 }));
    }

    #[test]
    fn batches_grow_to_what_there_is_time_for() {
        let mut pace = Pace::new(512, 1, &UctOptions::default());
        let now = Instant::now();
        let deadline = Some(now + Duration::from_secs(10));
        pace.begin(now, deadline, None);
        let mut sizes = Vec::new();
        for _ in 0..8 {
            let size = pace.next(now, deadline, None).unwrap();
            // A millisecond, and a hundredth of one for every playout.
            measured(&mut pace, size, Duration::from_micros(1000 + 10 * size.total()));
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
        pace.begin(now, in_time(10_000), None);
        for _ in 0..8 {
            let size = pace.next(now, in_time(10_000), None).unwrap();
            measured(&mut pace, size, takes(size));
        }
        // The last batch took 42 ms.
        assert_eq!(pace.next(now, in_time(10), None), None);
        pace.begin(now, in_time(10), None);
        let size = pace.next(now, in_time(10), None).unwrap();
        assert!(takes(size) <= Duration::from_millis(10), "{size:?}");
        // One disturbance is not remembered for good.
        measured(&mut pace, Size { leaves: 1, playouts: 1 }, Duration::from_millis(70));
        let thoughts = (0..9).take_while(|_| {
            pace.begin(now, in_time(10), None);
            pace.next(now, in_time(10), None).is_none()
        });
        assert!(thoughts.count() < 6);
    }

    #[test]
    fn what_is_set_is_taken() {
        let options = UctOptions { batch: 1, playouts: 1, ..UctOptions::default() };
        let pace = thinking(None, Some(1000), &options);
        assert_eq!(pace.next(Instant::now(), None, Some(1000)), Some(Size { leaves: 1, playouts: 1 }));
    }

    /// Where playouts have a small part of the time, there are more of them; but not where their number is given.
    #[test]
    fn leaves_get_more_playouts_where_the_tree_takes_the_time() {
        let uniform = UctOptions::default();
        let mut short = thinking(Some(Duration::from_millis(2)), None, &uniform);
        let mut pace = thinking(Some(Duration::from_millis(60)), None, &uniform);
        assert_eq!(pace.wanted(None), Size { leaves: 64, playouts: 8 });
        let batch = Size { leaves: 512, playouts: 1 };
        let all = Duration::from_micros(512);
        let took = |share: f64| Took { all, playouts: all.mul_f64(share), back: None };
        pace.measured(batch, took(0.2));
        assert_eq!(pace.wanted(None), Size { leaves: 128, playouts: 16 });
        // A short thought needs its batches.
        short.measured(batch, took(0.2));
        assert_eq!(short.wanted(None).total(), 512);
        // Not at once the other way.
        pace.measured(batch, took(0.5));
        assert_eq!(pace.wanted(None), Size { leaves: 128, playouts: 16 });
        pace.measured(batch, took(0.7));
        assert_eq!(pace.wanted(None), Size { leaves: 64, playouts: 8 });
        let mut pace = thinking(None, Some(20_000), &uniform);
        let before = pace.wanted(None);
        pace.measured(batch, took(0.2));
        assert_eq!(pace.wanted(None), before);
    }
}

//! Chooses the batch size: how many leaves are simulated at once, and how many playouts each gets.
//!
//! Results of one batch guide the selection of the next, so a search needs many batches: in
//! checkers a player with six batches per move wins one of six matches against one with about fifty
//! (experiment `sizes`). But every batch costs a run of the circuit for all lanes, and every leaf a
//! descent through the tree. So leaves get several playouts, and batches are larger when there is
//! more time. Batch times are measured, and a batch that would end after the deadline is not
//! started. The time of a batch is unknown at first, so the first one is small and the next ones
//! grow.

use std::time::{Duration, Instant};

use super::options::{Refill, UctOptions};
use super::refilling::Refilling;
use crate::parallel::Parallel;

/// The size of a batch: its leaves, and playouts per leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchSize {
    pub leaves: usize,
    pub playouts: u32,
}

impl BatchSize {
    /// The same size, cut to this many playouts.
    pub(crate) fn at_most(self, playouts_left: u64) -> Self {
        let playouts = self.playouts.min(u32::try_from(playouts_left).unwrap_or(u32::MAX)).max(1);
        let leaves = usize::try_from(playouts_left / u64::from(playouts)).unwrap_or(usize::MAX);
        Self { leaves: self.leaves.min(leaves).max(1), playouts }
    }

    pub(super) fn total(self) -> u64 {
        self.leaves as u64 * u64::from(self.playouts)
    }
}

/// Measured time of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchTime {
    pub all: Duration,
    /// Part of `all` spent on playouts.
    pub playouts: Duration,
    /// If lanes are refilled: the number of playouts that finished in this time, whenever they
    /// began.
    pub finished: Option<u64>,
}

/// Growth factor per batch while the time of larger batches is unknown.
const MAX_GROWTH: u64 = 4;

/// Leaves of the first batch before a deadline: small, because its time is unknown.
const FIRST_LEAVES: usize = 16;

/// Playouts per leaf in full batches.
const PLAYOUTS_PER_LEAF: u32 = 8;

/// Factor on playouts per leaf if the search is tree-bound: playouts are then cheap compared to
/// descents. In connect four, with 20 ms per move, this scored 56 % in 200 matches against 64
/// leaves with 8 playouts each.
const TREE_BOUND_FACTOR: u32 = 2;

/// The search becomes tree-bound if playouts take less than this share of the time, and stays so
/// until they take more than the second share (hysteresis).
const TREE_BOUND_BELOW: f64 = 0.35;
const TREE_BOUND_UNTIL: f64 = 0.65;

/// Batches that a search must have time for before they fill the lanes.
const MIN_BATCHES_TO_FILL: u64 = 50;

/// Batches that a search must have time for before they exceed the lanes.
const MIN_BATCHES_TO_GROW: u64 = 200;

/// Chooses batch sizes from measured times.
#[derive(Clone, Debug)]
pub(crate) struct BatchSizer {
    lanes: usize,
    /// Playouts of the smallest batch: smaller ones take as long.
    least: u64,
    /// Leaves of a batch before they get several playouts each.
    spread: u64,
    /// Batches in flight at the same time.
    threads: u64,
    batch: usize,
    playouts: u32,
    /// Time and playouts of this search, as far as they are limited.
    time: Option<Duration>,
    limit: Option<u64>,
    /// Size of the last batch, and the longest time of batches of this size.
    last: Option<(BatchSize, Duration)>,
    /// The same for the smallest batch so far.
    smallest: Option<(BatchSize, Duration)>,
    /// Whether the tree takes most of the time. Never set for lane-by-lane policies, which are
    /// slow.
    is_tree_bound: bool,
    /// Total time and playout time since the last check of `is_tree_bound`.
    unassessed: (Duration, Duration),
    is_lane_by_lane: bool,
    refilling: Refilling,
}

impl BatchSizer {
    pub(super) fn new(lanes: usize, threads: usize, options: &UctOptions) -> Self {
        let (lanes, threads) = (lanes.max(1), threads.max(1) as u64);
        let (least, spread) = match options.is_lane_by_lane() {
            // Lane-by-lane policies take most of the time, so half-empty batches cost little more,
            // and more leaves give more to learn from.
            true => (lanes.div_ceil(4), 64),
            // Several playouts keep one unlucky playout from ruling out a leaf.
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
            is_tree_bound: false,
            unassessed: (Duration::ZERO, Duration::ZERO),
            is_lane_by_lane: options.is_lane_by_lane(),
            refilling: Refilling::new(match options.parallel {
                // With leaf parallelization, threads wait for whole batches.
                Parallel::Leaf if threads > 1 => Refill::Never,
                _ => options.refill,
            }),
        }
    }

    /// Number of lanes of the game.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether to refill lanes for batches of this size. Before a deadline, the time of a full
    /// batch must be known: finishing the playouts in flight may take as long.
    pub(super) fn refills(&self, size: BatchSize) -> bool {
        let is_known = |(last, _): (BatchSize, Duration)| 2 * last.total() >= size.total();
        let is_safe = self.time.is_none() || self.last.is_some_and(is_known);
        let is_possible = !self.is_lane_by_lane && self.lanes > 1 && size.leaves > 1;
        // A tree-bound search has nothing to compare, and earlier results help it more.
        let is_wanted = match self.limit {
            None if self.is_tree_bound => self.refilling.is_wanted_if_tree_bound(),
            limit => self.refilling.is_wanted(size, limit.is_some()),
        };
        is_possible && is_safe && is_wanted
    }

    /// Starts a search. Batches may have grown beyond the time available now, for instance during
    /// the start clock. They then start small again; otherwise no batch would ever fit.
    pub(super) fn begin(&mut self, now: Instant, deadline: Option<Instant>, limit: Option<u64>) {
        self.time = deadline.map(|deadline| deadline.saturating_duration_since(now));
        self.limit = limit;
        self.refilling.begin();
        let (Some(time), Some((_, took))) = (self.time, self.last) else { return };
        if took < time {
            return;
        }
        self.last = self.smallest;
        // Even the smallest batch was too slow. That may have been a disturbance, so the estimate
        // decays.
        if let Some((_, took)) = self.smallest.as_mut().filter(|(_, took)| *took >= time) {
            *took /= 2;
        }
    }

    /// The next batch size; none if there is no time for another batch.
    pub(super) fn next(
        &self,
        now: Instant,
        deadline: Option<Instant>,
        playouts_left: Option<u64>,
    ) -> Option<BatchSize> {
        let target = self.target(playouts_left);
        let Some(deadline) = deadline else { return Some(target) };
        let time = deadline.saturating_duration_since(now);
        let Some((last, took)) = self.last else {
            let first = BatchSize { leaves: target.leaves.min(FIRST_LEAVES), playouts: 1 };
            return (!time.is_zero()).then_some(first);
        };
        if took >= time {
            return None;
        }
        // Larger batches take at most proportionally longer.
        let most = (last.total().saturating_mul(MAX_GROWTH)).max(1);
        let by_time = time.as_nanos().saturating_mul(u128::from(last.total())) / took.as_nanos().max(1);
        let most = most.min(u64::try_from(by_time).unwrap_or(u64::MAX)).max(last.total());
        if target.total() <= most {
            return Some(target);
        }
        let leaves = target.leaves.min(usize::try_from(most).unwrap_or(usize::MAX)).max(1);
        let playouts = u32::try_from(most / leaves as u64).unwrap_or(u32::MAX).clamp(1, target.playouts);
        Some(BatchSize { leaves, playouts })
    }

    /// The best size if the deadline did not limit single batches.
    fn target(&self, playouts_left: Option<u64>) -> BatchSize {
        let by_time = self.time.zip(self.last).map(|(time, (size, took))| self.playouts_in(time, size, took));
        let by_limit = self.limit.map(|limit| limit / self.threads);
        let expected = by_limit.into_iter().chain(by_time).min();
        // A search limited by playouts must not depend on the clock.
        let more = if self.is_tree_bound && by_limit.is_none() { TREE_BOUND_FACTOR } else { 1 };
        let many = more * PLAYOUTS_PER_LEAF;
        let most = self.lanes as u64 * u64::from(many);
        let of = |playouts: u64| {
            // Twice the playouts for twice the leaves, if there is time for half as many batches.
            let full = self.lanes as u64 * u64::from(more * more);
            let filling = (playouts.saturating_mul(u64::from(more)) / MIN_BATCHES_TO_FILL).min(full);
            filling.max(playouts / MIN_BATCHES_TO_GROW).min(most)
        };
        let total = match expected {
            // With a playout limit there is no reason to fill the lanes: time does not matter.
            Some(playouts) if by_limit == expected => of(playouts).max(1),
            Some(playouts) => of(playouts).max(self.least),
            None => most,
        };
        // With very many batches, more leaves are worth more than cheaper ones.
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
        if self.batch == 0 && by_limit.is_none() && !self.is_lane_by_lane {
            leaves = self.with_all_lanes(leaves, playouts);
        }
        if let Some(playouts_left) = playouts_left {
            playouts = playouts.min(u32::try_from(playouts_left).unwrap_or(u32::MAX)).max(1);
            leaves = leaves.min(usize::try_from(playouts_left / u64::from(playouts)).unwrap_or(usize::MAX));
        }
        BatchSize { leaves: leaves.max(1), playouts: playouts.max(1) }
    }

    /// Rounds the number of leaves so that each gets the same number of lanes and no lane is idle.
    /// Keeps the last number if it is near enough: measurements compare batches of one size.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a few lanes"
    )]
    fn with_all_lanes(&self, leaves: usize, playouts: u32) -> usize {
        let is_near = |known: usize| 3 * known >= 2 * leaves && 2 * known <= 3 * leaves;
        let BatchSize { leaves: known, playouts: same } = self.refilling.size();
        if same == playouts && is_near(known) {
            return known;
        }
        // The nearest of the number of lanes, its half, its quarter, ...
        let doublings = (self.lanes as f64 / leaves.max(1) as f64).log2().round().max(0.0);
        match 1usize << doublings as u32 {
            each if each <= playouts as usize => self.lanes / each,
            _ => leaves,
        }
    }

    /// Number of playouts that fit into a time, if a batch of this size takes `took`.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of playouts")]
    fn playouts_in(&self, time: Duration, size: BatchSize, took: Duration) -> u64 {
        if let Some(rate) = self.refilling.rate() {
            return (rate * time.as_secs_f64()) as u64;
        }
        let playouts = time.as_nanos() * u128::from(size.total()) / took.as_nanos().max(1);
        u64::try_from(playouts).unwrap_or(u64::MAX)
    }

    /// Records the time of a batch, or of a part of one if lanes are refilled.
    pub(crate) fn record(&mut self, size: BatchSize, took: BatchTime) {
        let BatchTime { all: time, playouts, finished } = took;
        self.unassessed = (self.unassessed.0 + time, self.unassessed.1 + playouts);
        // If lanes are refilled, single parts may have no playout time or nothing else.
        if finished.is_none() || self.last.is_none_or(|(_, took)| self.unassessed.0 >= took) {
            let (time, playouts) = std::mem::take(&mut self.unassessed);
            let share = playouts.as_secs_f64() / time.as_secs_f64().max(1e-9);
            let bound = if self.is_tree_bound { TREE_BOUND_UNTIL } else { TREE_BOUND_BELOW };
            self.is_tree_bound = !self.is_lane_by_lane && share < bound;
        }
        // Only batches of the target size are comparable; smaller ones come first and last. With a
        // playout limit the clock must not decide.
        if self.limit.is_none() && size == self.target(None) {
            self.refilling.record(size, time, finished);
        }
        if finished.is_some() {
            if let Some((_, took)) = &mut self.last {
                *took = time.max(*took);
            }
            return;
        }
        let took = match self.last {
            // For batches of one size the longest time counts, and decays.
            Some((last, took)) if last == size => time.max(took.mul_f64(0.98)),
            _ => time,
        };
        self.last = Some((size, took));
        if self.smallest.is_none_or(|(smallest, _)| size.total() <= smallest.total()) {
            self.smallest = self.last;
        }
    }

    /// Records the time that finishing the playouts in flight took.
    pub(crate) fn finished(&mut self, time: Duration) {
        self.refilling.finished();
        if let Some((_, took)) = &mut self.last {
            *took = time.max(took.mul_f64(0.8));
        }
    }
}

#[cfg(test)]
mod tests;

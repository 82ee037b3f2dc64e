//! Whether lanes are refilled: new leaves take up lanes whose playouts are over, while others go on.
//!
//! Playouts are of different lengths, and in a batch all lanes wait for the longest. Where they differ much, as in checkers, refilled lanes make
//! half as many playouts again in the same time; where games are all of one length, as in othello and skirmish, batches are better: lanes
//! that go in step are scored together, and leaves are taken up together. So both are tried, with batches of the same size, and compared
//! from time to time. Beside a tree that takes most of the time there is little to compare: there lanes are always refilled.

use std::time::Duration;

use super::batch_sizer::BatchSize;
use super::options::Refill;

/// Batches of a kind that tell how fast it is.
const MIN_SAMPLES: f64 = 3.0;

/// Batches of a kind that count at most: playouts get longer and shorter.
const MAX_SAMPLES: f64 = 16.0;

/// What is forgotten about a kind with every batch of the other, if both are as fast: then it is tried again after some dozens. A slower
/// one is forgotten more slowly, and costs more to try: with half the rate a sixteenth of that.
const DECAY: f64 = 0.03;
const DECAY_EXPONENT: i32 = 4;

/// Refilled lanes may be slower by so much: what they find comes back sooner.
const REFILL_TOLERANCE: f64 = 0.95;

/// Decides, and compares.
#[derive(Clone, Debug)]
pub(super) struct Refilling {
    refill: Refill,
    /// What is compared: batches of this size, one after the other or with lanes refilled.
    size: BatchSize,
    drained: Rate,
    refilled: Rate,
    /// Playouts that have to come back before refilled lanes are as full as they will be.
    filling: u64,
}

impl Refilling {
    pub(super) fn new(refill: Refill) -> Self {
        let size = BatchSize { leaves: 0, playouts: 0 };
        Self { refill, size, drained: Rate::default(), refilled: Rate::default(), filling: 0 }
    }

    /// The size of the batches that are compared.
    pub(super) fn size(&self) -> BatchSize {
        self.size
    }

    /// Another thought begins: what was found out before counts less.
    pub(super) fn begin(&mut self) {
        self.drained.decay(0.5);
        self.refilled.decay(0.5);
    }

    /// Whether lanes are to be refilled where batches have this size; what is not known is tried. A limit in playouts is no reason for it.
    pub(super) fn is_wanted(&self, size: BatchSize, has_limit: bool) -> bool {
        match self.refill {
            Refill::Auto => {
                let is_known = self.size == size && self.drained.is_known;
                let pays =
                    !self.refilled.is_known || self.refilled.get() >= REFILL_TOLERANCE * self.drained.get();
                !has_limit && is_known && pays
            }
            Refill::Always => true,
            Refill::Never => false,
        }
    }

    /// The same where playouts take little of the time.
    pub(super) fn is_wanted_if_tree_bound(&self) -> bool {
        self.refill != Refill::Never
    }

    /// A batch of this size took so long; where lanes are refilled, so many playouts came `back` meanwhile.
    #[allow(clippy::cast_precision_loss, reason = "numbers of playouts")]
    pub(super) fn record(&mut self, size: BatchSize, time: Duration, finished: Option<u64>) {
        if self.size != size {
            *self = Self { size, ..Self::new(self.refill) };
        }
        let (drained, refilled) = (self.drained.get(), self.refilled.get());
        let forgotten = |rate: f64, other: f64| {
            let slower = if rate > 0.0 && other > 0.0 { (rate / other).min(1.0) } else { 1.0 };
            DECAY * slower.powi(DECAY_EXPONENT)
        };
        match finished {
            None => {
                self.drained.add(1.0, time);
                self.refilled.decay(1.0 - forgotten(refilled, drained));
                self.filling = size.total();
            }
            Some(finished) if self.filling > 0 => self.filling = self.filling.saturating_sub(finished),
            Some(finished) => {
                let part = finished as f64 / size.total().max(1) as f64;
                self.refilled.add(part, time);
                self.drained.decay(1.0 - forgotten(drained, refilled) * part.min(1.0));
            }
        }
    }

    /// No lane has anything to do.
    pub(super) fn finished(&mut self) {
        self.filling = self.size.total();
    }

    /// Playouts a second with refilled lanes, if that is known and better.
    #[allow(clippy::cast_precision_loss, reason = "numbers of playouts")]
    pub(super) fn rate(&self) -> Option<f64> {
        let is_better = self.refilled.is_known && self.refilled.get() > self.drained.get();
        is_better.then(|| self.refilled.get() * self.size.total() as f64)
    }
}

/// Batches and the time that they took.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    batches: f64,
    time: Duration,
    /// There have been enough of them, and not too few since.
    is_known: bool,
}

impl Rate {
    /// Adds a batch, or a part of one; of those before, no more than [`MAX_SAMPLES`] count.
    fn add(&mut self, batches: f64, time: Duration) {
        self.decay((MAX_SAMPLES / self.batches.max(1.0)).min(1.0));
        self.batches += batches;
        self.time += time;
        self.is_known |= self.batches >= MIN_SAMPLES;
    }

    /// Only a part of it counts from now on.
    fn decay(&mut self, part: f64) {
        (self.batches, self.time) = (self.batches * part, self.time.mul_f64(part));
        self.is_known &= self.batches >= 1.0;
    }

    /// Batches a second.
    fn get(self) -> f64 {
        self.batches / self.time.as_secs_f64().max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: BatchSize = BatchSize { leaves: 64, playouts: 8 };
    const BATCH: Duration = Duration::from_millis(10);

    /// So many batches of a search whose lanes are refilled when that is wanted; a batch takes so long then. How many of them were.
    fn refilled(refilling: &mut Refilling, batches: usize, time: Duration) -> usize {
        let one = |_: &usize| {
            let refills = refilling.is_wanted(SIZE, false);
            let (time, finished) = if refills { (time, Some(SIZE.total())) } else { (BATCH, None) };
            refilling.record(SIZE, time, finished);
            refills
        };
        (0..batches).filter(one).count()
    }

    #[test]
    fn what_is_faster_is_done_and_the_other_tried_again() {
        let mut refilling = Refilling::new(Refill::Auto);
        let faster = refilled(&mut refilling, 200, BATCH.mul_f64(0.7));
        assert!((180..200).contains(&faster), "{faster} of 200");
        assert!(
            refilling.rate().is_some_and(|rate| (rate / 73_142.0 - 1.0).abs() < 0.01),
            "{:?}",
            refilling.rate()
        );
        // Now it takes longer: that is found out.
        let slower = refilled(&mut refilling, 200, BATCH.mul_f64(1.2));
        assert!((8..80).contains(&slower), "{slower} of 200");
        let mut refilling = Refilling::new(Refill::Auto);
        let slower = refilled(&mut refilling, 200, BATCH.mul_f64(1.2));
        assert!((3..40).contains(&slower), "{slower} of 200");
        assert_eq!(refilling.rate(), None);
    }

    #[test]
    fn it_is_wanted_where_time_decides_or_somebody_says_so() {
        let mut refilling = Refilling::new(Refill::Auto);
        assert!(!refilling.is_wanted(SIZE, false), "nothing is known");
        (0..5).for_each(|_| refilling.record(SIZE, BATCH, None));
        assert!(refilling.is_wanted(SIZE, false) && !refilling.is_wanted(SIZE, true));
        assert!(!refilling.is_wanted(BatchSize { leaves: 32, playouts: 8 }, false), "another size");
        assert!(Refilling::new(Refill::Always).is_wanted(SIZE, true));
        assert!(!Refilling::new(Refill::Never).is_wanted(SIZE, false));
        // Beside a slow tree nothing has to be known.
        let beside_a_slow_tree = |refill| Refilling::new(refill).is_wanted_if_tree_bound();
        assert!(beside_a_slow_tree(Refill::Auto) && !beside_a_slow_tree(Refill::Never));
    }
}

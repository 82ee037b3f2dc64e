//! Decides whether lanes are refilled: idle lanes start new leaves while other playouts go on.
//!
//! Playouts differ in length, and in a batch all lanes wait for the longest. If lengths differ
//! much, as in checkers, refilled lanes run half as many playouts again in the same time. If all
//! games have one length, as in othello and skirmish, batches are better: lanes in the same step
//! are scored together, and leaves are loaded together. So both modes are tried with batches of the
//! same size, and compared from time to time. A tree-bound search has little to compare: it always
//! refills lanes.

use std::time::Duration;

use super::batch_sizer::BatchSize;
use super::options::Refill;

/// Batches of a mode before its rate is known.
const MIN_SAMPLES: f64 = 3.0;

/// Batches of a mode that its rate covers at most, because the length of playouts changes.
const MAX_SAMPLES: f64 = 16.0;

/// Decay of one mode's samples per batch of the other, if both are equally fast: it is then tried
/// again after some dozens of batches. The decay of a slower mode, which costs more to try, is
/// multiplied by the ratio of rates to the power of `DECAY_EXPONENT`: at half the rate, a
/// sixteenth.
const DECAY: f64 = 0.03;
const DECAY_EXPONENT: i32 = 4;

/// Relative rate from which refilling is preferred: its results arrive earlier, so it may be
/// slower.
const REFILL_TOLERANCE: f64 = 0.95;

/// Compares both modes and decides.
#[derive(Clone, Debug)]
pub(super) struct Refilling {
    refill: Refill,
    /// The batch size for which both modes are compared.
    size: BatchSize,
    drained: Rate,
    refilled: Rate,
    /// Playouts that must finish before refilled lanes reach their steady state.
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

    /// Starts a search: earlier samples count half.
    pub(super) fn begin(&mut self) {
        self.drained.decay(0.5);
        self.refilled.decay(0.5);
    }

    /// Whether to refill lanes for batches of this size; unknown rates are measured first. Never
    /// with a playout limit, unless set.
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

    /// The same for a tree-bound search.
    pub(super) fn is_wanted_if_tree_bound(&self) -> bool {
        self.refill != Refill::Never
    }

    /// Records the time of a batch; if lanes are refilled, with the number of playouts that
    /// finished.
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

    /// All lanes are idle.
    pub(super) fn finished(&mut self) {
        self.filling = self.size.total();
    }

    /// Playouts per second with refilled lanes, if known and better.
    #[allow(clippy::cast_precision_loss, reason = "numbers of playouts")]
    pub(super) fn rate(&self) -> Option<f64> {
        let is_better = self.refilled.is_known && self.refilled.get() > self.drained.get();
        is_better.then(|| self.refilled.get() * self.size.total() as f64)
    }
}

/// Batches per time.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    batches: f64,
    time: Duration,
    /// There have been enough samples, and they have not decayed.
    is_known: bool,
}

impl Rate {
    /// Adds a batch or a part of one; earlier ones count as at most [`MAX_SAMPLES`].
    fn add(&mut self, batches: f64, time: Duration) {
        self.decay((MAX_SAMPLES / self.batches.max(1.0)).min(1.0));
        self.batches += batches;
        self.time += time;
        self.is_known |= self.batches >= MIN_SAMPLES;
    }

    /// Reduces the weight of all samples.
    fn decay(&mut self, part: f64) {
        (self.batches, self.time) = (self.batches * part, self.time.mul_f64(part));
        self.is_known &= self.batches >= 1.0;
    }

    /// Batches per second.
    fn get(self) -> f64 {
        self.batches / self.time.as_secs_f64().max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: BatchSize = BatchSize { leaves: 64, playouts: 8 };
    const BATCH: Duration = Duration::from_millis(10);

    /// Runs batches; a batch with refilled lanes takes `time`. Returns how many were refilled.
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
    fn the_faster_mode_is_used_and_the_other_retried() {
        let mut refilling = Refilling::new(Refill::Auto);
        let faster = refilled(&mut refilling, 200, BATCH.mul_f64(0.7));
        assert!((180..200).contains(&faster), "{faster} of 200");
        assert!(
            refilling.rate().is_some_and(|rate| (rate / 73_142.0 - 1.0).abs() < 0.01),
            "{:?}",
            refilling.rate()
        );
        // Now refilling is slower, and that is noticed.
        let slower = refilled(&mut refilling, 200, BATCH.mul_f64(1.2));
        assert!((8..80).contains(&slower), "{slower} of 200");
        let mut refilling = Refilling::new(Refill::Auto);
        let slower = refilled(&mut refilling, 200, BATCH.mul_f64(1.2));
        assert!((3..40).contains(&slower), "{slower} of 200");
        assert_eq!(refilling.rate(), None);
    }

    #[test]
    fn refilling_needs_a_deadline_or_the_option() {
        let mut refilling = Refilling::new(Refill::Auto);
        assert!(!refilling.is_wanted(SIZE, false), "nothing is known");
        (0..5).for_each(|_| refilling.record(SIZE, BATCH, None));
        assert!(refilling.is_wanted(SIZE, false) && !refilling.is_wanted(SIZE, true));
        assert!(!refilling.is_wanted(BatchSize { leaves: 32, playouts: 8 }, false), "another size");
        assert!(Refilling::new(Refill::Always).is_wanted(SIZE, true));
        assert!(!Refilling::new(Refill::Never).is_wanted(SIZE, false));
        // A tree-bound search needs no measurements.
        let if_tree_bound = |refill| Refilling::new(refill).is_wanted_if_tree_bound();
        assert!(if_tree_bound(Refill::Auto) && !if_tree_bound(Refill::Never));
    }
}

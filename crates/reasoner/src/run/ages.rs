//! When the playout of each lane started, so that it can be cut off.
//!
//! Lanes start all the time, but their ages are asked for rarely: restarts are written down, a mask for
//! a step, and only looked through when somebody wants to know.

use super::lanes::{Lanes, Row, and_not, is_zero, not, or};

/// Masks that are kept before they are looked through.
const RECENT: usize = 512;

#[derive(Debug)]
pub(super) struct Ages<const W: usize> {
    /// By lane: the step in which its playout started, as far as it has been looked up.
    started: Vec<u64>,
    /// Later restarts: the step, and the lanes.
    recent: Vec<(u64, Row<W>)>,
    /// No lane is too old before this step.
    next_check: u64,
    max_steps: u64,
}

impl<const W: usize> Ages<W> {
    /// All lanes start in step 0.
    pub(super) fn new(max_steps: u32) -> Self {
        let max_steps = u64::from(max_steps);
        let started = vec![0; Lanes::<W>::COUNT];
        Self { started, recent: Vec::with_capacity(RECENT), next_check: max_steps, max_steps }
    }

    /// Lanes start again in a step.
    #[inline(always)]
    pub(super) fn restart(&mut self, step: u64, lanes: Row<W>) {
        self.recent.push((step, lanes));
        if self.recent.len() == RECENT {
            self.look_up();
        }
    }

    /// The lanes among `running` whose playouts have taken all the steps that they may.
    #[inline(always)]
    pub(super) fn too_old(&mut self, step: u64, running: Row<W>) -> Row<W> {
        if step < self.next_check { [0; W] } else { self.check(step, running) }
    }

    #[cold]
    #[inline(never)]
    fn check(&mut self, step: u64, running: Row<W>) -> Row<W> {
        self.look_up();
        let mut too_old = [0; W];
        let mut oldest = step + 1;
        for (lane, &started) in self.started.iter().enumerate() {
            let (word, bit) = (lane / 64, 1u64 << (lane % 64));
            if running[word] & bit == 0 {
                continue;
            }
            if step - started >= self.max_steps {
                too_old[word] |= bit;
            } else {
                oldest = oldest.min(started);
            }
        }
        self.next_check = oldest.saturating_add(self.max_steps);
        too_old
    }

    /// Brings `started` up to date.
    #[cold]
    fn look_up(&mut self) {
        let mut seen = [0; W];
        for &(step, lanes) in self.recent.iter().rev() {
            for (word, bits) in and_not(lanes, seen).into_iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    self.started[64 * word + bits.trailing_zeros() as usize] = step;
                    bits &= bits - 1;
                }
            }
            seen = or(seen, lanes);
            if is_zero(not(seen)) {
                break;
            }
        }
        self.recent.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against ages that are counted one by one.
    #[test]
    fn lanes_are_too_old_exactly_when_their_time_is_over() {
        let mut random = fastrand::Rng::with_seed(2);
        for max_steps in [1, 2, 7, 700] {
            let mut ages: Ages<1> = Ages::new(max_steps);
            let mut counted = [0u32; 64];
            for step in 0..3000 {
                let over = random.u64(..) & random.u64(..) & random.u64(..) & random.u64(..);
                let expected = (0..64).filter(|&lane| over >> lane & 1 == 0 && counted[lane] >= max_steps);
                let expected = expected.fold(0u64, |mask, lane| mask | 1 << lane);
                let [found] = ages.too_old(step, [!over]);
                assert_eq!(found, expected, "step {step} of {max_steps}");
                let reset = over | found;
                for (lane, age) in counted.iter_mut().enumerate() {
                    *age = if reset >> lane & 1 == 1 { 0 } else { *age + 1 };
                }
                if reset != 0 {
                    ages.restart(step + 1, [reset]);
                }
            }
        }
    }
}

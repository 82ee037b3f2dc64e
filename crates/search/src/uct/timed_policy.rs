//! A policy for whole steps, and how long its choices take: for benchmarks. The clock is read twice for the choices of a role in all
//! lanes, which takes too little to matter.

use std::time::{Duration, Instant};

use ludex_game::{Choices, MoveId, StepPolicy};

/// Chooses as a policy does, and looks at the clock.
pub(super) struct TimedPolicy<'a> {
    pub(super) policy: &'a mut dyn StepPolicy,
    /// What choosing has taken.
    pub(super) choosing: &'a mut Duration,
}

impl StepPolicy for TimedPolicy<'_> {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.policy.begin(lane, leaf);
    }

    fn choose(&mut self, choices: &Choices, random: &mut fastrand::Rng, chosen: &mut Vec<u32>) {
        let begun = Instant::now();
        self.policy.choose(choices, random, chosen);
        *self.choosing += begun.elapsed();
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.policy.moved(joint);
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        self.policy.ended(lane, steps, goals);
    }
}

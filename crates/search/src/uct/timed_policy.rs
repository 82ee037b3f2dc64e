//! Measures how long a step policy takes to choose, for benchmarks. The clock is read twice per
//! role and step for all lanes, which costs too little to matter.

use std::time::{Duration, Instant};

use ludex_game::{Choices, FactId, MoveId, StepPolicy};

/// Chooses as `policy` does, and measures the time.
pub(super) struct TimedPolicy<'a> {
    pub(super) policy: &'a mut dyn StepPolicy,
    /// Total time of choosing.
    pub(super) choosing: &'a mut Duration,
}

impl StepPolicy for TimedPolicy<'_> {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.policy.begin(lane, leaf);
    }

    fn needs_facts(&self) -> bool {
        self.policy.needs_facts()
    }

    fn set_facts(&mut self, lane: usize, facts: &[FactId]) {
        self.policy.set_facts(lane, facts);
    }

    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>) {
        let begun = Instant::now();
        self.policy.choose(choices, seed, chosen);
        *self.choosing += begun.elapsed();
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.policy.moved(joint);
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        self.policy.ended(lane, steps, goals);
    }
}

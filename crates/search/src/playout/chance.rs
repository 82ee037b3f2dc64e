//! Games with chance: the role `random` moves uniformly in playouts, whatever the strategy learns.
//!
//! [`WithChance`] wraps a strategy: it chooses for chance itself and asks the strategy for all
//! other roles. The goal of chance counts as 0, so that chance never counts as an opponent that won
//! (last good replies compare goals). Games without chance use the strategy directly and pay
//! nothing.

use ludex_game::{Choices, FactId, MoveId, PlayoutPolicy, StepPolicy};

use super::facts::StepFacts;
use super::{DecisionPoint, Path, Strategy};
use crate::utility::Utility;

/// A strategy for the players, and uniform moves for chance.
pub(crate) struct WithChance {
    strategy: Box<dyn Strategy>,
    utility: Utility,
    /// Goals with that of chance set to 0.
    goals: Vec<f64>,
}

impl WithChance {
    pub(crate) fn new(strategy: Box<dyn Strategy>, utility: Utility) -> Self {
        Self { strategy, utility, goals: Vec::new() }
    }

    /// Calls `work` with the policy of the strategy, if it sees every choice.
    fn with_policy<T>(&mut self, work: impl FnOnce(&mut dyn StepPolicy) -> T) -> Option<T> {
        match self.strategy.playout_policy() {
            PlayoutPolicy::Step(policy) => Some(work(policy)),
            PlayoutPolicy::Uniform | PlayoutPolicy::Ranked(_) => None,
        }
    }

    /// Sets `self.goals`.
    fn set_goals(&mut self, goals: &[f64]) {
        self.goals.clear();
        let of = |(role, &goal): (usize, &f64)| if self.utility.is_chance(role) { 0.0 } else { goal };
        self.goals.extend(goals.iter().enumerate().map(of));
    }
}

impl Strategy for WithChance {
    fn begin_batch(&mut self, paths: &[Path]) {
        self.strategy.begin_batch(paths);
    }

    fn allow_vectors(&mut self, allowed: bool) {
        self.strategy.allow_vectors(allowed);
    }

    fn looks_at_facts(&self) -> bool {
        self.strategy.looks_at_facts()
    }

    fn set_path_facts(&mut self, leaf: usize, facts: &StepFacts) {
        self.strategy.set_path_facts(leaf, facts);
    }

    fn playout_policy(&mut self) -> PlayoutPolicy<'_> {
        // Uniform playouts are uniform for chance too; a ranking that is used with chance has ε = 1
        // (CP_imp).
        match self.with_policy(|_| ()) {
            Some(()) => PlayoutPolicy::Step(self),
            None => self.strategy.playout_policy(),
        }
    }

    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        place: DecisionPoint<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        match self.utility.is_chance(role) {
            true => random.usize(..untried.len()),
            false => self.strategy.choose_untried(role, untried, place, random),
        }
    }

    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]) {
        self.set_goals(goals);
        self.strategy.learn(path, playouts, &self.goals);
    }

    fn learn_terminal(&mut self, path: &[MoveId], facts: &StepFacts, playouts: u32, goals: &[f64]) {
        self.set_goals(goals);
        self.strategy.learn_terminal(path, facts, playouts, &self.goals);
    }

    fn needs_paths(&self) -> bool {
        self.strategy.needs_paths()
    }
}

impl StepPolicy for WithChance {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.with_policy(|policy| policy.begin(lane, leaf));
    }

    fn needs_facts(&self) -> bool {
        self.strategy.looks_at_facts()
    }

    fn set_facts(&mut self, lane: usize, facts: &[FactId]) {
        self.with_policy(|policy| policy.set_facts(lane, facts));
    }

    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>) {
        if self.utility.is_chance(choices.role().index()) {
            let mut random = fastrand::Rng::with_seed(seed);
            chosen.extend(choices.lanes().iter().map(|&lane| choices.uniform(lane, random.u64(..))));
            return;
        }
        self.with_policy(|policy| policy.choose(choices, seed, chosen));
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.with_policy(|policy| policy.moved(joint));
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        self.set_goals(goals.unwrap_or_default());
        let own = std::mem::take(&mut self.goals);
        self.with_policy(|policy| policy.ended(lane, steps, goals.map(|_| &own[..])));
        self.goals = own;
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::RoleId;

    use super::super::sampling::Sampling;
    use super::super::{lgr_mast, mast};
    use super::*;

    const LEGAL: [MoveId; 3] = [MoveId(2), MoveId(5), MoveId(7)];

    /// How often each move is chosen for a role.
    fn draw(policy: &mut WithChance, role: usize) -> [u32; 3] {
        let mut seen = [0; 3];
        for seed in 0..3000 {
            policy.begin(0, 0);
            let mut chosen = Vec::new();
            policy.choose(&Choices::of_one(RoleId::new(role), &LEGAL), seed, &mut chosen);
            seen[chosen[0] as usize] += 1;
        }
        seen
    }

    /// Both roles got 90, 50 and 10 for their moves: the player prefers the first, chance does not.
    #[test]
    fn chance_is_uniform_whatever_was_learned() {
        let strategy = mast(2, Sampling::EpsilonGreedy(0.0));
        let mut policy = WithChance::new(Box::new(strategy), Utility::new(&["robot", "random"]));
        for (id, goal) in LEGAL.into_iter().zip([90.0, 50.0, 10.0]) {
            policy.learn(&[id, id], 10, &[goal, goal]);
        }
        assert_eq!(draw(&mut policy, 0), [3000, 0, 0]);
        let seen = draw(&mut policy, 1);
        assert!(seen.iter().all(|&seen| (850..1150).contains(&seen)), "{seen:?}");
    }

    /// A role whose goal is exceeded only by that of chance has won: its reply is stored.
    #[test]
    fn the_goal_of_chance_is_no_opponents() {
        let strategy = lgr_mast(2, Sampling::EpsilonGreedy(1.0));
        let mut policy = WithChance::new(Box::new(strategy), Utility::new(&["robot", "random"]));
        policy.learn(&[MoveId(0), MoveId(9), LEGAL[1], MoveId(0)], 1, &[60.0, 100.0]);
        for seed in 0..20 {
            policy.begin(0, 0);
            policy.moved(&[MoveId(0), MoveId(9)]);
            let mut chosen = Vec::new();
            policy.choose(&Choices::of_one(RoleId::new(0), &LEGAL), seed, &mut chosen);
            assert_eq!(chosen, [1]);
        }
    }
}

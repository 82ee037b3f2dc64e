//! Games with chance: the role `random` moves uniformly in playouts, whatever the strategy learns.
//!
//! [`WithChance`] wraps a strategy: it chooses for chance itself and asks the strategy for all
//! other roles. The goal of chance counts as 0, so that chance never counts as an opponent that won
//! (last good replies compare goals). Games without chance use the strategy directly and pay
//! nothing.

use ludex_game::{Choices, FactId, Guide, LanePolicy, MoveId, RoleId, StepPolicy};

use super::facts::StepFacts;
use super::{DecisionPoint, Path, Strategy};
use crate::utility::Utility;

/// A strategy for the players, and uniform moves for chance.
pub(crate) struct WithChance {
    strategy: Box<dyn Strategy>,
    utility: Utility,
    /// Goals with that of chance set to 0, and indices of a lane's legal moves.
    goals: Vec<f64>,
    places: Vec<u32>,
}

/// How the wrapped strategy guides playouts.
enum Form {
    Uniform,
    Ranked,
    ByLane,
    ByStep,
}

impl WithChance {
    pub(crate) fn new(strategy: Box<dyn Strategy>, utility: Utility) -> Self {
        Self { strategy, utility, goals: Vec::new(), places: Vec::new() }
    }

    fn form(&mut self) -> Form {
        match self.strategy.guide() {
            Guide::Uniform => Form::Uniform,
            Guide::Ranked(_) => Form::Ranked,
            Guide::ByLane(_) => Form::ByLane,
            Guide::ByStep(_) => Form::ByStep,
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

    fn looks_at_facts(&self) -> bool {
        self.strategy.looks_at_facts()
    }

    fn set_path_facts(&mut self, leaf: usize, facts: &StepFacts) {
        self.strategy.set_path_facts(leaf, facts);
    }

    fn guide(&mut self) -> Guide<'_> {
        match self.form() {
            Form::Uniform => Guide::Uniform,
            Form::ByLane => Guide::ByLane(self),
            Form::ByStep => Guide::ByStep(self),
            // A ranking that is used with chance has ε = 1: every move is uniform (CP_imp).
            Form::Ranked => self.strategy.guide(),
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

impl LanePolicy for WithChance {
    fn begin(&mut self, lane: usize, leaf: usize) {
        if let Guide::ByLane(policy) = self.strategy.guide() {
            policy.begin(lane, leaf);
        }
    }

    fn looks_at_facts(&self) -> bool {
        self.strategy.looks_at_facts()
    }

    fn sees(&mut self, lane: usize, facts: &[FactId]) {
        if let Guide::ByLane(policy) = self.strategy.guide() {
            policy.sees(lane, facts);
        }
    }

    fn choose(&mut self, lane: usize, role: RoleId, legal: &[MoveId], random: &mut fastrand::Rng) -> usize {
        match self.strategy.guide() {
            Guide::ByLane(policy) if !self.utility.is_chance(role.index()) => {
                policy.choose(lane, role, legal, random)
            }
            _ => random.usize(..legal.len()),
        }
    }

    fn moved(&mut self, lane: usize, joint: &[MoveId]) {
        if let Guide::ByLane(policy) = self.strategy.guide() {
            policy.moved(lane, joint);
        }
    }

    fn ended(&mut self, lane: usize, goals: Option<&[f64]>) {
        self.set_goals(goals.unwrap_or_default());
        if let Guide::ByLane(policy) = self.strategy.guide() {
            policy.ended(lane, goals.map(|_| &self.goals[..]));
        }
    }
}

impl StepPolicy for WithChance {
    fn begin(&mut self, lane: usize, leaf: usize) {
        if let Guide::ByStep(policy) = self.strategy.guide() {
            policy.begin(lane, leaf);
        }
    }

    fn choose(&mut self, choices: &Choices, random: &mut fastrand::Rng, chosen: &mut Vec<u32>) {
        if let Guide::ByStep(policy) = self.strategy.guide()
            && !self.utility.is_chance(choices.role.index())
        {
            return policy.choose(choices, random, chosen);
        }
        chosen.clear();
        for &lane in &choices.lanes {
            let count = choices.list(lane, &mut self.places, 0);
            chosen.push(self.places[random.usize(..count.max(1))]);
        }
    }

    fn moved(&mut self, joint: &[MoveId]) {
        if let Guide::ByStep(policy) = self.strategy.guide() {
            policy.moved(joint);
        }
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        self.set_goals(goals.unwrap_or_default());
        if let Guide::ByStep(policy) = self.strategy.guide() {
            policy.ended(lane, steps, goals.map(|_| &self.goals[..]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sampling::Sampling;
    use super::super::{lgr_mast, mast};
    use super::*;

    const LEGAL: [MoveId; 3] = [MoveId(2), MoveId(5), MoveId(7)];

    /// How often each move is chosen for a role.
    fn draw(policy: &mut WithChance, by_lane: bool, role: usize) -> [u32; 3] {
        let (mut random, mut seen) = (fastrand::Rng::with_seed(4), [0; 3]);
        let role = RoleId::new(role);
        for _ in 0..3000 {
            let at = if by_lane {
                LanePolicy::begin(policy, 0, 0);
                LanePolicy::choose(policy, 0, role, &LEGAL, &mut random)
            } else {
                StepPolicy::begin(policy, 0, 0);
                let mut chosen = Vec::new();
                StepPolicy::choose(policy, &Choices::of_one(role, &LEGAL), &mut random, &mut chosen);
                chosen[0] as usize
            };
            seen[at] += 1;
        }
        seen
    }

    /// Both roles got 90, 50 and 10 for their moves: the player prefers the first, chance does not.
    #[test]
    fn chance_is_uniform_whatever_was_learned() {
        for by_lane in [false, true] {
            let strategy = mast(2, Sampling::EpsilonGreedy(0.0), by_lane);
            let mut policy = WithChance::new(Box::new(strategy), Utility::new(&["robot", "random"]));
            for (id, goal) in LEGAL.into_iter().zip([90.0, 50.0, 10.0]) {
                policy.learn(&[id, id], 10, &[goal, goal]);
            }
            assert_eq!(draw(&mut policy, by_lane, 0), [3000, 0, 0]);
            let seen = draw(&mut policy, by_lane, 1);
            assert!(seen.iter().all(|&seen| (850..1150).contains(&seen)), "{seen:?}");
        }
    }

    /// A role whose goal is exceeded only by that of chance has won: its reply is stored.
    #[test]
    fn the_goal_of_chance_is_no_opponents() {
        let strategy = lgr_mast(2, Sampling::EpsilonGreedy(1.0), true);
        let mut policy = WithChance::new(Box::new(strategy), Utility::new(&["robot", "random"]));
        policy.learn(&[MoveId(0), MoveId(9), LEGAL[1], MoveId(0)], 1, &[60.0, 100.0]);
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20 {
            LanePolicy::begin(&mut policy, 0, 0);
            LanePolicy::moved(&mut policy, 0, &[MoveId(0), MoveId(9)]);
            assert_eq!(LanePolicy::choose(&mut policy, 0, RoleId::new(0), &LEGAL, &mut random), 1);
        }
    }
}

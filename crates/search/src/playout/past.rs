//! PAST, the predicate-average sampling technique: move averages that depend on the facts of the
//! state.
//!
//! # What it does
//! `Q_p(p, a)` is the mean reward of the simulations in which a role made the move `a` in a state
//! where the fact `p` was true. The score of a move in a state is the highest of them: `Q(s, a) =
//! max_{p ∈ s} Q_p(p, a)`. Pairs with fewer occurrences than a threshold count as the mean reward
//! of the role so far; unseen moves count 100. A move is sampled by score, by Gibbs measure or
//! ε-greedily. So a capture is preferred in states where there is something to capture, while MAST
//! prefers it everywhere.
//!
//! # Parameters
//! `threshold` (3): occurrences before a pair counts; `tau` (10), `epsilon` (0.2).
//!
//! # Supports
//! Any number of roles, simultaneous moves. A choice costs facts times moves lookups, a simulation
//! facts times steps times roles updates: an order of magnitude more than MAST where states have
//! many facts.
//!
//! # Differs from the paper
//! In lanes several simulations run at once, and each is learned from when it ends; with
//! `batch=1,playouts=1` they run one after another. Memory is bounded: if there are too many facts
//! and moves, pairs that occur late are not stored.
//!
//! # References
//! H. Finnsson, Y. Björnsson, Learning simulation control in general game-playing agents, AAAI
//! 2010.
//!
//! # Status
//! Optional.

use ludex_game::{Choices, FactId, MoveId, PlayoutPolicy, StepPolicy};

use super::context::CONTEXT_STEPS;
use super::facts::StepFacts;
use super::sampling::{RunningMean, Sampling, sample_by};
use super::steps::Steps;
use super::unseen::Unseen;
use super::{DecisionPoint, Path, Strategy};

/// Largest number of fact-move pairs, for all roles together: 32 MiB.
const PLACES: usize = 1 << 22;

/// Pairs that a row grows by.
const STRIDE: usize = 64;

/// Statistics of a move of a role.
#[derive(Clone, Debug, Default)]
struct Row {
    /// It was made in some simulation.
    is_seen: bool,
    /// By fact; grows as needed while there is room.
    by_fact: Vec<RunningMean>,
}

/// Statistics of a role.
#[derive(Clone, Debug, Default)]
struct Values {
    /// Mean reward of all its simulations.
    average: RunningMean,
    /// By move.
    rows: Vec<Row>,
}

/// Means of fact-move pairs, and scores of moves by them.
#[derive(Clone, Debug)]
struct Predicates {
    threshold: f32,
    roles: Vec<Values>,
    /// Pairs that rows may still grow by.
    room: usize,
}

impl Predicates {
    #[allow(clippy::cast_precision_loss, reason = "the threshold is small")]
    fn new(roles: usize, threshold: u64, room: usize) -> Self {
        Self { threshold: threshold.max(1) as f32, roles: vec![Values::default(); roles], room }
    }

    /// Adds the rewards of finished simulations.
    #[allow(clippy::cast_possible_truncation, reason = "goals are small")]
    fn count(&mut self, weight: f32, goals: &[f64]) {
        for (values, &goal) in self.roles.iter_mut().zip(goals) {
            values.average.add(weight, goal as f32);
        }
    }

    /// Adds a part of a simulation: one move per role and step, and the facts before each step.
    #[allow(clippy::cast_possible_truncation, reason = "goals are small")]
    fn learn(&mut self, moves: &[MoveId], facts: &StepFacts, weight: f32, goals: &[f64]) {
        let Self { roles, room, .. } = self;
        for (joint, facts) in moves.chunks(roles.len().max(1)).zip(facts.steps()) {
            for ((values, &id), &goal) in roles.iter_mut().zip(joint).zip(goals) {
                if values.rows.len() <= id.index() {
                    values.rows.resize(id.index() + 1, Row::default());
                }
                values.rows[id.index()].add(facts, weight, goal as f32, room);
            }
        }
    }

    /// The scores of a role's moves in a state with these facts.
    #[inline(always)]
    fn scores<'a>(&'a self, role: usize, facts: &'a [FactId]) -> Scores<'a> {
        let Values { average, rows } = &self.roles[role];
        Scores { threshold: self.threshold, average: average.value, rows, facts }
    }
}

impl Row {
    fn add(&mut self, facts: &[FactId], weight: f32, reward: f32, room: &mut usize) {
        self.is_seen = true;
        let needed = facts.last().map_or(0, |last| last.index() + 1).next_multiple_of(STRIDE);
        let more = needed.saturating_sub(self.by_fact.len());
        if more > 0 && more <= *room {
            *room -= more;
            // Exactly, so that the memory limit holds.
            self.by_fact.reserve_exact(more);
            self.by_fact.resize(needed, RunningMean::default());
        }
        for fact in facts {
            if let Some(mean) = self.by_fact.get_mut(fact.index()) {
                mean.add(weight, reward);
            }
        }
    }
}

/// Scores of a role's moves in a state.
#[derive(Clone, Copy)]
struct Scores<'a> {
    threshold: f32,
    average: f32,
    rows: &'a [Row],
    facts: &'a [FactId],
}

impl Scores<'_> {
    /// The score of a move, or another value if it was never made.
    #[inline(always)]
    fn of(&self, id: MoveId, unseen: f32) -> f32 {
        let Some(row) = self.rows.get(id.index()).filter(|row| row.is_seen) else { return unseen };
        let value = |fact: &FactId| match row.by_fact.get(fact.index()) {
            Some(mean) if mean.count >= self.threshold => mean.value,
            _ => self.average,
        };
        self.facts.iter().map(value).reduce(f32::max).unwrap_or(self.average)
    }
}

/// A running playout.
#[derive(Clone, Debug, Default)]
struct Lane {
    leaf: usize,
    facts: StepFacts,
}

/// The PAST strategy.
pub(crate) struct Past {
    predicates: Predicates,
    choice: Sampling,
    unseen: Unseen,
    /// By leaf: the path to it.
    paths: Vec<Path>,
    facts: Vec<StepFacts>,
    lanes: Vec<Lane>,
    steps: Steps,
    weights: Vec<f32>,
    /// Indices of a lane's legal moves.
    places: Vec<u32>,
}

impl Past {
    pub(crate) fn new(roles: usize, threshold: u64, choice: Sampling, unseen: Unseen) -> Self {
        let predicates = Predicates::new(roles, threshold, PLACES);
        Self {
            predicates,
            choice,
            unseen,
            paths: Vec::new(),
            facts: Vec::new(),
            lanes: Vec::new(),
            steps: Steps::new(roles),
            weights: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl Strategy for Past {
    fn begin_batch(&mut self, paths: &[Path]) {
        self.paths.clear();
        self.paths.extend_from_slice(paths);
        self.facts.resize_with(paths.len(), StepFacts::default);
    }

    fn looks_at_facts(&self) -> bool {
        true
    }

    fn set_path_facts(&mut self, leaf: usize, facts: &StepFacts) {
        self.facts[leaf].clone_from(facts);
    }

    fn playout_policy(&mut self) -> PlayoutPolicy<'_> {
        PlayoutPolicy::Step(self)
    }

    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        place: DecisionPoint<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        let (scores, unseen) = (self.predicates.scores(role, place.facts), self.unseen);
        let fill = |list: &mut Vec<f32>| {
            list.extend(untried.iter().map(|&id| scores.of(id, unseen.mark())));
            unseen.complete(list);
        };
        sample_by(self.choice, untried.len(), &mut self.weights, fill, random)
    }

    fn learn(&mut self, _: &[MoveId], _: u32, _: &[f64]) {}

    #[allow(clippy::cast_precision_loss, reason = "playouts of a leaf are few")]
    fn learn_terminal(&mut self, path: &[MoveId], facts: &StepFacts, playouts: u32, goals: &[f64]) {
        self.predicates.count(playouts as f32, goals);
        self.predicates.learn(path, facts, playouts as f32, goals);
    }
}

impl StepPolicy for Past {
    fn begin(&mut self, lane: usize, leaf: usize) {
        if self.lanes.len() <= lane {
            self.lanes.resize(lane + 1, Lane::default());
        }
        self.lanes[lane].leaf = leaf;
        self.lanes[lane].facts.clear();
        self.steps.begin(lane, leaf);
    }

    fn needs_facts(&self) -> bool {
        true
    }

    fn set_facts(&mut self, lane: usize, facts: &[FactId]) {
        self.lanes[lane].facts.push(facts);
    }

    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let moves = choices.moves();
        for &lane in choices.lanes() {
            let count = choices.list(lane, &mut self.places, 0);
            let legal = &self.places[..count];
            let facts = self.lanes[usize::from(lane)].facts.last();
            let scores = self.predicates.scores(choices.role().index(), facts);
            let unseen = self.unseen;
            let fill = |list: &mut Vec<f32>| {
                list.extend(legal.iter().map(|&place| scores.of(moves[place as usize], unseen.mark())));
                unseen.complete(list);
            };
            chosen.push(legal[sample_by(self.choice, count, &mut self.weights, fill, &mut random)]);
        }
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.steps.moved(joint);
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        let Self { predicates, paths, facts, lanes, .. } = self;
        let moves = self.steps.end(lane, steps);
        let (Some(goals), lane) = (goals, &lanes[lane]) else { return };
        predicates.count(1.0, goals);
        predicates.learn(&moves[CONTEXT_STEPS * goals.len()..], &lane.facts, 1.0, goals);
        if let (Some(path), Some(facts)) = (paths.get(lane.leaf), facts.get(lane.leaf)) {
            predicates.learn(path, facts, 1.0, goals);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: MoveId = MoveId(1);
    const B: MoveId = MoveId(2);
    const WAIT: MoveId = MoveId(0);
    const P: FactId = FactId(10);
    const Q: FactId = FactId(70);
    const R: FactId = FactId(71);

    fn steps(of: &[&[FactId]]) -> StepFacts {
        let mut facts = StepFacts::default();
        of.iter().for_each(|facts_of_step| facts.push(facts_of_step));
        facts
    }

    /// One role, threshold 2. With p the rewards of the move are 100 and 60, with q 60 and 20, with
    /// r once 0; the mean of all simulations is (100 + 60 + 20 + 0) / 4 = 45.
    #[test]
    fn the_best_fact_decides_and_rare_pairs_count_as_the_average() {
        let mut past = Predicates::new(1, 2, PLACES);
        for (facts, goal) in [(&[P][..], 100.0), (&[P, Q], 60.0), (&[Q], 20.0), (&[R], 0.0)] {
            past.count(1.0, &[goal]);
            past.learn(&[A], &steps(&[facts]), 1.0, &[goal]);
        }
        let score = |facts: &[FactId], id| past.scores(0, facts).of(id, 100.0);
        assert_eq!(score(&[P], A), 80.0);
        assert_eq!(score(&[Q], A), 40.0);
        assert_eq!(score(&[P, Q], A), 80.0, "the highest");
        assert_eq!(score(&[R], A), 45.0, "seen once only");
        assert_eq!(score(&[Q, R], A), 45.0, "the average is above what q says");
        assert_eq!(score(&[FactId(9999)], A), 45.0, "never seen together");
        assert_eq!(score(&[], A), 45.0);
        assert_eq!(score(&[P], B), 100.0);
    }

    #[test]
    fn every_role_learns_its_own_rewards_at_every_step() {
        let mut past = Predicates::new(2, 1, PLACES);
        let moves = [A, WAIT, WAIT, B];
        past.count(2.0, &[70.0, 30.0]);
        past.learn(&moves, &steps(&[&[P], &[Q]]), 2.0, &[70.0, 30.0]);
        let mean =
            |role: usize, id: MoveId, fact: FactId| past.roles[role].rows[id.index()].by_fact[fact.index()];
        assert_eq!(mean(0, A, P), RunningMean { count: 2.0, value: 70.0 });
        assert_eq!(mean(0, WAIT, Q), RunningMean { count: 2.0, value: 70.0 });
        assert_eq!(mean(1, WAIT, P), RunningMean { count: 2.0, value: 30.0 });
        assert_eq!(mean(1, B, Q), RunningMean { count: 2.0, value: 30.0 });
        assert_eq!(mean(1, B, P), RunningMean::default(), "p did not hold when b was made");
        assert!(!past.roles[1].rows[A.index()].is_seen, "a was another role's");
    }

    /// A move without room has no pairs, but it counts as seen.
    #[test]
    fn memory_is_bounded() {
        let mut past = Predicates::new(1, 1, STRIDE);
        past.count(1.0, &[30.0]);
        past.learn(&[A], &steps(&[&[P]]), 1.0, &[30.0]);
        past.count(1.0, &[50.0]);
        past.learn(&[B], &steps(&[&[P, Q]]), 1.0, &[50.0]);
        assert_eq!(past.room, 0);
        assert_eq!(past.scores(0, &[P]).of(A, 100.0), 30.0);
        assert_eq!(past.scores(0, &[P]).of(B, 100.0), 40.0);
        let places: usize = past.roles[0].rows.iter().map(|row| row.by_fact.capacity()).sum();
        assert_eq!(places, STRIDE);
    }

    /// The path in the tree counts once per playout, and also if it ends at a terminal node.
    #[test]
    fn the_part_in_the_tree_is_learned_from() {
        let mut past = Past::new(1, 1, Sampling::Gibbs(10.0), Unseen::Highest);
        past.begin_batch(&[vec![A]]);
        past.set_path_facts(0, &steps(&[&[P]]));
        for (lane, goal) in [(0, 100.0), (3, 0.0)] {
            past.begin(lane, 0);
            past.set_facts(lane, &[Q]);
            past.moved(&[B, B, B, B]);
            past.ended(lane, 1, Some(&[goal]));
        }
        past.begin(0, 0);
        past.ended(0, 0, None);
        past.learn_terminal(&[A], &steps(&[&[P]]), 2, &[20.0]);
        let of = |id: MoveId, fact: FactId| past.predicates.roles[0].rows[id.index()].by_fact[fact.index()];
        assert_eq!(of(A, P), RunningMean { count: 4.0, value: 35.0 });
        assert_eq!(of(B, Q), RunningMean { count: 2.0, value: 50.0 });
        assert_eq!(past.predicates.roles[0].average, RunningMean { count: 4.0, value: 35.0 });
    }
}

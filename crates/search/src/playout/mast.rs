//! MAST, the move-average sampling technique: a move that was good somewhere is good elsewhere.
//!
//! # What it does
//! `Q_h(a)` is the mean reward of the simulations in which its role made the move `a`, wherever. Playouts, and
//! the choice among untried moves of a node, prefer moves with a high `Q_h`: by Gibbs measure, or ε-greedily.
//! Unseen moves count 100.
//!
//! # Parameters
//! `tau` (10): temperature of the Gibbs measure; `epsilon` (0.4): how often any move is made instead of the best.
//!
//! # Differs from the paper
//! In lanes the ε-greedy form learns and sorts moves once a batch, not after each simulation; with `batch=1` after
//! each. A move that is made twice in a playout counts once. Lanes that are simulated together make random moves in the same
//! steps (not the same moves); every choice is still random with probability ε.
//!
//! # References
//! H. Finnsson, Y. Björnsson, Simulation-based approach to general game playing, AAAI 2008; M. Tak, M. Winands,
//! Y. Björnsson, N-grams and the last-good-reply policy applied in general game playing, IEEE TCIAIG 2012, IV-A.
//!
//! # Status
//! Optional.

use ludex_game::{Guide, LanePolicy, MoveId, Ranking, RoleId, Tally};

use super::learned::{Choice, Mean, UNSEEN, choose};
use super::{Path, Place, Strategy};

/// By role and move: what it gave.
#[derive(Clone, Debug, Default)]
struct Averages {
    by_role: Vec<Vec<Mean>>,
}

impl Averages {
    fn new(roles: usize) -> Self {
        Self { by_role: vec![Vec::new(); roles] }
    }

    fn score(&self, role: usize, id: MoveId) -> f32 {
        match self.by_role[role].get(id.index()) {
            Some(mean) if mean.count > 0.0 => mean.value,
            _ => UNSEEN,
        }
    }

    fn add(&mut self, role: usize, id: MoveId, weight: f32, value: f32) {
        let means = &mut self.by_role[role];
        if means.len() <= id.index() {
            means.resize(id.index() + 1, Mean::default());
        }
        means[id.index()].add(weight, value);
    }

    /// Adds what a path through the tree gave.
    #[allow(clippy::cast_possible_truncation, reason = "goals are small")]
    fn add_path(&mut self, path: &[MoveId], weight: f32, goals: &[f64]) {
        for joint in path.chunks(goals.len().max(1)) {
            for (role, (&id, &goal)) in joint.iter().zip(goals).enumerate() {
                self.add(role, id, weight, goal as f32);
            }
        }
    }
}

/// MAST with the ε-greedy choice.
pub(crate) struct MastGreedy {
    averages: Averages,
    ranking: Ranking,
    choice: Choice,
}

impl MastGreedy {
    pub(crate) fn new(roles: usize, epsilon: f64) -> Self {
        let ranking = Ranking { epsilon, order: vec![Vec::new(); roles], tallies: vec![Vec::new(); roles] };
        Self { averages: Averages::new(roles), ranking, choice: Choice::Greedy(epsilon) }
    }

    /// What playouts have counted becomes part of the averages.
    #[allow(clippy::cast_precision_loss, reason = "counts of a batch are small")]
    fn take_tallies(&mut self) {
        for (role, tallies) in self.ranking.tallies.iter_mut().enumerate() {
            for (at, tally) in tallies.iter_mut().enumerate().filter(|(_, tally)| tally.count > 0) {
                let mean = tally.sum as f32 / tally.count as f32;
                self.averages.add(role, MoveId::new(at), tally.count as f32, mean);
                *tally = Tally::default();
            }
        }
    }

    /// Sorts the moves; unseen ones are the best.
    fn sort(&mut self) {
        let Self { averages, ranking, .. } = self;
        for (role, order) in ranking.order.iter_mut().enumerate() {
            let known = averages.by_role[role].len();
            for at in order.len()..known {
                order.push(MoveId::new(at));
            }
            let score = |id: &MoveId| averages.score(role, *id);
            order.sort_by(|a, b| score(b).total_cmp(&score(a)));
        }
    }
}

impl Strategy for MastGreedy {
    fn prepare(&mut self, _: &[Path]) {
        self.take_tallies();
        self.sort();
    }

    fn guide(&mut self) -> Guide<'_> {
        Guide::Ranked(&mut self.ranking)
    }

    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        _: Place<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        choose(
            self.choice,
            untried.len(),
            &mut Vec::new(),
            |at| self.averages.score(role, untried[at]),
            random,
        )
    }

    #[allow(clippy::cast_precision_loss, reason = "playouts of a leaf are few")]
    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]) {
        self.averages.add_path(path, playouts as f32, goals);
    }
}

/// MAST that sees every choice, for the Gibbs measure and wherever a ranking is not enough; without playouts of its own (`in_tree`) it is how CP_imp chooses among
/// untried moves.
pub(crate) struct MastByLane {
    averages: Averages,
    choice: Choice,
    /// Guides the tree only; playouts are uniform, and nothing is learned from them but the path.
    in_tree: bool,
    paths: Vec<Path>,
    lanes: Vec<Lane>,
    weights: Vec<f32>,
}

#[derive(Clone, Debug, Default)]
struct Lane {
    leaf: usize,
    /// Role and move.
    moves: Vec<(usize, MoveId)>,
}

impl MastByLane {
    pub(crate) fn new(roles: usize, choice: Choice, in_tree: bool) -> Self {
        let (paths, lanes, weights) = (Vec::new(), Vec::new(), Vec::new());
        Self { averages: Averages::new(roles), choice, in_tree, paths, lanes, weights }
    }
}

impl Strategy for MastByLane {
    fn prepare(&mut self, paths: &[Path]) {
        self.paths.clear();
        self.paths.extend_from_slice(paths);
    }

    fn guide(&mut self) -> Guide<'_> {
        // CP_imp needs the moves of its playouts too; their choice is uniform there.
        Guide::ByLane(self)
    }

    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        _: Place<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        let score = |at: usize| self.averages.score(role, untried[at]);
        choose(self.choice, untried.len(), &mut self.weights, score, random)
    }

    fn learn(&mut self, _: &[MoveId], _: u32, _: &[f64]) {}
}

impl LanePolicy for MastByLane {
    fn begin(&mut self, lane: usize, leaf: usize) {
        if self.lanes.len() <= lane {
            self.lanes.resize(lane + 1, Lane::default());
        }
        self.lanes[lane].leaf = leaf;
        self.lanes[lane].moves.clear();
    }

    fn choose(&mut self, _: usize, role: RoleId, legal: &[MoveId], random: &mut fastrand::Rng) -> usize {
        if self.in_tree {
            return random.usize(..legal.len());
        }
        let score = |at: usize| self.averages.score(role.index(), legal[at]);
        choose(self.choice, legal.len(), &mut self.weights, score, random)
    }

    fn moved(&mut self, lane: usize, joint: &[MoveId]) {
        self.lanes[lane].moves.extend(joint.iter().copied().enumerate());
    }

    #[allow(clippy::cast_possible_truncation, reason = "goals are small")]
    fn ended(&mut self, lane: usize, goals: Option<&[f64]>) {
        let (Some(goals), lane) = (goals, &self.lanes[lane]) else { return };
        for &(role, id) in &lane.moves {
            self.averages.add(role, id, 1.0, goals[role] as f32);
        }
        if let Some(path) = self.paths.get(lane.leaf) {
            self.averages.add_path(path, 1.0, goals);
        }
    }
}

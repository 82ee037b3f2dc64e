//! Many leaves in one call of the game: gather, simulate, add nodes, hand returns up.

use std::time::Instant;

use ludex_game::{Failure, Guide, Leaf, Leaves, MoveId, Simulation};

use super::Uct;
use super::descend::{Descent, End, worst};
use super::pace::Size;
use crate::flat::MAX_STEPS;
use crate::memory::NodeId;

/// Descents that end in known terminal states need no simulation; so many of them, for each leaf, are
/// enough for one batch.
const TERMINALS: usize = 4;

impl Uct {
    /// Simulates one batch, with no more playouts than are left; how many that was.
    pub(super) fn run_batch(&mut self, size: Size, left: Option<u64>) -> Result<u64, Failure> {
        let mut descents = std::mem::take(&mut self.descents);
        let mut paths = std::mem::take(&mut self.paths);
        descents.resize_with(size.leaves, Descent::default);
        paths.resize_with(size.leaves, Vec::new);
        let weight = size.playouts;
        let (mut gathered, mut ended) = (0, 0);
        let most =
            left.map_or(usize::MAX, |left| usize::try_from(left / u64::from(weight)).unwrap_or(usize::MAX));
        while gathered < size.leaves && ended < TERMINALS * size.leaves && gathered + ended < most {
            let end = self.descend(&mut descents[gathered], &mut paths[gathered], weight);
            self.steps += descents[gathered].choices.last().map_or(0, |&(_, _, step)| u64::from(step) + 1);
            if self.strategy.looks_at_facts() {
                let Descent { nodes, facts, .. } = &mut descents[gathered];
                facts.clear();
                nodes.iter().for_each(|&node| facts.push(&self.facts(node)));
            }
            match end {
                End::Leaf => gathered += 1,
                End::Terminal(node) => {
                    let goals: Vec<f64> = self.tree.values(node).collect();
                    self.hand_up(&descents[gathered], weight, &goals, &goals);
                    self.hand_up_moves(&descents[gathered], &paths[gathered], None, weight, &goals);
                    self.strategy.learn(&paths[gathered], weight, &goals);
                    let facts = &descents[gathered].facts;
                    self.strategy.ended_in_tree(&paths[gathered], facts, weight, &goals);
                    ended += 1;
                }
                End::Stuck => {
                    let goals = vec![0.0; self.tree.roles()];
                    self.hand_up(&descents[gathered], weight, &goals, &goals);
                    self.hand_up_moves(&descents[gathered], &paths[gathered], None, weight, &goals);
                    ended += 1;
                }
            }
        }
        paths.truncate(gathered);
        if gathered > 0 {
            self.simulate(&descents[..gathered], &paths, weight)?;
        }
        self.descents = descents;
        self.paths = paths;
        let done = (gathered + ended) as u64 * u64::from(weight);
        self.playouts += done;
        Ok(done)
    }

    fn simulate(&mut self, descents: &[Descent], paths: &[Vec<MoveId>], weight: u32) -> Result<(), Failure> {
        let roles = self.tree.roles();
        self.strategy.prepare(paths);
        if self.strategy.looks_at_facts() {
            descents.iter().enumerate().for_each(|(at, way)| self.strategy.came_by(at, &way.facts));
        }
        let mut leaves = Vec::with_capacity(descents.len());
        for (descent, path) in descents.iter().zip(paths) {
            let parent = descent.parent.unwrap_or(self.root);
            let from = self.tree.words(parent);
            leaves.push(Leaf { from, joint: &path[path.len() - roles..] });
        }
        let mut recording;
        let guide = match &mut self.amaf {
            Some(amaf) => {
                recording = amaf.record(self.strategy.guide(), descents.len());
                Guide::ByLane(&mut recording)
            }
            None => self.strategy.guide(),
        };
        let mut simulation = Simulation {
            leaves: &leaves,
            playouts: weight,
            max_steps: MAX_STEPS,
            discount: self.options.discount,
            seed: self.random.u64(..),
            guide,
        };
        let mut results = std::mem::take(&mut self.results);
        let begun = Instant::now();
        self.seat.game.simulate(&mut simulation, &mut results)?;
        self.playout_time += begun.elapsed();
        self.steps += results.steps;
        let (mut returns, mut goals) = (vec![0.0; roles], vec![0.0; roles]);
        for (at, descent) in descents.iter().enumerate() {
            if let Some(leaf) = descent.leaf {
                self.add_node(descent, leaf, &results, at);
            }
            let count = f64::from(results.count(at).max(1));
            returns.iter_mut().zip(results.sums(at)).for_each(|(mean, sum)| *mean = sum / count);
            goals.iter_mut().zip(results.goals(at)).for_each(|(mean, sum)| *mean = sum / count);
            self.hand_up(descent, weight, &returns, &goals);
            self.hand_up_moves(descent, &paths[at], Some(at), weight, &returns);
            self.strategy.learn(&paths[at], weight, &goals);
        }
        self.results = results;
        Ok(())
    }

    /// Fills the node of a leaf, or finds it in the table.
    fn add_node(&mut self, descent: &Descent, leaf: NodeId, results: &Leaves, at: usize) {
        let words = results.words(at);
        let depth = self.tree.depth(leaf);
        let table = self.table.as_mut();
        if let Some(known) = table.and_then(|table| table.find_or_enter(&self.tree, depth, words, leaf)) {
            if let Some(parent) = descent.parent {
                self.tree.set_child(parent, descent.edge, descent.joint, known);
            }
            self.tree.forget(leaf);
            return;
        }
        self.deepest = self.deepest.max(depth);
        self.tree.fill(leaf, words, results.is_terminal(at));
        for role in 0..self.tree.roles() {
            self.tree.set_moves(leaf, role, results.legal(at, role));
        }
        if results.is_terminal(at) {
            // One playout of no steps: the goals themselves.
            self.tree.set_values(leaf, results.sums(at).iter().copied());
        }
    }

    /// Hands what came of a leaf up its way: what counted as losses becomes returns, discounted once a step. Reports tell
    /// goals as they are.
    fn hand_up(&mut self, descent: &Descent, weight: u32, discounted: &[f64], goals: &[f64]) {
        let roles = goals.len();
        let own = f64::from(weight);
        let loss = worst(roles);
        let last = descent.choices.last().map_or(0, |&(_, _, step)| step);
        let mut factor = self.options.discount;
        let mut step_of_factor = last;
        for &(edge, role, step) in descent.choices.iter().rev() {
            while step_of_factor > step {
                factor *= self.options.discount;
                step_of_factor -= 1;
            }
            let value = factor * returns(discounted, usize::from(role));
            self.tree.correct(edge as usize, own * (value - loss));
        }
        if let Some(count) = self.root_counts.get_mut(descent.first) {
            *count += u64::from(weight);
            for (sum, goal) in self.root_goals[descent.first * roles..].iter_mut().zip(goals) {
                *sum += own * goal;
            }
        }
    }

    /// Tells all nodes of a way what was made below them, if anybody wants to know.
    fn hand_up_moves(
        &mut self,
        descent: &Descent,
        path: &[MoveId],
        leaf: Option<usize>,
        weight: u32,
        discounted: &[f64],
    ) {
        if let Some(amaf) = &mut self.amaf {
            amaf.hand_up(&mut self.tree, (descent, path), leaf, weight, discounted);
        }
    }
}

/// What a role gets out of goals (section 3.4.2 of the thesis): of two roles the difference, otherwise its own goal.
pub(super) fn returns(goals: &[f64], role: usize) -> f64 {
    match goals {
        [a, b] => {
            if role == 0 {
                a - b
            } else {
                b - a
            }
        }
        _ => goals.get(role).copied().unwrap_or(0.0),
    }
}

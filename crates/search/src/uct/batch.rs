//! Selection and backpropagation for a batch of leaves that the game simulates in one call.

use std::time::Instant;

use ludex_game::{Failure, LeafResults};

use super::batch_sizer::BatchSize;
use super::descend::{Descent, End};
use super::shared_tree::SharedTree;
use super::worker::Worker;
use crate::memory::NodeId;

/// Descents that end in known terminal nodes, per leaf of a batch, at most. They need no playouts;
/// without a limit, a batch in a solved subtree would never fill.
const TERMINALS_PER_LEAF: usize = 4;

impl SharedTree {
    /// Selects a batch of leaves, with no more playouts than are left. Descents that end in known
    /// nodes are backpropagated at once.
    pub(crate) fn select_leaves(&mut self, worker: &mut Worker, size: BatchSize) {
        let weight = size.playouts;
        let leaves = worker.begin(size, self.sizer.lanes(), self.sizer.refills(size));
        let mut ended = 0;
        let most = self.playouts_left.map_or(usize::MAX, |playouts_left| {
            usize::try_from(playouts_left / u64::from(weight)).unwrap_or(usize::MAX)
        });
        while worker.selected.len() < leaves
            && ended < TERMINALS_PER_LEAF * leaves
            && worker.selected.len() + ended < most
        {
            let at = worker.next_leaf();
            let end = self.select_leaf(worker, at, weight);
            self.steps += worker.descents[at].choices.last().map_or(0, |&(_, _, step)| u64::from(step) + 1);
            if worker.strategy.looks_at_facts() {
                let Descent { nodes, facts, .. } = &mut worker.descents[at];
                facts.clear();
                nodes.iter().for_each(|&node| facts.push(&self.facts(node)));
            }
            let goals = match end {
                End::Leaf => {
                    let parent = worker.descents[at].parent.unwrap_or(self.root);
                    worker.keep(self.tree.words(parent));
                    continue;
                }
                End::Terminal(node) => {
                    let goals: Vec<f64> = self.tree.values(node).collect();
                    worker.strategy.learn(&worker.paths[at], weight, &goals);
                    let facts = &worker.descents[at].facts;
                    worker.strategy.learn_terminal(&worker.paths[at], facts, weight, &goals);
                    goals
                }
                End::Decided(node) => {
                    let goals = self.proved_goals(node);
                    worker.strategy.learn(&worker.paths[at], weight, &goals);
                    goals
                }
                End::Stuck => vec![0.0; self.tree.roles()],
            };
            self.backpropagate(&worker.descents[at], weight, &goals, &goals);
            if let Some(amaf) = &mut worker.amaf {
                let path = (&worker.descents[at], &worker.paths[at][..]);
                amaf.backpropagate(&mut self.tree, path, None, weight, &goals);
            }
            ended += 1;
        }
        if !worker.selected.is_empty() || worker.has_in_flight() {
            worker.seed = self.random.u64(..);
        }
        // A descent that ends in the tree needs no playout. The papers' presets count it like a leaf; with
        // the solver it counts once, so that the search of a nearly solved game still ends.
        let per_end = if self.solver.is_some() { 1 } else { u64::from(weight) };
        let done = worker.selected.len() as u64 * u64::from(weight) + ended as u64 * per_end;
        self.playouts += done;
        self.playouts_left = self.playouts_left.map(|playouts_left| playouts_left.saturating_sub(done));
    }

    /// Adds nodes for leaves whose playouts are finished, and backpropagates their results.
    pub(crate) fn apply(&mut self, worker: &mut Worker) {
        self.times += worker.took;
        self.steps += worker.results.steps;
        let (results, roles) = (&worker.results, self.tree.roles());
        let (mut returns, mut goals) = (vec![0.0; roles], vec![0.0; roles]);
        for &at in results.finished() {
            let descent = &worker.descents[at];
            if let Some(leaf) = descent.leaf {
                self.add_node(descent, leaf, results, at);
            }
            let count = f64::from(results.count(at).max(1));
            returns.iter_mut().zip(results.sums(at)).for_each(|(mean, sum)| *mean = sum / count);
            goals.iter_mut().zip(results.goals(at)).for_each(|(mean, sum)| *mean = sum / count);
            let weight = descent.weight;
            self.returns_seen.note(&self.utility, &goals);
            self.backpropagate(descent, weight, &returns, &goals);
            if let Some(amaf) = &mut worker.amaf {
                let path = (descent, &worker.paths[at][..]);
                amaf.backpropagate(&mut self.tree, path, Some(at), weight, &returns);
            }
            worker.strategy.learn(&worker.paths[at], weight, &goals);
        }
        worker.release_finished();
    }

    /// Finishes the playouts that a worker has in flight and backpropagates them.
    pub(crate) fn finish(&mut self, worker: &mut Worker) -> Result<(), Failure> {
        if worker.has_in_flight() {
            let begun = Instant::now();
            worker.finish()?;
            self.apply(worker);
            self.sizer.finished(begun.elapsed());
        }
        Ok(())
    }

    /// Fills the node of a leaf, or replaces it by its transposition.
    fn add_node(&mut self, descent: &Descent, leaf: NodeId, results: &LeafResults, at: usize) {
        let words = results.words(at);
        let depth = self.tree.depth(leaf);
        if let Some(known) = self.tree.find_or_insert(words, leaf) {
            if let Some(parent) = descent.parent {
                self.tree.set_child(parent, descent.edge, descent.joint, known);
            }
            self.tree.release(leaf);
            self.prove(descent);
            return;
        }
        self.deepest = self.deepest.max(depth);
        self.tree.fill(leaf, words, results.is_terminal(at), |role| results.legal(at, role));
        if results.is_terminal(at) {
            // A terminal leaf has one playout of no steps: the sums are its goals.
            self.tree.set_values(leaf, results.sums(at).iter().copied());
            self.prove_terminal(leaf);
            self.prove(descent);
        }
    }

    /// Backpropagates the result of a leaf: replaces virtual losses by returns, discounted once per
    /// step. Reports use undiscounted goals.
    fn backpropagate(&mut self, descent: &Descent, weight: u32, discounted: &[f64], goals: &[f64]) {
        let roles = goals.len();
        let own = f64::from(weight);
        let last = descent.choices.last().map_or(0, |&(_, _, step)| step);
        let mut factor = self.options.discount;
        let mut step_of_factor = last;
        for &(edge, role, step) in descent.choices.iter().rev() {
            while step_of_factor > step {
                factor *= self.options.discount;
                step_of_factor -= 1;
            }
            let role = usize::from(role);
            let value = self.cut_to_bounds(edge as usize, role, factor * self.utility.of(discounted, role));
            let loss = self.utility.worst(role);
            self.tree.add_return(edge as usize, own * (value - loss));
        }
        if let Some(count) = self.root_counts.get_mut(descent.first) {
            *count += u64::from(weight);
            for (sum, goal) in self.root_goals[descent.first * roles..].iter_mut().zip(goals) {
                *sum += own * goal;
            }
        }
    }
}

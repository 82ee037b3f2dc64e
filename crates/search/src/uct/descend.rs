//! From the root to a leaf: every role chooses, until the tree ends.

use ludex_game::{FactId, MoveId, State};

use super::shared_tree::SharedTree;
use super::worker::Worker;
use crate::memory::{NodeId, NodeKind};
use crate::playout::{DecisionPoint, Path, StepFacts};
use crate::selection::{Selection, rave, ucb1, uniform};

/// A way through the tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descent {
    /// Choices on the way: the edge, its role, and how many steps below the root it was made.
    pub choices: Vec<(u32, u8, u16)>,
    /// The node that is to be filled; none if there is no room for it.
    pub leaf: Option<NodeId>,
    /// The node that the last moves were made in.
    pub parent: Option<NodeId>,
    /// What [`Tree::set_child`] needs.
    pub edge: usize,
    pub joint: Option<u32>,
    /// The nodes that moves were made in, a step each, and what held there; both only if somebody looks at them.
    pub nodes: Vec<NodeId>,
    pub facts: StepFacts,
    /// The own move at the root: its place among the legal ones.
    pub first: usize,
    /// How many playouts it counts for.
    pub weight: u32,
}

/// Where a way ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Behind the tree: a leaf to be simulated.
    Leaf,
    /// In a terminal node.
    Terminal(NodeId),
    /// In a state in which a role cannot move.
    Stuck,
}

impl SharedTree {
    /// Walks down the tree, for the leaf of a worker with this number: its descent and path are filled. Visits are entered on
    /// the way, as losses. Strategies that do not look at paths get the last step only.
    pub(super) fn select_leaf(&mut self, worker: &mut Worker, at: usize, weight: u32) -> End {
        let mut descent = std::mem::take(&mut worker.descents[at]);
        let mut path = std::mem::take(&mut worker.paths[at]);
        let end = self.select_path(worker, &mut descent, &mut path, weight);
        (worker.descents[at], worker.paths[at]) = (descent, path);
        end
    }

    fn select_path(
        &mut self,
        worker: &mut Worker,
        descent: &mut Descent,
        path: &mut Path,
        weight: u32,
    ) -> End {
        descent.choices.clear();
        descent.nodes.clear();
        path.clear();
        (descent.leaf, descent.parent, descent.weight) = (None, None, weight);
        let mut node = self.root;
        let mut step = 0u16;
        loop {
            let (edge, joint) = match self.tree.chooser(node) {
                Some((role, count)) => {
                    let first = self.tree.expand(node);
                    let chosen = self.select_edge(worker, node, role, first..first + count, path);
                    self.add_virtual_loss(descent, first + chosen, role, step, weight);
                    if worker.needs_paths || step == 0 {
                        self.push_joint(path, node);
                        let at = path.len() - self.tree.roles() + role;
                        path[at] = self.tree.moves(node, role)[chosen];
                    }
                    (first + chosen, None)
                }
                None => self.select_joint(worker, descent, path, node, (step, weight)),
            };
            if step == 0 {
                descent.first = self.root_move_index(path);
            }
            if worker.needs_nodes {
                descent.nodes.push(node);
            }
            self.tree.add_visits(node, weight);
            step += 1;
            let child = self.tree.child(node, edge, joint);
            let kind = if child == NodeId::NONE { NodeKind::Pending } else { self.tree.kind(child) };
            match kind {
                NodeKind::Open => node = child,
                NodeKind::Terminal => return End::Terminal(child),
                NodeKind::Stuck => return End::Stuck,
                // Behind the tree, or on its way there already: then it gets one more playout.
                NodeKind::Pending => {
                    (descent.parent, descent.edge, descent.joint) = (Some(node), edge, joint);
                    if child == NodeId::NONE && !self.is_full {
                        let depth = self.tree.depth(node).saturating_add(1);
                        let leaf = self.tree.add_pending(depth);
                        if leaf != NodeId::NONE {
                            self.tree.set_child(node, edge, joint, leaf);
                            descent.leaf = Some(leaf);
                        }
                    }
                    if let (false, Some((role, _))) = (worker.needs_paths, self.tree.chooser(node)) {
                        path.clear();
                        self.push_joint(path, node);
                        let first = self.tree.edges(node).unwrap_or(edge);
                        path[role] = self.tree.moves(node, role)[edge - first];
                    }
                    return End::Leaf;
                }
            }
        }
    }

    /// Where several roles choose: each for itself. Gives an edge, and the number of the joint choice.
    fn select_joint(
        &mut self,
        worker: &mut Worker,
        descent: &mut Descent,
        path: &mut Path,
        node: NodeId,
        (step, weight): (u16, u32),
    ) -> (usize, Option<u32>) {
        let first = self.tree.expand(node);
        let choosers: Vec<(usize, usize)> = self.tree.choosers(node).collect();
        if !worker.needs_paths {
            path.clear();
        }
        let begins = path.len();
        self.push_joint(path, node);
        let mut joint = 0u32;
        for &(role, at) in &choosers {
            let count = self.tree.count(node, role);
            let edges = first + at..first + at + count;
            let chosen = self.select_edge(worker, node, role, edges.clone(), &path[..begins]);
            path[begins + role] = self.tree.moves(node, role)[chosen];
            joint = joint.wrapping_mul(u32::try_from(count).unwrap_or(u32::MAX));
            joint = joint.wrapping_add(u32::try_from(chosen).unwrap_or(u32::MAX));
            self.add_virtual_loss(descent, edges.start + chosen, role, step, weight);
        }
        (first, Some(joint))
    }

    /// Enters a choice, as a virtual loss until its result is backpropagated.
    #[inline(always)]
    fn add_virtual_loss(&mut self, descent: &mut Descent, edge: usize, role: usize, step: u16, weight: u32) {
        let loss = f64::from(weight) * self.utility.worst(role);
        let role = u8::try_from(role).unwrap_or(u8::MAX);
        descent.choices.push((u32::try_from(edge).unwrap_or(u32::MAX), role, step));
        self.tree.add(edge, weight, loss);
    }

    /// Adds the first moves of all roles to a path.
    fn push_joint(&self, path: &mut Path, node: NodeId) {
        path.extend((0..self.tree.roles()).map(|role| self.tree.moves(node, role)[0]));
    }

    /// The place of the searching role's first move among its moves at the root.
    fn root_move_index(&self, path: &[MoveId]) -> usize {
        let own = self.context.role.index();
        self.own_moves().iter().position(|&id| id == path[own]).unwrap_or(0)
    }

    /// The choice of one role in a node.
    #[inline(always)]
    fn select_edge(
        &mut self,
        worker: &mut Worker,
        node: NodeId,
        role: usize,
        edges: std::ops::Range<usize>,
        path: &[MoveId],
    ) -> usize {
        let count = edges.len();
        if count == 1 {
            return 0;
        }
        if self.utility.is_chance(role) {
            return uniform(count, &mut self.random);
        }
        let node_visits = self.tree.node_visits(node);
        let amaf = edges.clone();
        let edges = self.tree.edge_stats(edges);
        let chosen = match self.selection {
            Selection::Uniform => return uniform(count, &mut self.random),
            Selection::Ucb1(exploration) => ucb1(edges, node_visits, exploration, &mut self.random),
            Selection::Rave(exploration, k) => {
                let amaf = self.tree.amaf(amaf);
                rave(edges, amaf, node_visits, (exploration, k), &mut self.random)
            }
        };
        if let Some(chosen) = chosen {
            return chosen;
        }
        let Worker { strategy, untried, untried_moves, .. } = worker;
        untried.clear();
        untried.extend((0..count).filter(|&at| edges[at].visits == 0));
        if let [only] = untried[..] {
            return only;
        }
        let moves = self.tree.moves(node, role);
        untried_moves.clear();
        untried_moves.extend(untried.iter().map(|&at| moves[at]));
        let facts = if strategy.looks_at_facts() { self.facts(node) } else { Vec::new() };
        let place = DecisionPoint { path, facts: &facts };
        let chosen = strategy.choose_untried(role, untried_moves, place, &mut self.random);
        untried[chosen]
    }

    /// What holds in a node.
    pub(super) fn facts(&self, node: NodeId) -> Vec<FactId> {
        self.context.game.facts(&State::from_words(self.tree.words(node)))
    }
}

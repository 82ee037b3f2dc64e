//! Selection: descends from the root to a leaf; in every node each role with a choice selects a
//! move.

use ludex_game::{FactId, MoveId, State};

use super::shared_tree::SharedTree;
use super::worker::Worker;
use crate::memory::{JointNumber, NodeId, NodeKind};
use crate::playout::{DecisionPoint, Path, StepFacts};
use crate::selection::{Selection, UrgentUcb, rave, ucb1, uniform, urgent_ucb};

/// A path through the tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descent {
    /// Selected edges: the edge, its role, and the step below the root.
    pub choices: Vec<(u32, u8, u16)>,
    /// The new node; none if the tree is full.
    pub leaf: Option<NodeId>,
    /// The node of the last joint move.
    pub parent: Option<NodeId>,
    /// Arguments of [`Tree::set_child`](crate::memory::Tree::set_child).
    pub edge: usize,
    pub joint: Option<JointNumber>,
    /// The node of each step, and the facts that hold there; only if needed.
    pub nodes: Vec<NodeId>,
    pub facts: StepFacts,
    /// Index of the searching role's root move.
    pub first: usize,
    /// Number of playouts it counts for.
    pub weight: u32,
}

/// How a descent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// At a new or pending node: a leaf to simulate.
    Leaf,
    /// At a terminal node.
    Terminal(NodeId),
    /// At a node whose goals are proved.
    Decided(NodeId),
    /// At a state in which a role has no legal move.
    Stuck,
}

impl SharedTree {
    /// Selects a leaf and fills the worker's descent and path with this index. Adds virtual losses
    /// on the way. If the strategy needs no paths, the path has only its last step.
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
                    let first = self.expand(node);
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
            let kind = match child {
                NodeId::NONE => NodeKind::Pending,
                // There is no room for its edges: it stays a leaf.
                _ if self.is_full && self.tree.is_unexpanded(child) => NodeKind::Pending,
                _ => self.tree.kind(child),
            };
            if kind != NodeKind::Pending && self.is_edge_stale(node, edge, child) {
                self.prove(descent);
            }
            match kind {
                NodeKind::Open if self.tree.is_decided(child) => return End::Decided(child),
                NodeKind::Open => node = child,
                NodeKind::Terminal => return End::Terminal(child),
                NodeKind::Stuck => return End::Stuck,
                // A new node, or one whose simulation is unfinished: the latter gets more playouts.
                NodeKind::Pending | NodeKind::Free => {
                    (descent.parent, descent.edge, descent.joint) = (Some(node), edge, joint);
                    let has_number = joint.is_none_or(|joint| joint.get().is_some());
                    let is_known = has_number && self.becomes_node(descent, step, weight);
                    if child == NodeId::NONE && !self.is_full && is_known {
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

    /// Whether the move that a descent has just made was made often enough for a node behind it.
    fn becomes_node(&self, descent: &Descent, step: u16, weight: u32) -> bool {
        let least = self.options.expand.saturating_mul(weight);
        let last = descent.choices.iter().rev().take_while(|&&(_, _, at)| at + 1 == step);
        least == 0 || last.map(|&(edge, _, _)| edge as usize).all(|edge| self.tree.visits(edge) > least)
    }

    /// Selects a move for each of several roles. Returns an edge and the number of the joint move.
    fn select_joint(
        &mut self,
        worker: &mut Worker,
        descent: &mut Descent,
        path: &mut Path,
        node: NodeId,
        (step, weight): (u16, u32),
    ) -> (usize, Option<JointNumber>) {
        let first = self.expand(node);
        let choosers: Vec<(usize, usize)> = self.tree.choosers(node).collect();
        if !worker.needs_paths {
            path.clear();
        }
        let begins = path.len();
        self.push_joint(path, node);
        let mut joint = JointNumber::FIRST;
        for &(role, at) in &choosers {
            let count = self.tree.count(node, role);
            let edges = first + at..first + at + count;
            let chosen = self.select_edge(worker, node, role, edges.clone(), &path[..begins]);
            path[begins + role] = self.tree.moves(node, role)[chosen];
            joint = joint.then(count, chosen);
            self.add_virtual_loss(descent, edges.start + chosen, role, step, weight);
        }
        (first, Some(joint))
    }

    /// Adds an edge to the descent, as a virtual loss until its result is backpropagated.
    #[inline(always)]
    fn add_virtual_loss(&mut self, descent: &mut Descent, edge: usize, role: usize, step: u16, weight: u32) {
        let loss = f64::from(weight) * self.utility.worst(role);
        let role = u8::try_from(role).unwrap_or(u8::MAX);
        descent.choices.push((u32::try_from(edge).unwrap_or(u32::MAX), role, step));
        self.tree.add(edge, weight, loss);
    }

    /// Appends the first legal move of every role to a path.
    fn push_joint(&self, path: &mut Path, node: NodeId) {
        path.extend((0..self.tree.roles()).map(|role| self.tree.moves(node, role)[0]));
    }

    /// Index of the searching role's first move among its moves at the root.
    fn root_move_index(&self, path: &[MoveId]) -> usize {
        let own = self.context.role.index();
        self.own_moves().iter().position(|&id| id == path[own]).unwrap_or(0)
    }

    /// Selects a move of one role in a node.
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
        let mut open = std::mem::take(&mut worker.open_edges);
        let is_limited = self.find_open_edges(&mut open, node, role, edges.clone());
        let candidates = if is_limited { &open.edges } else { self.tree.edge_stats(edges.clone()) };
        let scale = self.returns_seen.scale(role);
        let random = &mut self.random;
        let chosen = match self.selection {
            Selection::Uniform => Some(uniform(candidates.len(), random)),
            Selection::Ucb1(exploration) => ucb1(candidates, node_visits, exploration * scale, random),
            Selection::Urgent(rule) => {
                let range = self.utility.range(role);
                let urgency = rule.urgency * scale;
                let rule = UrgentUcb { exploration: rule.exploration * scale, urgency, range, ..rule };
                urgent_ucb(candidates, node_visits, &rule, random)
            }
            Selection::Rave(exploration, k) => {
                let amaf = self.tree.amaf(edges.clone());
                let constants = (exploration * scale, k);
                match is_limited {
                    true => ucb1(candidates, node_visits, constants.0, random),
                    false => rave(candidates, amaf, node_visits, constants, random),
                }
            }
        };
        let chosen = match (chosen, is_limited) {
            (Some(chosen), true) => open.places[chosen],
            (Some(chosen), false) => chosen,
            (None, true) => {
                let untried = open.places.iter().zip(&open.edges).filter(|(_, edge)| edge.visits == 0);
                worker.untried.clear();
                worker.untried.extend(untried.map(|(&at, _)| at));
                self.select_untried(worker, (node, role), path)
            }
            (None, false) => {
                let edges = self.tree.edge_stats(edges);
                worker.untried.clear();
                worker.untried.extend((0..count).filter(|&at| edges[at].visits == 0));
                self.select_untried(worker, (node, role), path)
            }
        };
        worker.open_edges = open;
        chosen
    }

    /// Selects one of the moves in `worker.untried`, by index.
    fn select_untried(
        &mut self,
        worker: &mut Worker,
        (node, role): (NodeId, usize),
        path: &[MoveId],
    ) -> usize {
        let Worker { strategy, untried, untried_moves, .. } = worker;
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

    /// Whether a child's bounds have changed since this edge to it was looked at.
    #[inline(always)]
    fn is_edge_stale(&self, node: NodeId, edge: usize, child: NodeId) -> bool {
        match self.tree.chooser(node) {
            Some((role, _)) => self.tree.is_stale(edge, role, child),
            None => false,
        }
    }

    /// The facts that hold in a node.
    pub(super) fn facts(&self, node: NodeId) -> Vec<FactId> {
        self.context.game.facts(&State::from_words(self.tree.words(node)))
    }
}

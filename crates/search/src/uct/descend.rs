//! From the root to a leaf: every role chooses, until the tree ends.

use ludex_game::MoveId;

use super::Uct;
use crate::memory::{Kind, NodeId, Tree};
use crate::playout::Path;
use crate::selection::{Selection, ucb1, uniform};

/// A way through the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Descent {
    /// Nodes from the root on.
    pub nodes: Vec<NodeId>,
    /// Choices on the way: the edge, its role, and how many steps below the root it was made.
    pub choices: Vec<(u32, u8, u16)>,
    /// The node that is to be filled; none if there is no room for it.
    pub leaf: Option<NodeId>,
    /// The node that the last moves were made in.
    pub parent: Option<NodeId>,
    /// What [`Tree::set_child`] needs.
    pub edge: usize,
    pub joint: Option<u32>,
    /// The own move at the root: its place among the legal ones.
    pub first: usize,
}

/// Where a way ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Behind the tree: a leaf to be simulated.
    Leaf,
    /// In a terminal node.
    Terminal(NodeId),
    /// In a node in which a role cannot move.
    Stuck,
}

impl Uct {
    /// Walks down the tree. `descent` and `path` are filled; visits are entered on the way, as losses.
    pub(super) fn descend(&mut self, descent: &mut Descent, path: &mut Path, weight: u32) -> End {
        descent.nodes.clear();
        descent.choices.clear();
        path.clear();
        (descent.leaf, descent.parent) = (None, None);
        let roles = self.tree.roles();
        let loss = f64::from(weight) * worst(roles);
        let mut node = self.root;
        let mut step = 0u16;
        loop {
            descent.nodes.push(node);
            if (0..roles).any(|role| self.tree.count(node, role) == 0) {
                return End::Stuck;
            }
            let first_edge = self.tree.expand(node);
            let choosers: Choosers = Choosers::of(&self.tree, node);
            let begins = path.len();
            path.extend((0..roles).map(|role| self.tree.moves(node, role)[0]));
            let (mut joint, mut chosen_edge) = (0u32, first_edge);
            for &(role, at) in choosers.as_slice() {
                let count = self.tree.count(node, role);
                let edges = first_edge + at..first_edge + at + count;
                let chosen = self.choose(node, role, edges.clone(), &path[..begins]);
                let edge = edges.start + chosen;
                path[begins + role] = self.tree.moves(node, role)[chosen];
                joint = joint.wrapping_mul(u32::try_from(count).unwrap_or(u32::MAX));
                joint = joint.wrapping_add(u32::try_from(chosen).unwrap_or(u32::MAX));
                chosen_edge = edge;
                let role_number = u8::try_from(role).unwrap_or(u8::MAX);
                descent.choices.push((u32::try_from(edge).unwrap_or(u32::MAX), role_number, step));
                self.tree.add(edge, weight, loss);
            }
            if step == 0 {
                descent.first = self.own_choice(path);
            }
            self.tree.visit(node, weight);
            let joint = (choosers.as_slice().len() > 1).then_some(joint);
            let child = self.tree.child(node, chosen_edge, joint);
            step += 1;
            match child {
                NodeId::NONE => {
                    (descent.parent, descent.edge, descent.joint) = (Some(node), chosen_edge, joint);
                    if !self.full {
                        let depth = self.tree.depth(node).saturating_add(1);
                        let leaf = self.tree.add_pending(depth);
                        if leaf != NodeId::NONE {
                            self.tree.set_child(node, chosen_edge, joint, leaf);
                            descent.leaf = Some(leaf);
                        }
                    }
                    return End::Leaf;
                }
                child => match self.tree.kind(child) {
                    // On its way already: one more playout there.
                    Kind::Pending => {
                        (descent.parent, descent.edge, descent.joint) = (Some(node), chosen_edge, joint);
                        return End::Leaf;
                    }
                    Kind::Terminal => {
                        descent.nodes.push(child);
                        return End::Terminal(child);
                    }
                    Kind::Open => node = child,
                },
            }
        }
    }

    /// The place of the searching role's first move among its moves at the root.
    fn own_choice(&self, path: &[MoveId]) -> usize {
        let own = self.seat.role.index();
        self.own_moves().iter().position(|&id| id == path[own]).unwrap_or(0)
    }

    /// The choice of one role in a node.
    #[inline(always)]
    fn choose(&mut self, node: NodeId, role: usize, edges: std::ops::Range<usize>, path: &[MoveId]) -> usize {
        let count = edges.len();
        if count == 1 {
            return 0;
        }
        let (visits, totals) = self.tree.statistics(edges);
        match self.selection {
            Selection::Uniform => uniform(count, &mut self.random),
            Selection::Ucb1(exploration) => {
                if !visits.contains(&0) {
                    let node_visits = self.tree.node_visits(node);
                    return ucb1(visits, totals, node_visits, exploration, &mut self.random);
                }
                let untried: Vec<usize> = (0..count).filter(|&at| visits[at] == 0).collect();
                if let [only] = untried[..] {
                    return only;
                }
                let moves = self.tree.moves(node, role);
                let ids: Vec<MoveId> = untried.iter().map(|&at| moves[at]).collect();
                untried[self.strategy.choose_untried(role, &ids, path, &mut self.random)]
            }
        }
    }
}

/// The worst return there is: what a visit counts that is not back.
pub(super) fn worst(roles: usize) -> f64 {
    if roles == 2 { -100.0 } else { 0.0 }
}

/// Roles with a choice, without a list on the heap for the usual case.
struct Choosers {
    few: [(usize, usize); 4],
    count: usize,
    many: Vec<(usize, usize)>,
}

impl Choosers {
    fn of(tree: &Tree, node: NodeId) -> Self {
        let mut choosers = Self { few: [(0, 0); 4], count: 0, many: Vec::new() };
        for chooser in tree.choosers(node) {
            match choosers.count {
                at @ 0..4 => choosers.few[at] = chooser,
                4 => {
                    choosers.many = choosers.few.to_vec();
                    choosers.many.push(chooser);
                }
                _ => choosers.many.push(chooser),
            }
            choosers.count += 1;
        }
        choosers
    }

    fn as_slice(&self) -> &[(usize, usize)] {
        if self.count <= 4 { &self.few[..self.count] } else { &self.many }
    }
}

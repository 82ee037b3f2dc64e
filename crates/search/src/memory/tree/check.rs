//! Checks the invariants of a search tree, for debug builds and tests.
//!
//! # Invariants
//! - Indices: states, moves, edges, goals and children of every node are within their arrays, and
//!   every edge belongs to one expanded node.
//! - Visits: the edges of each role with a choice have as many visits as their node. A node without
//!   edges has none. Without transpositions, a child has at most the visits of its edge.
//! - Returns: sums of returns are between the lowest and the highest utility times visits, virtual
//!   losses included. The same holds for AMAF statistics. Goals are from 0 to 100.
//! - Structure: children are in use and one step deeper than their parent, and free ids are marked as
//!   free.
//! - Transpositions: the table finds every node by depth and state, so no two nodes have both in common.
//!
//! # Cost
//! Linear in the size of the tree.

use std::fmt;
use std::ops::Range;

use super::{NO_EDGES, NodeId, NodeKind, Tree};
use crate::utility::Utility;

/// Tolerance of sums of returns per visit, on the scale of goals: far above rounding errors of a
/// million additions, far below any wrong result.
const TOLERANCE: f64 = 1e-6;

/// A violated invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrokenInvariant {
    node: NodeId,
    rule: &'static str,
}

impl fmt::Display for BrokenInvariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "search tree, node {}: {}", self.node.0, self.rule)
    }
}

type Checked = Result<(), BrokenInvariant>;

fn ensure(node: NodeId, holds: bool, rule: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(BrokenInvariant { node, rule }) }
}

impl Tree {
    /// Checks all invariants; see the head of this file.
    pub(crate) fn check(&self, utility: &Utility) -> Checked {
        let nodes = &self.nodes.0;
        let ids = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        let mut is_free = vec![false; nodes.len()];
        for &id in &self.free {
            ensure(id, id.0 < ids, "a free id is in range")?;
            ensure(id, !is_free[id.index()], "an id is free once")?;
            ensure(id, nodes[id.index()].kind == NodeKind::Free, "a free node is marked as free")?;
            is_free[id.index()] = true;
        }
        let none = NodeId::NONE;
        ensure(none, self.counts.len() == nodes.len() * self.roles, "nodes have move counts")?;
        if let Some(amaf) = &self.amaf {
            ensure(none, amaf.len() == self.edges.len(), "edges have AMAF statistics")?;
        }
        if let Some(proofs) = &self.proofs {
            ensure(none, proofs.lengths() == (nodes.len(), self.edges.len()), "nodes and edges have bounds")?;
        }
        let (mut edges, mut visited) = (0, 0);
        for id in (0..ids).map(NodeId).filter(|id| !is_free[id.index()]) {
            ensure(id, nodes[id.index()].kind != NodeKind::Free, "only free nodes are marked as free")?;
            self.check_ranges(id)?;
            if let Some(range) = self.edge_range(id) {
                edges += range.len();
                visited += self.edges[range.clone()].iter().filter(|edge| edge.visits > 0).count();
                self.check_statistics(id, range, utility)?;
                self.check_children(id, &is_free, self.table.is_none())?;
            }
            if self.table.is_some() && self.kind(id) != NodeKind::Pending && !self.is_collecting() {
                let found = self.find(self.depth(id), self.words(id));
                ensure(id, found == Some(id), "a state is one node and has an entry")?;
            }
        }
        ensure(none, edges == self.edges.len() - self.edges.free(), "every edge belongs to one node")?;
        ensure(none, visited == self.visited_edges, "visited edges are counted")
    }

    /// The edges of an expanded node.
    fn edge_range(&self, id: NodeId) -> Option<Range<usize>> {
        let first = self.edges(id)?;
        Some(first..first + self.edge_count(id))
    }

    fn check_ranges(&self, id: NodeId) -> Checked {
        let node = &self.nodes.0[id.index()];
        if node.kind == NodeKind::Pending {
            return ensure(id, node.edges == NO_EDGES && node.visits == 0, "a pending node is empty");
        }
        let words = node.words as usize + node.word_count as usize;
        ensure(id, words <= self.words.len(), "the state is in range")?;
        let moves = self.move_range(id, self.roles.saturating_sub(1)).end;
        ensure(id, moves <= self.moves.len(), "the legal moves are in range")?;
        if node.kind == NodeKind::Terminal {
            let goals = node.edges as usize..node.edges as usize + self.roles;
            let goals = self.values.get(goals).unwrap_or_default();
            ensure(id, goals.len() == self.roles, "the goals are in range")?;
            let is_goal = |goal: &f32| (0.0..=100.0).contains(goal);
            return ensure(id, goals.iter().all(is_goal), "goals are from 0 to 100");
        }
        if let Some((role, choices)) = self.chooser(id) {
            let holds = role < self.roles && choices == self.count(id, role);
            ensure(id, holds, "the choosing role has its number of moves")?;
        }
        match self.edge_range(id) {
            Some(range) => ensure(id, range.end <= self.edges.len(), "the edges are in range"),
            None => ensure(id, node.visits == 0, "a node without edges has no visits"),
        }
    }

    /// Visits and returns of the edges of a node.
    fn check_statistics(&self, id: NodeId, range: Range<usize>, utility: &Utility) -> Checked {
        let visits = self.nodes.0[id.index()].visits;
        for (role, offset) in self.choosers(id) {
            let own = range.start + offset..range.start + offset + self.count(id, role);
            let (lowest, highest) = utility.range(role);
            let within = |count: u32, total: f64| {
                let (count, slack) = (f64::from(count), TOLERANCE * (f64::from(count) + 1.0));
                (lowest * count - slack..=highest * count + slack).contains(&total)
            };
            let edges = &self.edges[own.clone()];
            let sum: u64 = edges.iter().map(|edge| u64::from(edge.visits)).sum();
            let is_saturated = visits == u32::MAX;
            let rule = "the edges of a role have the visits of their node";
            ensure(id, is_saturated || sum == u64::from(visits), rule)?;
            let holds = edges.iter().all(|edge| within(edge.visits, edge.total));
            ensure(id, holds, "returns are within the range of utilities")?;
            let amaf = self.amaf(own);
            let holds = amaf.iter().all(|stats| within(stats.count, stats.total));
            ensure(id, holds, "AMAF returns are within the range of utilities")?;
        }
        Ok(())
    }

    /// The children of a node; `has_one_parent` if there are no transpositions.
    fn check_children(&self, id: NodeId, is_free: &[bool], has_one_parent: bool) -> Checked {
        let first = self.edges(id).unwrap_or_default();
        for (number, child) in self.children(id) {
            let in_use = is_free.get(child.index()).is_some_and(|is_free| !is_free);
            ensure(id, in_use, "children are in use")?;
            let deeper = self.depth(id).saturating_add(1);
            ensure(id, self.depth(child) == deeper, "children are one step deeper")?;
            let visits = match self.chooser(id) {
                Some(_) => self.edges[first + usize::try_from(number).unwrap_or(usize::MAX - first)].visits,
                None => self.node_visits(id),
            };
            let holds = !has_one_parent || self.node_visits(child) <= visits;
            ensure(child, holds, "a child has at most the visits of its edge")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::MoveId;

    use super::super::super::JointNumber;
    use super::*;

    /// Adds a node with these legal moves, by role.
    fn node(tree: &mut Tree, depth: u16, legal: &[&[u32]]) -> NodeId {
        let id = tree.add_pending(depth);
        let words = [u64::from(depth), u64::from(id.0)];
        let legal: Vec<Vec<MoveId>> =
            legal.iter().map(|moves| moves.iter().copied().map(MoveId).collect()).collect();
        tree.fill(id, &words, false, |role| &legal[role]);
        assert_eq!(tree.find_or_insert(&words, id), None);
        id
    }

    /// A root where the first role chooses, a child where both choose, and a terminal node below.
    fn sound() -> Tree {
        let mut tree = Tree::with_amaf(2).with_table();
        let root = node(&mut tree, 0, &[&[1, 2, 3], &[0]]);
        let child = node(&mut tree, 1, &[&[1, 2], &[1, 2]]);
        let end = tree.add_pending(2);
        tree.fill(end, &[2, 7], true, |_| &[]);
        tree.set_values(end, [100.0, 0.0].into_iter());
        assert_eq!(tree.find_or_insert(&[2, 7], end), None);
        let first = tree.expand(root);
        tree.add_visits(root, 8);
        tree.add(first, 6, 600.0);
        tree.add(first + 2, 2, -150.0);
        tree.set_child(root, first, None, child);
        let below = tree.expand(child);
        tree.add_visits(child, 5);
        for (edge, visits, total) in [(0, 5, 500.0), (2, 1, -100.0), (3, 4, -400.0)] {
            tree.add(below + edge, visits, total);
        }
        tree.set_child(child, below, Some(JointNumber::new(1)), end);
        tree.moves_and_amaf(root, 0).1[1].add(3, 30.0);
        let unused = tree.add_pending(1);
        tree.release(unused);
        tree
    }

    fn check(tree: &Tree) -> Result<(), &'static str> {
        tree.check(&Utility::new(&["a", "b"])).map_err(|broken| broken.rule)
    }

    #[test]
    fn a_sound_tree_passes() {
        assert_eq!(check(&sound()), Ok(()));
        assert_eq!(check(&Tree::new(2)), Ok(()));
    }

    /// Breaks one rule of a sound tree.
    type Damage = fn(&mut Tree);

    #[test]
    fn broken_trees_fail() {
        let broken: [(&str, Damage); 18] = [
            ("the edges of a role have the visits of their node", |tree| tree.add_visits(NodeId(0), 1)),
            ("returns are within the range of utilities", |tree| tree.add_return(0, 1.0)),
            ("returns are within the range of utilities", |tree| tree.edges[2].total = f64::NAN),
            ("AMAF returns are within the range of utilities", |tree| {
                tree.moves_and_amaf(NodeId(0), 0).1[0].total = 1.0;
            }),
            ("edges have AMAF statistics", |tree| tree.amaf = Some(Vec::new())),
            ("a child has at most the visits of its edge", |tree| {
                tree.table = None;
                tree.set_edge_stats(0..3, &[(4, 0.0), (4, 0.0), (0, 0.0)]);
            }),
            ("children are in use", |tree| tree.set_child(NodeId(0), 1, None, NodeId(3))),
            ("children are in use", |tree| tree.set_child(NodeId(0), 1, None, NodeId(99))),
            ("children are one step deeper", |tree| tree.set_child(NodeId(0), 1, None, NodeId(2))),
            ("every edge belongs to one node", |tree| {
                let added = tree.edges.add(1, tree.edges[0], false);
                tree.amaf.iter_mut().for_each(|amaf| amaf.push(amaf[added - 1]));
            }),
            ("the edges are in range", |tree| tree.nodes.0[1].edges = 4),
            ("the state is in range", |tree| tree.nodes.0[1].word_count = 99),
            ("goals are from 0 to 100", |tree| tree.values[1] = 101.0),
            ("an id is free once", |tree| tree.free.push(NodeId(3))),
            ("a free node is marked as free", |tree| tree.nodes.0[3].kind = NodeKind::Pending),
            ("visited edges are counted", |tree| tree.visited_edges += 1),
            ("a state is one node and has an entry", |tree| tree.words[2] = 5),
            ("a state is one node and has an entry", |tree| tree.nodes.0[1].hash ^= 1),
        ];
        for (rule, damage) in broken {
            let mut tree = sound();
            damage(&mut tree);
            assert_eq!(check(&tree), Err(rule));
        }
    }

    #[test]
    fn errors_name_the_node_and_the_rule() {
        let mut tree = sound();
        tree.add_visits(NodeId(0), 1);
        let broken = tree.check(&Utility::new(&["a", "b"])).unwrap_err();
        let expected = "search tree, node 0: the edges of a role have the visits of their node";
        assert_eq!(broken.to_string(), expected);
    }
}

//! Edges: the moves of roles with a choice.
//!
//! An edge is a move of a role with a choice, with its visit count and the sum of its role's
//! returns. So every role has its own value function, and turn-taking games pay nothing for roles
//! with forced moves.
//!
//! If one role chooses, an edge stores its child. If several choose, a table maps joint moves to
//! children, and the first edge begins the list of the node's children.

use super::amaf_stats::AmafStats;
use super::joint_children::NO_CHILDREN;
use super::joint_number::JointNumber;
use super::tree::{MAX_VISITS, NO_EDGES, NodeId, NodeKind, SEVERAL, Tree};

/// A move of a role that has a choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Sum of the role's returns; unfinished visits count as virtual losses.
    pub total: f64,
    /// Visit count, unfinished visits included.
    pub visits: u32,
    /// The child, if only one role chooses.
    pub(super) child: NodeId,
}

impl Edge {
    const UNVISITED: Self = Self { total: 0.0, visits: 0, child: NodeId::NONE };

    /// The child, if only one role chooses.
    #[inline(always)]
    pub(crate) fn child(&self) -> NodeId {
        self.child
    }
}

#[cfg(test)]
impl Edge {
    pub(crate) fn new(visits: u32, total: f64) -> Self {
        Self { total, visits, child: NodeId::NONE }
    }
}

impl Tree {
    /// The first edge of a node, if it has edges.
    #[inline(always)]
    pub(crate) fn edges(&self, id: NodeId) -> Option<usize> {
        let node = &self.nodes.0[id.index()];
        (node.kind == NodeKind::Open && node.edges != NO_EDGES).then_some(node.edges as usize)
    }

    /// Whether the game goes on in a node that has no edges.
    pub(crate) fn is_unexpanded(&self, id: NodeId) -> bool {
        self.kind(id) == NodeKind::Open && self.edges(id).is_none()
    }

    /// Number of edges of a node, if it is expanded.
    pub(super) fn edge_count(&self, id: NodeId) -> usize {
        match self.chooser(id) {
            Some((_, choices)) => choices,
            None => self.choosers(id).map(|(role, _)| self.count(id, role)).sum(),
        }
    }

    /// Creates the edges of a node, if it has none; returns the first.
    pub(crate) fn expand(&mut self, id: NodeId) -> usize {
        if let Some(first) = self.edges(id) {
            return first;
        }
        let count = self.edge_count(id);
        let first = self.edges.add(count, Edge::UNVISITED, self.is_tight);
        let length = self.edges.len();
        if let Some(amaf) = &mut self.amaf {
            amaf.resize(length, AmafStats::default());
            amaf[first..first + count].fill(AmafStats::default());
        }
        if let Some(proofs) = &mut self.proofs {
            proofs.add_edges(first..first + count, length);
        }
        self.nodes.0[id.index()].edges = u32::try_from(first).unwrap_or(NO_EDGES);
        first
    }

    /// Frees the edges of a node, if it has any.
    pub(super) fn remove_edges(&mut self, id: NodeId) {
        let Some(first) = self.edges(id) else { return };
        let count = self.edge_count(id);
        if self.nodes.0[id.index()].chooser == SEVERAL {
            self.joint_children.retain(self.edges[first].child.0, |_| false);
        }
        let edges = &mut self.edges[first..first + count];
        self.visited_edges -= edges.iter().filter(|edge| edge.visits > 0).count();
        edges.fill(Edge::UNVISITED);
        self.edges.remove(first, count);
        self.nodes.0[id.index()].edges = NO_EDGES;
    }

    /// A range of edges.
    #[inline(always)]
    pub(crate) fn edge_stats(&self, edges: std::ops::Range<usize>) -> &[Edge] {
        &self.edges[edges]
    }

    /// Replaces visit counts and sums of returns of a range of edges.
    pub(crate) fn set_edge_stats(&mut self, edges: std::ops::Range<usize>, others: &[(u32, f64)]) {
        let before = self.edges[edges.clone()].iter().filter(|edge| edge.visits > 0).count();
        for (edge, &(visits, total)) in self.edges[edges.clone()].iter_mut().zip(others) {
            (edge.visits, edge.total) = (visits, total);
        }
        let after = self.edges[edges].iter().filter(|edge| edge.visits > 0).count();
        self.visited_edges = self.visited_edges + after - before;
    }

    /// Adds visits and their returns to an edge.
    #[inline(always)]
    pub(crate) fn add(&mut self, edge: usize, weight: u32, total: f64) {
        let edge = &mut self.edges[edge];
        // Half as many visits with the same mean: counters stay in range, and means do not drift.
        if edge.visits > MAX_VISITS {
            edge.visits /= 2;
            edge.total /= 2.0;
        }
        self.visited_edges += usize::from(edge.visits == 0 && weight > 0);
        edge.visits = edge.visits.saturating_add(weight);
        edge.total += total;
    }

    /// The visit count of an edge, unfinished visits included.
    pub(crate) fn visits(&self, edge: usize) -> u32 {
        self.edges[edge].visits
    }

    /// Adds to the sum of returns of an edge.
    #[inline(always)]
    pub(crate) fn add_return(&mut self, edge: usize, difference: f64) {
        self.edges[edge].total += difference;
    }

    /// The child after a move: by `edge` if one role chooses, else by the number of the joint move.
    pub(crate) fn child(&self, id: NodeId, edge: usize, joint: Option<JointNumber>) -> NodeId {
        match joint {
            None => self.edges[edge].child,
            Some(joint) => joint.get().map_or(NodeId::NONE, |number| self.joint_children.get(id, number)),
        }
    }

    /// Sets the child after a move.
    pub(crate) fn set_child(&mut self, id: NodeId, edge: usize, joint: Option<JointNumber>, child: NodeId) {
        match joint {
            None => self.edges[edge].child = child,
            Some(joint) => {
                let number = joint.get();
                debug_assert!(number.is_some(), "joint moves without a number have no child");
                if let (Some(number), Some(first)) = (number, self.edges(id)) {
                    let list = self.edges[first].child.0;
                    self.edges[first].child = NodeId(self.joint_children.set(list, id, number, child));
                }
            }
        }
        self.collector.note_link(child);
    }

    /// All children of a node, with the number of the joint move (of the edge, if one role
    /// chooses).
    pub(crate) fn children(&self, id: NodeId) -> Vec<(u64, NodeId)> {
        let Some(first) = self.edges(id) else { return Vec::new() };
        match self.chooser(id) {
            Some((_, count)) => (0..count)
                .map(|at| (at as u64, self.edges[first + at].child))
                .filter(|&(_, child)| child != NodeId::NONE)
                .collect(),
            None => self.joint_children.children(self.edges[first].child.0).collect(),
        }
    }

    /// Drops the children of a node for which `keeps` does not hold.
    pub(super) fn retain_children(&mut self, id: NodeId, mut keeps: impl FnMut(&Tree, NodeId) -> bool) {
        let Some(first) = self.edges(id) else { return };
        if self.nodes.0[id.index()].chooser == SEVERAL {
            let mut children = std::mem::take(&mut self.joint_children);
            let list = children.retain(self.edges[first].child.0, |child| keeps(self, child));
            self.joint_children = children;
            self.edges[first].child = NodeId(list);
            return;
        }
        for edge in first..first + self.edge_count(id) {
            let child = self.edges[edge].child;
            if child != NodeId::NONE && !keeps(self, child) {
                self.edges[edge].child = NodeId::NONE;
            }
        }
    }
}

const _: () = assert!(NO_CHILDREN == NodeId::NONE.0, "edges without a child begin an empty list");

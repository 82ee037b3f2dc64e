//! Bounds on the goals that roles get from a node, as far as they are proved: for the solver.
//!
//! They are stored in arrays parallel to nodes and edges, so trees without a solver pay nothing.

use super::reserve::{bytes_of, reserve_bytes};
use super::tree::{NodeId, Tree};

/// The lowest and the highest goal that a role can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub low: u8,
    pub high: u8,
}

impl Bounds {
    /// Nothing is known.
    pub(crate) const OPEN: Self = Self { low: 0, high: 100 };

    /// The goal is known.
    pub(crate) fn exactly(goal: u8) -> Self {
        Self { low: goal, high: goal }
    }

    /// Whether the goal is known.
    pub(crate) fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// Both bounds, which are both true.
    pub(crate) fn and(self, other: Self) -> Self {
        let both = Self { low: self.low.max(other.low), high: self.high.min(other.high) };
        debug_assert!(both.low <= both.high, "bounds contradict each other");
        both
    }

    /// The bounds of the other player where goals add up to `sum`.
    pub(crate) fn of_opponent(self, sum: u8) -> Self {
        Self { low: sum.saturating_sub(self.high), high: sum.saturating_sub(self.low).min(100) }
    }
}

/// What is proved about the nodes of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proofs {
    /// By node and role.
    nodes: Vec<Bounds>,
    /// By node: steps to the end of the game in best play, where all goals are known.
    distances: Vec<u16>,
    /// By node: the bounds of some edge are known.
    some_edge: Vec<bool>,
    /// By edge: the bounds of its child for the role that chooses. Unused where several roles
    /// choose.
    edges: Vec<Bounds>,
}

impl Proofs {
    /// Bytes in use, as `reserve::bytes_of` counts them.
    pub(super) fn bytes(&self, reserved: bool) -> usize {
        bytes_of(&self.nodes, reserved)
            + bytes_of(&self.distances, reserved)
            + bytes_of(&self.some_edge, reserved)
            + bytes_of(&self.edges, reserved)
    }

    /// See [`Tree::reserve`]. False if there is no room.
    pub(super) fn reserve(&mut self, bytes: usize) -> bool {
        reserve_bytes(&mut self.nodes, bytes)
            && reserve_bytes(&mut self.distances, bytes)
            && reserve_bytes(&mut self.some_edge, bytes)
            && reserve_bytes(&mut self.edges, bytes)
    }

    /// Makes room for a node, which is new or uses an id again.
    pub(super) fn add_node(&mut self, id: NodeId, roles: usize) {
        if self.distances.len() <= id.index() {
            self.distances.resize(id.index() + 1, 0);
            self.some_edge.resize(id.index() + 1, false);
            self.nodes.resize((id.index() + 1) * roles, Bounds::OPEN);
        }
        (self.distances[id.index()], self.some_edge[id.index()]) = (0, false);
        self.nodes[id.index() * roles..(id.index() + 1) * roles].fill(Bounds::OPEN);
    }

    /// Makes room for the edges of a node, in an array of this length.
    pub(super) fn add_edges(&mut self, edges: std::ops::Range<usize>, length: usize) {
        self.edges.resize(length, Bounds::OPEN);
        self.edges[edges].fill(Bounds::OPEN);
    }

    pub(super) fn lengths(&self) -> (usize, usize) {
        (self.distances.len(), self.edges.len())
    }
}

impl Tree {
    /// The same tree with proofs.
    pub(crate) fn with_proofs(mut self) -> Self {
        self.proofs = Some(Proofs::default());
        self
    }

    /// Whether the tree has proofs.
    #[inline(always)]
    pub(crate) fn has_proofs(&self) -> bool {
        self.proofs.is_some()
    }

    /// The bounds of a node, by role; empty without proofs.
    #[inline(always)]
    pub(crate) fn bounds(&self, id: NodeId) -> &[Bounds] {
        match &self.proofs {
            Some(proofs) => &proofs.nodes[id.index() * self.roles()..(id.index() + 1) * self.roles()],
            None => &[],
        }
    }

    /// Whether the goals of all roles are known.
    #[inline(always)]
    pub(crate) fn is_decided(&self, id: NodeId) -> bool {
        let bounds = self.bounds(id);
        !bounds.is_empty() && bounds.iter().all(|bounds| bounds.is_exact())
    }

    /// Steps to the end in best play, from a decided node.
    pub(crate) fn distance(&self, id: NodeId) -> u16 {
        self.proofs.as_ref().map_or(0, |proofs| proofs.distances[id.index()])
    }

    /// Sets bounds and distance of a node. Returns whether the bounds changed. They only become
    /// tighter: what was proved stays true when children are dropped.
    pub(crate) fn set_bounds(&mut self, id: NodeId, bounds: &[Bounds], distance: u16) -> bool {
        let roles = self.roles();
        let Some(proofs) = &mut self.proofs else { return false };
        let known = &mut proofs.nodes[id.index() * roles..(id.index() + 1) * roles];
        let mut changed = false;
        for (known, bounds) in known.iter_mut().zip(bounds) {
            let both = known.and(*bounds);
            changed |= both != *known;
            *known = both;
        }
        if changed {
            proofs.distances[id.index()] = distance;
        }
        changed
    }

    /// The bounds of a range of edges of a node, for the role that chooses; none if nothing is
    /// known about any of them.
    #[inline(always)]
    pub(crate) fn edge_bounds(&self, id: NodeId, edges: std::ops::Range<usize>) -> Option<&[Bounds]> {
        let proofs = self.proofs.as_ref()?;
        proofs.some_edge[id.index()].then(|| &proofs.edges[edges])
    }

    /// The bounds of an edge for the role that chooses; none without proofs.
    #[inline(always)]
    pub(crate) fn bounds_of_edge(&self, edge: usize) -> Option<Bounds> {
        self.proofs.as_ref().map(|proofs| proofs.edges[edge])
    }

    /// Makes the bounds of an edge tighter. Returns whether they changed.
    pub(crate) fn set_edge_bounds(&mut self, id: NodeId, edge: usize, bounds: Bounds) -> bool {
        let Some(proofs) = &mut self.proofs else { return false };
        let known = proofs.edges[edge];
        let both = known.and(bounds);
        let changed = both != known;
        proofs.edges[edge] = both;
        proofs.some_edge[id.index()] |= changed;
        changed
    }

    /// Whether more is known about the child than about the edge: it was reached by another path
    /// when its bounds changed.
    #[inline(always)]
    pub(crate) fn is_stale(&self, edge: usize, role: usize, child: NodeId) -> bool {
        match &self.proofs {
            Some(proofs) => {
                let (edge, child) = (proofs.edges[edge], proofs.nodes[child.index() * self.roles() + role]);
                child.low > edge.low || child.high < edge.high
            }
            None => false,
        }
    }
}

//! AMAF (all moves as first) statistics of the edges of a tree, for RAVE.
//!
//! They are stored in an array parallel to the edges, so trees without RAVE pay nothing for them.

use ludex_game::MoveId;

use super::tree::{NodeId, Tree};

/// AMAF statistics of an edge: simulations in which the role made the move below the node, but not
/// in the node itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AmafStats {
    /// Sum of the role's returns.
    pub total: f64,
    /// Number of simulations.
    pub count: u32,
}

impl AmafStats {
    /// Adds simulations.
    #[inline(always)]
    pub(crate) fn add(&mut self, count: u32, total: f64) {
        self.count = self.count.saturating_add(count);
        self.total += total;
    }
}

impl Tree {
    /// A tree with AMAF statistics.
    pub(crate) fn with_amaf(roles: usize) -> Self {
        let mut tree = Self::new(roles);
        tree.amaf = Some(Vec::new());
        tree
    }

    /// An empty tree, with AMAF statistics, proofs and a table if this one has them.
    pub(crate) fn empty(&self) -> Self {
        let tree = if self.amaf.is_some() { Self::with_amaf(self.roles()) } else { Self::new(self.roles()) };
        let tree = if self.has_proofs() { tree.with_proofs() } else { tree };
        if self.table.is_some() { tree.with_table() } else { tree }
    }

    /// The AMAF statistics of some edges; empty if the tree has none.
    #[inline(always)]
    pub(crate) fn amaf(&self, edges: std::ops::Range<usize>) -> &[AmafStats] {
        match &self.amaf {
            Some(amaf) => &amaf[edges],
            None => &[],
        }
    }

    /// The moves of a role with a choice in an expanded node, and their AMAF statistics; both empty
    /// if the tree has none.
    pub(crate) fn moves_and_amaf(&mut self, id: NodeId, role: usize) -> (&[MoveId], &mut [AmafStats]) {
        let edges = self.edges(id);
        let offset = self.choosers(id).find(|&(chooser, _)| chooser == role).map(|(_, offset)| offset);
        let (Some(first), Some(offset)) = (edges, offset) else { return (&[], &mut []) };
        let moves = self.move_range(id, role);
        let first = first + offset;
        match &mut self.amaf {
            Some(amaf) => (&self.moves[moves.clone()], &mut amaf[first..first + moves.len()]),
            None => (&[], &mut []),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(tree: &mut Tree, depth: u16, moves: &[MoveId]) -> NodeId {
        let id = tree.add_pending(depth);
        tree.fill(id, &[u64::from(depth)], false, |_| moves);
        tree.expand(id);
        id
    }

    /// AMAF statistics belong to the edges of a node, also when their room is used again.
    #[test]
    fn edges_begin_without_amaf_statistics() {
        let [a, b, c] = [1, 2, 3].map(MoveId);
        let mut tree = Tree::with_amaf(1);
        let root = node(&mut tree, 0, &[a, b, c]);
        tree.moves_and_amaf(root, 0).1[2].add(3, 30.0);
        let (moves, amaf) = tree.moves_and_amaf(root, 0);
        assert_eq!((moves, amaf[2]), ([a, b, c].as_slice(), AmafStats { count: 3, total: 30.0 }));
        tree.free_node(root);
        let again = node(&mut tree, 0, &[a, b, c]);
        assert_eq!(tree.moves_and_amaf(again, 0).1, [AmafStats::default(); 3]);
        assert_eq!(tree.amaf(0..3).len(), 3, "the room of the first node");
    }

    #[test]
    fn trees_without_amaf_store_none() {
        let mut tree = Tree::new(1);
        let root = node(&mut tree, 0, &[MoveId(1), MoveId(2)]);
        assert!(tree.amaf(0..2).is_empty() && tree.moves_and_amaf(root, 0).1.is_empty());
        assert!(tree.empty().amaf.is_none() && Tree::with_amaf(1).empty().amaf.is_some());
    }
}

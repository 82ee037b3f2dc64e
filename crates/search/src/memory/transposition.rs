//! States of each depth that are in the tree, so that one that is reached in two ways is one node.
//!
//! As in CADIA-Player (Finnsson 2007, section 3.2): a table a depth, so that there are no cycles and a goal's
//! distance is the same for all who reach a node. Hashes lead to nodes; states are compared, so that nothing is
//! left to luck.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::tree::{NodeId, Tree};

/// Nodes by depth and state.
#[derive(Clone, Debug, Default)]
pub(crate) struct TranspositionTable {
    nodes: FxHashMap<(u16, u64), NodeId>,
}

impl TranspositionTable {
    /// The node with this state at this depth; if there is none, `id` is entered for it.
    pub(crate) fn find_or_insert(
        &mut self,
        tree: &Tree,
        depth: u16,
        words: &[u64],
        id: NodeId,
    ) -> Option<NodeId> {
        let mut hasher = FxHasher::default();
        words.hash(&mut hasher);
        let key = (depth, hasher.finish());
        match self.nodes.get(&key) {
            // Of two states with the same hash only the first is found.
            Some(&known) => (tree.words(known) == words).then_some(known),
            None => {
                self.nodes.insert(key, id);
                None
            }
        }
    }

    /// Bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * (size_of::<((u16, u64), NodeId)>() + 1)
    }
}

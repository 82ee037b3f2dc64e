//! The transposition table: a state that is reached by several paths is one node.
//!
//! As in CADIA-Player (Finnsson 2007, section 3.2), equal states share a node only at the same
//! depth. So the graph has no cycles, and discounts are the same along all paths to a node. Nodes
//! are found by hash and states are compared, so hash collisions cannot merge different states.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::tree::{NodeId, Tree};

/// Nodes by depth and hash of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct TranspositionTable {
    nodes: FxHashMap<(u16, u64), NodeId>,
}

impl TranspositionTable {
    /// The node with this state at this depth; if there is none, inserts `id` for it.
    pub(crate) fn find_or_insert(
        &mut self,
        tree: &Tree,
        depth: u16,
        words: &[u64],
        id: NodeId,
    ) -> Option<NodeId> {
        let key = (depth, Self::hash(words));
        match self.nodes.get(&key) {
            // Of two states with the same hash, only the first is found.
            Some(&known) => (tree.words(known) == words).then_some(known),
            None => {
                self.nodes.insert(key, id);
                None
            }
        }
    }

    /// The entry for a depth and the hash of a state; its node may have another state.
    pub(super) fn get(&self, depth: u16, words: &[u64]) -> Option<NodeId> {
        self.nodes.get(&(depth, Self::hash(words))).copied()
    }

    /// All entries, in any order: depth, hash of the state, node.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u16, u64, NodeId)> {
        self.nodes.iter().map(|(&(depth, hash), &id)| (depth, hash, id))
    }

    /// The hash of a state.
    pub(super) fn hash(words: &[u64]) -> u64 {
        let mut hasher = FxHasher::default();
        words.hash(&mut hasher);
        hasher.finish()
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * (size_of::<((u16, u64), NodeId)>() + 1)
    }
}

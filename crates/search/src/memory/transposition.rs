//! The transposition table: a state that is reached by several paths is one node.
//!
//! As in CADIA-Player (Finnsson 2007, section 3.2), equal states share a node only at the same
//! depth. So the graph has no cycles, and discounts are the same along all paths to a node. Nodes
//! are found by hash and states are compared, so hash collisions cannot merge different states.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::chains::{Chains, END};
use super::tree::{NodeId, NodeKind, Tree};

impl Tree {
    /// The same tree with a transposition table.
    pub(crate) fn with_table(mut self) -> Self {
        self.table = Some(Chains::default());
        self
    }

    /// The node with this state at this depth. Nodes that are about to be freed do not count.
    pub(crate) fn find(&self, depth: u16, words: &[u64]) -> Option<NodeId> {
        self.find_by_hash(hash(depth, words), depth, words)
    }

    fn find_by_hash(&self, hash: u32, depth: u16, words: &[u64]) -> Option<NodeId> {
        let mut at = self.table.as_ref()?.first(hash);
        while at != END {
            let (id, node) = (NodeId(at), &self.nodes.0[at as usize]);
            let is_it = node.hash == hash && self.depth(id) == depth && self.words(id) == words;
            if is_it && node.kind != NodeKind::Pending && !self.collector.is_condemned(id) {
                return Some(id);
            }
            at = node.next;
        }
        None
    }

    /// The node with this state at the depth of `id`; if there is none, enters `id` for it. Without a
    /// table there is never one.
    pub(crate) fn find_or_insert(&mut self, words: &[u64], id: NodeId) -> Option<NodeId> {
        self.table.as_ref()?;
        let depth = self.depth(id);
        let hash = hash(depth, words);
        let known = self.find_by_hash(hash, depth, words);
        if known.is_none() {
            self.enter(id, hash);
        }
        known
    }
}

/// The hash of a state at a depth: the high half, because the lowest bits of products are weak.
#[allow(clippy::cast_possible_truncation, reason = "a hash")]
pub(super) fn hash(depth: u16, words: &[u64]) -> u32 {
    let mut hasher = FxHasher::default();
    depth.hash(&mut hasher);
    words.hash(&mut hasher);
    let mixed = hasher.finish().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 32) as u32
}

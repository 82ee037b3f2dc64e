//! Re-rooting: after a move, the subtree below the new root is kept (Finnsson 2007, section 4.2).
//! Nothing is moved: the rest is freed when memory becomes short.

use super::tree::{NodeId, NodeKind, Tree};

/// Steps below the old root to look for the new one. A match advances by one step, or by a few if
/// messages were lost.
const STEPS: u16 = 3;

/// Nodes to look at in a tree without a transposition table.
const MAX_NODES: usize = 20_000;

impl Tree {
    /// The node with this state at most [`STEPS`] steps below `root`.
    pub(crate) fn find_descendant(&self, root: NodeId, words: &[u64]) -> Option<NodeId> {
        let is_it = |id: NodeId| self.kind(id) == NodeKind::Open && self.words(id) == words;
        if is_it(root) {
            return Some(root);
        }
        if self.table.is_some() {
            let depth = self.depth(root);
            let found = (1..=STEPS).filter_map(|steps| self.find(depth.saturating_add(steps), words));
            return found.into_iter().find(|&id| self.kind(id) == NodeKind::Open);
        }
        let (mut layer, mut looked_at) = (vec![root], 0);
        for _ in 0..STEPS {
            layer = layer.iter().flat_map(|&id| self.children(id)).map(|(_, child)| child).collect();
            layer.retain(|&id| self.kind(id) == NodeKind::Open);
            if let Some(&found) = layer.iter().find(|&&id| is_it(id)) {
                return Some(found);
            }
            looked_at += layer.len();
            if looked_at > MAX_NODES {
                break;
            }
        }
        None
    }
}

//! Re-rooting: after a move, keeps the subtree below the new root and drops the rest (Finnsson
//! 2007, section 4.2).

use std::collections::VecDeque;

use super::joint_number::JointNumber;
use super::transposition::TranspositionTable;
use super::tree::{NodeId, NodeKind, Tree};

/// Steps below the old root to look for the new one. A match advances by one step, or by a few if
/// messages were lost.
const STEPS: usize = 3;

impl Tree {
    /// The node with this state at most [`STEPS`] steps below `root`.
    pub(crate) fn find_descendant(&self, root: NodeId, words: &[u64]) -> Option<NodeId> {
        let mut layer = vec![root];
        for _ in 0..=STEPS {
            let is_it = |&&id: &&NodeId| self.kind(id) == NodeKind::Open && self.words(id) == words;
            if let Some(&found) = layer.iter().find(is_it) {
                return Some(found);
            }
            layer = layer.iter().flat_map(|&id| self.children(id)).map(|(_, child)| child).collect();
            layer.retain(|&id| self.kind(id) == NodeKind::Open);
        }
        None
    }

    /// A copy of the subtree below a node, which becomes node 0. Its states go into a new table.
    pub(crate) fn subtree(&self, root: NodeId, table: &mut Option<TranspositionTable>) -> Tree {
        let mut kept = self.empty();
        kept.reserve(self.reserved());
        let mut map = NodeMap { ids: vec![NodeId::NONE; self.capacity()], pending: VecDeque::new() };
        *table = table.is_some().then(TranspositionTable::default);
        map.id(root, &mut kept, self);
        while let Some(old) = map.pending.pop_front() {
            let new = map.ids[old.index()];
            kept.fill(new, self.words(old), self.kind(old) == NodeKind::Terminal);
            kept.add_visits(new, self.node_visits(old));
            if let Some(table) = table {
                let _ = table.find_or_insert(&kept, self.depth(old), self.words(old), new);
            }
            if self.kind(old) == NodeKind::Terminal {
                kept.copy_proofs(new, None, self, (old, None));
                kept.set_values(new, self.values(old));
                continue;
            }
            for role in 0..self.roles() {
                kept.set_moves(new, role, self.moves(old, role));
            }
            let Some(from) = self.edges(old) else {
                kept.copy_proofs(new, None, self, (old, None));
                continue;
            };
            let to = kept.expand(new);
            kept.copy_amaf(to, self, from);
            kept.copy_proofs(new, Some(to), self, (old, Some(from)));
            if let Some((_, count)) = self.chooser(old) {
                for (at, &edge) in (to..).zip(self.edge_stats(from..from + count)) {
                    let child = edge.child();
                    let child = if child == NodeId::NONE { child } else { map.id(child, &mut kept, self) };
                    kept.add(at, edge.visits, edge.total);
                    kept.set_child(new, at, None, child);
                }
                continue;
            }
            let count = self.choosers(old).map(|(role, _)| self.count(old, role)).sum::<usize>();
            for (at, edge) in (to..).zip(self.edge_stats(from..from + count)) {
                kept.add(at, edge.visits, edge.total);
            }
            for (number, child) in self.children(old) {
                let child = map.id(child, &mut kept, self);
                kept.set_child(new, 0, Some(JointNumber::new(number)), child);
            }
        }
        kept
    }
}

/// New ids of copied nodes, and the nodes still to copy.
struct NodeMap {
    ids: Vec<NodeId>,
    pending: VecDeque<NodeId>,
}

impl NodeMap {
    /// The new id of a node; unknown nodes are queued.
    fn id(&mut self, old: NodeId, kept: &mut Tree, tree: &Tree) -> NodeId {
        let id = &mut self.ids[old.index()];
        if *id == NodeId::NONE {
            *id = kept.add_pending(tree.depth(old));
            self.pending.push_back(old);
        }
        *id
    }
}

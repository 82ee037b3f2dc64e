//! What can still be reached after a move is kept, the rest is given up (Finnsson 2007, section 4.2).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::table::Table;
use super::tree::{Kind, NodeId, Tree};

/// How many steps below the old root a new one is looked for: a match goes on by one step, or by a few
/// if messages were lost.
const STEPS: usize = 3;

impl Tree {
    /// The node with this state a few steps below another one.
    pub(crate) fn find_below(&self, root: NodeId, words: &[u64]) -> Option<NodeId> {
        let mut layer = vec![root];
        for _ in 0..=STEPS {
            let is_it = |&&id: &&NodeId| self.kind(id) == Kind::Open && self.words(id) == words;
            if let Some(&found) = layer.iter().find(is_it) {
                return Some(found);
            }
            layer = layer.iter().flat_map(|&id| self.children(id)).map(|(_, child)| child).collect();
            layer.retain(|&id| self.kind(id) == Kind::Open);
        }
        None
    }

    /// A tree with a node as the root (node 0) and all that lies below it; its states in a new table.
    pub(crate) fn below(&self, root: NodeId, table: &mut Option<Table>) -> Tree {
        let mut kept = Tree::new(self.roles());
        let mut new_ids: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut pending = VecDeque::from([root]);
        new_ids.insert(root, kept.add_pending(self.depth(root)));
        *table = table.is_some().then(Table::default);
        while let Some(old) = pending.pop_front() {
            let new = new_ids[&old];
            kept.fill(new, self.words(old), self.kind(old) == Kind::Terminal);
            kept.visit(new, self.node_visits(old));
            if let Some(table) = table {
                let _ = table.find_or_enter(&kept, self.depth(old), self.words(old), new);
            }
            if self.kind(old) == Kind::Terminal {
                kept.set_values(new, self.values(old));
                continue;
            }
            for role in 0..self.roles() {
                kept.set_moves(new, role, self.moves(old, role));
            }
            let Some(from) = self.edges(old) else { continue };
            let to = kept.expand(new);
            let choosers: Vec<(usize, usize)> = self.choosers(old).collect();
            for &(role, first) in &choosers {
                let edges = first..first + self.count(old, role);
                let known = self.statistics(from + edges.start..from + edges.end);
                for (at, edge) in edges.zip(known) {
                    kept.add(to + at, edge.visits, edge.total);
                }
            }
            for (number, child) in self.children(old) {
                let next = *new_ids.entry(child).or_insert_with(|| {
                    pending.push_back(child);
                    kept.add_pending(self.depth(child))
                });
                match choosers.len() {
                    1 => kept.set_child(new, to + number as usize, None, next),
                    _ => kept.set_child(new, 0, Some(number), next),
                }
            }
        }
        kept
    }
}

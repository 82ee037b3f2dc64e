//! Collection: frees nodes that are not needed, a little at a time, while the search goes on.
//!
//! # What it does
//! When memory becomes short, a collection marks the nodes that the root reaches, and frees the
//! others. With a limit of visits it also cuts off the least useful subtrees: it drops children
//! that were visited no more often. Statistics of edges stay, so a dropped child costs a new
//! simulation when it is visited again, and nothing that was learned is lost above it.
//!
//! It works in slices between batches. Nodes added meanwhile count as marked; a node that gets a
//! new parent is marked and looked at. Between marking and freeing there must be no playouts in
//! flight: they hold ids of nodes that are cut off.
//!
//! Proved subtrees are kept, as far as the proof needs them: from a decided node on, decided
//! children are not cut off.
//!
//! # References
//! E. W. Dijkstra and others, On-the-fly garbage collection: an exercise in cooperation, 1978; E.
//! Powley, P. Cowling, D. Whitehouse, Memory bounded Monte Carlo tree search, 2017.
//!
//! # Cost
//! One look at every node that is kept, and one at every id.

use super::tree::{NodeId, NodeKind, Tree};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    Marking,
    /// Everything is marked; nothing may be in flight when nodes are freed.
    Marked,
    Freeing,
}

/// What a collection cuts off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Children with at most so many visits are cut off; none: only what the root does not reach.
    pub visits: Option<u32>,
    /// Keep decided children of all nodes, not only where their parent is decided.
    pub keeps_decided: bool,
    /// Keep nothing for the sake of proofs: memory is full of them.
    pub drops_proofs: bool,
}

/// A collection and its progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collector {
    phase: Phase,
    cut: Cut,
    /// Marks by node.
    marks: Vec<u64>,
    stack: Vec<NodeId>,
    /// The next id to be freed if it has no mark.
    next: usize,
    freed: usize,
}

impl Collector {
    fn is_marked(&self, id: NodeId) -> bool {
        self.marks.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// Marks a node. False if it was marked.
    fn mark(&mut self, id: NodeId) -> bool {
        if self.marks.len() <= id.index() / 64 {
            self.marks.resize(id.index() / 64 + 1, 0);
        }
        let (word, bit) = (&mut self.marks[id.index() / 64], 1 << (id.index() % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// A node is added.
    #[inline(always)]
    pub(super) fn note_new(&mut self, id: NodeId) {
        if self.phase != Phase::Idle {
            self.mark(id);
        }
    }

    /// A node gets a parent.
    #[inline(always)]
    pub(super) fn note_link(&mut self, id: NodeId) {
        if matches!(self.phase, Phase::Marking | Phase::Marked) && self.mark(id) {
            self.stack.push(id);
            self.phase = Phase::Marking;
        }
    }

    /// Whether a node is going to be freed.
    #[inline(always)]
    pub(super) fn is_condemned(&self, id: NodeId) -> bool {
        self.phase == Phase::Freeing && !self.is_marked(id)
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        (self.marks.capacity() * 8) + self.stack.capacity() * size_of::<NodeId>()
    }
}

impl Tree {
    /// Whether a collection is under way.
    pub(crate) fn is_collecting(&self) -> bool {
        self.collector.phase != Phase::Idle
    }

    /// Whether everything is marked, so that nodes can be freed once nothing is in flight.
    pub(crate) fn waits_to_free(&self) -> bool {
        self.collector.phase == Phase::Marked
    }

    /// Nodes freed by the last collection.
    pub(crate) fn freed(&self) -> usize {
        self.collector.freed
    }

    /// Begins a collection, or begins the marking again for a new root.
    pub(crate) fn begin_collection(&mut self, root: NodeId, cut: Cut) {
        let collector = &mut self.collector;
        collector.marks.clear();
        collector.marks.resize(self.nodes.0.len().div_ceil(64), 0);
        collector.stack.clear();
        (collector.phase, collector.cut, collector.freed) = (Phase::Marking, cut, 0);
        collector.note_link(root);
    }

    /// A new root, which is marked; what only the old one reaches is not needed any more.
    pub(crate) fn note_root(&mut self, root: NodeId) {
        match self.collector.phase {
            Phase::Marking | Phase::Marked => self.begin_collection(root, self.collector.cut),
            Phase::Idle | Phase::Freeing => {}
        }
    }

    /// Starts to free. Nobody may hold ids of nodes.
    pub(crate) fn begin_freeing(&mut self) {
        if self.waits_to_free() {
            (self.collector.phase, self.collector.next) = (Phase::Freeing, 0);
        }
    }

    /// Does a part of the work of a collection: looks at about so many nodes. Returns whether the
    /// collection has ended with it.
    pub(crate) fn collect(&mut self, work: usize) -> bool {
        match self.collector.phase {
            Phase::Idle | Phase::Marked => false,
            Phase::Marking => {
                self.mark_some(work);
                false
            }
            Phase::Freeing => self.free_some(work),
        }
    }

    fn mark_some(&mut self, work: usize) {
        let mut done = 0;
        while done < work {
            let Some(id) = self.collector.stack.pop() else {
                self.collector.phase = Phase::Marked;
                return;
            };
            done += 1;
            if self.edges(id).is_none() {
                continue;
            }
            // Eight edges share two cache lines.
            done += self.edge_count(id) / 8;
            let cut = self.collector.cut;
            let mut kept = std::mem::take(&mut self.collector.stack);
            let before = kept.len();
            let is_proved = self.is_decided(id) && !cut.drops_proofs;
            self.retain_children(id, |tree, child| {
                let keeps = match (cut.visits, tree.kind(child)) {
                    (None, _) | (_, NodeKind::Pending) => true,
                    (Some(most), _) => {
                        tree.node_visits(child) > most
                            || (is_proved || cut.keeps_decided) && tree.is_decided(child)
                    }
                };
                if keeps {
                    kept.push(child);
                }
                keeps
            });
            done += kept.len() - before;
            let mut at = before;
            while at < kept.len() {
                if self.collector.mark(kept[at]) {
                    at += 1;
                } else {
                    kept.swap_remove(at);
                }
            }
            self.collector.stack = kept;
        }
    }

    fn free_some(&mut self, work: usize) -> bool {
        let end = (self.collector.next + work).min(self.nodes.0.len());
        for at in self.collector.next..end {
            let Ok(number) = u32::try_from(at) else { break };
            let id = NodeId(number);
            if !self.collector.is_marked(id) && self.kind(id) != NodeKind::Free {
                self.free_node(id);
                self.collector.freed += 1;
            }
        }
        self.collector.next = end;
        let is_over = end == self.nodes.0.len();
        if is_over {
            self.collector.phase = Phase::Idle;
        }
        is_over
    }

    /// The number of visits that half of the nodes do not exceed, by a sample.
    pub(crate) fn median_visits(&self) -> u32 {
        const SAMPLE: usize = 1024;
        let mut random = fastrand::Rng::with_seed(self.nodes.0.len() as u64);
        let mut visits = Vec::with_capacity(SAMPLE);
        for _ in 0..16 * SAMPLE {
            let node = &self.nodes.0[random.usize(..self.nodes.0.len().max(1))];
            if node.kind != NodeKind::Free {
                visits.push(node.visits);
            }
            if visits.len() == SAMPLE {
                break;
            }
        }
        visits.sort_unstable();
        visits.get(visits.len() / 2).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::MoveId;

    use super::super::JointNumber;
    use super::*;
    use crate::utility::Utility;

    /// The state of node `number` at a depth.
    fn words(depth: u16, number: u64) -> [u64; 2] {
        [u64::from(depth), number]
    }

    /// Grows a random tree by descents from a root, as a search does: with transpositions, nodes in
    /// which both roles choose, and terminal nodes. Odd states are reached by even ones.
    fn grow(tree: &mut Tree, root: NodeId, random: &mut fastrand::Rng, descents: usize) {
        for _ in 0..descents {
            let mut node = root;
            while tree.kind(node) == NodeKind::Open {
                let first = tree.expand(node);
                let (mut number, mut edge) = (JointNumber::FIRST, first);
                let choosers: Vec<(usize, usize)> = tree.choosers(node).collect();
                for &(role, offset) in &choosers {
                    let count = tree.count(node, role);
                    // Low numbers are visited more often.
                    let at = random.usize(0..count).min(random.usize(0..count));
                    tree.add(first + offset + at, 1, 50.0);
                    number = number.then(count, at);
                    edge = first + offset + at;
                }
                tree.add_visits(node, 1);
                let joint = (choosers.len() > 1).then_some(number);
                let child = tree.child(node, edge, joint);
                if child != NodeId::NONE {
                    node = child;
                    continue;
                }
                let depth = tree.depth(node) + 1;
                let id = tree.add_pending(depth);
                tree.set_child(node, edge, joint, id);
                let state = words(depth, random.u64(0..30));
                match tree.find_or_insert(&state, id) {
                    Some(known) => {
                        tree.release(id);
                        tree.set_child(node, edge, joint, known);
                    }
                    None => fill(tree, id, &state),
                }
                break;
            }
        }
    }

    fn fill(tree: &mut Tree, id: NodeId, state: &[u64]) {
        let moves: Vec<MoveId> = (0..20).map(MoveId).collect();
        let number = usize::try_from(state[1]).unwrap();
        let ends = number % 11 == 10;
        let second = if number % 3 == 0 { 1 } else { 1 + number % 4 };
        tree.fill(
            id,
            state,
            ends,
            |role| if role == 0 { &moves[..2 + number % 9] } else { &moves[..second] },
        );
        if ends {
            tree.set_values(id, [100.0, 0.0].into_iter());
        }
    }

    fn new_tree() -> (Tree, NodeId) {
        let mut tree = Tree::new(2).with_table().with_proofs();
        let root = tree.add_pending(0);
        assert_eq!(tree.find_or_insert(&words(0, 0), root), None);
        fill(&mut tree, root, &words(0, 0));
        (tree, root)
    }

    fn is_sound(tree: &Tree) {
        let checked = tree.check(&Utility::new(&["a", "b"]));
        assert_eq!(checked.map_err(|broken| broken.to_string()), Ok(()));
    }

    /// Runs a collection in slices while the tree grows.
    fn collect(tree: &mut Tree, root: NodeId, cut: Cut, random: &mut fastrand::Rng) {
        tree.begin_collection(root, cut);
        let mut slices = 0;
        loop {
            grow(tree, root, random, 3);
            tree.begin_freeing();
            slices += 1;
            assert!(slices < 100_000, "it ends");
            if tree.collect(random.usize(1..20)) {
                break;
            }
        }
        assert!(!tree.is_collecting() && slices > 1);
    }

    #[test]
    fn trees_stay_sound_and_small() {
        for seed in 0..20 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut tree, root) = new_tree();
            let mut most = 0;
            for _ in 0..8 {
                grow(&mut tree, root, &mut random, 3000);
                is_sound(&tree);
                most = most.max(tree.bytes());
                let (before, visits) = (tree.len(), tree.median_visits());
                let cut = Cut { visits: Some(visits), ..Cut::default() };
                collect(&mut tree, root, cut, &mut random);
                is_sound(&tree);
                assert!(tree.freed() > before / 8, "{} of {before}", tree.freed());
                assert!(tree.free_bytes() > 0);
            }
            assert!(most < 8_000_000, "{most}: room is used again");
        }
    }

    #[test]
    fn only_what_the_root_does_not_reach_is_freed_without_a_cut() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut tree, root) = new_tree();
        grow(&mut tree, root, &mut random, 2000);
        let before = tree.len();
        tree.begin_collection(root, Cut::default());
        while !tree.collect(10) {
            tree.begin_freeing();
        }
        assert_eq!((tree.freed(), tree.len()), (0, before));
        let (_, child) = *tree.children(root).iter().max_by_key(|&&(_, id)| tree.node_visits(id)).unwrap();
        let state = tree.words(child).to_vec();
        // The new root arrives while marking is under way.
        tree.begin_collection(root, Cut::default());
        tree.collect(5);
        tree.note_root(child);
        while !tree.collect(10) {
            tree.begin_freeing();
        }
        assert!(tree.freed() > 0 && tree.len() > 1, "{} of {before}", tree.freed());
        is_sound(&tree);
        assert_eq!((tree.words(child), tree.find(1, &state)), (state.as_slice(), Some(child)));
    }
}

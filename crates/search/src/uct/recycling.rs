//! When nodes are freed, and how much of that is done between two batches.
//!
//! # What it does
//! From a share of the memory limit on, a collection (`memory/collect.rs`) frees what the root does
//! not reach; with the option `recycle` also the least visited half of the tree, so that the search
//! goes on growing where it matters. It works in slices that are counted in nodes, not in time: with
//! a playout limit the same search gives the same result. A slice takes a small part of the time of
//! a batch, so no deadline is missed, and a new root costs nothing.
//!
//! Without the option, the tree stops growing when memory is full, as the papers' presets do.

use super::shared_tree::SharedTree;
use crate::memory::Cut;

/// Shares of the memory limit, in percent of it: where a collection begins, and where the tree gets
/// no new nodes.
const BEGINS_AT: usize = 65;
const FULL_AT: usize = 85;

/// From this share on, free blocks are cut rather than arrays extended.
const TIGHT_AT: usize = 60;

/// A collection begins again when the tree has grown by this part of the limit, in percent.
const GROWTH: usize = 5;

/// Nodes that a collection looks at for each leaf of a batch. It looks at every node about twice
/// while the tree grows by less than a quarter.
const WORK_PER_LEAF: usize = 16;

/// The least work of a slice, for searches with small batches.
const MIN_WORK: usize = 64;

/// What is known about the last collection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Recycling {
    /// Bytes before the last batch, and the most that one has added.
    bytes: usize,
    growth: usize,
    /// Bytes in use after it.
    bytes_after: usize,
    /// The root was moved since.
    has_new_root: bool,
    /// It could free too little, because too much was proved.
    was_in_vain: bool,
}

impl Recycling {
    /// The root is another node.
    pub(crate) fn note_root(&mut self) {
        self.has_new_root = true;
    }
}

impl SharedTree {
    /// Works on a collection, if there is one to be done: a slice for a batch of so many leaves.
    pub(crate) fn recycle(&mut self, memory: usize, leaves: usize) {
        let bytes = self.tree.bytes();
        let used = bytes.saturating_sub(self.tree.free_bytes());
        let percent = memory / 100;
        self.tree.set_tight(bytes > TIGHT_AT * percent);
        // Room is left for what a batch may add.
        self.recycling.growth = self.recycling.growth.max(bytes.saturating_sub(self.recycling.bytes));
        self.recycling.bytes = bytes;
        let limit = (FULL_AT * percent).min(memory.saturating_sub(2 * self.recycling.growth));
        let has_few_blocks = bytes.saturating_sub(used) < memory / 8;
        let has_no_room = bytes + 2 * self.recycling.growth > memory && has_few_blocks;
        self.is_full = used > limit || has_no_room || !self.tree.has_indices();
        if !self.tree.is_collecting() {
            let has_grown = used > self.recycling.bytes_after + GROWTH * percent;
            let can_free = self.recycling.has_new_root || self.options.recycle && has_grown;
            if used <= BEGINS_AT * percent || !can_free {
                return;
            }
            let cut = Cut {
                visits: self.options.recycle.then(|| self.tree.median_visits()),
                keeps_decided: self.solver.is_some_and(|solver| !solver.has_constant_sum()),
                drops_proofs: self.recycling.was_in_vain,
            };
            self.tree.begin_collection(self.root, cut);
            self.recycling.has_new_root = false;
        }
        let nodes = self.tree.len();
        if self.tree.collect(MIN_WORK.max(WORK_PER_LEAF * leaves)) {
            let freed = self.tree.freed();
            let used = self.tree.bytes().saturating_sub(self.tree.free_bytes());
            self.recycling.bytes_after = used;
            self.recycling.was_in_vain = freed < (nodes + freed) / 8;
        }
    }

    /// Whether the playouts in flight must be finished, so that nodes can be freed.
    pub(crate) fn waits_to_free(&self) -> bool {
        self.tree.waits_to_free()
    }

    /// Lets the collection free nodes. Nobody may hold ids of nodes.
    pub(crate) fn begin_freeing(&mut self) {
        self.tree.begin_freeing();
    }
}

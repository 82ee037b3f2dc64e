//! An array of blocks of different lengths, whose freed blocks are used again.
//!
//! Nodes have states, moves and edges of different lengths. A freed block goes to a list of its
//! length; a new block takes one of the same length, or cuts a longer one when memory is short.
//! Blocks are never moved, so indices into them stay valid.

use std::collections::BTreeMap;

use super::reserve::{bytes_of, reserve_bytes};

/// Freed blocks by length.
#[derive(Clone, Debug, Default)]
struct FreeBlocks {
    by_length: BTreeMap<usize, Vec<u32>>,
    items: usize,
}

impl FreeBlocks {
    /// A free block of exactly this length, or the beginning of a longer one if that is allowed.
    fn take(&mut self, length: usize, may_cut: bool) -> Option<usize> {
        let found = match (self.by_length.contains_key(&length), may_cut) {
            (true, _) => length,
            (false, true) => *self.by_length.range(length..).next()?.0,
            (false, false) => return None,
        };
        let list = self.by_length.get_mut(&found)?;
        let at = list.pop()? as usize;
        if list.is_empty() {
            self.by_length.remove(&found);
        }
        self.items -= found;
        if found > length {
            self.give(at + length, found - length);
        }
        Some(at)
    }

    fn give(&mut self, at: usize, length: usize) {
        if let (Ok(at), true) = (u32::try_from(at), length > 0) {
            self.by_length.entry(length).or_default().push(at);
            self.items += length;
        }
    }
}

/// An array of blocks.
#[derive(Clone, Debug)]
pub(super) struct Blocks<T> {
    items: Vec<T>,
    free: FreeBlocks,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: FreeBlocks::default() }
    }
}

impl<T: Copy> Blocks<T> {
    /// Adds a block of copies of an item. `tight`: rather cut a long free block than grow.
    pub(super) fn add(&mut self, length: usize, item: T, tight: bool) -> usize {
        if length == 0 {
            return 0;
        }
        let may_cut = tight || self.free.items > self.items.len() / 4;
        match self.free.take(length, may_cut) {
            Some(at) => {
                self.items[at..at + length].fill(item);
                at
            }
            None => {
                let at = self.items.len();
                self.items.resize(at + length, item);
                at
            }
        }
    }

    /// Frees a block.
    pub(super) fn remove(&mut self, at: usize, length: usize) {
        self.free.give(at, length);
    }

    /// Length of the array, free blocks included.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Number of items in free blocks.
    pub(super) fn free(&self) -> usize {
        self.free.items
    }

    /// Bytes, as `reserve::bytes_of` counts them.
    pub(super) fn bytes(&self, reserved: bool) -> usize {
        bytes_of(&self.items, reserved) + self.free.items / 8
    }

    /// Bytes of free blocks.
    pub(super) fn free_bytes(&self) -> usize {
        self.free.items * size_of::<T>()
    }

    /// Reserves room; false if there is none.
    pub(super) fn reserve(&mut self, bytes: usize) -> bool {
        reserve_bytes(&mut self.items, bytes)
    }
}

impl<T> std::ops::Deref for Blocks<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> std::ops::DerefMut for Blocks<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_the_same_length_are_used_again() {
        let mut blocks: Blocks<u8> = Blocks::default();
        let places: Vec<usize> = [3, 5, 30].map(|length| blocks.add(length, 1, false)).to_vec();
        assert_eq!((places.as_slice(), blocks.len()), ([0, 3, 8].as_slice(), 38));
        blocks.remove(3, 5);
        assert_eq!((blocks.add(3, 2, false), blocks.free()), (38, 5), "a longer block stays whole");
        assert_eq!((blocks.add(5, 3, false), blocks.free()), (3, 0));
        assert_eq!(blocks[3..8], [3; 5]);
        assert_eq!(blocks.add(0, 9, false), 0);
    }

    #[test]
    fn long_blocks_are_cut_when_memory_is_short() {
        let mut blocks: Blocks<u8> = Blocks::default();
        blocks.add(64, 1, false);
        blocks.remove(0, 10);
        assert_eq!((blocks.add(4, 2, true), blocks.free()), (0, 6));
        assert_eq!((blocks.add(6, 2, true), blocks.free()), (4, 0));
        assert_eq!(blocks.add(1, 2, true), 64, "nothing is free");
    }

    /// Random additions and removals: blocks in use never overlap.
    #[test]
    fn blocks_never_overlap() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut blocks: Blocks<u32> = Blocks::default();
        let mut used: Vec<(usize, usize, u32)> = Vec::new();
        for number in 0..20_000 {
            if random.bool() || used.is_empty() {
                let length = random.usize(1..40);
                used.push((blocks.add(length, number, random.bool()), length, number));
            } else {
                let (at, length, number) = used.swap_remove(random.usize(..used.len()));
                assert!(blocks[at..at + length].iter().all(|&item| item == number));
                blocks.remove(at, length);
            }
        }
        let items: usize = used.iter().map(|&(_, length, _)| length).sum();
        assert_eq!(items + blocks.free(), blocks.len());
    }
}

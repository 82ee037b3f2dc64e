//! Rows that start where cache lines do.
//!
//! A row of 512 bits is as long as a cache line. Where an allocator happens to put it, nearly every one
//! lies across two lines, and reading it costs twice.

use std::ops::{Deref, DerefMut};

use super::lanes::Row;

/// Words of a cache line.
const LINE: usize = 8;

/// A list of rows, the first at the start of a cache line.
#[derive(Debug)]
pub(crate) struct Rows<const W: usize> {
    words: Vec<u64>,
    /// The first word of the first row.
    start: usize,
    count: usize,
}

impl<const W: usize> Rows<W> {
    /// This many rows, all zero.
    pub(super) fn new(count: usize) -> Self {
        let words = vec![0; count * W + LINE - 1];
        // Not every interpreter of Rust tells addresses; then any place will do.
        let start = words.as_ptr().align_offset(8 * LINE);
        Self { words, start: if start < LINE { start } else { 0 }, count }
    }

    /// At least this many rows; new ones are zero.
    #[cold]
    pub(crate) fn grow(&mut self, count: usize) {
        let mut larger = Self::new(count.max(self.count));
        larger[..self.count].copy_from_slice(self);
        *self = larger;
    }
}

impl<const W: usize> Clone for Rows<W> {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.count);
        copy.copy_from_slice(self);
        copy
    }
}

impl<const W: usize> Deref for Rows<W> {
    type Target = [Row<W>];

    #[inline(always)]
    fn deref(&self) -> &[Row<W>] {
        bytemuck::cast_slice(&self.words[self.start..self.start + self.count * W])
    }
}

impl<const W: usize> DerefMut for Rows<W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Row<W>] {
        bytemuck::cast_slice_mut(&mut self.words[self.start..self.start + self.count * W])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_start_at_cache_lines_and_keep_their_values() {
        for count in [1, 5, 1000] {
            let mut rows = Rows::<8>::new(count);
            assert_eq!(rows.as_ptr().align_offset(64), 0);
            rows[count - 1] = [7; 8];
            rows.grow(count + 100);
            assert_eq!((rows.len(), rows[count - 1], rows[count]), (count + 100, [7; 8], [0; 8]));
            let copy = rows.clone();
            assert_eq!(copy.as_ptr().align_offset(64), 0);
            assert_eq!(&*copy, &*rows);
        }
    }
}

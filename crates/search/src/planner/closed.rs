//! All states that a search has seen, exactly: rows of words with a hash table over them.
//!
//! States are numbered in the order in which they come. Rows lie in blocks, so that nothing is copied
//! when there are more; the table holds numbers only.

/// Rows of a block.
const BLOCK: usize = 1 << 14;

/// No state.
const NONE: u32 = u32::MAX;

/// A set of rows.
pub(crate) struct Closed {
    rows: Rows,
    /// By state: the one it was reached from.
    parents: Vec<u32>,
    /// Numbers of states by hash; a power of two.
    table: Vec<u32>,
    bytes: usize,
}

/// Rows of the same length in blocks, or of any length.
enum Rows {
    Fixed { width: usize, blocks: Vec<Box<[u64]>> },
    Any(Vec<Box<[u64]>>),
}

impl Closed {
    /// For rows of so many words, or of any number of words.
    pub(crate) fn new(width: Option<usize>) -> Self {
        let rows = match width {
            Some(width) => Rows::Fixed { width, blocks: Vec::new() },
            None => Rows::Any(Vec::new()),
        };
        Self { rows, parents: Vec::new(), table: vec![NONE; 1 << 10], bytes: 0 }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.table.len() * 4 + self.parents.capacity() * 4
    }

    /// Whether there is room for so many more states within a limit in bytes, also while the table grows.
    pub(crate) fn has_room(&self, more: usize, limit: usize) -> bool {
        let states = self.len() + more;
        if states >= NONE as usize {
            return false;
        }
        let row = 8 * match &self.rows {
            Rows::Fixed { width, .. } => *width,
            Rows::Any(rows) => 2 + rows.last().map_or(0, |row| row.len()),
        };
        let table = (states * 3 / 2).next_power_of_two() * 4;
        let grown = if table > self.table.len() * 4 { table } else { 0 };
        let parents = if states > self.parents.capacity() { states * 8 } else { 0 };
        self.bytes() + more * row + grown + parents <= limit
    }

    /// The words of a state.
    pub(crate) fn row(&self, state: u32) -> &[u64] {
        let at = state as usize;
        match &self.rows {
            Rows::Fixed { width, blocks } => &blocks[at / BLOCK][at % BLOCK * width..][..*width],
            Rows::Any(rows) => &rows[at],
        }
    }

    /// The state from which one was reached; the first state is its own parent.
    pub(crate) fn parent(&self, state: u32) -> u32 {
        self.parents[state as usize]
    }

    /// Adds a state that was reached from another one; none if it is known.
    pub(crate) fn insert(&mut self, row: &[u64], parent: u32) -> Option<u32> {
        if (self.len() + 1) * 3 > self.table.len() * 2 {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = hash(row) & mask;
        loop {
            match self.table[at] {
                NONE => break,
                known if self.row(known) == row => return None,
                _ => at = (at + 1) & mask,
            }
        }
        let number = u32::try_from(self.len()).unwrap_or(NONE);
        self.table[at] = number;
        self.parents.push(parent);
        match &mut self.rows {
            Rows::Fixed { width, blocks } => {
                let place = number as usize % BLOCK;
                if place == 0 {
                    blocks.push(vec![0; BLOCK * *width].into());
                    self.bytes += BLOCK * *width * 8;
                }
                if let Some(block) = blocks.last_mut() {
                    block[place * *width..][..*width].copy_from_slice(row);
                }
            }
            Rows::Any(rows) => {
                rows.push(row.into());
                self.bytes += row.len() * 8 + 32;
            }
        }
        Some(number)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let mut table = vec![NONE; size];
        for state in 0..u32::try_from(self.len()).unwrap_or(NONE) {
            let mut at = hash(self.row(state)) & (size - 1);
            while table[at] != NONE {
                at = (at + 1) & (size - 1);
            }
            table[at] = state;
        }
        self.table = table;
    }
}

/// Mixes all words: multiply, fold the halves.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the lower half of a hash")]
pub(crate) fn hash(row: &[u64]) -> usize {
    let mut mixed = 0x9e37_79b9_7f4a_7c15u64;
    for &word in row {
        let product = u128::from(mixed ^ word) * 0xd6e8_feb8_6659_fd93_u128;
        mixed = (product as u64) ^ (product >> 64) as u64;
    }
    let product = u128::from(mixed) * 0x9e37_79b9_7f4a_7c15_u128;
    ((product as u64) ^ (product >> 64) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_known_once() {
        for width in [Some(2), None] {
            let mut closed = Closed::new(width);
            for round in 0..2 {
                for number in 0..50_000u64 {
                    let new = closed.insert(&[number % 7, number], 0);
                    assert_eq!(new.is_some(), round == 0, "{number}");
                }
            }
            assert_eq!((closed.len(), closed.row(49_999)), (50_000, &[49_999 % 7, 49_999][..]));
            assert!(closed.has_room(10, 1 << 30) && !closed.has_room(10, 1 << 16));
        }
    }
}

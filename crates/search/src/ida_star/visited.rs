//! The transposition table of IDA*: states that this iteration has been to, and how deep.
//!
//! A fixed number of entries, each replaced by the next state that falls on it: what is forgotten
//! is searched twice, nothing is lost. States are told apart by 96 bits of hash besides the place.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// The table. An entry is two words: a hash; then 32 bits of another hash, 16 of the depth, and 16 of
/// the iteration, which is 0 if the entry is empty.
#[derive(Default)]
pub(super) struct Visited {
    words: Vec<u64>,
    iteration: u16,
}

/// Bytes of an entry.
const ENTRY: usize = 16;

/// Fewest and most entries: 64 KiB and 1 GiB.
const FEWEST: usize = 1 << 12;
const MOST: usize = 1 << 26;

impl Visited {
    /// Makes room as far as so many bytes allow. What is known is forgotten if the size changes.
    pub(super) fn resize(&mut self, bytes: usize) {
        let wanted = (bytes / ENTRY).clamp(FEWEST, MOST);
        let count = if wanted.is_power_of_two() { wanted } else { wanted.next_power_of_two() / 2 };
        if self.words.len() != 2 * count {
            // The system gives the pages that are written; so this takes no time.
            self.words = vec![0; 2 * count];
        }
    }

    /// Bytes of the table.
    pub(super) fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// A new iteration begins: it has not been anywhere.
    pub(super) fn begin_iteration(&mut self) {
        if self.iteration == u16::MAX {
            self.words.fill(0);
            self.iteration = 0;
        }
        self.iteration += 1;
    }

    /// Whether the iteration has been to a state at this depth or above; notes that it is there now.
    pub(super) fn visit(&mut self, words: &[u64], depth: u16) -> bool {
        let (key, check) = hash(words);
        let Some(mask) = (self.words.len() / 2).checked_sub(1) else { return false };
        #[allow(clippy::cast_possible_truncation, reason = "the lower bits")]
        let at = 2 * (key as usize & mask);
        let Some([known, rest]) = self.words.get_mut(at..at + 2) else { return false };
        let pack = |depth: u16| u64::from(check) << 32 | u64::from(self.iteration) << 16 | u64::from(depth);
        // Equal but for the depth, which is the lowest part.
        if *known == key && *rest >= pack(0) && *rest <= pack(depth) {
            return true;
        }
        (*known, *rest) = (key, pack(depth));
        false
    }
}

/// Two hashes that have little to do with each other.
#[allow(clippy::cast_possible_truncation, reason = "part of a hash")]
fn hash(words: &[u64]) -> (u64, u32) {
    let mut first = FxHasher::default();
    words.hash(&mut first);
    let mix = |sum: u64, &word: &u64| {
        let mixed = (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    };
    let second = words.iter().fold(0x51_7cc1_b727_220a, mix);
    (first.finish(), (second >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_visits_of_an_iteration_count() {
        let mut table = Visited::default();
        assert!(!table.visit(&[1, 2], 0), "without room nothing is known");
        table.resize(1 << 16);
        table.begin_iteration();
        assert!(!table.visit(&[1, 2], 5));
        assert!(table.visit(&[1, 2], 5) && table.visit(&[1, 2], 6));
        assert!(!table.visit(&[1, 2], 4), "now there is more to search below");
        assert!(table.visit(&[1, 2], 4) && !table.visit(&[2, 1], 9));
        table.begin_iteration();
        assert!(!table.visit(&[1, 2], 9));
        for _ in 0..70_000 {
            table.begin_iteration();
        }
        assert!(!table.visit(&[1, 2], 9), "iterations may be many");
        assert_eq!(table.bytes(), 1 << 16);
    }

    #[test]
    fn hashes_of_many_states_differ() {
        let states = (0..50_000u64).map(|at| [at % 256, at / 256, 1 << (at % 64)]);
        let hashes: std::collections::BTreeSet<_> = states.map(|words| hash(&words)).collect();
        assert_eq!(hashes.len(), 50_000);
    }
}

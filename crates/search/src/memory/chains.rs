//! A hash table that never stops to grow: linear hashing with chains.
//!
//! A table that doubles moves all entries at once: a second for ten million of them, in the middle
//! of a search with a deadline. With linear hashing (W. Litwin, Linear hashing: a new tool for file
//! and table addressing, 1980) every insertion splits at most one chain. Entries live elsewhere and
//! hold the number of the next entry of their chain.

use super::reserve::{bytes_of, reserve_bytes};

/// The end of a chain.
pub(super) const END: u32 = u32::MAX;

/// Entries that are linked in chains.
pub(super) trait Linked {
    /// The hash of an entry.
    fn hash(&self, entry: u32) -> u32;
    /// The next entry of its chain.
    fn next(&self, entry: u32) -> u32;
    /// Sets the next entry.
    fn set_next(&mut self, entry: u32, next: u32);
}

/// The beginnings of all chains.
#[derive(Clone, Debug, Default)]
pub(super) struct Chains {
    heads: Vec<u32>,
    entries: usize,
}

impl Chains {
    /// The chain of a hash: its lowest bits, as many as tell the chains apart. Chains that are not
    /// split yet hold what will belong to their other half.
    fn chain(&self, hash: u32) -> usize {
        let size = self.heads.len().next_power_of_two();
        let chain = hash as usize & (size - 1);
        if chain < self.heads.len() { chain } else { chain - size / 2 }
    }

    /// The first entry of the chain in which entries with this hash are.
    pub(super) fn first(&self, hash: u32) -> u32 {
        if self.heads.is_empty() { END } else { self.heads[self.chain(hash)] }
    }

    /// Inserts an entry.
    pub(super) fn insert(&mut self, entry: u32, links: &mut impl Linked) {
        if self.entries >= self.heads.len() {
            self.split(links);
        }
        let chain = self.chain(links.hash(entry));
        links.set_next(entry, self.heads[chain]);
        self.heads[chain] = entry;
        self.entries += 1;
    }

    /// Adds a chain and moves the entries that belong there now.
    fn split(&mut self, links: &mut impl Linked) {
        let added = self.heads.len();
        self.heads.push(END);
        if added == 0 {
            return;
        }
        // Without its highest bit, the number of the new chain is the chain that its entries are in.
        let source = added - (1 << added.ilog2());
        let mut entry = std::mem::replace(&mut self.heads[source], END);
        while entry != END {
            let next = links.next(entry);
            let chain = self.chain(links.hash(entry));
            links.set_next(entry, self.heads[chain]);
            self.heads[chain] = entry;
            entry = next;
        }
    }

    /// Removes an entry. False if it is not there.
    pub(super) fn remove(&mut self, entry: u32, links: &mut impl Linked) -> bool {
        if self.heads.is_empty() {
            return false;
        }
        let chain = self.chain(links.hash(entry));
        let mut at = self.heads[chain];
        if at == entry {
            self.heads[chain] = links.next(entry);
            self.entries -= 1;
            return true;
        }
        while at != END {
            let next = links.next(at);
            if next == entry {
                links.set_next(at, links.next(entry));
                self.entries -= 1;
                return true;
            }
            at = next;
        }
        false
    }

    /// Number of entries.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries
    }

    /// Bytes, as `reserve::bytes_of` counts them.
    pub(super) fn bytes(&self, reserved: bool) -> usize {
        bytes_of(&self.heads, reserved)
    }

    /// Reserves room; false if there is none.
    pub(super) fn reserve(&mut self, bytes: usize) -> bool {
        reserve_bytes(&mut self.heads, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Entries(Vec<(u32, u32)>);

    impl Linked for Entries {
        fn hash(&self, entry: u32) -> u32 {
            self.0[entry as usize].0
        }
        fn next(&self, entry: u32) -> u32 {
            self.0[entry as usize].1
        }
        fn set_next(&mut self, entry: u32, next: u32) {
            self.0[entry as usize].1 = next;
        }
    }

    fn contains(chains: &Chains, entries: &Entries, wanted: u32) -> bool {
        let mut at = chains.first(entries.hash(wanted));
        while at != END && at != wanted {
            at = entries.next(at);
        }
        at == wanted
    }

    #[test]
    fn entries_are_found_until_they_are_removed() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut chains, mut entries) = (Chains::default(), Entries::default());
        for entry in 0..5000 {
            // Few hashes: many entries share one.
            entries.0.push((random.u32(..) & random.u32(..), END));
            chains.insert(entry, &mut entries);
            let known = random.u32(0..=entry);
            assert!(contains(&chains, &entries, known), "{known} of {entry}");
        }
        assert!((0..5000).all(|entry| contains(&chains, &entries, entry)));
        for entry in (0..5000).step_by(3) {
            assert!(chains.remove(entry, &mut entries));
            assert!(!chains.remove(entry, &mut entries), "it is gone");
        }
        assert!((0..5000).all(|entry| contains(&chains, &entries, entry) == (entry % 3 > 0)));
        assert_eq!(chains.len(), 5000 - 1667);
        let longest = chains.heads.iter().map(|&head| {
            let (mut at, mut length) = (head, 0);
            while at != END {
                (at, length) = (entries.next(at), length + 1);
            }
            length
        });
        assert_eq!(longest.sum::<usize>(), chains.len());
    }

    #[test]
    fn an_empty_table_has_nothing() {
        let (mut chains, mut entries) = (Chains::default(), Entries(vec![(7, END)]));
        assert_eq!((chains.first(7), chains.remove(0, &mut entries)), (END, false));
        chains.insert(0, &mut entries);
        assert_eq!(chains.first(7), 0);
    }
}

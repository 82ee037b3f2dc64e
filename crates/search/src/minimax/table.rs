//! The transposition table: what is known about positions, by state.
//!
//! An entry has a guess that is exact, or a bound, for a search of some depth; bounds that are
//! proved, which hold at any depth; and the best move. Whatever path leads to a state, its entry is
//! the same: a game with a step counter has other states at other depths.
//!
//! States are recognised by 128 bits of hash. With 10⁹ states, two of them have the same hash with a
//! probability of about 10⁻²¹, less than that of a fault of the machine.
//!
//! # Growth
//! A table that grows by moving entries stops a search for as long as that takes. So this one only
//! gets further segments, each as large as all before it together. New entries go to the place in the
//! larger table; older ones are looked for where the last two smaller tables had them. What was not
//! stored again since is forgotten: a small part of positions that were not met for long.

use super::value::Value;

/// Bytes of a bucket.
const BUCKET_BYTES: usize = 8 * 16;
/// Entries that share a bucket: two cache lines.
const ENTRIES: usize = 4;
/// Words of an entry.
const WORDS: usize = 4;
/// Buckets of a new table, if memory allows: half a megabyte.
const FIRST_BUCKETS: usize = 1 << 12;

/// Sizes of the table at which an entry is looked for: the present one and the last two.
const LOOKED_AT: usize = 3;

/// Entries, packed. All zero is empty, so that the system gives memory when it is first written.
type Bucket = [u64; ENTRIES * WORDS];

/// The hash of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    index: u64,
    check: u64,
}

impl Key {
    /// The hash of the words of a state.
    pub(super) fn new(words: &[u64]) -> Self {
        let (mut index, mut check) = (0x9e37_79b9_7f4a_7c15_u64, 0xd1b5_4a32_d192_ed03_u64);
        for &word in words {
            index = fold(index ^ word, 0xa076_1d64_78bd_642f);
            check = fold(check.rotate_left(23) ^ word, 0xe703_7ed1_a0b4_28db);
        }
        Self { index, check: check | 1 }
    }
}

/// Both halves of a product, mixed.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    #[allow(clippy::cast_possible_truncation, reason = "both halves are used")]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}

/// What a guess says about the value at its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The value is at most the guess.
    Upper,
    /// The value is at least the guess.
    Lower,
    /// The value is the guess.
    Exact,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) value: Value,
    pub(super) bound: Bound,
    /// Steps that were searched for the guess; none if the guess is of another evaluation.
    pub(super) depth: Option<u16>,
    /// The best child, by its place among the children of the state.
    pub(super) best: Option<u32>,
}

/// Positions by hash.
#[derive(Debug, Default)]
pub(super) struct Table {
    segments: Vec<Vec<Bucket>>,
    /// Buckets of all segments.
    buckets: usize,
    entries: usize,
    /// The limit of all segments, in bytes.
    memory: usize,
    /// The search that stores entries; those of older searches are overwritten first.
    age: u8,
    /// The evaluation that guesses are of.
    epoch: u8,
}

impl Table {
    /// Sets the memory limit in bytes. Segments that do not fit any more are given up.
    pub(super) fn limit(&mut self, memory: usize) {
        self.memory = memory;
        while self.bytes() > memory {
            let Some(dropped) = self.segments.pop() else { break };
            self.buckets -= dropped.len();
            self.entries = self.entries.min(self.buckets * ENTRIES);
        }
        if self.segments.is_empty() && memory >= BUCKET_BYTES {
            let fitting = memory / BUCKET_BYTES;
            let first = FIRST_BUCKETS.min(1 << fitting.ilog2());
            self.segments.push(vec![[0; ENTRIES * WORDS]; first]);
            (self.buckets, self.entries) = (first, 0);
        }
    }

    /// Another search begins: entries from now on are preferred to older ones.
    pub(super) fn new_search(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// Another evaluation: guesses are forgotten, proofs are kept.
    pub(super) fn forget_guesses(&mut self) {
        // Epochs wrap; after 256 evaluations, guesses of the first could look new.
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.segments.clear();
            (self.buckets, self.entries) = (0, 0);
            self.limit(self.memory);
        }
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.buckets * BUCKET_BYTES
    }

    /// What is known about a state.
    pub(super) fn get(&self, key: Key) -> Option<Entry> {
        let sizes = self.segments.len().min(LOOKED_AT);
        (0..sizes).find_map(|halved| self.find(key, self.buckets >> halved))
    }

    fn find(&self, key: Key, buckets: usize) -> Option<Entry> {
        let (segment, at) = self.place(key, buckets)?;
        let bucket = self.segments.get(segment)?.get(at)?;
        bucket.chunks_exact(WORDS).find(|words| words[0] == key.check).map(|words| self.unpack(words))
    }

    /// Stores what a search found. What was proved before is kept, and so is a deeper guess.
    pub(super) fn store(&mut self, key: Key, entry: Entry) {
        let Some(depth) = entry.depth.filter(|_| self.buckets > 0) else { return };
        self.grow();
        let Some((segment, at)) = self.place(key, self.buckets) else { return };
        let (age, epoch) = (self.age, self.epoch);
        let Some(bucket) = self.segments.get_mut(segment).and_then(|segment| segment.get_mut(at)) else {
            return;
        };
        // The same state, an empty place, or the entry that is least worth keeping.
        let worth = |words: &[u64]| match words[0] {
            check if check == key.check => 0,
            0 => 1,
            _ => {
                let (depth, stored) = (words[3] & 0xffff, words[3] >> 40 & 0xff);
                let is_old = stored != u64::from(age);
                if is_old { 2 + depth } else { (1 << 20) + depth }
            }
        };
        let victim = bucket.chunks_exact_mut(WORDS).min_by_key(|words| worth(words));
        let Some(words) = victim else { return };
        let mut value = entry.value;
        let (mut bound, mut depth, mut best) = (entry.bound, depth, entry.best);
        if words[0] == key.check {
            let known = unpack(words, epoch);
            value = value.within(known.value.low, known.value.high, known.value.steps);
            best = best.or(known.best);
            if let Some(deeper) = known.depth.filter(|&known| known > depth) {
                (depth, bound) = (deeper, known.bound);
                value.guess = known.value.guess.clamp(value.low, value.high.max(value.low));
                best = known.best.or(best);
            }
        } else if words[0] == 0 {
            self.entries += 1;
        }
        words[0] = key.check;
        words[1] = pair(value.guess.to_bits(), value.low.to_bits());
        words[2] = pair(value.high.to_bits(), best.map_or(0, |best| best.saturating_add(1)));
        let bound = match bound {
            Bound::Upper => 0,
            Bound::Lower => 1,
            Bound::Exact => 2,
        };
        words[3] = u64::from(depth)
            | u64::from(value.steps) << 16
            | bound << 32
            | u64::from(age) << 40
            | u64::from(epoch) << 48;
    }

    /// Adds a segment if the table is half full and memory allows.
    fn grow(&mut self) {
        if self.entries * 2 > self.buckets * ENTRIES && self.bytes() * 2 <= self.memory {
            self.segments.push(vec![[0; ENTRIES * WORDS]; self.buckets]);
            self.buckets *= 2;
        }
    }

    /// Segment and place of a bucket, in a table of so many buckets.
    fn place(&self, key: Key, buckets: usize) -> Option<(usize, usize)> {
        let first = self.segments.first()?.len();
        #[allow(clippy::cast_possible_truncation, reason = "the low bits are used")]
        let at = key.index as usize & (buckets - 1);
        if at < first {
            return Some((0, at));
        }
        let segment = (at / first).ilog2() as usize;
        Some((segment + 1, at - (first << segment)))
    }

    fn unpack(&self, words: &[u64]) -> Entry {
        unpack(words, self.epoch)
    }
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[allow(clippy::cast_possible_truncation, reason = "fields of an entry have 8, 16 and 32 bits")]
fn unpack(words: &[u64], epoch: u8) -> Entry {
    let number = |bits: u64| f32::from_bits(bits as u32);
    let value = Value {
        guess: number(words[1]),
        low: number(words[1] >> 32),
        high: number(words[2]),
        steps: (words[3] >> 16) as u16,
    };
    let bound = match words[3] >> 32 & 0xff {
        0 => Bound::Upper,
        1 => Bound::Lower,
        _ => Bound::Exact,
    };
    let is_of_now = (words[3] >> 48) as u8 == epoch;
    let best = ((words[2] >> 32) as u32).checked_sub(1);
    Entry { value, bound, depth: is_of_now.then_some(words[3] as u16), best }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(guess: f32, depth: u16) -> Entry {
        let value = Value { guess, low: 0.0, high: 100.0, steps: 0 };
        Entry { value, bound: Bound::Exact, depth: Some(depth), best: Some(7) }
    }

    #[test]
    fn entries_are_found_again_after_the_table_has_grown() {
        let mut table = Table::default();
        table.limit(64 << 20);
        let first = table.bytes();
        let count = 100_000;
        for at in 0..count {
            table.store(Key::new(&[at, 1]), entry(at as f32 / 1e4, 3));
        }
        assert!(table.bytes() > 4 * first && table.bytes() <= 64 << 20);
        let found = (0..count).filter(|&at| {
            let known = table.get(Key::new(&[at, 1]));
            known.is_some_and(|known| known == entry(at as f32 / 1e4, 3))
        });
        // All but those of four sizes ago, the first sixth, and of buckets that are full by chance:
        // some five in a hundred of a table that is half full.
        let found = found.count();
        assert!(found > 75_000, "{found}");
        assert_eq!(table.get(Key::new(&[1, 2])), None);
    }

    #[test]
    fn memory_is_a_limit_that_may_change() {
        let mut table = Table::default();
        table.limit(1 << 20);
        (0..200_000).for_each(|at| table.store(Key::new(&[at]), entry(1.0, 1)));
        assert_eq!(table.bytes(), 1 << 20);
        table.limit(600_000);
        assert_eq!(table.bytes(), 1 << 19);
        assert!((0..200_000).any(|at| table.get(Key::new(&[at])).is_some()));
        table.limit(10);
        assert_eq!((table.bytes(), table.get(Key::new(&[5]))), (0, None));
        table.store(Key::new(&[5]), entry(1.0, 1));
    }

    #[test]
    fn proofs_outlive_guesses() {
        let mut table = Table::default();
        table.limit(1 << 20);
        let key = Key::new(&[3]);
        let proved = Value { guess: 60.0, low: 50.0, high: 100.0, steps: 0 };
        table.store(key, Entry { value: proved, ..entry(0.0, 9) });
        // A shallower search changes nothing but what it proves.
        let worse = Value { guess: 55.0, low: 0.0, high: 80.0, steps: 0 };
        table.store(key, Entry { value: worse, ..entry(0.0, 4) });
        let known = table.get(key).unwrap();
        assert_eq!((known.value.low, known.value.guess, known.value.high), (50.0, 60.0, 80.0));
        assert_eq!(known.depth, Some(9));
        table.forget_guesses();
        let known = table.get(key).unwrap();
        assert_eq!((known.value.low, known.value.high, known.depth), (50.0, 80.0, None));
    }
}

//! Random words for all lanes: a generator for each word of a row, side by side, so that they fit vector
//! registers.
//!
//! xoshiro256++ (Blackman and Vigna, ACM TOMS 2021), each stream seeded by SplitMix64.

use super::lanes::Row;
use super::vector::Vector;

/// A generator of random rows.
#[derive(Clone, Debug)]
pub(crate) struct Random<const W: usize> {
    state: [Row<W>; 4],
}

impl<const W: usize> Random<W> {
    pub(crate) fn new(seed: u64) -> Self {
        let mut at = seed;
        let mut next = || {
            at = at.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = at;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        };
        Self { state: std::array::from_fn(|_| std::array::from_fn(|_| next())) }
    }

    /// The generator with its state in registers.
    #[inline(always)]
    pub(crate) fn stream<V: Vector<W>>(&self) -> Stream<W, V> {
        Stream { state: std::array::from_fn(|i| V::load(&self.state[i])) }
    }

    /// Goes on from where a stream has come.
    #[inline(always)]
    pub(crate) fn take<V: Vector<W>>(&mut self, stream: &Stream<W, V>) {
        self.state = std::array::from_fn(|i| stream.state[i].store());
    }

    /// A random word.
    pub(crate) fn word(&mut self) -> u64 {
        let mut stream = self.stream::<super::vector::Plain<W>>();
        let row = stream.row();
        self.take(&stream);
        row.store()[0]
    }
}

/// A generator at work.
#[derive(Clone, Copy)]
pub(crate) struct Stream<const W: usize, V: Vector<W>> {
    state: [V; 4],
}

impl<const W: usize, V: Vector<W>> Stream<W, V> {
    /// A random bit for every lane.
    #[inline(always)]
    pub(crate) fn row(&mut self) -> V {
        let [s0, s1, s2, s3] = self.state;
        let result = s0.add_words(s3).rotate_23().add_words(s0);
        let t = s1.shift::<17>();
        let s2 = s2.xor(s0);
        let s3 = s3.xor(s1);
        let s1 = s1.xor(s2);
        let s0 = s0.xor(s3);
        self.state = [s0, s1, s2.xor(t), s3.rotate_45()];
        result
    }
}

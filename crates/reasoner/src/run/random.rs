//! Random words for all lanes: eight generators side by side, so that they fit vector registers.
//!
//! xoshiro256++ (Blackman and Vigna, ACM TOMS 2021), each stream seeded by SplitMix64.

use super::lanes::Row;

const STREAMS: usize = 8;

/// A generator of many words at once.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: [[u64; STREAMS]; 4],
    /// Words that were made and not yet used: the first `left`.
    buffer: [u64; STREAMS],
    left: usize,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut at = seed;
        let mut next = || {
            at = at.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = at;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        };
        let state = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        Self { state, buffer: [0; STREAMS], left: 0 }
    }

    /// The next word of every stream.
    #[inline(always)]
    fn next(&mut self) -> [u64; STREAMS] {
        let [s0, s1, s2, s3] = &mut self.state;
        let mut result = [0; STREAMS];
        for i in 0..STREAMS {
            result[i] = s0[i].wrapping_add(s3[i]).rotate_left(23).wrapping_add(s0[i]);
            let t = s1[i] << 17;
            s2[i] ^= s0[i];
            s3[i] ^= s1[i];
            s1[i] ^= s2[i];
            s0[i] ^= s3[i];
            s2[i] ^= t;
            s3[i] = s3[i].rotate_left(45);
        }
        result
    }

    /// A random bit for every lane.
    #[inline(always)]
    pub(crate) fn row<const W: usize>(&mut self) -> Row<W> {
        if self.left < W {
            self.buffer = self.next();
            self.left = STREAMS;
        }
        self.left -= W;
        std::array::from_fn(|word| self.buffer[self.left + word])
    }

    /// A random word.
    pub(crate) fn word(&mut self) -> u64 {
        self.row::<1>()[0]
    }
}

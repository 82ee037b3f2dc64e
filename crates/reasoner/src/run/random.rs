//! Random words for all lanes: eight generators side by side, so that they fit vector registers.
//!
//! xoshiro256++ (Blackman and Vigna, ACM TOMS 2021), each stream seeded by SplitMix64.

const STREAMS: usize = 8;

/// A generator of many words at once.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: [[u64; STREAMS]; 4],
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
        Self { state: std::array::from_fn(|_| std::array::from_fn(|_| next())) }
    }

    /// The next word of every stream.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> [u64; STREAMS] {
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

    /// Fills a list with random 16-bit numbers.
    #[inline(always)]
    pub(crate) fn fill(&mut self, numbers: &mut [u16]) {
        for chunk in numbers.chunks_mut(4 * STREAMS) {
            let words = self.next();
            for (number, at) in chunk.iter_mut().zip(0..) {
                #[allow(clippy::cast_possible_truncation, reason = "sixteen bits of the word are wanted")]
                let bits = (words[at / 4] >> (16 * (at % 4))) as u16;
                *number = bits;
            }
        }
    }

    /// One more 16-bit number.
    pub(crate) fn sixteen_bits(&mut self) -> u16 {
        let bytes = self.next()[0].to_le_bytes();
        u16::from_le_bytes([bytes[6], bytes[7]])
    }
}

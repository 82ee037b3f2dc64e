//! A hash for short lists of small numbers, all of whose bits can be used.
//!
//! Tables here keep a part of the hash beside each entry, and take another part to find it. The usual
//! fast hashes are well mixed in some of their bits only. Multiplying to twice the length and folding
//! the halves mixes all of them, for one multiplication a number.

/// An odd number without pattern: the fraction of the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of some numbers.
pub(crate) fn hash(numbers: impl Iterator<Item = u32>) -> u64 {
    numbers.fold(FACTOR, |hash, number| {
        let product = u128::from(hash ^ u64::from(number)) * u128::from(FACTOR);
        fold(product)
    })
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves are meant")]
fn fold(product: u128) -> u64 {
    (product >> 64) as u64 ^ product as u64
}

/// The upper half of a hash.
pub(crate) fn upper(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or(0)
}

/// A hash from its upper half, for tables that keep no more of it: their low bits and their highest
/// ones count.
pub(crate) fn spread(upper: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    /// The rows of a board are what tables are full of.
    #[test]
    fn upper_halves_of_small_products_rarely_collide() {
        let mut seen = FxHashSet::default();
        for a in 0..64 {
            for b in 100..164 {
                for c in 0..16 {
                    seen.insert(upper(hash([a, b, c, 7].into_iter())));
                }
            }
        }
        // Of 65,536 random numbers of 32 bits one collides in every second draw.
        assert!(seen.len() >= 65_530, "{}", seen.len());
    }
}

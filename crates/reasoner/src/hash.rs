//! A hash for short lists of small numbers that is well mixed in all its bits.
//!
//! The tables here store one part of the hash beside each entry and look the entry up by another
//! part. Common fast hashes mix only some of their bits well. A widening multiplication whose
//! halves are XORed (folded) mixes all of them, at one multiplication per number.

/// The fraction of the golden ratio: odd and without a pattern in its bits.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes a list of numbers.
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

/// Extends the upper half to a full hash, for tables that store only that half. Hash tables use the
/// lowest and the highest bits, so both get it.
pub(crate) fn spread(upper: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    /// Uses rows as game boards have them: products of small ranges.
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
        // Among 65,536 random 32-bit numbers, half a collision is expected.
        assert!(seen.len() >= 65_530, "{}", seen.len());
    }
}

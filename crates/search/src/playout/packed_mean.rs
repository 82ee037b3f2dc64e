//! Means packed into 32 bits, because playouts read them at random and all must fit into a core's
//! cache.
//!
//! The upper half is the mean, in units of 100/65535. The lower half is the count: up to 255 in a
//! [`NgramHashTable`], where the other eight bits are a tag of the hash, and up to 1,023 elsewhere.
//! Beyond these counts a mean is an exponential moving average of the latest rewards.

/// A mean without a tag: 16 bits of mean, 16 of count.
pub(crate) type PackedMean = u32;

/// Largest counts of a [`PackedMean`] and of an entry of a [`NgramHashTable`].
const MAX_COUNT: u32 = 1023;
pub(crate) const MAX_TABLE_COUNT: u32 = 255;

/// Bits of the count in both.
pub(crate) const COUNT_MASK: u32 = 0xFFFF;
pub(crate) const TABLE_COUNT_MASK: u32 = 0xFF00;
/// Bits of the tag in a hash table.
pub(crate) const TAG_MASK: u32 = 0xFF;

/// Entries of a hash table, a power of two (64 KiB). The tables of both players fit into a core's
/// cache.
pub(crate) const TABLE_SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 14;
/// The upper bits of a hash are the slot, the next ones the tag.
pub(crate) const SLOT_SHIFT: u32 = u32::BITS - SLOT_BITS;
pub(crate) const TAG_SHIFT: u32 = SLOT_SHIFT - TAG_MASK.count_ones();

/// The highest mean: a reward of 100.
pub(crate) const MAX_MEAN: u32 = 0xFFFF;

/// `2^16 / n`, rounded: a division would take longer than the rest of an update.
static RECIPROCALS: [u32; MAX_COUNT as usize + 1] = reciprocals();

const fn reciprocals() -> [u32; MAX_COUNT as usize + 1] {
    let mut list = [0; MAX_COUNT as usize + 1];
    let mut n = 1;
    while n <= MAX_COUNT {
        list[n as usize] = ((1 << 16) + n / 2) / n;
        n += 1;
    }
    list
}

/// A reward, 0 to 100, as a fixed-point mean.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rewards are from 0 to 100")]
pub(crate) fn fixed(reward: f64) -> u32 {
    (reward.clamp(0.0, 100.0) * (f64::from(MAX_MEAN) / 100.0)).round() as u32
}

/// The mean of an entry.
#[inline(always)]
pub(crate) fn mean(entry: PackedMean) -> u32 {
    entry >> 16
}

/// The mean of an entry; the highest mean if its count is 0.
#[inline(always)]
pub(crate) fn mean_or_max(entry: PackedMean) -> u32 {
    if entry & COUNT_MASK > 0 { mean(entry) } else { MAX_MEAN }
}

/// The mean after `weight` more rewards of the same value, out of `count` in all.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it stays between both")]
fn updated_mean(mean: u32, weight: u32, reward: u32, count: u32) -> u32 {
    let reciprocal = RECIPROCALS[(count & MAX_COUNT) as usize];
    // Step towards the reward, at most all the way.
    let part = match weight {
        1 => reciprocal,
        _ => (weight.min(count) * reciprocal).min(1 << 16),
    };
    let change = (i64::from(reward) - i64::from(mean)) * i64::from(part) + (1 << 15);
    (i64::from(mean) + (change >> 16)) as u32
}

/// Adds `weight` equal rewards.
#[inline(always)]
pub(crate) fn add(entry: &mut PackedMean, weight: u32, reward: u32) {
    let count = ((*entry & COUNT_MASK) + weight).min(MAX_COUNT);
    *entry = updated_mean(mean(*entry), weight, reward, count) << 16 | count;
}

/// Means of N-grams by hash. On a collision, the more frequent N-gram keeps the slot. With eight
/// bits of tag, 1 in 256 lookups of absent N-grams is a false hit, which the mean over N-grams
/// tolerates.
#[derive(Clone, Debug)]
pub(crate) struct NgramHashTable(pub(crate) Box<[u32; TABLE_SLOTS]>);

impl NgramHashTable {
    pub(crate) fn new() -> Self {
        Self(Box::new([0; TABLE_SLOTS]))
    }

    #[inline(always)]
    pub(crate) fn slot(hash: u32) -> (usize, u32) {
        ((hash >> SLOT_SHIFT) as usize, hash >> TAG_SHIFT & TAG_MASK)
    }

    /// The mean of an N-gram that occurred at least `k` times.
    #[inline(always)]
    pub(crate) fn look_up(&self, hash: u32, k: u32) -> Option<u32> {
        let (slot, tag) = Self::slot(hash);
        let entry = self.0[slot];
        (entry & TAG_MASK == tag && entry & TABLE_COUNT_MASK >= k << 8).then_some(mean(entry))
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, hash: u32, weight: u32, reward: u32) {
        let (slot, tag) = Self::slot(hash);
        let entry = &mut self.0[slot];
        let (old, count) = (mean(*entry), (*entry & TABLE_COUNT_MASK) >> 8);
        // Branch-free: whether the slot matches is unpredictable.
        let is_own = *entry & TAG_MASK == tag;
        // A frequent N-gram is not replaced by one that occurs once.
        let is_lost = !is_own & (count > weight);
        let before = if is_own { count } else { 0 };
        let grown = (before + weight).min(MAX_TABLE_COUNT);
        let taken =
            updated_mean(if is_own { old } else { reward }, weight, reward, grown) << 16 | grown << 8 | tag;
        *entry = if is_lost { entry.wrapping_sub(weight << 8) } else { taken };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mean as a reward, 0 to 100.
    #[allow(clippy::cast_precision_loss, reason = "means have 16 bits")]
    fn as_reward(mean: u32) -> f32 {
        mean as f32 * (100.0 / MAX_MEAN as f32)
    }

    #[test]
    fn packed_means_are_means() {
        let mut random = fastrand::Rng::with_seed(1);
        for share in [0.0, 0.02, 0.5, 0.77, 1.0] {
            let (mut entry, mut sum, mut n) = (0, 0.0, 0.0);
            for _ in 0..900 {
                let reward = if random.f64() < share { 100.0 } else { 0.0 };
                add(&mut entry, 1, fixed(reward));
                (sum, n) = (sum + reward, n + 1.0);
                assert!((f64::from(as_reward(mean(entry))) - sum / n).abs() < 0.3, "{share} after {n}");
            }
            assert_eq!(entry & COUNT_MASK, 900);
        }
    }

    #[test]
    fn weighted_updates_equal_single_ones() {
        let (mut once, mut often) = (0, 0);
        for reward in [100.0, 0.0, 50.0] {
            add(&mut once, 30, fixed(reward));
            (0..30).for_each(|_| add(&mut often, 1, fixed(reward)));
        }
        assert_eq!(once & COUNT_MASK, often & COUNT_MASK);
        assert!(mean(once).abs_diff(mean(often)) < 60, "{} {}", mean(once), mean(often));
    }

    /// Counts saturate and nothing overflows.
    #[test]
    fn saturated_means_follow_the_latest_rewards() {
        let mut entry = 0;
        let mut table = NgramHashTable::new();
        for reward in [100.0, 0.0, 100.0] {
            for _ in 0..10_000 {
                add(&mut entry, 7, fixed(reward));
                table.add(12345, 7, fixed(reward));
            }
            assert!((f64::from(as_reward(mean(entry))) - reward).abs() < 2.0);
            assert!((f64::from(as_reward(table.look_up(12345, 7).unwrap())) - reward).abs() < 2.0);
        }
        add(&mut entry, u32::from(u16::MAX), fixed(40.0));
        assert!((as_reward(mean(entry)) - 40.0).abs() < 0.5);
    }

    #[test]
    fn the_more_frequent_ngram_keeps_its_slot() {
        let mut table = NgramHashTable::new();
        let (one, other) = (77 << SLOT_SHIFT, 77 << SLOT_SHIFT | 1 << TAG_SHIFT);
        (0..3).for_each(|_| table.add(one, 1, fixed(50.0)));
        table.add(other, 1, 0);
        assert_eq!((table.look_up(one, 2), table.look_up(other, 1)), (Some(fixed(50.0)), None));
        (0..3).for_each(|_| table.add(other, 1, fixed(100.0)));
        assert_eq!((table.look_up(one, 1), table.look_up(other, 1)), (None, Some(MAX_MEAN)));
        assert_eq!(table.look_up(other, 3), None);
    }
}

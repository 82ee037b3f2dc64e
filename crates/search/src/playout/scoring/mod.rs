//! Scores very many moves at once, each in its own context: the most expensive part of NST.
//!
//! A key is a score with random lower bits, so an argmax is one comparison per move and ties are
//! broken at random. Scalar and vector code compute the same keys.

use super::packed_mean::{
    COUNT_MASK, MAX_MEAN, NgramHashTable, PackedMean, SLOT_SHIFT, TABLE_COUNT_MASK, TABLE_SLOTS, TAG_MASK,
    TAG_SHIFT, mean,
};

/// Random bits below a score, which has 19 bits.
const TIE_BREAK_BITS: u32 = 13;

/// The mean over the unigram and those of bigram and trigram that count, times six: an integer for
/// one, two and three means.
#[inline(always)]
pub(crate) fn score(one: u32, bigrams: Option<u32>, trigrams: Option<u32>) -> u32 {
    let sum = one + bigrams.unwrap_or(0) + trigrams.unwrap_or(0);
    match (bigrams.is_some(), trigrams.is_some()) {
        (false, false) => 6 * sum,
        (true, true) => 2 * sum,
        _ => 3 * sum,
    }
}

/// A score as a reward, 0 to 100.
#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "scores have 19 bits")]
pub(crate) fn as_reward(score: u32) -> f32 {
    score as f32 * (100.0 / (6 * MAX_MEAN) as f32)
}

/// The hash of the last move of an N-gram.
#[inline(always)]
pub(crate) fn last(id: u32) -> u32 {
    id.wrapping_mul(LAST)
}

const LAST: u32 = 0xC2B2_AE3D;

/// Bigram means.
#[derive(Clone, Copy)]
pub(crate) enum BigramsView<'a> {
    /// As matrix rows.
    Rows(&'a [PackedMean]),
    Hashed(&'a NgramHashTable),
}

/// The tables that moves are scored by.
#[derive(Clone, Copy)]
pub(crate) struct NgramView<'a> {
    /// By move index: its id, and its unigram mean.
    pub ids: &'a [u32],
    pub unigrams: &'a [u32],
    pub bigrams: BigramsView<'a>,
    pub trigrams: &'a NgramHashTable,
    /// Bigrams and trigrams count from this many occurrences on.
    pub k: u32,
}

/// Moves to score: for each its index, and the bigram and trigram keys of its context. Lists are at
/// least as long as the number of keys, rounded up to sixteen.
#[derive(Clone, Copy)]
pub(crate) struct ScoreQuery<'a> {
    pub places: &'a [u32],
    pub bigrams: &'a [u32],
    pub trigrams: &'a [u32],
    /// Seed of the random bits.
    pub seed: u32,
}

/// Pseudo-random bits of an index.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "there are fewer than 2^32")]
fn random_bits(seed: u32, at: usize) -> u32 {
    let mut bits = seed.wrapping_add((at as u32).wrapping_mul(0x9E37_79B9));
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0x85EB_CA6B);
    bits ^= bits >> 13;
    bits.wrapping_mul(0xC2B2_AE35)
}

/// The key of a score.
#[inline(always)]
pub(crate) fn key(score: u32, seed: u32, at: usize) -> u32 {
    score << TIE_BREAK_BITS | random_bits(seed, at) >> (u32::BITS - TIE_BREAK_BITS)
}

/// Computes the keys of the first `keys.len()` moves.
#[inline(always)]
pub(crate) fn keys_scalar(known: NgramView<'_>, asked: ScoreQuery<'_>, keys: &mut [u32]) {
    for (at, out) in keys.iter_mut().enumerate() {
        let place = asked.places[at] as usize;
        let (id, one) = (known.ids[place], known.unigrams[place]);
        let bigrams = match known.bigrams {
            BigramsView::Rows(rows) => {
                let entry = rows[(asked.bigrams[at].wrapping_add(id) as usize).min(rows.len() - 1)];
                (entry & COUNT_MASK >= known.k).then_some(mean(entry))
            }
            BigramsView::Hashed(table) => table.look_up(asked.bigrams[at].wrapping_add(last(id)), known.k),
        };
        let trigrams = known.trigrams.look_up(asked.trigrams[at].wrapping_add(last(id)), known.k);
        *out = key(score(one, bigrams, trigrams), asked.seed, at);
    }
}

/// The same for moves scored by unigrams only.
#[inline(always)]
pub(crate) fn unigram_keys(unigrams: &[u32], places: &[u32], seed: u32, keys: &mut [u32]) {
    for (at, (out, &place)) in keys.iter_mut().zip(places).enumerate() {
        *out = key(score(unigrams[place as usize], None, None), seed, at);
    }
}

/// Index of the highest key, the first of several; 0 if there is none.
#[inline(always)]
pub(crate) fn best_scalar(keys: &[u32]) -> usize {
    let mut best = (0, 0);
    for (at, &key) in keys.iter().enumerate() {
        best = if key > best.1 { (at, key) } else { best };
    }
    best.0
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "sixteen moves are looked up at once: see there")]
pub(crate) mod avx512;
pub(crate) mod gumbel;

#[cfg(test)]
mod tests {
    use super::super::packed_mean::{add, fixed};
    use super::*;

    /// Scores are means of the N-grams that count.
    #[test]
    fn scores_are_means_of_the_ngrams_that_count() {
        let (one, bigrams, trigrams) = (fixed(60.0), fixed(90.0), fixed(30.0));
        let close = |score: u32, expected: f32| (as_reward(score) - expected).abs() < 0.01;
        assert!(close(score(one, None, None), 60.0));
        assert!(close(score(one, Some(bigrams), None), 75.0));
        assert!(close(score(one, None, Some(trigrams)), 45.0));
        assert!(close(score(one, Some(bigrams), Some(trigrams)), 60.0));
        assert!(key(score(MAX_MEAN, Some(MAX_MEAN), Some(MAX_MEAN)), 3, 4) >> TIE_BREAK_BITS == 6 * MAX_MEAN);
    }

    #[test]
    fn the_best_is_the_first_of_the_highest() {
        assert_eq!(best_scalar(&[]), 0);
        assert_eq!(best_scalar(&[0, 0]), 0);
        assert_eq!(best_scalar(&[3, 7, 2, 7]), 1);
    }

    /// A table with random entries, and their hashes.
    fn learned(random: &mut fastrand::Rng) -> (NgramHashTable, Vec<u32>) {
        let mut table = NgramHashTable::new();
        let hashes: Vec<u32> = (0..20_000).map(|_| random.u32(..)).collect();
        for &hash in &hashes {
            table.add(hash, random.u32(1..9), fixed(random.f64() * 100.0));
        }
        (table, hashes)
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    #[allow(unsafe_code, reason = "vector instructions are called where the processor has them")]
    fn vector_keys_equal_scalar_keys() {
        if !avx512::has_avx512() {
            eprintln!("skipped: this processor has no AVX-512 with VBMI2");
            return;
        }
        let mut random = fastrand::Rng::with_seed(1);
        let ((bigrams, bigram_hashes), (trigrams, trigram_hashes)) =
            (learned(&mut random), learned(&mut random));
        const MOVES: u32 = 100;
        let moves = MOVES as usize;
        let mut rows: Vec<PackedMean> = vec![0; (moves + 1) * moves];
        for _ in 0..40_000 {
            let at = random.usize(..moves * moves);
            add(&mut rows[at], 1, fixed(random.f64() * 100.0));
        }
        // Contexts for which lookups hit the table; move ids equal move indices.
        let contexts = |random: &mut fastrand::Rng, places: &[u32], hashes: &[u32]| -> Vec<u32> {
            let hash = |place: &u32| hashes[random.usize(..hashes.len())].wrapping_sub(last(*place));
            places.iter().map(hash).collect()
        };
        let mut known = 0;
        for count in [0, 1, 2, 15, 16, 17, 40, 1000] {
            for pairs in [BigramsView::Rows(&rows), BigramsView::Hashed(&bigrams)] {
                let ids: Vec<u32> = (0..MOVES).collect();
                let unigrams: Vec<u32> = ids.iter().map(|_| random.u32(..=MAX_MEAN)).collect();
                let of = NgramView {
                    ids: &ids,
                    unigrams: &unigrams,
                    bigrams: pairs,
                    trigrams: &trigrams,
                    k: random.u32(1..8),
                };
                let room = usize::next_multiple_of(count, 16);
                let list = |random: &mut fastrand::Rng, below: u32| -> Vec<u32> {
                    (0..room).map(|_| random.u32(..below)).collect()
                };
                let places = list(&mut random, MOVES);
                let starts = match pairs {
                    BigramsView::Rows(_) => list(&mut random, 101).iter().map(|row| row * MOVES).collect(),
                    BigramsView::Hashed(_) => contexts(&mut random, &places, &bigram_hashes),
                };
                let hashes = contexts(&mut random, &places, &trigram_hashes);
                let asked =
                    ScoreQuery { places: &places, bigrams: &starts, trigrams: &hashes, seed: random.u32(..) };
                let (mut plain, mut vector) = (vec![0; count], vec![1; count]);
                keys_scalar(of, asked, &mut plain);
                // SAFETY: the processor has AVX-512.
                unsafe { avx512::keys(of, asked, &mut vector) };
                assert_eq!(plain, vector, "{count}");
                // SAFETY: as above.
                assert_eq!(best_scalar(&plain), unsafe { avx512::best(&plain) });
                let (mut plain_ones, mut vector_ones) = (vec![0; count], vec![1; count]);
                unigram_keys(&unigrams, &places, asked.seed, &mut plain_ones);
                // SAFETY: as above.
                unsafe { avx512::unigram_keys(&unigrams, &places, asked.seed, &mut vector_ones) };
                assert_eq!(plain_ones, vector_ones, "{count}");
                known += (0..count)
                    .filter(|&at| plain[at] >> TIE_BREAK_BITS != 6 * unigrams[places[at] as usize])
                    .count();
            }
        }
        assert!(known > 500, "longer sequences count: {known}");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    #[allow(unsafe_code, reason = "vector instructions are called where the processor has them")]
    fn vector_lists_equal_scalar_lists() {
        use ludex_game::{Choices, MoveId, RoleId};
        if !avx512::has_avx512() {
            eprintln!("skipped: this processor has no AVX-512 with VBMI2");
            return;
        }
        let mut random = fastrand::Rng::with_seed(1);
        for words in [1usize, 2, 5, 7, 40, 64, 65] {
            let mut choices = Choices::none(RoleId::new(0), 8);
            *choices.table_mut().moves = (0..64 * words).map(MoveId::new).collect();
            *choices.table_mut().bits = (0..512 * words)
                .map(|at| match at % 5 {
                    0 => random.u64(..),
                    1 => u64::MAX,
                    2 => 0,
                    3 => 1 << random.u32(..64),
                    _ => random.u64(..) & random.u64(..) & random.u64(..),
                })
                .collect();
            let (mut plain, mut vector, mut from) = (Vec::new(), Vec::new(), 0);
            let mut occupied = Vec::new();
            // SAFETY: the processor has AVX-512.
            unsafe { avx512::occupied(&choices, &mut occupied) };
            assert_eq!(occupied.is_empty(), !(7..=64).contains(&words));
            for lane in 0..512 {
                let end = choices.list(lane, &mut plain, from);
                // SAFETY: the processor has AVX-512 with VBMI2.
                assert_eq!(unsafe { avx512::list(&choices, &occupied, lane, &mut vector, from) }, end);
                assert_eq!(plain[from..end], vector[from..end]);
                from = end;
            }
        }
    }
}

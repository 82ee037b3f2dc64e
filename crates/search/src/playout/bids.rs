//! The best of the moves that are offered, in many lanes at once.
//!
//! A policy that hears of moves one by one, each with the lanes in which it is legal, keeps for every lane the best so far. What
//! is compared is the score and, where scores are equal, a number that looks random: a hash of the move under a seed of the
//! lane. With probability ε the score does not count, so that the choice is uniform. No branch depends on what is compared.

use ludex_game::MoveId;

/// A lane that is to choose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bid {
    /// Score and chance of the best move so far.
    key: u64,
    best: u32,
    seed: u32,
    /// What counts of scores: everything or nothing.
    mask: u32,
    /// Where pairs of the last move are found, see [`super::ngrams`].
    pub two: u32,
    /// The same for triples.
    pub three: u32,
}

/// Scores are below this.
pub(crate) const SCORES: u32 = 1 << 30;

impl Bid {
    /// A lane without offers yet, where chance decides alone with probability `epsilon`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "both halves of a random number")]
    pub(crate) fn new(epsilon: Probability, random: &mut fastrand::Rng) -> Self {
        let bits = random.u64(..);
        let by_chance = u64::from((bits >> 32) as u32) < epsilon.0;
        Self { seed: bits as u32, mask: u32::from(by_chance).wrapping_sub(1), ..Self::default() }
    }

    /// Offers a move with a score. It comes before all of a lower rank (0 to 3) in any case, even if chance decides.
    ///
    /// Written in masks: of a comparison and two choices by it compilers make a branch, which a processor can only guess.
    #[inline(always)]
    pub(crate) fn offer(&mut self, offer: Offer, score: u32, rank: u32) {
        let chance = (self.seed ^ offer.hash).wrapping_mul(0x9E37_79B1);
        let bits = (score & self.mask) | (rank * SCORES);
        let key = (u64::from(bits) << 32) | u64::from(chance);
        let better = u32::from(key >= self.key).wrapping_neg();
        self.key = self.key.max(key);
        self.best = (offer.id & better) | (self.best & !better);
    }

    /// The best of all that was offered.
    #[inline(always)]
    pub(crate) fn best(&self) -> MoveId {
        MoveId(self.best)
    }
}

/// A move that is offered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    id: u32,
    hash: u32,
}

impl Offer {
    #[inline(always)]
    pub(crate) fn new(id: MoveId) -> Self {
        // Finished as in MurmurHash3: ids are small and close together.
        let mut hash = id.0.wrapping_add(1).wrapping_mul(0x85EB_CA6B);
        hash ^= hash >> 13;
        hash = hash.wrapping_mul(0xC2B2_AE35);
        hash ^= hash >> 16;
        Self { id: id.0, hash }
    }
}

/// A probability, in parts of 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probability(u64);

impl Probability {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^32")]
    pub(crate) fn new(value: f64) -> Self {
        Self((value.clamp(0.0, 1.0) * 4_294_967_296.0).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of `scores` is chosen in so many draws.
    fn draw(scores: &[u32], epsilon: f64, draws: u32) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(5);
        let mut seen = vec![0.0; scores.len()];
        for _ in 0..draws {
            let mut bid = Bid::new(Probability::new(epsilon), &mut random);
            for (id, &score) in (0..).zip(scores) {
                bid.offer(Offer::new(MoveId(id)), score, 0);
            }
            seen[bid.best().index()] += 1.0;
        }
        seen
    }

    /// Chance is fair: chi-square with n - 1 degrees of freedom stays below its mean by five standard deviations.
    #[test]
    fn equal_scores_are_chosen_equally_often() {
        for (moves, epsilon) in [(2usize, 0.0), (3, 1.0), (7, 0.0), (30, 0.5), (200, 1.0)] {
            let draws = 200_000;
            let expected = f64::from(draws) / moves as f64;
            let square: f64 = draw(&vec![100; moves], epsilon, draws)
                .iter()
                .map(|n| (n - expected).powi(2) / expected)
                .sum();
            let freedom = moves as f64 - 1.0;
            assert!(square < freedom + 5.0 * (2.0 * freedom).sqrt(), "{square} for {moves} moves");
        }
    }

    #[test]
    fn the_best_is_taken_unless_chance_wants_otherwise() {
        let seen = draw(&[10, 90, 0, 90], 0.4, 40_000);
        // 0.1 each by chance, 0.3 more for each of the two best.
        for (seen, expected) in seen.iter().zip([4000.0, 16000.0, 4000.0, 16000.0]) {
            assert!((seen - expected).abs() < 500.0, "{seen} for {expected}");
        }
    }

    #[test]
    fn what_is_above_all_scores_is_taken_even_then() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..100 {
            let mut bid = Bid::new(Probability::new(0.5), &mut random);
            bid.offer(Offer::new(MoveId(3)), 7, 1);
            bid.offer(Offer::new(MoveId(1)), 100, 0);
            assert_eq!(bid.best(), MoveId(3));
            bid.offer(Offer::new(MoveId(2)), 0, 2);
            bid.offer(Offer::new(MoveId(4)), SCORES - 1, 0);
            assert_eq!(bid.best(), MoveId(2));
        }
    }
}

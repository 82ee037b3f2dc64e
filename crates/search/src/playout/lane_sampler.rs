//! Samples moves by score in many lanes at once, ε-greedily or by the Gibbs measure.
//!
//! The legal moves of all lanes that go by score are listed one lane after another, each with its
//! context. Then all of them are scored ([`super::scoring`]), and each lane takes its best. With
//! probability ε a lane takes a random move instead and is not listed. For the Gibbs measure,
//! Gumbel noise is added to scores before they are compared ([`super::scoring::gumbel`]).

use ludex_game::{Choices, MoveId};

use super::context::NgramContext;
use super::ngrams::RoleNgrams;
use super::sampling::Sampling;
use super::scoring::gumbel::{ScoreScale, add_gumbel_noise};
use super::scoring::{NgramView, ScoreQuery, best_scalar, keys_scalar, unigram_keys};

/// Padding at the end of lists, in entries: one AVX-512 register.
const SLACK: usize = 16;

/// There is no legal reply.
pub(crate) const NO_REPLY: u32 = u32::MAX;

/// A probability, in units of 2⁻³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probability(u64);

impl Probability {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^32")]
    fn new(value: f64) -> Self {
        Self((value.clamp(0.0, 1.0) * 4_294_967_296.0).round() as u64)
    }
}

/// What moves are sampled by.
pub(crate) struct SamplingTerms<'a> {
    pub choice: Sampling,
    /// By index among the choosing lanes: the index of the reply, or [`NO_REPLY`]; empty without
    /// reply tables.
    pub replies: &'a [u32],
    /// By move index: its unigram mean.
    pub unigrams: &'a [u32],
    /// Bigrams and trigrams, for NST.
    pub ngrams: Option<NgramTerms<'a>>,
}

/// Bigram and trigram tables, and the context by lane: the last move of the previous role, and the
/// one before the last of the role before that.
pub(crate) struct NgramTerms<'a> {
    pub grams: &'a RoleNgrams,
    pub k: u32,
    pub last: &'a [MoveId],
    pub before: &'a [MoveId],
}

/// Samples moves; holds the buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneSampler {
    /// The moves of lanes that go by score, one lane after another: move indices, and the bigram
    /// and trigram keys of their contexts.
    places: Vec<u32>,
    bigrams: Vec<u32>,
    trigrams: Vec<u32>,
    keys: Vec<u32>,
    /// These lanes, as indices among the choosing lanes, and the end of each one's moves.
    listed: Vec<(u32, u32)>,
    /// Choosing lanes without a reply.
    without_reply: Vec<u32>,
    /// By move index: the move id.
    ids: Vec<u32>,
    /// Occupied words of the table of legal moves, see [`Kernel::occupied`].
    occupied: Vec<u64>,
    /// Vector instructions are not allowed (`--instructions`).
    plain_only: bool,
}

/// Lists moves, computes keys and compares them.
trait Kernel {
    /// Finds the words of the table that have moves, if that makes listing faster.
    fn occupied(_: &Choices, _: &mut Vec<u64>) {}
    /// See [`Choices::list`].
    fn list(choices: &Choices, occupied: &[u64], lane: u16, places: &mut Vec<u32>, from: usize) -> usize;
    fn keys(known: NgramView<'_>, asked: ScoreQuery<'_>, keys: &mut [u32]);
    /// See [`unigram_keys`].
    fn unigram_keys(unigrams: &[u32], places: &[u32], seed: u32, keys: &mut [u32]);
    fn best(keys: &[u32]) -> usize;
}

/// Runs on every processor.
struct ScalarKernel;

impl Kernel for ScalarKernel {
    #[inline(always)]
    fn list(choices: &Choices, _: &[u64], lane: u16, places: &mut Vec<u32>, from: usize) -> usize {
        choices.list(lane, places, from)
    }

    #[inline(always)]
    fn keys(known: NgramView<'_>, asked: ScoreQuery<'_>, keys: &mut [u32]) {
        keys_scalar(known, asked, keys);
    }

    #[inline(always)]
    fn unigram_keys(unigrams: &[u32], places: &[u32], seed: u32, keys: &mut [u32]) {
        unigram_keys(unigrams, places, seed, keys);
    }

    #[inline(always)]
    fn best(keys: &[u32]) -> usize {
        best_scalar(keys)
    }
}

impl LaneSampler {
    /// Allows or forbids vector instructions. The choices are the same.
    pub(crate) fn allow_vectors(&mut self, allowed: bool) {
        self.plain_only = !allowed;
    }

    /// Chooses a move, given by index, for each choosing lane.
    pub(crate) fn choose(
        &mut self,
        choices: &Choices,
        terms: &SamplingTerms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if !self.plain_only && super::scoring::avx512::has_avx512() {
            // SAFETY: the processor has every feature that the function is compiled with.
            #[allow(unsafe_code, reason = "see there")]
            return unsafe { x86::choose(self, choices, terms, random, chosen) };
        }
        self.choose_with::<ScalarKernel>(choices, terms, random, chosen);
    }

    #[inline(always)]
    fn choose_with<K: Kernel>(
        &mut self,
        choices: &Choices,
        terms: &SamplingTerms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) {
        let end = self.list::<K>(choices, terms, random, chosen);
        self.keys.resize(end, 0);
        let seed = random.u32(..);
        match &terms.ngrams {
            Some(NgramTerms { grams, k, .. }) => {
                self.ids.clear();
                self.ids.extend(choices.moves().iter().map(|id| id.0));
                let known = grams.known(&self.ids, terms.unigrams, *k);
                let asked = ScoreQuery {
                    places: &self.places,
                    bigrams: &self.bigrams,
                    trigrams: &self.trigrams,
                    seed,
                };
                K::keys(known, asked, &mut self.keys);
            }
            None => K::unigram_keys(terms.unigrams, &self.places, seed, &mut self.keys),
        }
        if let Sampling::Gibbs(temperature) = terms.choice {
            add_gumbel_noise(&mut self.keys, seed, ScoreScale::new(temperature));
        }
        let mut start = 0;
        for &(index, end) in &self.listed {
            let end = end as usize;
            chosen[index as usize] = self.places[start + K::best(&self.keys[start..end])];
            start = end;
        }
    }

    /// Applies replies, makes random choices, and lists the moves of all other lanes. Returns the
    /// number of listed moves.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "indices, and halves of random numbers")]
    fn list<K: Kernel>(
        &mut self,
        choices: &Choices,
        terms: &SamplingTerms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) -> usize {
        self.apply_replies(choices.lanes().len(), terms.replies, chosen);
        self.listed.resize(choices.lanes().len(), (0, 0));
        K::occupied(choices, &mut self.occupied);
        let epsilon = Probability::new(terms.choice.epsilon());
        let (mut count, mut end) = (0, 0);
        for &at in &self.without_reply {
            let lane = choices.lanes()[at as usize];
            let start = end;
            let stop = K::list(choices, &self.occupied, lane, &mut self.places, start);
            if let Some(NgramTerms { grams, last, before, .. }) = &terms.ngrams {
                let lane = usize::from(lane);
                let (bigrams, trigrams) =
                    grams.context_keys(NgramContext { last: last[lane].0, before: before[lane].0 });
                if self.bigrams.len() < self.places.len() {
                    self.bigrams.resize(self.places.len(), 0);
                    self.trigrams.resize(self.places.len(), 0);
                }
                for from in (start..stop).step_by(SLACK) {
                    self.bigrams[from..from + SLACK].fill(bigrams);
                    self.trigrams[from..from + SLACK].fill(trigrams);
                }
            }
            // The random move is always drawn and kept with probability ε: a branch would be
            // mispredicted.
            let bits = random.u64(..);
            let by_chance = u64::from(bits as u32) < epsilon.0;
            let nth = ((bits >> 32) * (stop - start) as u64) >> 32;
            chosen[at as usize] = self.places[start + nth as usize];
            self.listed[count] = (at, stop as u32);
            count += usize::from(!by_chance);
            end = if by_chance { start } else { stop };
        }
        self.listed.truncate(count);
        end
    }

    /// Applies stored replies, and lists the lanes without one. Branch-free: replies are
    /// unpredictable.
    #[inline(always)]
    fn apply_replies(&mut self, lanes: usize, replies: &[u32], chosen: &mut Vec<u32>) {
        self.without_reply.clear();
        chosen.clear();
        if replies.is_empty() {
            chosen.resize(lanes, 0);
            self.without_reply.extend((0..).take(lanes));
            return;
        }
        chosen.extend_from_slice(replies);
        self.without_reply.resize(lanes, 0);
        let mut count = 0;
        for (at, &reply) in (0..).zip(replies) {
            self.without_reply[count] = at;
            count += usize::from(reply == NO_REPLY);
        }
        self.without_reply.truncate(count);
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "code that is compiled for AVX-512 is called where the processor has it")]
mod x86 {
    use super::super::scoring::avx512;
    use super::{Choices, Kernel, LaneSampler, NgramView, SamplingTerms, ScoreQuery};

    /// Uses AVX-512. Only for code that is compiled for it, on processors that have it.
    struct Avx512Kernel;

    impl Kernel for Avx512Kernel {
        #[inline(always)]
        fn occupied(choices: &Choices, occupied: &mut Vec<u64>) {
            // SAFETY: see the type.
            unsafe { avx512::occupied(choices, occupied) };
        }

        #[inline(always)]
        fn list(choices: &Choices, occupied: &[u64], lane: u16, places: &mut Vec<u32>, from: usize) -> usize {
            // SAFETY: see the type.
            unsafe { avx512::list(choices, occupied, lane, places, from) }
        }

        #[inline(always)]
        fn keys(known: NgramView<'_>, asked: ScoreQuery<'_>, keys: &mut [u32]) {
            // SAFETY: see the type.
            unsafe { avx512::keys(known, asked, keys) }
        }

        #[inline(always)]
        fn unigram_keys(unigrams: &[u32], places: &[u32], seed: u32, keys: &mut [u32]) {
            // SAFETY: see the type.
            unsafe { avx512::unigram_keys(unigrams, places, seed, keys) }
        }

        #[inline(always)]
        fn best(keys: &[u32]) -> usize {
            // SAFETY: see the type.
            unsafe { avx512::best(keys) }
        }
    }

    /// [`LaneSampler::choose_with`], compiled for AVX-512.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn choose(
        sampler: &mut LaneSampler,
        choices: &Choices,
        terms: &SamplingTerms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) {
        sampler.choose_with::<Avx512Kernel>(choices, terms, random, chosen);
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::RoleId;

    use super::super::packed_mean::fixed;
    use super::*;

    /// How often each move is chosen by these unigram means, in a number of draws.
    fn draw(unigrams: &[u32], choice: Sampling, reply: u32, draws: u32) -> Vec<f64> {
        let moves: Vec<MoveId> = (0..unigrams.len()).map(MoveId::new).collect();
        let choices = Choices::of_one(RoleId::new(0), &moves);
        let terms = SamplingTerms { choice, replies: &[reply], unigrams, ngrams: None };
        let (mut random, mut sampler) = (fastrand::Rng::with_seed(5), LaneSampler::default());
        let (mut seen, mut chosen) = (vec![0.0; unigrams.len()], Vec::new());
        for _ in 0..draws {
            chosen.clear();
            sampler.choose(&choices, &terms, &mut random, &mut chosen);
            seen[chosen[0] as usize] += 1.0;
        }
        seen
    }

    /// Ties are broken uniformly: chi-square with n - 1 degrees of freedom is at most five standard
    /// deviations above its mean.
    #[test]
    fn equal_scores_are_chosen_equally_often() {
        use Sampling::{EpsilonGreedy, Gibbs};
        for (moves, choice) in [
            (2usize, EpsilonGreedy(0.0)),
            (3, EpsilonGreedy(1.0)),
            (7, EpsilonGreedy(0.0)),
            (30, EpsilonGreedy(0.5)),
            (200, EpsilonGreedy(1.0)),
            (2, Gibbs(10.0)),
            (30, Gibbs(0.0)),
            (200, Gibbs(10.0)),
        ] {
            let draws = 200_000;
            let expected = f64::from(draws) / moves as f64;
            let square: f64 = draw(&vec![100; moves], choice, NO_REPLY, draws)
                .iter()
                .map(|n| (n - expected).powi(2) / expected)
                .sum();
            let freedom = moves as f64 - 1.0;
            assert!(square < freedom + 5.0 * (2.0 * freedom).sqrt(), "{square} for {moves} moves");
        }
    }

    #[test]
    fn the_best_is_taken_unless_the_choice_is_random() {
        let seen = draw(&[10, 90, 0, 90], Sampling::EpsilonGreedy(0.4), NO_REPLY, 40_000);
        // 0.1 each at random, 0.3 more for each of the two best.
        for (seen, expected) in seen.iter().zip([4000.0, 16000.0, 4000.0, 16000.0]) {
            assert!((seen - expected).abs() < 500.0, "{seen} for {expected}");
        }
    }

    #[test]
    fn replies_come_before_random_moves() {
        for choice in [Sampling::EpsilonGreedy(1.0), Sampling::Gibbs(10.0)] {
            assert_eq!(draw(&[10, 90, 0, 90], choice, 2, 100), [0.0, 0.0, 100.0, 0.0]);
        }
    }

    /// 60, 50 and 50 points at τ = 10: weights e, 1 and 1.
    #[test]
    fn the_gibbs_measure_weighs_scores() {
        let unigrams = [60.0, 50.0, 50.0].map(fixed);
        let sum = 1f64.exp() + 2.0;
        let draws = 200_000;
        let seen = draw(&unigrams, Sampling::Gibbs(10.0), NO_REPLY, draws);
        for (seen, p) in seen.iter().zip([1f64.exp() / sum, 1.0 / sum, 1.0 / sum]) {
            let n = f64::from(draws);
            assert!((seen / n - p).abs() < 5.0 * (p * (1.0 - p) / n).sqrt(), "{seen} for {p}");
        }
    }

    /// Scalar and vector kernels choose the same moves.
    #[test]
    fn every_processor_chooses_the_same() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..200 {
            let unigrams: Vec<u32> = (0..random.usize(2..150)).map(|_| random.u32(..50)).collect();
            let moves: Vec<MoveId> = (0..unigrams.len()).map(MoveId::new).collect();
            let choices = Choices::of_one(RoleId::new(0), &moves);
            let choice = if random.bool() { Sampling::EpsilonGreedy(0.3) } else { Sampling::Gibbs(10.0) };
            let terms = SamplingTerms { choice, replies: &[], unigrams: &unigrams, ngrams: None };
            let (mut any, mut plain) = (Vec::new(), Vec::new());
            LaneSampler::default().choose(&choices, &terms, &mut random.clone(), &mut any);
            LaneSampler::default().choose_with::<ScalarKernel>(&choices, &terms, &mut random, &mut plain);
            assert_eq!(any, plain);
        }
    }
}

//! Choices by scores in many lanes at once, ε-greedily or by the Gibbs measure.
//!
//! The legal moves of all lanes that go by scores are written one behind the other, each with its context; then all of them are
//! scored ([`super::scoring`]); then each lane takes its best. With probability ε a lane takes any of its moves instead, and is not
//! listed at all. For the Gibbs measure scores get noise before they are compared ([`super::scoring::gumbel`]).

use ludex_game::{Choices, MoveId};

use super::context::NgramContext;
use super::ngrams::RoleNgrams;
use super::sampling::Sampling;
use super::scoring::gumbel::{ScoreScale, add_gumbel_noise};
use super::scoring::{NgramView, ScoreQuery, best_scalar, keys_scalar, unigram_keys};

/// Behind the lists there has to be room for so many more.
const SLACK: usize = 16;

/// No move is wished for.
pub(crate) const NO_REPLY: u32 = u32::MAX;

/// A probability, in parts of 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probability(u64);

impl Probability {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^32")]
    fn new(value: f64) -> Self {
        Self((value.clamp(0.0, 1.0) * 4_294_967_296.0).round() as u64)
    }
}

/// What is chosen by.
pub(crate) struct SamplingTerms<'a> {
    pub choice: Sampling,
    /// By index of a lane among those that choose: the place of a move that is made in any case, or [`NO_REPLY`]; empty if there are
    /// none.
    pub replies: &'a [u32],
    /// By place: the mean of the move alone.
    pub unigrams: &'a [u32],
    /// Longer sequences, if they count.
    pub sequences: Option<NgramTerms<'a>>,
}

/// What longer sequences gave, and by lane: the last move of the role before, and the one before the last of the role before that.
pub(crate) struct NgramTerms<'a> {
    pub grams: &'a RoleNgrams,
    pub k: u32,
    pub last: &'a [MoveId],
    pub before: &'a [MoveId],
}

/// Chooses; keeps room for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneSampler {
    /// The moves of lanes that go by scores, one lane behind the other: places, and where pairs and triples are found.
    places: Vec<u32>,
    bigrams: Vec<u32>,
    trigrams: Vec<u32>,
    keys: Vec<u32>,
    /// Which lanes these are, as indices among those that choose, and where the moves of each end.
    listed: Vec<(u32, u32)>,
    /// Lanes without a wish, as such indices.
    without_reply: Vec<u32>,
    /// By place: the number of the move.
    ids: Vec<u32>,
    /// What the kernel knows of the table.
    occupied: Vec<u64>,
}

/// How moves are listed, and keys are computed and compared.
trait Kernel {
    /// What makes listing faster, if anything does.
    fn occupied(_: &Choices, _: &mut Vec<u64>) {}
    /// [`Choices::list`].
    fn list(choices: &Choices, occupied: &[u64], lane: u16, places: &mut Vec<u32>, from: usize) -> usize;
    fn keys(known: NgramView<'_>, asked: ScoreQuery<'_>, keys: &mut [u32]);
    /// [`unigram_keys`].
    fn unigram_keys(unigrams: &[u32], places: &[u32], seed: u32, keys: &mut [u32]);
    fn best(keys: &[u32]) -> usize;
}

/// With what every processor has.
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
    /// The place of a move for each lane that chooses.
    pub(crate) fn choose(
        &mut self,
        choices: &Choices,
        terms: &SamplingTerms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if super::scoring::avx512::has_avx512() {
            // SAFETY: the processor has what the function is compiled for.
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
        match &terms.sequences {
            Some(NgramTerms { grams, k, .. }) => {
                self.ids.clear();
                self.ids.extend(choices.moves.iter().map(|id| id.0));
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

    /// Grants wishes, draws by chance, and lists the moves of all other lanes. Gives how many moves there are.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "indices, and halves of random numbers")]
    fn list<K: Kernel>(
        &mut self,
        choices: &Choices,
        terms: &SamplingTerms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) -> usize {
        self.apply_replies(choices.lanes.len(), terms.replies, chosen);
        self.listed.resize(choices.lanes.len(), (0, 0));
        K::occupied(choices, &mut self.occupied);
        let epsilon = Probability::new(terms.choice.epsilon());
        let (mut count, mut end) = (0, 0);
        for &at in &self.without_reply {
            let lane = choices.lanes[at as usize];
            let start = end;
            let stop = K::list(choices, &self.occupied, lane, &mut self.places, start);
            if let Some(NgramTerms { grams, last, before, .. }) = &terms.sequences {
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
            // What chance draws is drawn in any case, and stays if chance decides: whether it does cannot be guessed.
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

    /// What is wished for is chosen; lanes without a wish are listed. No branch: who has a wish cannot be guessed.
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

    /// With AVX-512. Only for code that is compiled for it and runs where it is there.
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

    /// How often each move is chosen by these means of single moves, in so many draws.
    fn draw(unigrams: &[u32], choice: Sampling, reply: u32, draws: u32) -> Vec<f64> {
        let moves: Vec<MoveId> = (0..unigrams.len()).map(MoveId::new).collect();
        let choices = Choices::of_one(RoleId::new(0), &moves);
        let terms = SamplingTerms { choice, replies: &[reply], unigrams, sequences: None };
        let (mut random, mut sampler) = (fastrand::Rng::with_seed(5), LaneSampler::default());
        let (mut seen, mut chosen) = (vec![0.0; unigrams.len()], Vec::new());
        for _ in 0..draws {
            chosen.clear();
            sampler.choose(&choices, &terms, &mut random, &mut chosen);
            seen[chosen[0] as usize] += 1.0;
        }
        seen
    }

    /// Chance is fair: chi-square with n - 1 degrees of freedom stays below its mean by five standard deviations.
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
    fn the_best_is_taken_unless_chance_wants_otherwise() {
        let seen = draw(&[10, 90, 0, 90], Sampling::EpsilonGreedy(0.4), NO_REPLY, 40_000);
        // 0.1 each by chance, 0.3 more for each of the two best.
        for (seen, expected) in seen.iter().zip([4000.0, 16000.0, 4000.0, 16000.0]) {
            assert!((seen - expected).abs() < 500.0, "{seen} for {expected}");
        }
    }

    #[test]
    fn wishes_are_granted_even_if_chance_would_decide() {
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

    /// With vector instructions and without, the same is chosen.
    #[test]
    fn every_processor_chooses_the_same() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..200 {
            let unigrams: Vec<u32> = (0..random.usize(2..150)).map(|_| random.u32(..50)).collect();
            let moves: Vec<MoveId> = (0..unigrams.len()).map(MoveId::new).collect();
            let choices = Choices::of_one(RoleId::new(0), &moves);
            let choice = if random.bool() { Sampling::EpsilonGreedy(0.3) } else { Sampling::Gibbs(10.0) };
            let terms = SamplingTerms { choice, replies: &[], unigrams: &unigrams, sequences: None };
            let (mut any, mut plain) = (Vec::new(), Vec::new());
            LaneSampler::default().choose(&choices, &terms, &mut random.clone(), &mut any);
            LaneSampler::default().choose_with::<ScalarKernel>(&choices, &terms, &mut random, &mut plain);
            assert_eq!(any, plain);
        }
    }
}

//! Choices by scores in many lanes at once, ε-greedily or by the Gibbs measure.
//!
//! The legal moves of all lanes that go by scores are written one behind the other, each with its context; then all of them are
//! scored ([`super::scoring`]); then each lane takes its best. With probability ε a lane takes any of its moves instead, and is not
//! listed at all. For the Gibbs measure scores get noise before they are compared ([`super::scoring::gibbs`]).

use ludex_game::{Choices, MoveId};

use super::context::Context;
use super::learned::Choice;
use super::ngrams::Grams;
use super::scoring::gibbs::{Scale, with_noise};
use super::scoring::{Asked, Known, best_plain, keys_of_ones, keys_plain};

/// Behind the lists there has to be room for so many more.
const SLACK: usize = 16;

/// No move is wished for.
pub(crate) const NO_WISH: u32 = u32::MAX;

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
pub(crate) struct Terms<'a> {
    pub choice: Choice,
    /// By index of a lane among those that choose: the place of a move that is made in any case, or [`NO_WISH`]; empty if there are
    /// none.
    pub wishes: &'a [u32],
    /// By place: the mean of the move alone.
    pub ones: &'a [u32],
    /// Longer sequences, if they count.
    pub sequences: Option<Sequences<'a>>,
}

/// What longer sequences gave, and by lane: the last move of the role before, and the one before the last of the role before that.
pub(crate) struct Sequences<'a> {
    pub grams: &'a Grams,
    pub k: u32,
    pub last: &'a [MoveId],
    pub before: &'a [MoveId],
}

/// Chooses; keeps room for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct InLanes {
    /// The moves of lanes that go by scores, one lane behind the other: places, and where pairs and triples are found.
    places: Vec<u32>,
    two: Vec<u32>,
    three: Vec<u32>,
    keys: Vec<u32>,
    /// Which lanes these are, as indices among those that choose, and where the moves of each end.
    listed: Vec<(u32, u32)>,
    /// Lanes without a wish, as such indices.
    without: Vec<u32>,
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
    fn keys(known: Known<'_>, asked: Asked<'_>, keys: &mut [u32]);
    /// [`keys_of_ones`].
    fn keys_of_ones(ones: &[u32], places: &[u32], seed: u32, keys: &mut [u32]);
    fn best(keys: &[u32]) -> usize;
}

/// With what every processor has.
struct Plain;

impl Kernel for Plain {
    #[inline(always)]
    fn list(choices: &Choices, _: &[u64], lane: u16, places: &mut Vec<u32>, from: usize) -> usize {
        choices.list(lane, places, from)
    }

    #[inline(always)]
    fn keys(known: Known<'_>, asked: Asked<'_>, keys: &mut [u32]) {
        keys_plain(known, asked, keys);
    }

    #[inline(always)]
    fn keys_of_ones(ones: &[u32], places: &[u32], seed: u32, keys: &mut [u32]) {
        keys_of_ones(ones, places, seed, keys);
    }

    #[inline(always)]
    fn best(keys: &[u32]) -> usize {
        best_plain(keys)
    }
}

impl InLanes {
    /// The place of a move for each lane that chooses.
    pub(crate) fn choose(
        &mut self,
        choices: &Choices,
        terms: &Terms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if super::scoring::avx512::has_avx512() {
            // SAFETY: the processor has what the function is compiled for.
            #[allow(unsafe_code, reason = "see there")]
            return unsafe { x86::choose(self, choices, terms, random, chosen) };
        }
        self.choose_with::<Plain>(choices, terms, random, chosen);
    }

    #[inline(always)]
    fn choose_with<K: Kernel>(
        &mut self,
        choices: &Choices,
        terms: &Terms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) {
        let end = self.list::<K>(choices, terms, random, chosen);
        self.keys.resize(end, 0);
        let seed = random.u32(..);
        match &terms.sequences {
            Some(Sequences { grams, k, .. }) => {
                self.ids.clear();
                self.ids.extend(choices.moves.iter().map(|id| id.0));
                let known = grams.known(&self.ids, terms.ones, *k);
                let asked = Asked { places: &self.places, two: &self.two, three: &self.three, seed };
                K::keys(known, asked, &mut self.keys);
            }
            None => K::keys_of_ones(terms.ones, &self.places, seed, &mut self.keys),
        }
        if let Choice::Gibbs(temperature) = terms.choice {
            with_noise(&mut self.keys, seed, Scale::new(temperature));
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
        terms: &Terms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) -> usize {
        self.grant_wishes(choices.lanes.len(), terms.wishes, chosen);
        self.listed.resize(choices.lanes.len(), (0, 0));
        K::occupied(choices, &mut self.occupied);
        let epsilon = Probability::new(terms.choice.epsilon());
        let (mut count, mut end) = (0, 0);
        for &at in &self.without {
            let lane = choices.lanes[at as usize];
            let start = end;
            let stop = K::list(choices, &self.occupied, lane, &mut self.places, start);
            if let Some(Sequences { grams, last, before, .. }) = &terms.sequences {
                let lane = usize::from(lane);
                let (two, three) = grams.before(Context { last: last[lane].0, before: before[lane].0 });
                if self.two.len() < self.places.len() {
                    self.two.resize(self.places.len(), 0);
                    self.three.resize(self.places.len(), 0);
                }
                for from in (start..stop).step_by(SLACK) {
                    self.two[from..from + SLACK].fill(two);
                    self.three[from..from + SLACK].fill(three);
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
    fn grant_wishes(&mut self, lanes: usize, wishes: &[u32], chosen: &mut Vec<u32>) {
        self.without.clear();
        chosen.clear();
        if wishes.is_empty() {
            chosen.resize(lanes, 0);
            self.without.extend((0..).take(lanes));
            return;
        }
        chosen.extend_from_slice(wishes);
        self.without.resize(lanes, 0);
        let mut count = 0;
        for (at, &wish) in (0..).zip(wishes) {
            self.without[count] = at;
            count += usize::from(wish == NO_WISH);
        }
        self.without.truncate(count);
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "code that is compiled for AVX-512 is called where the processor has it")]
mod x86 {
    use super::super::scoring::avx512;
    use super::{Asked, Choices, InLanes, Kernel, Known, Terms};

    /// With AVX-512. Only for code that is compiled for it and runs where it is there.
    struct Avx512;

    impl Kernel for Avx512 {
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
        fn keys(known: Known<'_>, asked: Asked<'_>, keys: &mut [u32]) {
            // SAFETY: see the type.
            unsafe { avx512::keys(known, asked, keys) }
        }

        #[inline(always)]
        fn keys_of_ones(ones: &[u32], places: &[u32], seed: u32, keys: &mut [u32]) {
            // SAFETY: see the type.
            unsafe { avx512::keys_of_ones(ones, places, seed, keys) }
        }

        #[inline(always)]
        fn best(keys: &[u32]) -> usize {
            // SAFETY: see the type.
            unsafe { avx512::best(keys) }
        }
    }

    /// [`InLanes::choose_with`], compiled for AVX-512.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn choose(
        in_lanes: &mut InLanes,
        choices: &Choices,
        terms: &Terms<'_>,
        random: &mut fastrand::Rng,
        chosen: &mut Vec<u32>,
    ) {
        in_lanes.choose_with::<Avx512>(choices, terms, random, chosen);
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::RoleId;

    use super::super::entries::fixed;
    use super::*;

    /// How often each move is chosen by these means of single moves, in so many draws.
    fn draw(ones: &[u32], choice: Choice, wish: u32, draws: u32) -> Vec<f64> {
        let moves: Vec<MoveId> = (0..ones.len()).map(MoveId::new).collect();
        let choices = Choices::of_one(RoleId::new(0), &moves);
        let terms = Terms { choice, wishes: &[wish], ones, sequences: None };
        let (mut random, mut in_lanes) = (fastrand::Rng::with_seed(5), InLanes::default());
        let (mut seen, mut chosen) = (vec![0.0; ones.len()], Vec::new());
        for _ in 0..draws {
            chosen.clear();
            in_lanes.choose(&choices, &terms, &mut random, &mut chosen);
            seen[chosen[0] as usize] += 1.0;
        }
        seen
    }

    /// Chance is fair: chi-square with n - 1 degrees of freedom stays below its mean by five standard deviations.
    #[test]
    fn equal_scores_are_chosen_equally_often() {
        use Choice::{Gibbs, Greedy};
        for (moves, choice) in [
            (2usize, Greedy(0.0)),
            (3, Greedy(1.0)),
            (7, Greedy(0.0)),
            (30, Greedy(0.5)),
            (200, Greedy(1.0)),
            (2, Gibbs(10.0)),
            (30, Gibbs(0.0)),
            (200, Gibbs(10.0)),
        ] {
            let draws = 200_000;
            let expected = f64::from(draws) / moves as f64;
            let square: f64 = draw(&vec![100; moves], choice, NO_WISH, draws)
                .iter()
                .map(|n| (n - expected).powi(2) / expected)
                .sum();
            let freedom = moves as f64 - 1.0;
            assert!(square < freedom + 5.0 * (2.0 * freedom).sqrt(), "{square} for {moves} moves");
        }
    }

    #[test]
    fn the_best_is_taken_unless_chance_wants_otherwise() {
        let seen = draw(&[10, 90, 0, 90], Choice::Greedy(0.4), NO_WISH, 40_000);
        // 0.1 each by chance, 0.3 more for each of the two best.
        for (seen, expected) in seen.iter().zip([4000.0, 16000.0, 4000.0, 16000.0]) {
            assert!((seen - expected).abs() < 500.0, "{seen} for {expected}");
        }
    }

    #[test]
    fn wishes_are_granted_even_if_chance_would_decide() {
        for choice in [Choice::Greedy(1.0), Choice::Gibbs(10.0)] {
            assert_eq!(draw(&[10, 90, 0, 90], choice, 2, 100), [0.0, 0.0, 100.0, 0.0]);
        }
    }

    /// 60, 50 and 50 points at τ = 10: weights e, 1 and 1.
    #[test]
    fn the_gibbs_measure_weighs_scores() {
        let ones = [60.0, 50.0, 50.0].map(fixed);
        let sum = 1f64.exp() + 2.0;
        let draws = 200_000;
        let seen = draw(&ones, Choice::Gibbs(10.0), NO_WISH, draws);
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
            let ones: Vec<u32> = (0..random.usize(2..150)).map(|_| random.u32(..50)).collect();
            let moves: Vec<MoveId> = (0..ones.len()).map(MoveId::new).collect();
            let choices = Choices::of_one(RoleId::new(0), &moves);
            let choice = if random.bool() { Choice::Greedy(0.3) } else { Choice::Gibbs(10.0) };
            let terms = Terms { choice, wishes: &[], ones: &ones, sequences: None };
            let (mut any, mut plain) = (Vec::new(), Vec::new());
            InLanes::default().choose(&choices, &terms, &mut random.clone(), &mut any);
            InLanes::default().choose_with::<Plain>(&choices, &terms, &mut random, &mut plain);
            assert_eq!(any, plain);
        }
    }
}

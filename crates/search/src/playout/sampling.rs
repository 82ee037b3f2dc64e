//! Running means of rewards, and sampling of moves by score: ε-greedy and Gibbs measure.

use super::unseen::HIGHEST_SCORE;

/// A running mean and its number of rewards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RunningMean {
    pub count: f32,
    pub value: f32,
}

impl RunningMean {
    /// Adds `weight` equal rewards.
    #[inline(always)]
    pub(crate) fn add(&mut self, weight: f32, value: f32) {
        self.count += weight;
        self.value += (value - self.value) * weight / self.count;
    }
}

/// How a move is sampled by score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sampling {
    /// The best move, or with probability ε a uniformly random one.
    EpsilonGreedy(f64),
    /// `P(a) = e^{Q(a)/τ} / Σ e^{Q(b)/τ}`, with this temperature τ.
    Gibbs(f64),
}

impl Sampling {
    /// The probability of a uniformly random move.
    pub(crate) fn epsilon(self) -> f64 {
        match self {
            Sampling::EpsilonGreedy(epsilon) => epsilon,
            Sampling::Gibbs(_) => 0.0,
        }
    }
}

/// Samples a move by score. `fill` appends the scores of `count` moves, at least one, to the empty
/// list; it is only called if they are needed.
#[inline(always)]
pub(crate) fn sample_by(
    choice: Sampling,
    count: usize,
    list: &mut Vec<f32>,
    fill: impl FnOnce(&mut Vec<f32>),
    random: &mut fastrand::Rng,
) -> usize {
    list.clear();
    match choice {
        Sampling::EpsilonGreedy(epsilon) => {
            if random.f64() < epsilon {
                return random.usize(..count);
            }
            fill(list);
            // Several branch-free passes: the branches would be unpredictable.
            let best =
                list.iter().fold(f32::NEG_INFINITY, |best, &score| if score > best { score } else { best });
            let equals: usize = list.iter().map(|&score| usize::from(score == best)).sum();
            let nth = if equals > 1 { random.usize(..equals) } else { 0 };
            let is_best = |&(_, &score): &(usize, &f32)| score == best;
            list.iter().enumerate().filter(is_best).nth(nth).map_or(0, |(at, _)| at)
        }
        Sampling::Gibbs(temperature) => {
            fill(list);
            let mut sum = 0.0;
            for score in list.iter_mut() {
                // Scores are at most 100, so the shifted exponent is at most 0 and cannot overflow.
                #[allow(clippy::cast_possible_truncation, reason = "weights need no more")]
                let weight = (f64::from(*score - HIGHEST_SCORE) / temperature).exp() as f32;
                sum += weight;
                *score = sum;
            }
            if sum <= 0.0 {
                return random.usize(..count);
            }
            let drawn = random.f32() * sum;
            list.iter().position(|&bound| drawn < bound).unwrap_or(count - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index below the number of these scores, sampled by them.
    fn sample(choice: Sampling, scores: &[f32], random: &mut fastrand::Rng) -> usize {
        let fill = |list: &mut Vec<f32>| list.extend_from_slice(scores);
        sample_by(choice, scores.len(), &mut Vec::new(), fill, random)
    }

    #[test]
    fn a_mean_is_a_mean() {
        let mut mean = RunningMean::default();
        mean.add(1.0, 100.0);
        mean.add(3.0, 20.0);
        assert_eq!(mean, RunningMean { count: 4.0, value: 40.0 });
    }

    /// Three moves with 100, 90 and 50 at τ = 10: weights 1, e^-1, e^-5.
    #[test]
    fn gibbs_sampling_follows_its_formula() {
        let mut random = fastrand::Rng::with_seed(1);
        let scores = [100.0, 90.0, 50.0];
        let mut seen = [0f64; 3];
        let draws = 200_000;
        for _ in 0..draws {
            seen[sample(Sampling::Gibbs(10.0), &scores, &mut random)] += 1.0;
        }
        let sum = 1.0 + (-1f64).exp() + (-5f64).exp();
        for (seen, expected) in seen.iter().zip([1.0, (-1f64).exp(), (-5f64).exp()]) {
            let (p, share) = (expected / sum, seen / f64::from(draws));
            assert!((share - p).abs() < 5.0 * (p * (1.0 - p) / f64::from(draws)).sqrt(), "{share} for {p}");
        }
    }

    #[test]
    fn epsilon_greedy_takes_the_best_or_a_random_move() {
        let mut random = fastrand::Rng::with_seed(1);
        let scores = [10.0, 90.0, 50.0, 90.0];
        let mut seen = [0u32; 4];
        for _ in 0..40_000 {
            seen[sample(Sampling::EpsilonGreedy(0.4), &scores, &mut random)] += 1;
        }
        // 0.1 each at random, 0.3 more for each of the two best.
        for (&seen, expected) in seen.iter().zip([4000.0, 16000.0, 4000.0, 16000.0]) {
            assert!((f64::from(seen) - expected).abs() < 500.0, "{seen} for {expected}");
        }
    }
}

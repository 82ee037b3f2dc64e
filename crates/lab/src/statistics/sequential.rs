//! When enough matches have been played: Wald's sequential probability ratio test on a difference
//! in Elo.
//!
//! The score that a difference of d Elo predicts is s(d) = 1 / (1 + 10^(−d/400)). With the mean m
//! and the variance v of n scores, taken as normal, the logarithm of the likelihood ratio of s₁ =
//! s(elo1) against s₀ = s(elo0) is
//!
//! ```text
//! LLR = n (s₁ − s₀) (2m − s₀ − s₁) / 2v
//! ```
//!
//! That is the generalised test with the variance estimated from the scores themselves, draws
//! included (Van den Bergh, "The Generalized Sequential Probability Ratio Test for Elo
//! differences"). Wald 1945: stop above ln((1−β)/α) and believe elo1, below ln(β/(1−α)) and believe
//! elo0.

use super::Estimate;
use crate::experiment::Sprt;

/// So many wins, draws and losses each are added to the scores, for their variance only. A few
/// equal results have no variance, and the test would stop at once. In a thousand simulated tests
/// of equal players against 50, 100 and 200 Elo, where 5 % wrong ones were asked for, a tenth of
/// each gave 11, 18 and 28 %; two of each 5, 7 and 9 %.
const PRIOR: f64 = 2.0;

/// Where the test stops: at most the first is for `elo0`, at least the second for `elo1`.
pub fn bounds(test: &Sprt) -> (f64, f64) {
    ((test.beta / (1.0 - test.alpha)).ln(), ((1.0 - test.beta) / test.alpha).ln())
}

/// How much more the scores speak for `elo1` than for `elo0`, as a natural logarithm.
pub fn log_likelihood_ratio(test: &Sprt, scores: &[f64]) -> f64 {
    if scores.is_empty() {
        return 0.0;
    }
    let estimate = Estimate::of(scores);
    let n = scores.len() as f64;
    let mean = estimate.mean;
    let beforehand: f64 = [0.0, 0.5, 1.0].iter().map(|score: &f64| PRIOR * (score - mean).powi(2)).sum();
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    let variance = (squares + beforehand) / (n + 3.0 * PRIOR);
    let (s0, s1) = (expected_score(test.elo0), expected_score(test.elo1));
    n * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
}

/// Whether the scores decide: for `elo1` (true), for `elo0` (false), or not yet.
pub fn decided(test: &Sprt, scores: &[f64]) -> Option<bool> {
    let (lower, upper) = bounds(test);
    let ratio = log_likelihood_ratio(test, scores);
    if ratio >= upper {
        Some(true)
    } else if ratio <= lower {
        Some(false)
    } else {
        None
    }
}

/// The score that a difference in Elo predicts.
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Sprt = Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };

    fn scores(wins: usize, draws: usize, losses: usize) -> Vec<f64> {
        [vec![1.0; wins], vec![0.5; draws], vec![0.0; losses]].concat()
    }

    #[test]
    fn bounds_are_walds() {
        let (lower, upper) = bounds(&TEST);
        assert!((upper - 19_f64.ln()).abs() < 1e-12);
        assert!((lower + 19_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn the_ratio_is_that_of_the_formula() {
        // By hand: s1 = 0.571463, m = 0.6, v = 0.24 - 0.05 = 0.19 (500 wins, 200 draws, 300
        // losses): 1000 × 0.071463 × (1.2 − 1.071463) / 0.38 = 24.17; what is added matters little.
        let found = log_likelihood_ratio(&TEST, &scores(500, 200, 300));
        assert!((found - 24.17).abs() < 0.1, "{found}");
    }

    #[test]
    fn it_decides_for_the_better_hypothesis() {
        assert_eq!(decided(&TEST, &[]), None);
        assert_eq!(decided(&TEST, &scores(1, 0, 0)), None);
        assert_eq!(decided(&TEST, &scores(6, 2, 5)), None);
        assert_eq!(decided(&TEST, &scores(500, 200, 300)), Some(true));
        assert_eq!(decided(&TEST, &scores(300, 200, 500)), Some(false));
        // Wins only: it ends, and not after one or two.
        assert_eq!(decided(&TEST, &scores(2, 0, 0)), None);
        assert_eq!(decided(&TEST, &scores(30, 0, 0)), Some(true));
    }

    #[test]
    fn errors_are_as_rare_as_asked() {
        // 400 tests of equal players without draws; a small generator, always the same.
        let mut state = 7_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1_u32 << 31)
        };
        let mut wrong = 0;
        for _ in 0..400 {
            let mut scores = Vec::new();
            let verdict = loop {
                scores.push(if next() < 0.5 { 1.0 } else { 0.0 });
                if let Some(verdict) = decided(&TEST, &scores) {
                    break verdict;
                }
            };
            wrong += u32::from(verdict);
        }
        // 20 are expected at most; 32 are more than chance allows.
        assert!(wrong < 32, "{wrong}");
    }
}

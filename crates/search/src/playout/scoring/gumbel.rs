//! The Gumbel-max trick: samples by the Gibbs measure as an argmax of noisy scores.
//!
//! With `G(a) = -ln(-ln U(a))` for independent uniform `U(a)`, the move with the highest `Q(a)/τ +
//! G(a)` is `a` with probability `e^{Q(a)/τ} / Σ e^{Q(b)/τ}` (E. Gumbel, Statistical theory of
//! extreme values, 1954). This needs no sums and no exponentials, and works on the moves of many
//! lanes side by side. The code uses only additions, products and one division per logarithm, so
//! that compilers vectorize it and all targets compute the same numbers.

use super::{TIE_BREAK_BITS, random_bits};
use crate::playout::packed_mean::MAX_MEAN;

/// Factor on scores, in units of noise: keys are `score * scale + noise`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoreScale(f32);

impl ScoreScale {
    /// The factor for a temperature on the scale of rewards, 0 to 100. Temperatures near 0 are
    /// raised so far that noise is not lost in rounding.
    #[allow(clippy::cast_possible_truncation, reason = "scores need no more than single precision")]
    pub(crate) fn new(temperature: f64) -> Self {
        let most = f64::from(6 * MAX_MEAN);
        Self((100.0 / (most * temperature)).clamp(0.0, MAX_SCALED_SCORE / most) as f32)
    }
}

/// Highest scaled score, in units of noise (about 1): single precision has steps of 1/256 there.
const MAX_SCALED_SCORE: f64 = 32_768.0;

/// Lower bound of the noise.
const MIN_NOISE: f32 = -4.0;

/// Turns keys from [`super::key`] with the same seed into noisy scores: the highest is a sample of
/// the Gibbs measure.
#[inline(always)]
pub(crate) fn add_gumbel_noise(keys: &mut [u32], seed: u32, ScoreScale(scale): ScoreScale) {
    for (at, key) in keys.iter_mut().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "scores have 19 bits")]
        let score = (*key >> TIE_BREAK_BITS) as f32;
        let value = score * scale + (gumbel(random_bits(seed, at)) - MIN_NOISE);
        // Positive floats sort like their bits.
        *key = value.to_bits();
    }
}

/// Gumbel noise `-ln(-ln u)` from random bits, for a uniform `u`.
#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "23 bits are all there is room for")]
fn gumbel(bits: u32) -> f32 {
    // The middle of one of 2²³ intervals, so never 0 or 1.
    let uniform = ((bits >> 9) as f32 + 0.5) * (1.0 / 8_388_608.0);
    -ln(-ln(uniform))
}

/// The natural logarithm of a positive number, by `ln m = 2 (s + s³/3 + s⁵/5 + …)` with `s = (m -
/// 1) / (m + 1)` for `m` between √½ and √2; accurate to six digits, also near 1.
#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "exponents are small")]
fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    // The power of two that scales it into this range.
    let exponent = bits.wrapping_sub(HALF_ROOT).cast_signed() >> 23;
    let m = f32::from_bits(bits.wrapping_sub((exponent << 23).cast_unsigned()));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let series = 1.0 + square * (1.0 / 3.0 + square * (0.2 + square * (1.0 / 7.0 + square * (1.0 / 9.0))));
    2.0 * s * series + exponent as f32 * std::f32::consts::LN_2
}

/// The bits of √½.
const HALF_ROOT: u32 = 0x3F35_04F3;

#[cfg(test)]
mod tests {
    use super::super::{best_scalar, key};
    use super::*;

    #[test]
    fn logarithms_are_right() {
        let mut random = fastrand::Rng::with_seed(1);
        let all = (0..100_000).map(|_| f32::from_bits(random.u32(0x3300_0000..0x4200_0000)));
        for x in all.chain([1.0, 1.0 - f32::EPSILON / 2.0, 1.0 + f32::EPSILON, 0.5, 2.0]) {
            let (ours, exact) = (f64::from(ln(x)), f64::from(x).ln());
            assert!((ours - exact).abs() <= 1e-6 * exact.abs().max(1e-6), "{x}: {ours} for {exact}");
        }
    }

    /// All possible noise is above the lower bound.
    #[test]
    fn noise_is_within_bounds() {
        for bits in (0..512).chain(u32::MAX - 512..=u32::MAX) {
            assert!(gumbel(bits) > MIN_NOISE && gumbel(bits) < 17.0, "{}", gumbel(bits));
        }
        let mut random = fastrand::Rng::with_seed(1);
        let count = 1_000_000;
        let mean = (0..count).map(|_| f64::from(gumbel(random.u32(..)))).sum::<f64>() / f64::from(count);
        // Euler's constant; the standard deviation is π/√6.
        assert!((mean - 0.577_216).abs() < 5.0 * 1.2825 / f64::from(count).sqrt(), "{mean}");
    }

    /// Three moves with 100, 90 and 50: weights 1, e^(-10/τ), e^(-50/τ).
    #[test]
    fn it_is_the_gibbs_measure() {
        let scores = [100.0f64, 90.0, 50.0].map(|points| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 19 bits")]
            let score = (points / 100.0 * f64::from(6 * MAX_MEAN)) as u32;
            score
        });
        for temperature in [10.0, 40.0, 3.0, 1e-9, 1e12] {
            let draws = 300_000;
            let mut seen = [0f64; 3];
            let mut random = fastrand::Rng::with_seed(1);
            for _ in 0..draws {
                let seed = random.u32(..);
                let mut keys: Vec<u32> = (0..3).map(|at| key(scores[at], seed, at)).collect();
                add_gumbel_noise(&mut keys, seed, ScoreScale::new(temperature));
                seen[best_scalar(&keys)] += 1.0;
            }
            let weights = [0.0, 10.0, 50.0].map(|less: f64| (-less / temperature).exp());
            for (seen, weight) in seen.iter().zip(weights) {
                let p = weight / weights.iter().sum::<f64>();
                let (share, draws) = (seen / f64::from(draws), f64::from(draws));
                assert!(
                    (share - p).abs() <= 5.0 * (p * (1.0 - p) / draws).sqrt() + 1e-9,
                    "{share} for {p} at {temperature}"
                );
            }
        }
    }
}

//! How good the mean of some scores is: Wilson's score interval, and the margin that the papers
//! give.
//!
//! Scores are points from 0 to 1: a win is 1, a draw is ½, a draw of three is ⅓. Wilson's interval
//! (Wilson 1927, Journal of the American Statistical Association 22) for the mean p of n scores is
//!
//! ```text
//! (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)
//! ```
//!
//! It stays between 0 and 1 and has some width after wins only, where the normal approximation p ±
//! z √(s²/n) has none. It is made for wins and losses; scores in between vary less than p(1−p), so
//! with draws it is wider than it has to be, never narrower.

/// 95 % of a normal distribution are this many standard deviations around its mean.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// A part of the numbers from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Where it begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Interval {
    /// Wilson's 95 % interval for the mean of so many scores; everything, if there are none.
    pub fn wilson(mean: f64, count: u64) -> Self {
        if count == 0 {
            return Self { low: 0.0, high: 1.0 };
        }
        let n = count as f64;
        let p = mean.clamp(0.0, 1.0);
        let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt() / (1.0 + Z * Z / n);
        // Rounding must not push the ends past the mean when that is 0 or 1.
        Self { low: (middle - half).clamp(0.0, p), high: (middle + half).clamp(p, 1.0) }
    }

    /// Half of its width.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether the number lies in it.
    pub fn contains(self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }
}

/// What some scores say of the player who made them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// How many scores there are.
    pub count: u64,
    /// Their mean; one half if there are none.
    pub mean: f64,
    /// Their variance, with n−1 below the line; zero if there are fewer than two.
    pub variance: f64,
}

impl Estimate {
    /// Of these scores, each from 0 to 1.
    pub fn of(scores: &[f64]) -> Self {
        let count = scores.len() as u64;
        if scores.is_empty() {
            return Self { count, mean: 0.5, variance: 0.0 };
        }
        let mean = scores.iter().sum::<f64>() / count as f64;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        let variance = if count < 2 { 0.0 } else { squares / (count - 1) as f64 };
        Self { count, mean, variance }
    }

    /// The 95 % interval of the mean.
    pub fn interval(&self) -> Interval {
        Interval::wilson(self.mean, self.count)
    }

    /// The number after ± in the papers: z √(s²/n).
    pub fn normal_margin(&self) -> f64 {
        if self.count == 0 { 0.0 } else { Z * (self.variance / self.count as f64).sqrt() }
    }
}

/// The mean of several independent estimates, each with the same weight, and its 95 % interval.
///
/// The half width is z √(Σ vᵢ) / m for m estimates with the variances vᵢ of their means. Each vᵢ is
/// (h/z)² with the half width h of its Wilson interval, so that a cell with wins only does not count
/// as known without error.
pub fn mean_with_interval(estimates: &[Estimate]) -> (f64, Interval) {
    if estimates.is_empty() {
        return (0.5, Interval { low: 0.0, high: 1.0 });
    }
    let m = estimates.len() as f64;
    let mean = estimates.iter().map(|estimate| estimate.mean).sum::<f64>() / m;
    let squares: f64 = estimates.iter().map(|estimate| estimate.interval().half_width().powi(2)).sum();
    let half = squares.sqrt() / m;
    (mean, Interval { low: (mean - half).max(0.0), high: (mean + half).min(1.0) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    #[test]
    fn wilson_has_the_values_of_textbooks() {
        // Newcombe 1998, Statistics in Medicine 17, table I, method 3.
        for (wins, of, low, high) in [
            (81_u32, 263_u32, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let found = Interval::wilson(f64::from(wins) / f64::from(of), of.into());
            assert!(close(found.low, low) && close(found.high, high), "{wins}/{of}: {found:?}");
        }
    }

    #[test]
    fn the_margin_is_that_of_the_papers() {
        // Thesis, table 5.6: 58.8 % of 250 matches without draws, ± 6.11 %.
        let scores: Vec<f64> = (0..250).map(|number| if number < 147 { 1.0 } else { 0.0 }).collect();
        let found = Estimate::of(&scores);
        assert!(close(found.mean, 0.588));
        assert!(close(found.normal_margin(), 0.0611), "{}", found.normal_margin());
    }

    #[test]
    fn nothing_is_known_without_matches() {
        let found = Estimate::of(&[]);
        assert_eq!(found.interval(), Interval { low: 0.0, high: 1.0 });
        assert_eq!(found.normal_margin(), 0.0);
    }

    #[test]
    fn a_mean_of_estimates_is_known_better_than_each() {
        let cell = |wins: usize| Estimate::of(&[vec![1.0; wins], vec![0.0; 20 - wins]].concat());
        let (mean, interval) = mean_with_interval(&[cell(10); 4]);
        assert!(close(mean, 0.5));
        assert!(close(interval.half_width(), cell(10).interval().half_width() / 2.0));
        let (mean, interval) = mean_with_interval(&[cell(20), cell(0)]);
        assert!(close(mean, 0.5) && interval.half_width() > 0.0, "wins only are no certainty");
        assert_eq!(mean_with_interval(&[]).1, Interval { low: 0.0, high: 1.0 });
    }

    proptest! {
        #[test]
        fn intervals_keep_to_their_laws(mean in 0.0..=1.0_f64, count in 1_u64..10_000) {
            let found = Interval::wilson(mean, count);
            prop_assert!(0.0 <= found.low && found.high <= 1.0);
            prop_assert!(found.contains(mean));
            prop_assert!(Interval::wilson(mean, count * 2).half_width() < found.half_width());
            // The other player's interval is the mirror image.
            let other = Interval::wilson(1.0 - mean, count);
            prop_assert!((other.low - (1.0 - found.high)).abs() < 1e-9);
        }
    }
}

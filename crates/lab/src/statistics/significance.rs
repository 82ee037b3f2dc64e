//! How surely a player is better than its opponent: the last column of table 5.6 of Finnsson 2007.

use super::Estimate;

/// The one-tailed confidence that the true mean is above one half: Φ((p − ½) / √(s²/n)), where Φ is
/// the normal distribution. One half if there are no scores or they say nothing.
pub fn improvement_confidence(estimate: &Estimate) -> f64 {
    let above = estimate.mean - 0.5;
    if estimate.count == 0 || above == 0.0 {
        return 0.5;
    }
    // All scores are equal: as sure as the number of matches allows, which the normal distribution
    // does not know. One match that went the other way is taken to bound it.
    let n = estimate.count as f64;
    let variance = if estimate.variance > 0.0 { estimate.variance } else { n / (n + 1.0).powi(2) };
    normal_distribution(above / (variance / n).sqrt())
}

/// Φ(x), to 7 digits: Abramowitz and Stegun 1964, 26.2.17.
fn normal_distribution(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let sum = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * sum;
    if x > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_has_its_values() {
        for (x, value) in [(0.0, 0.5), (1.0, 0.841_344_7), (1.959_964, 0.975), (-1.0, 0.158_655_3)] {
            assert!((normal_distribution(x) - value).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn confidence_is_that_of_the_thesis() {
        // Table 5.6, from the mean and the margin: othello 56.4 ± 6.08 % is above 97 %, connect
        // four 53.6 ± 6.09 % above 87 %.
        for (mean, margin, published) in [(0.564, 0.0608, 0.97), (0.536, 0.0609, 0.87), (0.528, 0.06, 0.81)] {
            let error: f64 = margin / 1.959_964;
            let estimate = Estimate { count: 250, mean, variance: error * error * 250.0 };
            let found = improvement_confidence(&estimate);
            assert!(found > published && found < published + 0.012, "{mean}: {found}");
        }
    }

    #[test]
    fn equal_scores_are_no_proof() {
        assert!(improvement_confidence(&Estimate::of(&[1.0, 1.0])) < 0.99);
        assert!(improvement_confidence(&Estimate::of(&[1.0; 100])) > 0.99);
        assert!(improvement_confidence(&Estimate::of(&[0.5; 100])) == 0.5);
        assert!(improvement_confidence(&Estimate::of(&[])) == 0.5);
    }
}

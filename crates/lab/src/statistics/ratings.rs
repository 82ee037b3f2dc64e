//! One number for each of many players: Bradley and Terry's model, in Elo.
//!
//! The chance that i beats j is 1 / (1 + e^(θⱼ − θᵢ)) (Bradley, Terry 1952, Biometrika 39); a draw
//! counts as half a win of each. The ratings θ with the greatest likelihood are found by Hunter's
//! minorisation (Hunter 2004, The Annals of Statistics 32): with γ = e^θ, points wᵢ and nᵢⱼ
//! matches,
//!
//! ```text
//! γᵢ ← wᵢ / Σⱼ nᵢⱼ / (γᵢ + γⱼ)
//! ```
//!
//! again and again. Who only wins would go to infinity; so everybody also has one drawn match
//! against an average opponent, whose γ is 1. That pulls everybody a little to the middle, less
//! with every match. Intervals come from Fisher's information: its inverse, centred, has the
//! variances of the ratings around their mean on its diagonal.

use super::interval::Z;

/// Elo of a factor e in γ.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Steps of the iteration at most; a few hundred are usual.
const STEPS: usize = 20_000;

/// What is known of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// Its name.
    pub player: String,
    /// Elo above the mean of all players.
    pub elo: f64,
    /// Half of the 95 % interval.
    pub margin: f64,
    /// Its points.
    pub points: f64,
    /// Its matches.
    pub matches: u64,
}

/// Points of players against each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ratings {
    players: Vec<String>,
    /// By player and opponent: what the player scored.
    points: Vec<Vec<f64>>,
    /// By player and opponent: how often they met.
    matches: Vec<Vec<u64>>,
}

impl Ratings {
    /// A match: what the player scored, 0 to 1; the opponent has the rest. A match against oneself
    /// says nothing.
    pub fn add(&mut self, player: &str, opponent: &str, score: f64) {
        if player == opponent {
            return;
        }
        let (i, j) = (self.place(player), self.place(opponent));
        self.points[i][j] += score;
        self.points[j][i] += 1.0 - score;
        self.matches[i][j] += 1;
        self.matches[j][i] += 1;
    }

    fn place(&mut self, player: &str) -> usize {
        if let Some(found) = self.players.iter().position(|known| known == player) {
            return found;
        }
        self.players.push(player.to_owned());
        let count = self.players.len();
        for row in &mut self.points {
            row.push(0.0);
        }
        for row in &mut self.matches {
            row.push(0);
        }
        self.points.push(vec![0.0; count]);
        self.matches.push(vec![0; count]);
        count - 1
    }

    /// The ratings, best first; their mean is 0.
    pub fn fit(&self) -> Vec<Rating> {
        let gammas = self.strengths();
        let count = gammas.len();
        let mean = gammas.iter().map(|gamma| gamma.ln()).sum::<f64>() / count.max(1) as f64;
        let variances = self.variances(&gammas);
        let mut found: Vec<Rating> = (0..count)
            .map(|i| Rating {
                player: self.players[i].clone(),
                elo: (gammas[i].ln() - mean) * ELO,
                margin: Z * variances[i].max(0.0).sqrt() * ELO,
                points: self.points[i].iter().sum(),
                matches: self.matches[i].iter().sum(),
            })
            .collect();
        found.sort_by(|a, b| b.elo.total_cmp(&a.elo).then_with(|| a.player.cmp(&b.player)));
        found
    }

    /// Hunter's iteration, with the drawn match of everybody.
    fn strengths(&self) -> Vec<f64> {
        let count = self.players.len();
        let mut gammas = vec![1.0_f64; count];
        for _ in 0..STEPS {
            let mut moved = 0.0_f64;
            for i in 0..count {
                let points: f64 = 0.5 + self.points[i].iter().sum::<f64>();
                let met: f64 = (0..count)
                    .filter(|&j| self.matches[i][j] > 0)
                    .map(|j| self.matches[i][j] as f64 / (gammas[i] + gammas[j]))
                    .sum();
                let next = points / (met + 1.0 / (gammas[i] + 1.0));
                moved = moved.max((next / gammas[i]).ln().abs());
                gammas[i] = next;
            }
            if moved < 1e-10 {
                break;
            }
        }
        gammas
    }

    /// Variances of θ around their mean: the diagonal of C F⁻¹ C, where F is Fisher's information
    /// with nᵢⱼ pᵢⱼ pⱼᵢ, and C takes the mean away.
    fn variances(&self, gammas: &[f64]) -> Vec<f64> {
        let count = gammas.len();
        let mut information = vec![vec![0.0; count]; count];
        for i in 0..count {
            // The drawn match.
            information[i][i] += gammas[i] / (gammas[i] + 1.0).powi(2);
            for j in (0..count).filter(|&j| j != i) {
                let met = self.matches[i][j] as f64 * gammas[i] * gammas[j] / (gammas[i] + gammas[j]).powi(2);
                information[i][i] += met;
                information[i][j] -= met;
            }
        }
        let inverse = inverted(information);
        let n = count as f64;
        let sums: Vec<f64> = inverse.iter().map(|row| row.iter().sum()).collect();
        let total: f64 = sums.iter().sum();
        (0..count).map(|i| inverse[i][i] - 2.0 * sums[i] / n + total / (n * n)).collect()
    }
}

/// The ratings of everybody in these matches: player, opponent, what the player scored.
pub fn ratings<'a>(matches: impl IntoIterator<Item = (&'a str, &'a str, f64)>) -> Vec<Rating> {
    let mut all = Ratings::default();
    for (player, opponent, score) in matches {
        all.add(player, opponent, score);
    }
    all.fit()
}

/// The inverse, by Gauss and Jordan. The information is positive definite, as everybody has a drawn
/// match, so that no row has to be exchanged.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let count = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..count).map(|i| (0..count).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for i in 0..count {
        let pivot = matrix[i][i];
        for entry in matrix[i].iter_mut().chain(&mut inverse[i]) {
            *entry /= pivot;
        }
        let (row, inverse_row) = (matrix[i].clone(), inverse[i].clone());
        for k in (0..count).filter(|&k| k != i) {
            let factor = matrix[k][i];
            for j in 0..count {
                matrix[k][j] -= factor * row[j];
                inverse[k][j] -= factor * inverse_row[j];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn many(
        player: &'static str,
        opponent: &'static str,
        wins: usize,
        losses: usize,
    ) -> Vec<(&'static str, &'static str, f64)> {
        let mut all = vec![(player, opponent, 1.0); wins];
        all.extend(vec![(player, opponent, 0.0); losses]);
        all
    }

    fn elo(found: &[Rating], player: &str) -> f64 {
        found.iter().find(|rating| rating.player == player).unwrap().elo
    }

    #[test]
    fn two_players_differ_as_the_logistic_curve_says() {
        // 10 to 1 is 400 Elo; the drawn match takes a little away.
        let found = ratings(many("a", "b", 10_000, 1000));
        let difference = elo(&found, "a") - elo(&found, "b");
        assert!((difference - 400.0).abs() < 1.0, "{difference}");
    }

    #[test]
    fn intervals_are_those_of_the_information() {
        // Two players, n matches, even: the difference has the variance 4/n, each rating around the
        // mean a fourth.
        let found = ratings(many("a", "b", 5000, 5000));
        let expected = Z * (1.0 / 10_000_f64).sqrt() * ELO;
        assert!((found[0].margin - expected).abs() < 0.01, "{} {expected}", found[0].margin);
    }

    #[test]
    fn ratings_carry_over_opponents_in_common() {
        // a beats b 3 to 1, b beats c 3 to 1; a never meets c: log10(3) × 400 = 190.8 each.
        let found = ratings([many("a", "b", 3000, 1000), many("b", "c", 3000, 1000)].concat());
        assert!((elo(&found, "a") - elo(&found, "c") - 381.7).abs() < 2.0, "{found:?}");
        assert!(elo(&found, "b").abs() < 1.0);
        assert_eq!(found[0].player, "a");
    }

    #[test]
    fn wins_only_stay_finite() {
        let found = ratings(many("a", "b", 100, 0));
        assert!(found.iter().all(|rating| rating.elo.is_finite() && rating.margin.is_finite()), "{found:?}");
        assert!(elo(&found, "a") > 300.0 && elo(&found, "a") < 1500.0, "{found:?}");
    }

    #[test]
    fn nobody_has_no_rating() {
        assert!(ratings([]).is_empty());
        assert!(ratings([("a", "a", 1.0)]).is_empty());
    }

    proptest! {
        #[test]
        fn exchanged_results_are_exchanged_ratings(scores in proptest::collection::vec(0.0..=1.0_f64, 1..40)) {
            let there: Vec<_> = scores.iter().map(|&score| ("a", "b", score)).collect();
            let back: Vec<_> = scores.iter().map(|&score| ("a", "b", 1.0 - score)).collect();
            let (there, back) = (ratings(there), ratings(back));
            prop_assert!((elo(&there, "a") + elo(&there, "b")).abs() < 1e-6);
            prop_assert!((elo(&there, "a") - elo(&back, "b")).abs() < 1e-4);
        }
    }
}

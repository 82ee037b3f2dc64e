//! What features are worth: stability, correlation with results, weights; from random games.
//!
//! - *Stability* (Clune 2007; Finnsson 2007, section 3.5.1): the variance of a feature over all
//!   states, divided by the mean squared change from a state to the next (half of it, so that noise
//!   has 1). What changes step by step is stable, what jumps up and down is not.
//! - *Correlation* r of a feature with a role's goal at the end of the game.
//! - *Weights*: by stability, w = r · s/(s + s₀); or by ridge regression of the goal on all features
//!   together, w = (ZᵀZ/n + λI)⁻¹ Zᵀy/n with standardised features Z.
//!
//! - *Phases*: what counts early is not what counts late. A state at the time τ of its game, from 0
//!   to 1, counts 1 − τ for the weights of the beginning and τ for those of the end; an evaluation
//!   moves from the first to the second as the game goes on.
//! - *Outlook*: instead of the result of its game, a state may have the mean result of many playouts
//!   from it ([`super::Outlook`]): the same expectation with far less noise.
//!
//! All sums are kept as the games come, so that 25 games may become 50 and 100 without looking at
//! them again. States of one game hang together; a game counts as often as it has states.

use serde::Serialize;

use super::{FeatureSet, Scratch, Speaks};
use crate::random_play::PlayedGame;

/// Stability at which a feature has half its weight.
const HALF: f64 = 2.0;

/// Less stable features are left out.
const LEAST: f64 = 1.2;

/// λ of the ridge regression, for standardised features.
const RIDGE: f64 = 0.05;

/// A feature that moves a guess by less than this many goal points is not worth computing; in
/// proportion to its cost beyond a few facts.
const LEAST_POINTS: f64 = 0.2;

/// Cost of a feature for which a point more is asked.
const COST_OF_POINT: f64 = 2_000.0;

/// The cost of a feature that tells how late it is, at most.
const MAX_COST: usize = 200;

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The beginning.
    Early,
    /// The end.
    Late,
}

/// Sums over random games.
#[derive(Clone, Debug)]
pub struct Measurements {
    features: usize,
    roles: usize,
    games: usize,
    steps: f64,
    /// Σ Δ².
    changes: Vec<f64>,
    /// The sums of all states, and those of states by how late they are.
    all: Sums,
    late: Sums,
    /// By feature: facts that are looked at.
    costs: Vec<usize>,
}

/// Weighted sums over states.
#[derive(Clone, Debug)]
struct Sums {
    features: usize,
    count: f64,
    /// Σ x, Σ xxᵀ.
    sums: Vec<f64>,
    products: Vec<f64>,
    /// By role: Σ y, Σ y²; by role and feature: Σ xy. The last "role" is the part of the game that is
    /// over.
    goals: Vec<(f64, f64)>,
    with_goals: Vec<f64>,
}

impl Sums {
    fn new(features: usize, targets: usize) -> Self {
        Self {
            features,
            count: 0.0,
            sums: vec![0.0; features],
            products: vec![0.0; features * features],
            goals: vec![(0.0, 0.0); targets],
            with_goals: vec![0.0; targets * features],
        }
    }

    fn add(&mut self, weight: f64, values: &[f32], targets: &[f64]) {
        self.count += weight;
        for (i, &value) in values.iter().enumerate() {
            let x = f64::from(value) * weight;
            if x == 0.0 {
                continue;
            }
            self.sums[i] += x;
            let row = &mut self.products[i * self.features..=i * self.features + i];
            for (product, &other) in row.iter_mut().zip(values) {
                *product += x * f64::from(other);
            }
            for (role, target) in targets.iter().enumerate() {
                self.with_goals[role * self.features + i] += x * target;
            }
        }
        for ((sum, squares), target) in self.goals.iter_mut().zip(targets) {
            *sum += weight * target;
            *squares += weight * target * target;
        }
    }

    /// These without those of others.
    fn without(&self, others: &Self) -> Self {
        let less = |all: &[f64], part: &[f64]| all.iter().zip(part).map(|(a, b)| a - b).collect();
        let goals = self.goals.iter().zip(&others.goals);
        Self {
            features: self.features,
            count: self.count - others.count,
            sums: less(&self.sums, &others.sums),
            products: less(&self.products, &others.products),
            goals: goals.map(|(a, b)| (a.0 - b.0, a.1 - b.1)).collect(),
            with_goals: less(&self.with_goals, &others.with_goals),
        }
    }

    fn mean(&self, feature: usize) -> f64 {
        if self.count > 0.0 { self.sums[feature] / self.count } else { 0.0 }
    }

    fn covariance(&self, i: usize, j: usize) -> f64 {
        let (i, j) = (i.max(j), i.min(j));
        if self.count <= 0.0 {
            return 0.0;
        }
        self.products[i * self.features + j] / self.count - self.mean(i) * self.mean(j)
    }

    fn goal_covariance(&self, target: usize, feature: usize) -> f64 {
        if self.count <= 0.0 {
            return 0.0;
        }
        self.with_goals[target * self.features + feature] / self.count
            - self.mean(feature) * self.goals[target].0 / self.count
    }

    fn goal_variance(&self, target: usize) -> f64 {
        if self.count <= 0.0 {
            return 0.0;
        }
        (self.goals[target].1 / self.count - (self.goals[target].0 / self.count).powi(2)).max(0.0)
    }

    fn mean_goal(&self, target: usize) -> f64 {
        if self.count > 0.0 { self.goals[target].0 / self.count } else { 50.0 }
    }

    /// Ridge regression of a target on all features that are not constant.
    fn regression(&self, target: usize) -> Weights {
        let used: Vec<usize> =
            (0..self.features).filter(|&feature| self.covariance(feature, feature) > 1e-9).collect();
        let spread: Vec<f64> = used.iter().map(|&i| self.covariance(i, i).sqrt()).collect();
        let count = used.len();
        let mut matrix = vec![0.0; count * count];
        let mut right = vec![0.0; count];
        for (a, &i) in used.iter().enumerate() {
            for (b, &j) in used.iter().enumerate() {
                matrix[a * count + b] = self.covariance(i, j) / (spread[a] * spread[b]);
            }
            matrix[a * count + a] += RIDGE;
            right[a] = self.goal_covariance(target, i) / spread[a];
        }
        let solution = solve(matrix, right);
        let mut weights = vec![0.0; self.features];
        for ((&feature, spread), value) in used.iter().zip(&spread).zip(solution) {
            weights[feature] = value / spread;
        }
        self.centred(self.mean_goal(target), weights)
    }

    /// Weights that give this value for the mean of all features.
    fn centred(&self, value: f64, weights: Vec<f64>) -> Weights {
        let shift: f64 = weights.iter().enumerate().map(|(feature, w)| w * self.mean(feature)).sum();
        Weights { base: value - shift, weights }
    }
}

/// Weights of features for a role: value = base + Σ weight · feature.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    /// The mean, and what the means of the features would add.
    pub base: f64,
    /// By feature.
    pub weights: Vec<f64>,
}

/// A feature with what was measured of it.
#[derive(Clone, Debug, Serialize)]
pub struct FeatureReport {
    /// What it counts.
    pub name: String,
    /// What it speaks for.
    pub speaks: Speaks,
    /// Facts that are looked at.
    pub cost: usize,
    /// How slowly it changes.
    pub stability: f64,
    /// By role: the correlation with its goal.
    pub correlation: Vec<f64>,
    /// Whether it is stable and says something.
    pub kept: bool,
}

impl Measurements {
    /// Nothing measured yet.
    pub fn new(set: &FeatureSet, roles: usize) -> Self {
        let features = set.len();
        Self {
            features,
            roles,
            games: 0,
            steps: 0.0,
            changes: vec![0.0; features],
            all: Sums::new(features, roles + 1),
            late: Sums::new(features, roles + 1),
            costs: set.features().iter().map(super::Feature::cost).collect(),
        }
    }

    /// Games so far.
    pub fn games(&self) -> usize {
        self.games
    }

    /// Adds a game with its result. A game that did not end is left out.
    pub fn add(&mut self, set: &FeatureSet, game: &PlayedGame, scratch: &mut Scratch) {
        self.add_with(set, game, &[], scratch);
    }

    /// Adds a game. With outlooks, positions that have one (a goal for each role) count by it and the
    /// others for stability only; without any, all count by the result of the game.
    #[allow(clippy::cast_precision_loss, reason = "steps are far below 2⁵²")]
    pub fn add_with(
        &mut self,
        set: &FeatureSet,
        game: &PlayedGame,
        outlooks: &[Option<Vec<f64>>],
        scratch: &mut Scratch,
    ) {
        let goals: Option<Vec<f64>> =
            game.goals.iter().map(|goal| goal.map(f64::from)).collect::<Option<_>>();
        let Some(result) = goals.filter(|goals| goals.len() == self.roles) else { return };
        self.games += 1;
        let mut last: Vec<f32> = Vec::new();
        let mut values = vec![0.0f32; self.features];
        // The last state is judged by its goals, not by features.
        let states = &game.positions[..game.steps()];
        for (at, position) in states.iter().enumerate() {
            let time = at as f64 / states.len() as f64;
            let outlook = outlooks.get(at).and_then(Option::as_ref);
            let mut targets = outlook.filter(|goals| goals.len() == self.roles).unwrap_or(&result).clone();
            targets.push(time);
            set.compute(position.state.words(), &position.legal, scratch, &mut values);
            // Beside outlooks, the result of one game is noise.
            if outlook.is_some() || outlooks.is_empty() {
                self.all.add(1.0, &values, &targets);
                self.late.add(time, &values, &targets);
            }
            for ((change, x), last) in self.changes.iter_mut().zip(&values).zip(&last) {
                *change += f64::from(x - last).powi(2);
            }
            self.steps += if last.is_empty() { 0.0 } else { 1.0 };
            last.clone_from(&values);
        }
    }

    /// How slowly a feature changes; 0 if it never changes.
    pub fn stability(&self, feature: usize) -> f64 {
        let (total, changes) = (self.all.covariance(feature, feature), self.changes[feature]);
        if total <= 1e-9 || self.steps == 0.0 {
            return 0.0;
        }
        if changes <= 0.0 { f64::from(u16::MAX) } else { total / (changes / self.steps / 2.0) }
    }

    /// The correlation of a feature with the goal of a role; 0 if one of them is constant.
    pub fn correlation(&self, target: usize, feature: usize) -> f64 {
        let spread = (self.all.covariance(feature, feature) * self.all.goal_variance(target)).sqrt();
        if spread <= 1e-9 { 0.0 } else { self.all.goal_covariance(target, feature) / spread }
    }

    /// Whether a feature is stable enough to be used.
    pub fn is_kept(&self, feature: usize) -> bool {
        self.stability(feature) >= LEAST
    }

    /// Weights by stability and correlation, in goal points: features of one kind together count as
    /// much as their mean correlation allows.
    pub fn by_stability(&self, role: usize, set: &FeatureSet, speaks: Speaks) -> Weights {
        let of = |feature: &usize| set.features()[*feature].speaks == speaks && self.is_kept(*feature);
        let weight = |feature: usize| {
            let stability = self.stability(feature);
            self.correlation(role, feature) * stability / (stability + HALF)
        };
        let kept: Vec<usize> = (0..self.features).filter(of).collect();
        // Independent features would explain Σ r² of the variance, and cannot explain more than all.
        let explained: f64 = kept.iter().map(|&feature| weight(feature).powi(2)).sum();
        let scale = self.all.goal_variance(role).sqrt() / explained.max(1.0).sqrt();
        let mut weights = vec![0.0; self.features];
        for feature in kept {
            weights[feature] =
                scale * weight(feature) / self.all.covariance(feature, feature).sqrt().max(1e-6);
        }
        self.all.centred(0.0, weights)
    }

    /// Weights of a phase by ridge regression, without features that hardly change a guess.
    pub fn by_regression(&self, role: usize, phase: Phase) -> Weights {
        let sums = match phase {
            Phase::Early => &self.all.without(&self.late),
            Phase::Late => &self.late,
        };
        let mut found = sums.regression(role);
        for (feature, weight) in found.weights.iter_mut().enumerate() {
            let points = weight.abs() * sums.covariance(feature, feature).max(0.0).sqrt();
            #[allow(clippy::cast_precision_loss, reason = "costs are small")]
            let least = LEAST_POINTS + self.costs[feature] as f64 / COST_OF_POINT;
            if points < least {
                *weight = 0.0;
            }
        }
        sums.centred(sums.mean_goal(role), found.weights)
    }

    /// Blends measured weights of a phase with those that another game has taught: each counts as
    /// often as there were games behind it. Features that the other game does not have stay.
    #[must_use]
    pub fn blended(
        &self,
        role: usize,
        phase: Phase,
        measured: &Weights,
        (learned, games): (&[Option<f64>], f64),
    ) -> Weights {
        #[allow(clippy::cast_precision_loss, reason = "games are few")]
        let own = self.games as f64;
        let weight = |(&own_weight, learned): (&f64, &Option<f64>)| match learned {
            Some(learned) => (own * own_weight + games * learned) / (own + games).max(1.0),
            None => own_weight,
        };
        let weights = measured.weights.iter().zip(learned).map(weight).collect();
        let sums = match phase {
            Phase::Early => &self.all.without(&self.late),
            Phase::Late => &self.late,
        };
        sums.centred(sums.mean_goal(role), weights)
    }

    /// The mean goal of a role in random play; 50 if nothing is known.
    pub fn mean_goal(&self, role: usize) -> f64 {
        self.all.mean_goal(role)
    }

    /// How to tell from features which part of a game is over, from 0 to 1; by cheap ones alone.
    pub fn progress(&self) -> Weights {
        let mut found = self.all.regression(self.roles);
        for (weight, &cost) in found.weights.iter_mut().zip(&self.costs) {
            if cost > MAX_COST {
                *weight = 0.0;
            }
        }
        self.all.centred(self.all.mean_goal(self.roles), found.weights)
    }

    /// All features with what was measured, the most stable first.
    pub fn reports(&self, set: &FeatureSet) -> Vec<FeatureReport> {
        let report = |(at, feature): (usize, &super::Feature)| FeatureReport {
            name: feature.name.clone(),
            speaks: feature.speaks,
            cost: feature.cost(),
            stability: round(self.stability(at)),
            correlation: (0..self.roles).map(|role| round(self.correlation(role, at))).collect(),
            kept: self.is_kept(at),
        };
        let mut reports: Vec<FeatureReport> = set.features().iter().enumerate().map(report).collect();
        reports.sort_by(|a, b| b.stability.total_cmp(&a.stability));
        reports
    }
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Solves a symmetric positive definite system by Cholesky's method.
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for j in 0..n {
        for k in 0..j {
            let factor = matrix[j * n + k];
            for i in j..n {
                matrix[i * n + j] -= factor * matrix[i * n + k];
            }
        }
        let root = matrix[j * n + j].max(1e-12).sqrt();
        for i in j..n {
            matrix[i * n + j] /= root;
        }
    }
    for i in 0..n {
        for k in 0..i {
            right[i] -= matrix[i * n + k] * right[k];
        }
        right[i] /= matrix[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            right[i] -= matrix[k * n + i] * right[k];
        }
        right[i] /= matrix[i * n + i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_systems_are_solved() {
        let solution = solve(vec![4.0, 2.0, 2.0, 3.0], vec![10.0, 9.0]);
        assert!((solution[0] - 1.5).abs() < 1e-9 && (solution[1] - 2.0).abs() < 1e-9, "{solution:?}");
    }
}

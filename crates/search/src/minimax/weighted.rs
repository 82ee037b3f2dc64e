//! Features with weights, as an evaluation.
//!
//! - *By stability* (Clune 2007): m + b(t) · payoff + (2 − b(t)) · control with b(t) = ½ + t.
//! - *By regression*: (1 − t) · early + t · late, two linear functions of the features that were
//!   fitted to the beginning and to the end of random games.
//!
//! t, from 0 to 1, is the part of the game that is over, as the features tell it. All of these are
//! weighted sums of features, computed together ([`ludex_knowledge::Folded`]).

use std::sync::Arc;

use ludex_game::{Failure, RoleId};
use ludex_knowledge::{FeatureSet, Folded, Learned, Likeness, Measurements, Phase, Scratch, Speaks, Weights};

use super::evaluation::{Evaluation, Positions};

/// How features get their weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureWeights {
    /// By stability, with the sign and size of the correlation with results.
    Stability,
    /// By ridge regressions of results on all features, for the beginning and the end.
    Regression,
}

/// Games of this board that weights of another board count for at most.
const FAMILY_GAMES: f64 = 50.0;

/// Values are guesses: they stay off the ends of the range.
const MARGIN: f32 = 1.0;

/// Features with weights.
pub(super) struct WeightedFeatures {
    /// Two sums for each role, and the part of the game that is over.
    sums: Folded,
    how: FeatureWeights,
    /// By role: the mean goal.
    means: Vec<f32>,
    scratch: Scratch,
    values: Vec<f32>,
    mobility: Vec<u32>,
}

/// The sums of an evaluation: two for each role, and the part of the game that is over.
pub(super) fn sums(
    features: &FeatureSet,
    measured: &Measurements,
    roles: usize,
    how: FeatureWeights,
    learned: Option<&Learned>,
) -> Vec<Weights> {
    let mut sums = Vec::with_capacity(2 * roles + 1);
    for role in 0..roles {
        match how {
            FeatureWeights::Stability => {
                sums.push(measured.by_stability(role, features, Speaks::Payoff));
                sums.push(measured.by_stability(role, features, Speaks::Control));
            }
            FeatureWeights::Regression => {
                for phase in [Phase::Early, Phase::Late] {
                    let own = measured.by_regression(role, phase);
                    sums.push(match learned.and_then(|from| Some((from, from.weights.get(sums.len())?))) {
                        Some((from, weights)) => {
                            measured.blended(role, phase, &own, (weights, experience(from)))
                        }
                        None => own,
                    });
                }
            }
        }
    }
    sums.push(measured.progress());
    sums
}

/// How many games of this game learned weights count for: those of a copy all, those of another
/// board only a few.
#[allow(clippy::cast_precision_loss, reason = "games are few")]
fn experience(learned: &Learned) -> f64 {
    match learned.likeness {
        Likeness::Exact => learned.games as f64,
        Likeness::Family => (learned.games as f64).min(FAMILY_GAMES),
    }
}

impl WeightedFeatures {
    /// With these sums and the mean goals of random games.
    pub(super) fn new(
        features: &Arc<FeatureSet>,
        sums: &[Weights],
        measured: &Measurements,
        roles: usize,
        how: FeatureWeights,
    ) -> Self {
        let sums = Folded::new(features, sums);
        #[allow(clippy::cast_possible_truncation, reason = "a goal")]
        let means = (0..roles).map(|role| measured.mean_goal(role) as f32).collect();
        let values = vec![0.0; sums.len()];
        Self { sums, how, means, scratch: Scratch::default(), values, mobility: vec![0; roles] }
    }
}

impl Evaluation for WeightedFeatures {
    fn reads_mobility(&self) -> bool {
        self.sums.reads_mobility()
    }

    fn evaluate(&mut self, positions: &Positions<'_>, values: &mut [f32]) -> Result<(), Failure> {
        let roles = positions.roles();
        for (at, &words) in positions.states().iter().enumerate() {
            for (role, count) in self.mobility.iter_mut().enumerate() {
                *count = positions.mobility(at, RoleId::new(role)).unwrap_or(0);
            }
            self.sums.compute(words, &self.mobility, &mut self.scratch, &mut self.values);
            let time = self.values[2 * roles].clamp(0.0, 1.0);
            let pairs = self.values.chunks_exact(2);
            for ((value, pair), mean) in values[at * roles..].iter_mut().zip(pairs).zip(&self.means) {
                let guess = match self.how {
                    FeatureWeights::Stability => mean + (0.5 + time) * pair[0] + (1.5 - time) * pair[1],
                    FeatureWeights::Regression => (1.0 - time) * pair[0] + time * pair[1],
                };
                *value = guess.clamp(MARGIN, 100.0 - MARGIN);
            }
        }
        Ok(())
    }
}

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
use ludex_knowledge::{FeatureSet, Folded, Measurements, Phase, Scratch, Speaks};

use super::evaluation::{Evaluation, Positions};

/// How features get their weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureWeights {
    /// By stability, with the sign and size of the correlation with results.
    Stability,
    /// By ridge regressions of results on all features, for the beginning and the end.
    Regression,
}

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

impl WeightedFeatures {
    /// With the weights that were measured so far.
    pub(super) fn new(
        features: &Arc<FeatureSet>,
        measured: &Measurements,
        roles: usize,
        how: FeatureWeights,
    ) -> Self {
        let of_role = |role: usize| match how {
            FeatureWeights::Stability => [
                measured.by_stability(role, features, Speaks::Payoff),
                measured.by_stability(role, features, Speaks::Control),
            ],
            FeatureWeights::Regression => {
                [measured.by_regression(role, Phase::Early), measured.by_regression(role, Phase::Late)]
            }
        };
        let mut sums: Vec<_> = (0..roles).flat_map(of_role).collect();
        sums.push(measured.progress());
        let sums = Folded::new(features, &sums);
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

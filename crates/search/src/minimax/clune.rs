//! `clune`: alpha-beta with an evaluation of features that random games have measured.
//!
//! After Cluneplayer (Clune 2007; Finnsson 2007, section 3.5.1): candidate features come from the
//! structures of the rules ([`ludex_knowledge::FeatureSet`]), random games say how stable they are,
//! first 25, then twice as many, as long as the clock allows. Stable features are payoff or control,
//!
//! value = m + b(t) · payoff + (2 − b(t)) · control,  b(t) = ½ + t,
//!
//! where m is the role's mean goal in random play and t, from 0 to 1, the part of the game that is
//! over, itself estimated from the features: control counts more in the beginning, payoff in the end.
//!
//! # Where it differs
//! The sign and the size of a weight also come from the correlation of the feature with the results
//! of the random games; or all weights from a regression on them (`weights=regression`), which knows
//! that the features depend on each other. Then payoff and control count as they were measured.
//!
//! With a deadline, at most a quarter of each slice of time goes into games. With a number of
//! positions as the limit, only the first games are played: the same seed gives the same result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Failure, RoleId, State};
use ludex_knowledge::{
    FeatureSet, Measurements, PlayLimits, Scratch, Speaks, Understanding, Weights, random_games,
};

use super::alpha_beta::AlphaBeta;
use super::evaluation::{Evaluation, Neutral, Positions};
use super::options::AlphaBetaOptions;
use crate::budget::Budget;
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, SearchTimes, StopReason};

/// How features get their weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureWeights {
    /// By stability, with the sign and size of the correlation with results.
    Stability,
    /// By a ridge regression of results on all features.
    Regression,
}

/// What can be set about `clune`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CluneOptions {
    /// Alpha-beta.
    pub search: AlphaBetaOptions,
    /// Random games before the first move.
    pub games: usize,
    /// How features get their weights.
    pub weights: FeatureWeights,
}

/// Random games that are played in all: more change weights by less than their errors.
const MOST_GAMES: usize = 6_400;

/// Steps of the first games in all: slow games are measured with fewer.
const STEPS: usize = 6_000;

/// Values are guesses: they stay off the ends of the range.
const MARGIN: f32 = 1.0;

/// Alpha-beta that measures features.
pub struct Clune {
    search: AlphaBeta,
    context: SearchContext,
    options: CluneOptions,
    features: Arc<FeatureSet>,
    measured: Measurements,
    scratch: Scratch,
    /// Games at which weights were last computed.
    used: usize,
    /// Number of the next random game: its seed.
    next_game: u64,
}

impl Clune {
    /// Studies the game and plays the first random games.
    pub fn new(context: SearchContext, options: CluneOptions) -> Self {
        let limits =
            PlayLimits { games: options.games, steps: STEPS, seed: context.seed, ..PlayLimits::default() };
        let understood = Understanding::of(&*context.game, &limits).ok();
        let roles = context.game.role_count();
        let mut scratch = Scratch::default();
        let features = understood.as_ref().map_or_else(
            || FeatureSet::none(&context.game),
            |understood| FeatureSet::new(&context.game, understood),
        );
        let mut measured = Measurements::new(&features, roles);
        for game in understood.iter().flat_map(|understood| &understood.games) {
            measured.add(&features, game, &mut scratch);
        }
        let search = AlphaBeta::new(context.clone(), options.search, Box::new(Neutral::new(&*context.game)));
        let mut clune = Self {
            search,
            features: Arc::new(features),
            measured,
            scratch,
            used: 0,
            next_game: 1,
            context,
            options,
        };
        clune.use_weights();
        clune
    }

    /// Gives the search an evaluation with the weights measured so far.
    fn use_weights(&mut self) {
        self.used = self.measured.games();
        if self.used == 0 || self.features.is_empty() {
            return;
        }
        let evaluation =
            WeightedFeatures::new(&self.features, &self.measured, &self.context, self.options.weights);
        self.search.set_evaluation(Box::new(evaluation));
    }

    /// Plays random games until a time; new weights whenever there are twice as many.
    fn measure(&mut self, until: Instant) -> Result<(), Failure> {
        while self.measured.games() < MOST_GAMES && self.used > 0 && Instant::now() < until {
            let limits = PlayLimits {
                games: 1,
                seed: self.context.seed.wrapping_add(self.next_game << 20),
                ..PlayLimits::default()
            };
            self.next_game += 1;
            let played = random_games(&*self.context.game, &limits, &mut || false)?;
            let before = self.measured.games();
            for game in &played {
                self.measured.add(&self.features, game, &mut self.scratch);
            }
            if self.measured.games() == before {
                break; // games do not end: there is nothing to learn from
            }
        }
        if self.measured.games() >= 2 * self.used && self.used > 0 {
            self.use_weights();
        }
        Ok(())
    }
}

impl Search for Clune {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.search.set_root(state)
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if let Some(deadline) = budget.deadline {
            let now = Instant::now();
            let slice: Duration = deadline.saturating_duration_since(now);
            self.measure(now + slice / 4)?;
        }
        self.search.think(budget)
    }

    fn report(&self) -> SearchReport {
        self.search.report()
    }

    fn times(&self) -> SearchTimes {
        self.search.times()
    }
}

/// Features with weights, as an evaluation.
struct WeightedFeatures {
    features: Arc<FeatureSet>,
    /// By role: payoff and control.
    roles: Vec<(f32, Linear, Linear)>,
    progress: Linear,
    by_progress: bool,
    scratch: Scratch,
    values: Vec<f32>,
}

/// Weights in the width of the features.
struct Linear {
    base: f32,
    weights: Vec<f32>,
}

impl Linear {
    #[allow(clippy::cast_possible_truncation, reason = "weights need no more than seven digits")]
    fn new(weights: &Weights) -> Self {
        Self { base: weights.base as f32, weights: weights.weights.iter().map(|&w| w as f32).collect() }
    }

    fn of(&self, values: &[f32]) -> f32 {
        self.base + self.weights.iter().zip(values).map(|(weight, value)| weight * value).sum::<f32>()
    }
}

impl WeightedFeatures {
    fn new(
        features: &Arc<FeatureSet>,
        measured: &Measurements,
        context: &SearchContext,
        how: FeatureWeights,
    ) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "a goal")]
        let role = |role: usize| match how {
            FeatureWeights::Stability => (
                measured.mean_goal(role) as f32,
                Linear::new(&measured.by_stability(role, features, Speaks::Payoff)),
                Linear::new(&measured.by_stability(role, features, Speaks::Control)),
            ),
            FeatureWeights::Regression => {
                (0.0, Linear::new(&measured.by_regression(role)), Linear::new(&Weights::default()))
            }
        };
        Self {
            roles: (0..context.game.role_count()).map(role).collect(),
            progress: Linear::new(&measured.progress()),
            by_progress: how == FeatureWeights::Stability,
            values: vec![0.0; features.len()],
            scratch: Scratch::default(),
            features: Arc::clone(features),
        }
    }
}

impl Evaluation for WeightedFeatures {
    fn reads_mobility(&self) -> bool {
        self.features.reads_mobility()
    }

    fn evaluate(&mut self, positions: &Positions<'_>, values: &mut [f32]) -> Result<(), Failure> {
        let roles = positions.roles();
        let mut mobility = vec![0; roles];
        for (at, &words) in positions.states().iter().enumerate() {
            for (role, count) in mobility.iter_mut().enumerate() {
                *count = positions.mobility(at, RoleId::new(role)).unwrap_or(0);
            }
            self.features.compute(words, &mobility, &mut self.scratch, &mut self.values);
            let b = match self.by_progress {
                true => 0.5 + self.progress.of(&self.values).clamp(0.0, 1.0),
                false => 1.0,
            };
            for (value, (mean, payoff, control)) in values[at * roles..].iter_mut().zip(&self.roles) {
                let guess = mean + b * payoff.of(&self.values) + (2.0 - b) * control.of(&self.values);
                *value = guess.clamp(MARGIN, 100.0 - MARGIN);
            }
        }
        Ok(())
    }
}

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
//! That is `weights=stability`. The default, `weights=regression`, asks all features together what
//! they say about the result: they hang together, and what is counted several times must not weigh
//! several times. It has weights for the beginning of a game and for its end ([`super::weighted`]).
//!
//! # Where it differs
//! - The sign and the size of a weight by stability come from the correlation with results.
//! - A state's result is the mean of many playouts from it where the engine has lanes
//!   ([`ludex_knowledge::Outlook`]), instead of the result of the one game that it was met in.
//! - With fuzzy options ([`CluneOptions::fuzzy`]), how nearly goals hold by fuzzy logic is a feature
//!   like the others: that is the player `flux`.
//!
//! With [`CluneOptions::transfer`], weights are kept under the signature of the rules: a copy of the
//! game, or a larger board of its kind, starts with them ([`ludex_knowledge::TransferStore`]).
//!
//! With a deadline, at most a quarter of each slice of time goes into games. With a number of
//! positions as the limit, only the first games are played: the same seed gives the same result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Failure, Game, State};
use ludex_knowledge::{
    FeatureSet, FuzzyOptions, Learned, Measurements, Outlook, PlayLimits, Scratch, Signature, TransferStore,
    Understanding, random_games,
};

use super::alpha_beta::AlphaBeta;
use super::evaluation::Neutral;
use super::options::AlphaBetaOptions;
use super::weighted::{FeatureWeights, WeightedFeatures, sums};
use crate::budget::Budget;
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, SearchTimes, StopReason};

/// What can be set about `clune`.
#[derive(Clone, Debug)]
pub struct CluneOptions {
    /// Alpha-beta.
    pub search: AlphaBetaOptions,
    /// Random games before the first move.
    pub games: usize,
    /// How features get their weights.
    pub weights: FeatureWeights,
    /// Goals by fuzzy logic, as features.
    pub fuzzy: Option<FuzzyOptions>,
    /// Where weights are kept for copies of a game and for larger boards.
    pub transfer: Option<Arc<TransferStore>>,
}

/// The roles of the sums of an evaluation.
fn groups(game: &dyn Game) -> Vec<Option<&str>> {
    let of_roles = game.roles().iter().flat_map(|role| [Some(role.as_str()); 2]);
    of_roles.chain([None]).collect()
}

/// Random games that are played in all: more change weights by less than their errors.
const MOST_GAMES: usize = 3_200;

/// Steps of the first games in all: slow games are measured with fewer.
const STEPS: usize = 3_000;

/// Playouts from a position: their mean has a quarter of the error of one.
const PLAYOUTS: u32 = 16;

/// Games that are played at once: with 16 playouts from each position they fill the widest lanes.
const BATCH: usize = 32;

/// Steps of the playouts before the first move, nearly: a second or two where steps are slow.
const FIRST_STEPS: f64 = 1.5e6;

/// With fewer lanes playouts are slow, and where fewer games can be played they are too long: then
/// the results of games have to do.
const MIN_LANES: usize = 64;
const LEAST_GAMES: usize = 2;

/// Games of this length that take about so many steps with their playouts: from each position it is
/// half a game to the end.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
fn games_for(steps: f64, length: f64) -> usize {
    let of_game = f64::from(PLAYOUTS) * length * length / 2.0;
    ((steps / of_game.max(1.0)) as usize).min(BATCH)
}

/// Alpha-beta that measures features.
pub struct Clune {
    search: AlphaBeta,
    context: SearchContext,
    options: CluneOptions,
    features: Arc<FeatureSet>,
    measured: Measurements,
    scratch: Scratch,
    /// None if the engine has few lanes.
    outlook: Option<Outlook>,
    /// What the game is, if weights are kept; and what others have taught about it.
    signature: Option<Signature>,
    learned: Option<Learned>,
    /// Games at which weights were last computed.
    used: usize,
    /// Number of the next random game: its seed.
    next_game: u64,
    /// Time that may go into games, and what a batch of them takes.
    credit: Duration,
    batch_time: Duration,
    /// Games that are played at once.
    batch: usize,
}

impl Clune {
    /// Studies the game and plays the first random games.
    pub fn new(context: SearchContext, options: CluneOptions) -> Self {
        let limits =
            PlayLimits { games: options.games, steps: STEPS, seed: context.seed, ..PlayLimits::default() };
        let understood = Understanding::of(&*context.game, &limits).ok();
        let roles = context.game.role_count();
        let features = match (&understood, options.fuzzy) {
            (None, _) => FeatureSet::none(&context.game),
            (Some(understood), None) => FeatureSet::new(&context.game, understood),
            (Some(understood), Some(fuzzy)) => FeatureSet::with_fuzzy(&context.game, understood, fuzzy),
        };
        let outlook = Outlook::new(&context.game, PLAYOUTS);
        let batch = understood.as_ref().map_or(0, |it| games_for(FIRST_STEPS, it.estimates.mean_length));
        let is_fast = outlook.lanes() >= MIN_LANES && batch >= LEAST_GAMES;
        let uses_outlook = options.weights == FeatureWeights::Regression && is_fast;
        let rules = context.game.model().filter(|_| options.transfer.is_some()).map(|model| model.rules());
        let signature = rules.map(Signature::of);
        let learned = options
            .transfer
            .as_ref()
            .zip(signature.as_ref())
            .and_then(|(store, signature)| store.find(signature, &features, &groups(&*context.game)));
        let search = AlphaBeta::new(context.clone(), options.search, Box::new(Neutral::new(&*context.game)));
        let mut clune = Self {
            search,
            measured: Measurements::new(&features, roles),
            features: Arc::new(features),
            scratch: Scratch::default(),
            outlook: uses_outlook.then_some(outlook),
            signature,
            learned,
            used: 0,
            next_game: 1,
            credit: Duration::ZERO,
            batch_time: Duration::ZERO,
            batch: batch.max(1),
            context,
            options,
        };
        let begun = Instant::now();
        match &clune.outlook {
            Some(_) => clune.play(clune.batch),
            None => {
                for game in understood.iter().flat_map(|understood| &understood.games) {
                    clune.measured.add(&clune.features, game, &mut clune.scratch);
                }
                Ok(())
            }
        }
        // A game that cannot be played here is measured no more than one that does not end.
        .unwrap_or_default();
        clune.batch_time = begun.elapsed();
        clune.use_weights();
        clune
    }

    /// Plays and measures random games: so many with outlooks, or a single one.
    fn play(&mut self, games: usize) -> Result<(), Failure> {
        if self.features.is_empty() {
            return Ok(());
        }
        let seed = self.context.seed.wrapping_add(self.next_game << 20);
        self.next_game += 1;
        if let Some(outlook) = &mut self.outlook {
            for (game, outlooks) in outlook.games(games, seed)? {
                self.measured.add_with(&self.features, &game, &outlooks, &mut self.scratch);
            }
            return Ok(());
        }
        let limits = PlayLimits { games: 1, seed, ..PlayLimits::default() };
        for game in random_games(&*self.context.game, &limits, &mut || false)? {
            self.measured.add(&self.features, &game, &mut self.scratch);
        }
        Ok(())
    }

    /// Gives the search an evaluation with the weights measured so far.
    fn use_weights(&mut self) {
        self.used = self.measured.games();
        if self.used == 0 || self.features.is_empty() {
            return;
        }
        let roles = self.context.game.role_count();
        let how = self.options.weights;
        let learned = self.learned.as_ref();
        let sums = sums(&self.features, &self.measured, roles, how, learned);
        let evaluation = WeightedFeatures::new(&self.features, &sums, &self.measured, roles, how);
        self.search.set_evaluation(Box::new(evaluation));
        if let (Some(store), Some(signature), FeatureWeights::Regression) =
            (&self.options.transfer, &self.signature, how)
        {
            // What cannot be written is still known in memory.
            let games = self.used as u64;
            let _ = store.keep(signature, &self.features, &groups(&*self.context.game), &sums, games);
        }
    }

    /// Plays random games for a quarter of a slice of time; new weights whenever there are twice as
    /// many. A batch of games that takes longer waits until enough slices have gone by.
    fn measure(&mut self, slice: Duration) -> Result<(), Failure> {
        self.credit = (self.credit + slice / 4).min(2 * self.batch_time.max(slice));
        while self.credit >= self.batch_time && self.measured.games() < MOST_GAMES && self.used > 0 {
            let (begun, before) = (Instant::now(), self.measured.games());
            self.play(self.batch)?;
            let took = begun.elapsed();
            self.credit = self.credit.saturating_sub(took);
            self.batch_time = (self.batch_time + took) / 2;
            if self.batch_time > slice / 2 && self.batch > 1 {
                self.batch /= 2;
                self.batch_time /= 2;
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
            self.measure(deadline.saturating_duration_since(Instant::now()))?;
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

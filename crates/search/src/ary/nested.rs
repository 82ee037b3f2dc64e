//! `ary-nmc`: nested Monte Carlo search for games for one.
//!
//! # What it does
//! ```text
//! nested(position, level):
//!   while the game is not over:
//!     for each move m: level = 1: a random playout after m; otherwise: nested(after m, level - 1)
//!     if one of these is better than the best playout: that one, from here on, is the best playout
//!     position ← after the next move of the best playout
//! ```
//! Scores are maximised. Searches of the highest level are repeated until the time is up. The best
//! playout of all is remembered, its first move is played, and what is left of it is remembered
//! with the next position. Of moves with equal scores one is drawn at random.
//!
//! A sequential search would leave nearly all lanes of an engine idle. So the samples of all moves,
//! and of as many restarts as fit, are taken side by side ([`super::forest`]).
//!
//! # Parameters
//! `level` (default 1, as in table 2 of the paper). `batch` (default 0: twice as many as the engine
//! has lanes, so that lanes with short playouts get another one): samples per call. `batch=1` is
//! the search as published, one playout after the other.
//!
//! # References
//! J. Méhat, T. Cazenave, Combining UCT and nested Monte-Carlo search for single-player general game
//! playing, 2010, section 4 and algorithm 1; T. Cazenave, Nested Monte-Carlo search, 2009. The
//! listing of S. Wandelt's slides minimises.
//!
//! # Status
//! As published, but for the batches.

use std::sync::Arc;

use ludex_game::{
    Failure, Leaf, LeafResults, MoveId, PlayoutPolicy, Simulation, Simulator, SimulatorConfig, State,
};

use super::forest::{Forest, Position, Sample};
use super::pace::Pace;
use super::plan::Incumbent;
use super::recorder::Recorder;
use crate::budget::Budget;
use crate::report::{Candidate, Proof, SearchReport};
use crate::search::{Search, SearchContext, StopReason};

/// Options of nested Monte Carlo search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NestedOptions {
    /// Level of the search, at least 1.
    pub level: u32,
    /// Samples per call; 0: twice as many as the game has lanes.
    pub batch: usize,
}

/// What is known of a move at the root.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    playouts: u64,
    best: Option<u8>,
}

/// Nested Monte Carlo search, for a game for one.
pub struct Nested {
    context: SearchContext,
    simulator: Box<dyn Simulator>,
    options: NestedOptions,
    random: fastrand::Rng,
    root: Option<State>,
    legal: Vec<MoveId>,
    forest: Option<Forest>,
    best: Incumbent,
    /// By move at the root.
    tallies: Vec<Tally>,
    recorder: Recorder,
    results: LeafResults,
    samples: Vec<Sample>,
    pace: Pace,
    playouts: u64,
    steps: u64,
}

impl Nested {
    /// A search for the only role of a game.
    pub fn new(context: SearchContext, options: NestedOptions) -> Self {
        let lanes = context.game.engine().lanes.max(1);
        let batch = if options.batch == 0 { 2 * lanes } else { options.batch };
        Self {
            simulator: Arc::clone(&context.game).simulator(SimulatorConfig::default()),
            random: fastrand::Rng::with_seed(context.seed),
            options: NestedOptions { level: options.level.max(1), batch },
            context,
            root: None,
            legal: Vec::new(),
            forest: None,
            best: Incumbent::default(),
            tallies: Vec::new(),
            recorder: Recorder::default(),
            results: LeafResults::new(),
            samples: Vec::new(),
            pace: Pace::default(),
            playouts: 0,
            steps: 0,
        }
    }

    /// Takes samples, at most so many; returns their number.
    fn sample(&mut self, forest: &mut Forest, most: usize, memory: usize) -> Result<usize, Failure> {
        let may_grow = forest.bytes() < memory;
        forest.hand_out(most, may_grow, &mut self.samples)?;
        self.recorder.begin_batch(self.samples.iter().map(|&sample| forest.threshold(sample)));
        let leaf = |(number, &sample): (usize, &Sample)| {
            let (from, joint) = forest.leaf(sample);
            Leaf { number, from, joint }
        };
        let leaves: Vec<Leaf<'_>> = self.samples.iter().enumerate().map(leaf).collect();
        let mut simulation = Simulation {
            leaves: &leaves,
            playouts: 1,
            seed: self.random.u64(..),
            policy: PlayoutPolicy::Step(&mut self.recorder),
            keep_busy: 0,
        };
        self.simulator.simulate(&mut simulation, &mut self.results)?;
        self.steps += self.results.steps;
        for (leaf, &sample) in self.samples.iter().enumerate() {
            let is_over = self.results.is_terminal(leaf);
            let score = whole(self.results.goals(leaf).first().copied().unwrap_or(0.0));
            let rest = if is_over { Some(Vec::new()) } else { self.recorder.take(leaf) };
            let tally = &mut self.tallies[forest.first(sample)];
            tally.playouts += 1;
            if let Some(rest) = &rest {
                tally.best = tally.best.max(Some(score));
                if self.best.is_beaten_by(score) {
                    self.best.offer(forest.plan(sample, score, rest));
                }
            }
            let results = &self.results;
            forest.deliver(sample, score, rest, || Position {
                words: results.words(leaf).into(),
                legal: if is_over { Vec::new() } else { results.legal(leaf, 0).to_vec() },
            });
        }
        self.playouts += self.samples.len() as u64;
        Ok(self.samples.len())
    }

    fn search(&mut self, forest: &mut Forest, budget: &Budget) -> Result<StopReason, Failure> {
        let mut left = budget.playouts;
        self.pace.begin(budget);
        loop {
            if self.best.is_perfect() {
                return Ok(StopReason::Finished);
            }
            let begun = match self.pace.next(budget, left) {
                Ok(begun) => begun,
                Err(reason) => return Ok(reason),
            };
            let most = left.and_then(|left| usize::try_from(left).ok()).unwrap_or(usize::MAX);
            let done = self.sample(forest, self.options.batch.min(most), budget.memory)?;
            left = left.map(|left| left.saturating_sub(done as u64));
            self.pace.done(begun);
        }
    }
}

/// A goal as a whole number, which it is.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
fn whole(goal: f64) -> u8 {
    goal as u8
}

impl Search for Nested {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.playouts = 0;
        self.steps = 0;
        if self.root.as_ref() == Some(state) {
            return Ok(());
        }
        if let Some(before) = self.root.take() {
            self.best.follow(&self.context.game, &before, state)?;
        }
        let position = Position::of(&self.context.game, state)?;
        self.legal.clone_from(&position.legal);
        self.tallies = vec![Tally::default(); self.legal.len()];
        self.root = Some(state.clone());
        let seed = self.random.u64(..);
        self.forest = Some(Forest::new(&self.context.game, position, self.options.level, seed));
        Ok(())
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if self.legal.len() < 2 {
            return Ok(StopReason::Finished);
        }
        let Some(mut forest) = self.forest.take() else { return Ok(StopReason::Finished) };
        let reason = self.search(&mut forest, budget);
        self.forest = Some(forest);
        reason
    }

    fn report(&self) -> SearchReport {
        let plan = self.best.plan();
        let planned = plan.and_then(|plan| plan.moves.first().copied());
        let mut candidates: Vec<Candidate> = self
            .legal
            .iter()
            .zip(&self.tallies)
            .map(|(&id, tally)| {
                let known = if planned == Some(id) { plan.map(|plan| plan.score) } else { tally.best };
                Candidate {
                    id,
                    visits: tally.playouts,
                    values: known.map(f64::from).into_iter().collect(),
                    proof: known.map(|low| Proof { low, high: 100, steps: None }),
                }
            })
            .collect();
        // The sort is stable: of equal moves, the one with the lowest id comes first.
        let key = |c: &Candidate| (planned != Some(c.id), -c.values.first().copied().unwrap_or(-1.0));
        candidates.sort_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
        SearchReport {
            best: candidates.first().map(|best| best.id),
            values: plan.map(|plan| f64::from(plan.score)).into_iter().collect(),
            candidates,
            principal_variation: plan.into_iter().flat_map(|plan| &plan.moves).map(|&id| vec![id]).collect(),
            playouts: self.playouts,
            steps: self.steps,
            depth: plan.map_or(0, |plan| u32::try_from(plan.moves.len()).unwrap_or(u32::MAX)),
            memory: self.forest.as_ref().map_or(0, Forest::bytes),
            proven: self.best.is_perfect(),
            proof: self.best.proof(),
            ..SearchReport::default()
        }
    }
}

//! Nested rollout policy adaptation: the floor that always has some plan (C. D. Rosin, Nested rollout
//! policy adaptation for Monte Carlo tree search, 2011).
//!
//! # What it does
//! A playout of level 0 draws each move m with probability proportional to exp(w(m)). Level n runs
//! [`ITERATIONS`] playouts of level n−1, and after each adapts the weights to the best sequence so far:
//! for each state of it, the weight of the move made grows by α, and those of all legal moves fall by α
//! times their probability (α = 1, algorithm 2 of the paper). Weights belong to moves. Levels are worked
//! through with a stack of frames, so that a slice can end between any two playouts. When the top level
//! ends, it begins again with new weights.

use ludex_game::{Failure, MoveId};
use rustc_hash::FxHashMap;

use super::method::{Method, Slice, Status};
use super::record::Plan;

const NAME: &str = "nrpa";

/// Levels, and playouts of the level below in each: as in the paper, with a level less.
const LEVELS: usize = 3;
const ITERATIONS: u32 = 100;

/// How far weights move.
const ALPHA: f64 = 1.0;

/// Steps of a playout at most: sheets need not end.
const MAX_STEPS: usize = 2_000;

/// A sequence of moves, with the legal ones at each, and its worth; none if it does not end the game.
#[derive(Clone, Default)]
struct Sequence {
    moves: Vec<MoveId>,
    legal: Vec<Vec<MoveId>>,
    score: Option<u8>,
}

type Weights = FxHashMap<MoveId, f64>;

/// A level at work.
struct Frame {
    weights: Weights,
    best: Option<Sequence>,
    iterations: u32,
}

/// Nested rollout policy adaptation.
pub(crate) struct Nrpa {
    /// The top level first.
    frames: Vec<Frame>,
    random: fastrand::Rng,
    /// Playouts that did not end the game, without one that did.
    endless: u32,
}

/// Playouts without an end after which the method gives up.
const MOST_ENDLESS: u32 = 2_000;

impl Nrpa {
    pub(crate) fn new(seed: u64) -> Self {
        Self { frames: Vec::new(), random: fastrand::Rng::with_seed(seed), endless: 0 }
    }

    /// A playout by the weights of the lowest level; none if the slice ends before it.
    fn playout(&mut self, slice: &Slice<'_>) -> Result<Option<Sequence>, Failure> {
        let problem = slice.problem;
        let nothing = Weights::default();
        let weights = self.frames.last().map_or(&nothing, |frame| &frame.weights);
        let (mut state, mut sequence) = (problem.start.clone(), Sequence::default());
        while sequence.moves.len() < MAX_STEPS {
            if slice.is_over() {
                return Ok(None);
            }
            let view = problem.game.view(&state)?;
            if view.terminal {
                let goals = problem.game.goals(&state)?;
                sequence.score = Some(goals.first().and_then(ludex_game::Goal::value).unwrap_or(0));
                break;
            }
            let Some(legal) = view.legal.into_iter().next().filter(|legal| !legal.is_empty()) else { break };
            let shares: Vec<f64> = shares(weights, &legal);
            let mut drawn = self.random.f64() * shares.iter().sum::<f64>();
            let at = shares.iter().position(|share| {
                drawn -= share;
                drawn < 0.0
            });
            let id = legal[at.unwrap_or(legal.len() - 1)];
            state = problem.game.next(&state, &[id])?;
            sequence.moves.push(id);
            sequence.legal.push(legal);
        }
        Ok(Some(sequence))
    }
}

/// exp(w) of each move.
fn shares(weights: &Weights, legal: &[MoveId]) -> Vec<f64> {
    legal.iter().map(|id| weights.get(id).map_or(1.0, |weight| weight.exp())).collect()
}

impl Frame {
    fn new(weights: Weights) -> Self {
        Self { weights, best: None, iterations: 0 }
    }

    /// Takes a sequence of the level below, and adapts the weights to the best one so far.
    fn take(&mut self, sequence: Sequence) {
        self.iterations += 1;
        if self.best.as_ref().is_none_or(|best| sequence.score >= best.score) {
            self.best = Some(sequence);
        }
        let Some(best) = self.best.as_ref().filter(|best| best.score.is_some()) else { return };
        let mut adapted = self.weights.clone();
        for (id, legal) in best.moves.iter().zip(&best.legal) {
            let shares = shares(&self.weights, legal);
            let all: f64 = shares.iter().sum();
            for (other, share) in legal.iter().zip(shares) {
                *adapted.entry(*other).or_default() -= ALPHA * share / all;
            }
            *adapted.entry(*id).or_default() += ALPHA;
        }
        self.weights = adapted;
    }
}

impl Method for Nrpa {
    fn name(&self) -> &'static str {
        NAME
    }

    fn work(&mut self, slice: &Slice<'_>) -> Result<Status, Failure> {
        while !slice.is_over() {
            while self.frames.len() < LEVELS {
                let weights = self.frames.last().map_or_else(Weights::default, |frame| frame.weights.clone());
                self.frames.push(Frame::new(weights));
            }
            let Some(sequence) = self.playout(slice)? else { break };
            slice.count(sequence.moves.len() as u64 + 1);
            match sequence.score {
                Some(score) => {
                    self.endless = 0;
                    if slice.record.score().is_none_or(|best| score > best) {
                        let moves = sequence.moves.clone();
                        slice.record.offer(slice.problem, Plan { moves, score, method: NAME })?;
                    }
                }
                None => self.endless += 1,
            }
            if self.endless > MOST_ENDLESS {
                return Ok(Status::GaveUp(format!("{MOST_ENDLESS} playouts did not end the game")));
            }
            let mut done = Some(sequence);
            while let (Some(sequence), Some(frame)) = (done.take(), self.frames.last_mut()) {
                frame.take(sequence);
                if frame.iterations >= ITERATIONS {
                    done = self.frames.pop().and_then(|frame| frame.best);
                }
            }
        }
        Ok(Status::Working)
    }
}

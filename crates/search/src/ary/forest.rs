//! Nested searches side by side.
//!
//! A nested search of level n (Méhat, Cazenave 2010, algorithm 1) looks at every move of its position
//! by a search of level n - 1 that begins after it, or by a random playout where n = 1. It makes
//! the move of the best sequence that it knows, and so on to the end of the game. Most of these
//! searches do not depend on each other, so the forest keeps many of them going: it hands out the
//! samples that are needed next, as many as fill the lanes of an engine, and takes the results.
//!
//! Searches of low levels come first, and a new restart at the top begins only when nothing else is
//! left to hand out. So there are never more searches than samples in a batch, times the levels.

use std::collections::VecDeque;
use std::sync::Arc;

use ludex_game::{Failure, Game, MoveId, SimulatorConfig, State};

use super::plan::Plan;

/// Longest line of a nested search: what is longer does not end.
const MAX_LENGTH: usize = SimulatorConfig::MAX_STEPS as usize;

/// A position of a game for one.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) words: Box<[u64]>,
    /// None where the game is over, or stuck.
    pub(super) legal: Vec<MoveId>,
}

impl Position {
    /// What a state is.
    pub(super) fn of(game: &Arc<dyn Game>, state: &State) -> Result<Self, Failure> {
        let mut view = game.view(state)?;
        let legal =
            if view.terminal || view.legal.is_empty() { Vec::new() } else { view.legal.swap_remove(0) };
        Ok(Self { words: state.words().into(), legal })
    }

    fn bytes(&self) -> usize {
        8 * self.words.len() + size_of::<MoveId>() * self.legal.capacity()
    }
}

/// A sample to take: a random playout after a move of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    search: usize,
    /// Index of the move.
    at: usize,
}

/// What came of a move: the score of the playout or of the search after it.
#[derive(Debug)]
struct Outcome {
    score: u8,
    /// The moves after it, to the end of the game; none if the end was not reached.
    rest: Option<Vec<MoveId>>,
}

/// A line, as long as it is known.
#[derive(Clone, Debug, Default)]
struct Line {
    /// None before the first.
    score: Option<u8>,
    moves: Vec<MoveId>,
    /// Whether it goes to the end of the game.
    complete: bool,
}

/// The best move of a step so far.
#[derive(Debug)]
struct Choice {
    at: usize,
    outcome: Outcome,
    child: Position,
    /// Moves with the same score: each is chosen with the same probability.
    ties: u32,
}

/// A nested search that has not ended.
#[derive(Debug)]
struct Nest {
    level: u32,
    /// The search that wants the result, and the index of its move.
    parent: Option<Sample>,
    /// Where it began; for the parent, which may play the move to it.
    start: Option<Position>,
    /// Index of the move at the root of all.
    first: Option<usize>,
    /// Where it is, and the moves to there.
    position: Position,
    made: Vec<MoveId>,
    /// The best line from its start: "it is important to memorize the best playout found so far in
    /// order to play its moves if no better playout is found" (section 4).
    best: Line,
    /// Moves of this step that were handed out, and those without a result.
    handed: usize,
    open: usize,
    choice: Option<Choice>,
    /// The position after the next move of the best line.
    next_of_best: Option<Position>,
}

impl Nest {
    fn new(level: u32, position: Position, parent: Option<Sample>, first: Option<usize>) -> Self {
        Self {
            level,
            start: parent.is_some().then(|| position.clone()),
            parent,
            first,
            position,
            made: Vec::new(),
            best: Line::default(),
            handed: 0,
            open: 0,
            choice: None,
            next_of_best: None,
        }
    }

    /// The next move of the best line.
    fn planned(&self) -> Option<MoveId> {
        self.best.moves.get(self.made.len()).copied()
    }

    /// The result of a move.
    fn receive(
        &mut self,
        at: usize,
        outcome: Outcome,
        child: impl FnOnce() -> Position,
        random: &mut fastrand::Rng,
    ) {
        self.open -= 1;
        let planned = self.planned();
        let is_planned = planned == Some(self.position.legal[at]);
        let mut child = Some(child);
        let mut make_child = || child.take().map(|child| child());
        // What is not better than the best line is of use only where that line is not known on.
        if planned.is_none() || self.best.score.is_none_or(|best| outcome.score > best) {
            let ties = match &self.choice {
                Some(known) if known.outcome.score > outcome.score => 0,
                Some(known) if known.outcome.score == outcome.score => known.ties + 1,
                _ => 1,
            };
            let is_drawn = ties > 0 && random.u32(..ties) == 0;
            if let (true, Some(child)) = (is_drawn, make_child()) {
                if is_planned {
                    self.next_of_best = Some(child.clone());
                }
                self.choice = Some(Choice { at, outcome, child, ties });
                return;
            }
            if let (true, Some(known)) = (ties > 0, &mut self.choice) {
                known.ties = ties;
            }
        }
        if is_planned {
            self.next_of_best = make_child();
        }
    }

    /// All moves of the step have a result: makes one. Whether the search goes on.
    fn advance(&mut self) -> bool {
        let planned = self.planned();
        let is_better = |choice: &Choice| self.best.score.is_none_or(|best| choice.outcome.score > best);
        let choice = self.choice.take().filter(|choice| planned.is_none() || is_better(choice));
        let next = match (choice, planned) {
            (Some(choice), _) => {
                let made = self.position.legal[choice.at];
                self.made.push(made);
                let moves = self.made.iter().copied().chain(choice.outcome.rest.iter().flatten().copied());
                self.best = Line {
                    score: Some(choice.outcome.score),
                    moves: moves.collect(),
                    complete: choice.outcome.rest.is_some(),
                };
                Some(choice.child)
            }
            (None, Some(planned)) => {
                self.made.push(planned);
                self.next_of_best.take()
            }
            (None, None) => None,
        };
        self.next_of_best = None;
        self.handed = 0;
        let Some(next) = next else { return false };
        self.position = next;
        !self.position.legal.is_empty() && self.made.len() < MAX_LENGTH
    }

    fn bytes(&self) -> usize {
        let moves = self.made.capacity() + self.best.moves.capacity();
        let choice = self.choice.as_ref().map_or(0, |choice| {
            choice.child.bytes() + size_of::<MoveId>() * choice.outcome.rest.as_ref().map_or(0, Vec::capacity)
        });
        let positions = [&self.start, &self.next_of_best].into_iter().flatten().map(Position::bytes);
        size_of::<Self>()
            + self.position.bytes()
            + positions.sum::<usize>()
            + choice
            + size_of::<MoveId>() * moves
    }
}

/// Searches of a position, restarted for ever.
pub(super) struct Forest {
    game: Arc<dyn Game>,
    root: Position,
    level: u32,
    random: fastrand::Rng,
    nests: Vec<Option<Nest>>,
    free: Vec<usize>,
    /// By level, from 1 on: searches with moves to hand out.
    ready: Vec<VecDeque<usize>>,
}

impl Forest {
    /// Searches of this level (at least 1) from a position that is not an end.
    pub(super) fn new(game: &Arc<dyn Game>, root: Position, level: u32, seed: u64) -> Self {
        Self {
            game: Arc::clone(game),
            root,
            level,
            random: fastrand::Rng::with_seed(seed),
            nests: Vec::new(),
            free: Vec::new(),
            ready: vec![VecDeque::new(); level as usize],
        }
    }

    /// Bytes of all searches.
    pub(super) fn bytes(&self) -> usize {
        self.nests.iter().flatten().map(Nest::bytes).sum()
    }

    /// Hands out samples, this many at most, at least one. `may_grow`: new restarts may begin; if
    /// not, one begins only where nothing else is left.
    pub(super) fn hand_out(
        &mut self,
        count: usize,
        may_grow: bool,
        into: &mut Vec<Sample>,
    ) -> Result<(), Failure> {
        into.clear();
        while into.len() < count {
            let Some(level) = self.ready.iter().position(|ready| !ready.is_empty()) else {
                if !may_grow && !into.is_empty() {
                    break;
                }
                let root = self.root.clone();
                self.plant(Nest::new(self.level, root, None, None));
                continue;
            };
            if level > 0 && !may_grow && !into.is_empty() {
                break;
            }
            let Some(&search) = self.ready[level].front() else { continue };
            let Some(nest) = &mut self.nests[search] else {
                self.ready[level].pop_front();
                continue;
            };
            let sample = Sample { search, at: nest.handed };
            nest.handed += 1;
            nest.open += 1;
            if nest.handed == nest.position.legal.len() {
                self.ready[level].pop_front();
            }
            match level {
                0 => into.push(sample),
                _ if self.descend(sample)? => {}
                // The game is over there: there is nothing to nest.
                _ => into.push(sample),
            }
        }
        Ok(())
    }

    /// Begins the search of the next level after a move, unless that is an end.
    fn descend(&mut self, sample: Sample) -> Result<bool, Failure> {
        let Some(nest) = &self.nests[sample.search] else { return Ok(false) };
        let from = State::from_words(&*nest.position.words);
        let state = self.game.next(&from, &nest.position.legal[sample.at..=sample.at])?;
        let position = Position::of(&self.game, &state)?;
        if position.legal.is_empty() {
            return Ok(false);
        }
        let first = nest.first.unwrap_or(sample.at);
        let level = nest.level - 1;
        self.plant(Nest::new(level, position, Some(sample), Some(first)));
        Ok(true)
    }

    fn plant(&mut self, nest: Nest) {
        let level = nest.level as usize - 1;
        let at = match self.free.pop() {
            Some(at) => at,
            None => {
                self.nests.push(None);
                self.nests.len() - 1
            }
        };
        self.nests[at] = Some(nest);
        self.ready[level].push_back(at);
    }

    /// Where a sample begins: a state, and the move to make there.
    pub(super) fn leaf(&self, sample: Sample) -> (&[u64], &[MoveId]) {
        match &self.nests[sample.search] {
            Some(nest) => (&nest.position.words, &nest.position.legal[sample.at..=sample.at]),
            None => (&self.root.words, &[]),
        }
    }

    /// The moves of a sample with a higher score than this one are needed.
    pub(super) fn threshold(&self, sample: Sample) -> i16 {
        let nest = self.nests[sample.search].as_ref();
        nest.filter(|nest| nest.planned().is_some()).and_then(|nest| nest.best.score).map_or(-1, i16::from)
    }

    /// Index of the move at the root that a sample comes after.
    pub(super) fn first(&self, sample: Sample) -> usize {
        let nest = self.nests[sample.search].as_ref();
        nest.and_then(|nest| nest.first).unwrap_or(sample.at)
    }

    /// The plan that a sample is, with the moves of its playout.
    pub(super) fn plan(&self, sample: Sample, score: u8, rest: &[MoveId]) -> Plan {
        let mut parts = vec![rest];
        let mut next = Some(sample);
        while let Some(sample) = next {
            let Some(nest) = &self.nests[sample.search] else { break };
            parts.push(&nest.position.legal[sample.at..=sample.at]);
            parts.push(&nest.made);
            next = nest.parent;
        }
        Plan { score, moves: parts.into_iter().rev().flatten().copied().collect() }
    }

    /// Takes the result of a sample: its score, the moves of its playout if it ended the game and
    /// they were needed, and the position after the sample's move. Gives the score of a search of the
    /// highest level, if one ended.
    pub(super) fn deliver(
        &mut self,
        sample: Sample,
        score: u8,
        rest: Option<Vec<MoveId>>,
        child: impl FnOnce() -> Position,
    ) -> Option<u8> {
        let outcome = Outcome { score, rest };
        let nest = self.nests[sample.search].as_mut()?;
        nest.receive(sample.at, outcome, child, &mut self.random);
        let mut search = sample.search;
        loop {
            let nest = self.nests[search].as_mut()?;
            if nest.open > 0 || nest.handed < nest.position.legal.len() {
                return None;
            }
            if nest.advance() {
                if nest.first.is_none() {
                    // Moves are sorted by id.
                    nest.first = nest.made.first().and_then(|made| self.root.legal.binary_search(made).ok());
                }
                self.ready[nest.level as usize - 1].push_back(search);
                return None;
            }
            // The search ended: its parent has a result.
            let ended = self.nests[search].take()?;
            self.free.push(search);
            let Line { score, moves, complete } = ended.best;
            let (Some(parent), Some(start)) = (ended.parent, ended.start) else { return score };
            let outcome = Outcome { score: score.unwrap_or(0), rest: complete.then_some(moves) };
            let nest = self.nests[parent.search].as_mut()?;
            nest.receive(parent.at, outcome, || start, &mut self.random);
            search = parent.search;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random playout: the goal and the moves.
    fn sample(game: &Arc<dyn Game>, mut state: State, random: &mut fastrand::Rng) -> (u8, Vec<MoveId>) {
        let mut moves = Vec::new();
        loop {
            let view = game.view(&state).unwrap();
            if view.terminal {
                return (game.goals(&state).unwrap()[0].value().unwrap(), moves);
            }
            moves.push(view.legal[0][random.usize(..view.legal[0].len())]);
            state = game.next(&state, &moves[moves.len() - 1..]).unwrap();
        }
    }

    /// Algorithm 1 as it is written.
    fn nested(
        game: &Arc<dyn Game>,
        start: &State,
        level: u32,
        random: &mut fastrand::Rng,
    ) -> (u8, Vec<MoveId>) {
        let (mut state, mut made) = (start.clone(), Vec::new());
        let mut best: Option<(u8, Vec<MoveId>)> = None;
        loop {
            let view = game.view(&state).unwrap();
            if view.terminal {
                let score = game.goals(&state).unwrap()[0].value().unwrap();
                assert!(best.is_none_or(|best| best == (score, made.clone())), "the best playout is played");
                return (score, made);
            }
            let mut legal = view.legal[0].clone();
            random.shuffle(&mut legal);
            let mut step: Option<(u8, Vec<MoveId>)> = None;
            for id in legal {
                let child = game.next(&state, &[id]).unwrap();
                let (score, rest) = match level {
                    1 => sample(game, child, random),
                    _ => nested(game, &child, level - 1, random),
                };
                if step.as_ref().is_none_or(|step| step.0 < score) {
                    step = Some((score, made.iter().copied().chain([id]).chain(rest).collect()));
                }
            }
            let step = step.unwrap();
            if best.as_ref().is_none_or(|best| best.0 < step.0) {
                best = Some(step);
            }
            made.push(best.as_ref().unwrap().1[made.len()]);
            state = game.next(&state, &made[made.len() - 1..]).unwrap();
        }
    }

    /// The scores of restarts, with so many samples side by side.
    fn restarts(game: &Arc<dyn Game>, level: u32, count: usize, batch: usize, may_grow: bool) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(5);
        let root = Position::of(game, &game.initial()).unwrap();
        let mut forest = Forest::new(game, root, level, 11);
        let (mut samples, mut scores) = (Vec::new(), Vec::new());
        while scores.len() < count {
            forest.hand_out(batch, may_grow, &mut samples).unwrap();
            assert!(!samples.is_empty() && samples.len() <= batch);
            // Results may come in any order.
            random.shuffle(&mut samples);
            for &taken in &samples {
                let (from, joint) = forest.leaf(taken);
                let child = game.next(&State::from_words(from), joint).unwrap();
                let (score, rest) = sample(game, child.clone(), &mut random);
                if random.u8(..16) == 0 {
                    let mut state = game.initial();
                    for id in forest.plan(taken, score, &rest).moves {
                        state = game.next(&state, &[id]).unwrap();
                    }
                    assert!(game.view(&state).unwrap().terminal);
                    assert_eq!(game.goals(&state).unwrap()[0].value(), Some(score));
                }
                let rest = (i16::from(score) > forest.threshold(taken)).then_some(rest);
                let child = Position::of(game, &child).unwrap();
                scores.extend(forest.deliver(taken, score, rest, || child).map(f64::from));
            }
        }
        scores
    }

    fn mean_and_error(scores: &[f64]) -> (f64, f64) {
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / scores.len() as f64;
        (mean, (variance / scores.len() as f64).sqrt())
    }

    /// Six steps with three moves each: the more of them are right, the higher the score.
    const PATTERN: &str = "
        (role robot) (init (at 0)) (init (hits 0)) (move a) (move b) (move c)
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
        (right 0 a) (right 1 b) (right 2 c) (right 3 a) (right 4 b) (right 5 c)
        (worth 0 0) (worth 1 10) (worth 2 20) (worth 3 40) (worth 4 60) (worth 5 80) (worth 6 100)
        (<= (legal robot (take ?m)) (move ?m))
        (<= hit (does robot (take ?m)) (true (at ?n)) (right ?n ?m))
        (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
        (<= (next (hits ?n)) hit (true (hits ?m)) (succ ?m ?n))
        (<= (next (hits ?m)) (not hit) (true (hits ?m)))
        (<= terminal (true (at 6)))
        (<= (goal robot ?v) (true (hits ?h)) (worth ?h ?v))";

    /// Side by side or one after the other: scores are distributed as those of the algorithm.
    #[test]
    fn restarts_score_like_the_algorithm() {
        let game = ludex_testkit::game_from(PATTERN, "circuit");
        let mut random = fastrand::Rng::with_seed(3);
        let playouts: Vec<f64> =
            (0..100).map(|_| f64::from(sample(&game, game.initial(), &mut random).0)).collect();
        let mut before = mean_and_error(&playouts).0;
        for (level, count) in [(1, 150), (2, 30)] {
            let algorithm = |_| f64::from(nested(&game, &game.initial(), level, &mut random).0);
            let (expected, error) = mean_and_error(&(0..count).map(algorithm).collect::<Vec<_>>());
            assert!(before + 3.0 * error < expected, "nesting is of use: {before}, {expected}");
            before = expected;
            for (batch, may_grow) in [(1, true), (100, true), (100, false)] {
                let (mean, own_error) = mean_and_error(&restarts(&game, level, count, batch, may_grow));
                let far = (mean - expected).abs() / error.hypot(own_error).max(0.5);
                assert!(far < 4.0, "level {level}, {batch} at once: {mean} instead of {expected}");
            }
        }
    }
}

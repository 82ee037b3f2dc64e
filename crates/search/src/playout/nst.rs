//! NST, the N-gram selection technique: which move was good after which.
//!
//! # What it does
//! `R(S)` is the mean reward of the simulations in which the sequence `S` of one, two or three consecutive moves occurred,
//! for the role that made the last of them (see [`super::context`] for whose moves the others are). The score of a move is the
//! mean of `R` over the sequences that it would complete; of the longer ones only those that occurred at least `k` times
//! count. Unseen moves count 100. A move is chosen by score, ε-greedily or by Gibbs measure.
//!
//! # Parameters
//! `k` (7), `epsilon` (0.2), `tau` (10).
//!
//! # References
//! M. Tak, M. Winands, Y. Björnsson, N-grams and the last-good-reply policy applied in general game playing, IEEE TCIAIG
//! 2012, IV-B.
//!
//! # Status
//! Optional.

use ludex_game::{Choices, Guide, LanePolicy, MoveId, RoleId, StepPolicy};

use super::context::{Context, Histories, with_context};
use super::greedy::{Greedy, Probability, Sequences, Terms};
use super::learned::{Choice, choose_by};
use super::ngrams::Ngrams;
use super::steps::Steps;
use super::{Path, Place, Strategy};

/// The strategy.
pub(crate) struct Nst {
    roles: usize,
    ngrams: Ngrams,
    choice: Choice,
    /// Whether moves are chosen lane by lane; if not, ε-greedily, in all lanes at once.
    by_lane: bool,
    histories: Histories,
    steps: Steps,
    weights: Vec<f32>,
    greedy: Greedy,
    ones: Vec<u32>,
    moves: Vec<MoveId>,
}

impl Nst {
    /// Only ε-greedy choices can be made in all lanes at once.
    pub(crate) fn new(roles: usize, k: u64, choice: Choice, by_lane: bool) -> Self {
        Self {
            roles,
            ngrams: Ngrams::new(roles, k),
            choice,
            by_lane,
            histories: Histories::new(roles),
            steps: Steps::new(roles),
            weights: Vec::new(),
            greedy: Greedy::default(),
            ones: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Whether moves are chosen in all lanes at once.
    fn goes_by_step(&self) -> bool {
        matches!(self.choice, Choice::Greedy(_)) && !self.by_lane
    }
}

impl Strategy for Nst {
    fn prepare(&mut self, paths: &[Path]) {
        match self.goes_by_step() {
            true => self.steps.set_paths(paths),
            false => self.histories.set_paths(paths),
        }
    }

    fn guide(&mut self) -> Guide<'_> {
        match self.goes_by_step() {
            true => Guide::ByStep(self),
            false => Guide::ByLane(self),
        }
    }

    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        place: Place<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        self.ngrams.mark_chosen(role, untried);
        let context = Context::behind(place.path, self.roles, role);
        let fill = |list: &mut Vec<f32>| self.ngrams.scores(role, context, untried, list);
        choose_by(self.choice, untried.len(), &mut self.weights, fill, random)
    }

    /// The way to the leaf; what comes behind it is learned from each playout.
    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]) {
        with_context(path, self.roles, &mut self.moves);
        self.ngrams.learn(&self.moves, playouts, goals);
    }
}

impl LanePolicy for Nst {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.histories.begin(lane, leaf);
    }

    #[inline]
    fn choose(&mut self, lane: usize, role: RoleId, legal: &[MoveId], random: &mut fastrand::Rng) -> usize {
        let role = role.index();
        self.ngrams.mark_chosen(role, legal);
        let context = self.histories.context(lane, role);
        let fill = |list: &mut Vec<f32>| self.ngrams.scores(role, context, legal, list);
        choose_by(self.choice, legal.len(), &mut self.weights, fill, random)
    }

    fn moved(&mut self, lane: usize, joint: &[MoveId]) {
        self.histories.moved(lane, joint);
    }

    fn ended(&mut self, lane: usize, goals: Option<&[f64]>) {
        if let Some(goals) = goals {
            self.ngrams.learn(self.histories.moves(lane), 1, goals);
        }
    }
}

impl StepPolicy for Nst {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.steps.begin(lane, leaf);
    }

    fn choose(&mut self, choices: &Choices, random: &mut fastrand::Rng, chosen: &mut Vec<u32>) {
        let role = choices.role.index();
        self.ngrams.mark_chosen(role, &choices.moves);
        let (grams, k) = self.ngrams.of(role);
        self.ones.clear();
        self.ones.extend(choices.moves.iter().map(|&id| grams.one(id)));
        let (last, before) = self.steps.contexts(role);
        let terms = Terms {
            epsilon: Probability::new(self.choice.epsilon()),
            wishes: &[],
            ones: &self.ones,
            sequences: Some(Sequences { grams, k, last, before }),
        };
        self.greedy.choose(choices, &terms, random, chosen);
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.steps.moved(joint);
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        let moves = self.steps.end(lane, steps);
        if let Some(goals) = goals {
            self.ngrams.learn(moves, 1, goals);
        }
    }
}

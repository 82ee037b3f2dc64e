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

use ludex_game::{Guide, LanePolicy, MoveId, RoleId};

use super::context::{Context, Histories};
use super::learned::{Choice, choose_by};
use super::ngrams::Ngrams;
use super::{Path, Place, Strategy};

/// The strategy.
pub(crate) struct Nst {
    roles: usize,
    ngrams: Ngrams,
    histories: Histories,
    choice: Choice,
    weights: Vec<f32>,
}

impl Nst {
    pub(crate) fn new(roles: usize, k: u64, choice: Choice) -> Self {
        let (ngrams, histories) = (Ngrams::new(roles, k), Histories::new(roles));
        Self { roles, ngrams, histories, choice, weights: Vec::new() }
    }
}

impl Strategy for Nst {
    fn prepare(&mut self, paths: &[Path]) {
        self.histories.set_paths(paths);
    }

    fn guide(&mut self) -> Guide<'_> {
        Guide::ByLane(self)
    }

    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        place: Place<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        let context = Context::behind(place.path, self.roles, role);
        let scores = self.ngrams.scores(role, context);
        let fill = |list: &mut Vec<f32>| scores.of_all(untried, list);
        choose_by(self.choice, untried.len(), &mut self.weights, fill, random)
    }

    fn learn(&mut self, _: &[MoveId], _: u32, _: &[f64]) {}
}

impl LanePolicy for Nst {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.histories.begin(lane, leaf);
    }

    #[inline]
    fn choose(&mut self, lane: usize, role: RoleId, legal: &[MoveId], random: &mut fastrand::Rng) -> usize {
        let context = self.histories.context(lane, role.index());
        let scores = self.ngrams.scores(role.index(), context);
        choose_by(self.choice, legal.len(), &mut self.weights, |list| scores.of_all(legal, list), random)
    }

    fn moved(&mut self, lane: usize, joint: &[MoveId]) {
        self.histories.moved(lane, joint);
    }

    fn ended(&mut self, lane: usize, goals: Option<&[f64]>) {
        if let Some(goals) = goals {
            self.ngrams.learn(self.histories.moves(lane), goals);
        }
    }
}

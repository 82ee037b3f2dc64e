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

use ludex_game::{Guide, LanePolicy, MoveId, MovePolicy, RoleId};

use super::bids::{Bid, Probability};
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
    /// Whether moves are chosen lane by lane; if not, ε-greedily, move by move.
    by_lane: bool,
    weights: Vec<f32>,
    /// By lane; and whose they are.
    bids: Vec<Bid>,
    asked: usize,
}

impl Nst {
    /// Only ε-greedy choices can be made move by move.
    pub(crate) fn new(roles: usize, k: u64, choice: Choice, by_lane: bool) -> Self {
        Self {
            roles,
            ngrams: Ngrams::new(roles, k),
            histories: Histories::new(roles),
            choice,
            by_lane,
            weights: Vec::new(),
            bids: Vec::new(),
            asked: 0,
        }
    }
}

impl Strategy for Nst {
    fn prepare(&mut self, paths: &[Path]) {
        self.histories.set_paths(paths);
    }

    fn guide(&mut self) -> Guide<'_> {
        match self.choice {
            Choice::Greedy(_) if !self.by_lane => Guide::ByMove(self),
            _ => Guide::ByLane(self),
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
        self.ngrams.learn(path, 0, playouts, goals);
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
            let (moves, from) = self.histories.moves(lane);
            self.ngrams.learn(moves, from, 1, goals);
        }
    }
}

impl MovePolicy for Nst {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.histories.begin(lane, leaf);
        if self.bids.len() <= lane {
            self.bids.resize(lane + 1, Bid::default());
        }
    }

    fn ask(&mut self, role: RoleId, lanes: &[u16], random: &mut fastrand::Rng) {
        self.asked = role.index();
        let epsilon = Probability::new(self.choice.epsilon());
        for &lane in lanes {
            let mut bid = Bid::new(epsilon, random);
            let context = self.histories.context(usize::from(lane), self.asked);
            self.ngrams.prepare(self.asked, context, &mut bid);
            self.bids[usize::from(lane)] = bid;
        }
    }

    fn offer(&mut self, id: MoveId, lanes: &[u16]) {
        self.ngrams.offer(self.asked, id, lanes, &mut self.bids, |_| 0);
    }

    fn choices(&mut self, lanes: &[u16], chosen: &mut Vec<MoveId>) {
        chosen.extend(lanes.iter().map(|&lane| self.bids[usize::from(lane)].best()));
    }

    fn moved(&mut self, lanes: &[u16], joint: &[MoveId]) {
        self.histories.moved_in(lanes, joint);
    }

    fn ended(&mut self, lane: usize, goals: Option<&[f64]>) {
        LanePolicy::ended(self, lane, goals);
    }
}

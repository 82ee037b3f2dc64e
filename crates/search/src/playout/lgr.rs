//! LGRF-2, the last good reply with forgetting: what was good against the last two moves is tried again.
//!
//! # What it does
//! For each role a table of replies to the last move before it, and one of replies to the last two (see
//! [`super::context`]). After a simulation, a role whose reward no other role exceeds stores its moves as replies; one that
//! was exceeded forgets those of its moves that are stored. The reply to two moves is made if it is legal, or else the reply to one,
//! or else what another strategy chooses.
//!
//! # References
//! P. Drake, The last-good-reply policy for Monte-Carlo Go, ICGA Journal 2009; H. Baier, P. Drake, The power of
//! forgetting, IEEE TCIAIG 2010; M. Tak, M. Winands, Y. Björnsson, IEEE TCIAIG 2012, IV-C.
//!
//! # Status
//! Optional.

use ludex_game::{Guide, LanePolicy, MoveId, MovePolicy, RoleId};

use super::bids::{Bid, Offer, Probability};
use super::context::{Context, Histories, NOBODY};
use super::learned::{Choice, Mean, UNSEEN, choose_by};
use super::ngrams::Ngrams;
use super::{Path, Place, Strategy};

/// Replies of one role.
#[derive(Clone, Debug, Default, PartialEq)]
struct Replies {
    /// By the last move.
    one: Vec<u32>,
    /// By hash of the last two: which they are, and the reply. When two pairs fall onto the same place, the later one takes
    /// it. Empty until there is a reply.
    two: Vec<(u64, u32)>,
}

/// Places for replies to two moves: a power of two.
const PLACES: usize = 1 << 15;

#[inline(always)]
fn key(context: Context) -> u64 {
    u64::from(context.before) << 32 | u64::from(context.last)
}

#[inline(always)]
fn place(key: u64) -> usize {
    usize::try_from(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 49).unwrap_or(0) & (PLACES - 1)
}

impl Replies {
    fn store(&mut self, context: Context, id: MoveId) {
        if context.last == NOBODY {
            return;
        }
        let last = context.last as usize;
        if self.one.len() <= last {
            self.one.resize(last + 1, NOBODY);
        }
        self.one[last] = id.0;
        if context.before != NOBODY {
            if self.two.is_empty() {
                self.two = vec![(u64::MAX, NOBODY); PLACES];
            }
            let key = key(context);
            self.two[place(key)] = (key, id.0);
        }
    }

    /// The reply to two moves.
    #[inline(always)]
    fn to_two(&self, context: Context) -> Option<u32> {
        let key = key(context);
        let &(known, reply) = self.two.get(place(key))?;
        (known == key && reply != NOBODY).then_some(reply)
    }

    fn forget(&mut self, context: Context, id: MoveId) {
        if let Some(reply) = self.one.get_mut(context.last as usize).filter(|reply| **reply == id.0) {
            *reply = NOBODY;
        }
        if self.to_two(context) == Some(id.0) {
            self.two[place(key(context))].1 = NOBODY;
        }
    }

    /// The replies to the last two moves and to the last one, or [`NOBODY`].
    #[inline(always)]
    fn both(&self, context: Context) -> [u32; 2] {
        let to_one = self.one.get(context.last as usize).copied().unwrap_or(NOBODY);
        [self.to_two(context).unwrap_or(NOBODY), to_one]
    }

    /// The reply that is legal, if there is one.
    #[inline(always)]
    fn find(&self, context: Context, legal: &[MoveId]) -> Option<usize> {
        self.both(context).into_iter().find_map(|id| legal.binary_search(&MoveId(id)).ok())
    }
}

/// What decides where there is no reply.
#[derive(Clone, Debug)]
pub(crate) enum Fallback {
    /// Averages of single moves, by role.
    Mast(Vec<Vec<Mean>>),
    /// Averages of sequences.
    Nst(Ngrams),
}

/// The strategy.
pub(crate) struct LastGoodReply {
    replies: Vec<Replies>,
    fallback: Fallback,
    choice: Choice,
    histories: Histories,
    /// Whether moves are chosen lane by lane; if not, ε-greedily, move by move.
    by_lane: bool,
    weights: Vec<f32>,
    /// By lane: bids, and the replies that come before them; and whose they are.
    bids: Vec<Bid>,
    wanted: Vec<[u32; 2]>,
    asked: usize,
}

impl LastGoodReply {
    /// With MAST where there is no reply. Only ε-greedy choices can be made move by move.
    pub(crate) fn with_mast(roles: usize, choice: Choice, by_lane: bool) -> Self {
        Self::new(roles, Fallback::Mast(vec![Vec::new(); roles]), choice, by_lane)
    }

    /// With NST where there is no reply.
    pub(crate) fn with_nst(roles: usize, k: u64, choice: Choice, by_lane: bool) -> Self {
        Self::new(roles, Fallback::Nst(Ngrams::new(roles, k)), choice, by_lane)
    }

    fn new(roles: usize, fallback: Fallback, choice: Choice, by_lane: bool) -> Self {
        Self {
            replies: vec![Replies::default(); roles],
            fallback,
            choice,
            histories: Histories::new(roles),
            by_lane,
            weights: Vec::new(),
            bids: Vec::new(),
            wanted: Vec::new(),
            asked: 0,
        }
    }

    /// Learns from moves from a place on, made in so many playouts.
    fn learn_from(&mut self, moves: &[MoveId], from: usize, playouts: u32, goals: &[f64]) {
        learn_replies(&mut self.replies, moves, from, goals);
        match &mut self.fallback {
            Fallback::Nst(ngrams) => ngrams.learn(moves, from, playouts, goals),
            Fallback::Mast(means) => learn_means(means, &moves[from..], playouts, goals),
        }
    }

    #[inline(always)]
    fn choose_in(
        &mut self,
        role: usize,
        context: Context,
        moves: &[MoveId],
        random: &mut fastrand::Rng,
    ) -> usize {
        if let Fallback::Nst(ngrams) = &mut self.fallback {
            ngrams.mark_chosen(role, moves);
        }
        if let Some(at) = self.replies[role].find(context, moves) {
            return at;
        }
        let weights = &mut self.weights;
        match &self.fallback {
            Fallback::Mast(means) => {
                let means = &means[role];
                let score = |id: &MoveId| means.get(id.index()).map_or(UNSEEN, Mean::or_unseen);
                let fill = |list: &mut Vec<f32>| list.extend(moves.iter().map(score));
                choose_by(self.choice, moves.len(), weights, fill, random)
            }
            Fallback::Nst(ngrams) => {
                let fill = |list: &mut Vec<f32>| ngrams.scores(role, context, moves, list);
                choose_by(self.choice, moves.len(), weights, fill, random)
            }
        }
    }
}

/// Updates the reply tables by a simulation, from a place on; `moves` has one for each role and step.
fn learn_replies(replies: &mut [Replies], moves: &[MoveId], from: usize, goals: &[f64]) {
    let roles = replies.len();
    let highest = goals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for start in (from..moves.len()).step_by(roles.max(1)) {
        for (role, replies) in replies.iter_mut().enumerate() {
            let context = Context::behind(&moves[..start], roles, role);
            let id = moves[start + role];
            match goals[role] >= highest {
                true => replies.store(context, id),
                false => replies.forget(context, id),
            }
        }
    }
}

/// A mean reward as bids have it: whole numbers in the same order.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rewards are from 0 to 100")]
fn as_score(mean: f32) -> u32 {
    (mean * 65536.0) as u32
}

/// Adds what single moves gave in so many playouts.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "goals and counts are small")]
fn learn_means(means: &mut [Vec<Mean>], moves: &[MoveId], playouts: u32, goals: &[f64]) {
    for joint in moves.chunks(goals.len().max(1)) {
        for ((means, &id), &goal) in means.iter_mut().zip(joint).zip(goals) {
            if means.len() <= id.index() {
                means.resize(id.index() + 1, Mean::default());
            }
            means[id.index()].add(playouts as f32, goal as f32);
        }
    }
}

impl Strategy for LastGoodReply {
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
        let context = Context::behind(place.path, self.replies.len(), role);
        self.choose_in(role, context, untried, random)
    }

    /// The way to the leaf, by the mean of the goals; what comes behind it is learned from each playout.
    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]) {
        self.learn_from(path, 0, playouts, goals);
    }
}

impl LanePolicy for LastGoodReply {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.histories.begin(lane, leaf);
    }

    #[inline]
    fn choose(&mut self, lane: usize, role: RoleId, legal: &[MoveId], random: &mut fastrand::Rng) -> usize {
        let context = self.histories.context(lane, role.index());
        self.choose_in(role.index(), context, legal, random)
    }

    fn moved(&mut self, lane: usize, joint: &[MoveId]) {
        self.histories.moved(lane, joint);
    }

    fn ended(&mut self, lane: usize, goals: Option<&[f64]>) {
        let Some(goals) = goals else { return };
        let histories = std::mem::take(&mut self.histories);
        let (moves, from) = histories.moves(lane);
        self.learn_from(moves, from, 1, goals);
        self.histories = histories;
    }
}

impl MovePolicy for LastGoodReply {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.histories.begin(lane, leaf);
        if self.bids.len() <= lane {
            self.bids.resize(lane + 1, Bid::default());
            self.wanted.resize(lane + 1, [NOBODY; 2]);
        }
    }

    fn ask(&mut self, role: RoleId, lanes: &[u16], random: &mut fastrand::Rng) {
        self.asked = role.index();
        let epsilon = Probability::new(self.choice.epsilon());
        for lane in lanes.iter().map(|&lane| usize::from(lane)) {
            let mut bid = Bid::new(epsilon, random);
            let context = self.histories.context(lane, self.asked);
            if let Fallback::Nst(ngrams) = &self.fallback {
                ngrams.prepare(self.asked, context, &mut bid);
            }
            self.bids[lane] = bid;
            self.wanted[lane] = self.replies[self.asked].both(context);
        }
    }

    fn offer(&mut self, id: MoveId, lanes: &[u16]) {
        let (bids, wanted) = (&mut self.bids[..], &self.wanted[..]);
        // Replies come before everything else, that to two moves before that to one.
        let rank = |lane: usize| {
            let [to_two, to_one] = wanted[lane];
            2 * u32::from(to_two == id.0) + u32::from(to_one == id.0)
        };
        match &mut self.fallback {
            Fallback::Nst(ngrams) => ngrams.offer(self.asked, id, lanes, bids, rank),
            Fallback::Mast(means) => {
                let offer = Offer::new(id);
                let score = as_score(means[self.asked].get(id.index()).map_or(UNSEEN, Mean::or_unseen));
                for lane in lanes.iter().map(|&lane| usize::from(lane)) {
                    bids[lane].offer(offer, score, rank(lane));
                }
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const NOOP: u32 = 0;
    const A: u32 = 1;
    const B: u32 = 2;
    const C: u32 = 3;
    const D: u32 = 4;

    /// As in figure 3: black (role 1) wins the first simulation and its moves are stored; white stores nothing. In the second
    /// one black loses: what it repeated is forgotten, the rest stays.
    #[test]
    fn replies_are_stored_and_forgotten_as_in_the_paper() {
        let mut replies = vec![Replies::default(); 2];
        let first = [D, NOOP, NOOP, A, C, NOOP, NOOP, B].map(MoveId);
        learn_replies(&mut replies, &first, 0, &[0.0, 100.0]);
        assert_eq!(replies[0], Replies::default());
        let one = |replies: &Replies, last: u32| replies.one.get(last as usize).copied().unwrap_or(NOBODY);
        assert_eq!(one(&replies[1], D), A);
        assert_eq!(one(&replies[1], C), B);
        assert_eq!(one(&replies[1], NOOP), NOOP);
        assert_eq!(
            replies[1].to_two(Context { before: A, last: NOOP }),
            None,
            "white waited after a move of black's"
        );
        let second = [D, NOOP, NOOP, A, B, NOOP].map(MoveId);
        learn_replies(&mut replies, &second, 0, &[100.0, 0.0]);
        assert_eq!(one(&replies[1], D), NOBODY, "D → A is forgotten");
        assert_eq!(one(&replies[1], C), B, "C → B was not played and stays");
        // White has won: its moves are stored.
        assert_eq!(one(&replies[0], A), B);
    }

    #[test]
    fn the_longer_context_comes_first_if_it_is_legal() {
        let mut replies = Replies::default();
        replies.store(Context { before: 9, last: 5 }, MoveId(A));
        replies.store(Context { before: 8, last: 5 }, MoveId(B));
        let context = Context { before: 9, last: 5 };
        assert_eq!(replies.find(context, &[MoveId(A), MoveId(B)]), Some(0));
        assert_eq!(replies.find(context, &[MoveId(B), MoveId(C)]), Some(0), "B to the last move alone");
        assert_eq!(replies.find(context, &[MoveId(C)]), None);
    }
}

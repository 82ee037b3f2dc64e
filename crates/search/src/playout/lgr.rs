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

use std::hint::select_unpredictable;

use ludex_game::{Choices, Guide, LanePolicy, MoveId, RoleId, StepPolicy};

use super::context::{BACK, Context, Histories, with_context};
use super::entries::{Entry, HIGHEST, add, fixed, mean_or_highest};
use super::greedy::{Greedy, NO_WISH, Probability, Sequences, Terms};
use super::learned::{Choice, choose_by};
use super::ngrams::Ngrams;
use super::replies::{Replies, learn_replies};
use super::scoring::as_reward;
use super::steps::Steps;
use super::{Path, Place, Strategy};

/// What decides where there is no reply.
#[derive(Clone, Debug)]
pub(crate) enum Fallback {
    /// Averages of single moves, by role.
    Mast(Vec<Vec<Entry>>),
    /// Averages of sequences.
    Nst(Ngrams),
}

/// The strategy.
pub(crate) struct LastGoodReply {
    replies: Vec<Replies>,
    fallback: Fallback,
    choice: Choice,
    /// Whether moves are chosen lane by lane; if not, ε-greedily, in all lanes at once.
    by_lane: bool,
    histories: Histories,
    steps: Steps,
    weights: Vec<f32>,
    greedy: Greedy,
    /// By place: the mean of a move; and by lane that chooses: the reply.
    ones: Vec<u32>,
    wishes: Vec<u32>,
    moves: Vec<MoveId>,
}

impl LastGoodReply {
    /// With MAST where there is no reply. Only ε-greedy choices can be made in all lanes at once.
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
            by_lane,
            histories: Histories::new(roles),
            steps: Steps::new(roles),
            weights: Vec::new(),
            greedy: Greedy::default(),
            ones: Vec::new(),
            wishes: Vec::new(),
            moves: Vec::new(),
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
                let score = |&id: &MoveId| as_reward(6 * mean_of(means, id));
                let fill = |list: &mut Vec<f32>| list.extend(moves.iter().map(score));
                choose_by(self.choice, moves.len(), weights, fill, random)
            }
            Fallback::Nst(ngrams) => {
                let fill = |list: &mut Vec<f32>| ngrams.scores(role, context, moves, list);
                choose_by(self.choice, moves.len(), weights, fill, random)
            }
        }
    }

    /// Whether moves are chosen in all lanes at once.
    fn goes_by_step(&self) -> bool {
        matches!(self.choice, Choice::Greedy(_)) && !self.by_lane
    }
}

/// Learns from a simulation, made in so many playouts; for `moves` see [`super::context::choices_of`].
fn learn_from(
    replies: &mut [Replies],
    fallback: &mut Fallback,
    moves: &[MoveId],
    playouts: u32,
    goals: &[f64],
) {
    learn_replies(replies, moves, goals);
    match fallback {
        Fallback::Nst(ngrams) => ngrams.learn(moves, playouts, goals),
        Fallback::Mast(means) => learn_means(means, &moves[BACK * goals.len()..], playouts, goals),
    }
}

/// Adds what single moves gave in so many playouts.
fn learn_means(means: &mut [Vec<Entry>], moves: &[MoveId], playouts: u32, goals: &[f64]) {
    let roles = means.len();
    let weight = playouts.min(u32::from(u16::MAX));
    for (role, (means, &goal)) in means.iter_mut().zip(goals).enumerate() {
        let reward = fixed(goal);
        for id in moves.iter().skip(role).step_by(roles) {
            if means.len() <= id.index() {
                means.resize(id.index() + 1, 0);
            }
            add(&mut means[id.index()], weight, reward);
        }
    }
}

/// The mean of a move, or what moves count that were never seen.
#[inline(always)]
fn mean_of(means: &[Entry], id: MoveId) -> u32 {
    means.get(id.index()).map_or(HIGHEST, |&entry| mean_or_highest(entry))
}

impl Strategy for LastGoodReply {
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
        let context = Context::behind(place.path, self.replies.len(), role);
        self.choose_in(role, context, untried, random)
    }

    /// The way to the leaf, by the mean of the goals; what comes behind it is learned from each playout.
    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]) {
        with_context(path, self.replies.len(), &mut self.moves);
        learn_from(&mut self.replies, &mut self.fallback, &self.moves, playouts, goals);
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
        learn_from(&mut self.replies, &mut self.fallback, self.histories.moves(lane), 1, goals);
    }
}

impl StepPolicy for LastGoodReply {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.steps.begin(lane, leaf);
    }

    fn choose(&mut self, choices: &Choices, random: &mut fastrand::Rng, chosen: &mut Vec<u32>) {
        let role = choices.role.index();
        let (last, before) = self.steps.contexts(role);
        let replies = &self.replies[role];
        let wish = |&lane: &u16| {
            let at = usize::from(lane);
            let [to_two, to_one] = replies.both(Context { last: last[at].0, before: before[at].0 });
            // Both are looked for in any case: which is legal cannot be guessed.
            let (two, has_two) = choices.find(lane, MoveId(to_two));
            let (one, has_one) = choices.find(lane, MoveId(to_one));
            select_unpredictable(has_two, two, select_unpredictable(has_one, one, NO_WISH))
        };
        self.wishes.clear();
        self.wishes.extend(choices.lanes.iter().map(wish));
        self.ones.clear();
        let sequences = match &mut self.fallback {
            Fallback::Mast(means) => {
                let means = &means[role];
                self.ones.extend(choices.moves.iter().map(|&id| mean_of(means, id)));
                None
            }
            Fallback::Nst(ngrams) => {
                ngrams.mark_chosen(role, &choices.moves);
                let (grams, k) = ngrams.of(role);
                self.ones.extend(choices.moves.iter().map(|&id| grams.one(id)));
                Some(Sequences { grams, k, last, before })
            }
        };
        let epsilon = Probability::new(self.choice.epsilon());
        let terms = Terms { epsilon, wishes: &self.wishes, ones: &self.ones, sequences };
        self.greedy.choose(choices, &terms, random, chosen);
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.steps.moved(joint);
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        let moves = self.steps.end(lane, steps);
        if let Some(goals) = goals {
            learn_from(&mut self.replies, &mut self.fallback, moves, 1, goals);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOOP: MoveId = MoveId(0);
    const A: MoveId = MoveId(1);
    const B: MoveId = MoveId(2);
    const C: MoveId = MoveId(3);
    const D: MoveId = MoveId(4);

    /// White makes D, black answers with A and wins: where white makes D again, black makes A if it is legal, and what is best
    /// otherwise; lane by lane and in all lanes at once.
    #[test]
    fn a_good_reply_is_made_again() {
        let learned = |by_lane: bool, epsilon: f64| {
            let mut policy = LastGoodReply::with_mast(2, Choice::Greedy(epsilon), by_lane);
            policy.learn(&[D, NOOP, NOOP, A], 1, &[0.0, 100.0]);
            policy.learn(&[C, NOOP, NOOP, B], 1, &[60.0, 40.0]);
            policy.learn(&[C, NOOP, NOOP, C], 1, &[90.0, 10.0]);
            policy
        };
        let mut random = fastrand::Rng::with_seed(1);
        for (legal, epsilon, expected) in
            [([A, B, C], 1.0, A), ([B, C, D], 0.0, D), ([NOOP, B, C], 0.0, NOOP)]
        {
            let mut policy = learned(true, epsilon);
            LanePolicy::begin(&mut policy, 0, 0);
            LanePolicy::moved(&mut policy, 0, &[D, NOOP]);
            let at = LanePolicy::choose(&mut policy, 0, RoleId::new(1), &legal, &mut random);
            assert_eq!(legal[at], expected, "unseen moves are the best");
            let mut policy = learned(false, epsilon);
            StepPolicy::begin(&mut policy, 0, 0);
            StepPolicy::moved(&mut policy, &[D, NOOP]);
            let mut chosen = Vec::new();
            let choices = Choices::of_one(RoleId::new(1), &legal);
            StepPolicy::choose(&mut policy, &choices, &mut random, &mut chosen);
            assert_eq!(legal[chosen[0] as usize], expected);
        }
    }
}

//! The strategy behind MAST, NST and LGRF-2: samples moves by learned scores, in all lanes at once.

use std::hint::select_unpredictable;

use ludex_game::{Choices, MoveId, PlayoutPolicy, StepPolicy};

use super::context::{CONTEXT_STEPS, NgramContext, Sequence, pad_context};
use super::lane_contexts::LaneContexts;
use super::lane_sampler::{LaneSampler, NO_REPLY, NgramTerms, SamplingTerms};
use super::move_averages::MoveAverages;
use super::ngrams::Ngrams;
use super::noops::Noops;
use super::replies::{ReplyTable, update_replies};
use super::sampling::{Sampling, sample_by};
use super::steps::Steps;
use super::unseen::Unseen;
use super::{DecisionPoint, Path, Strategy};

/// Source of the scores.
#[derive(Clone, Debug)]
pub(crate) enum Scores {
    /// Means of moves: MAST.
    Moves(MoveAverages),
    /// Means of N-grams: NST.
    Ngrams(Ngrams),
}

/// Learned statistics.
#[derive(Clone, Debug)]
struct Experience {
    scores: Scores,
    /// By role: stored replies, which come before scores; empty without LGRF.
    replies: Vec<ReplyTable>,
}

/// A strategy that samples moves by score.
pub(crate) struct ScorePolicy {
    roles: usize,
    experience: Experience,
    in_playouts: Sampling,
    among_untried: Sampling,
    unseen: Unseen,
    steps: Steps,
    /// Contexts without no-ops, if they are skipped.
    contexts: Option<LaneContexts>,
    weights: Vec<f32>,
    sampler: LaneSampler,
    /// By move index: the unigram mean; and by choosing lane: the reply.
    unigrams: Vec<u32>,
    replies: Vec<u32>,
    moves: Vec<MoveId>,
    /// Indices of a lane's legal moves.
    places: Vec<u32>,
}

impl ScorePolicy {
    /// A strategy that has learned nothing yet.
    pub(crate) fn new(roles: usize, scores: Scores, choice: Sampling) -> Self {
        Self {
            roles,
            experience: Experience { scores, replies: Vec::new() },
            in_playouts: choice,
            among_untried: choice,
            unseen: Unseen::Highest,
            steps: Steps::new(roles),
            contexts: None,
            weights: Vec::new(),
            sampler: LaneSampler::default(),
            unigrams: Vec::new(),
            replies: Vec::new(),
            moves: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Makes stored replies come before scores (LGRF-2).
    pub(crate) fn with_replies(mut self) -> Self {
        self.experience.replies = vec![ReplyTable::default(); self.roles];
        self
    }

    /// Sets a different sampling for playouts.
    pub(crate) fn in_playouts(mut self, choice: Sampling) -> Self {
        self.in_playouts = choice;
        self
    }

    /// Sets what moves count that were never made.
    pub(crate) fn with_unseen(mut self, unseen: Unseen) -> Self {
        self.unseen = unseen;
        self
    }

    /// Skips these no-ops in contexts; nothing: contexts as published.
    pub(crate) fn with_noops(mut self, noops: Option<Noops>) -> Self {
        self.contexts = noops.map(|noops| LaneContexts::new(self.roles, noops));
        self
    }

    /// Chooses lane by lane, where the score of a move depends on the other moves of the lane.
    fn choose_each(&mut self, choices: &Choices, random: &mut fastrand::Rng, chosen: &mut Vec<u32>) {
        let role = choices.role().index();
        let (last, before) = match &mut self.contexts {
            None => self.steps.contexts(role),
            Some(contexts) => contexts.of_role(role),
        };
        let (mut places, mut legal) = (std::mem::take(&mut self.places), Vec::new());
        for &lane in choices.lanes() {
            let at = usize::from(lane);
            let context = NgramContext { last: last[at].0, before: before[at].0 };
            let count = choices.list(lane, &mut places, 0);
            legal.clear();
            legal.extend(places[..count].iter().map(|&place| choices.moves()[place as usize]));
            let (choice, unseen) = (self.in_playouts, self.unseen);
            let how = Choice { choice, unseen, role, context };
            chosen.push(places[self.experience.choose(how, &legal, &mut self.weights, random)]);
        }
        self.places = places;
    }
}

/// How a move is chosen, and for whom.
#[derive(Clone, Copy)]
struct Choice {
    choice: Sampling,
    unseen: Unseen,
    role: usize,
    context: NgramContext,
}

impl Experience {
    /// Chooses one of these moves: the stored reply, or by score.
    #[inline(always)]
    fn choose(
        &mut self,
        how: Choice,
        moves: &[MoveId],
        weights: &mut Vec<f32>,
        random: &mut fastrand::Rng,
    ) -> usize {
        let (Self { scores, replies }, Choice { choice, unseen, role, context }) = (self, how);
        if let Scores::Ngrams(ngrams) = scores {
            ngrams.mark_unforced(role, moves);
        }
        if let Some(at) = replies.get(role).and_then(|replies| replies.find(context, moves)) {
            return at;
        }
        let fill = |list: &mut Vec<f32>| {
            match scores {
                Scores::Moves(averages) => {
                    list.extend(moves.iter().map(|&id| averages.score_or(role, id, unseen.mark())));
                }
                Scores::Ngrams(ngrams) => ngrams.scores(role, context, moves, unseen.mark(), list),
            }
            unseen.complete(list);
        };
        sample_by(choice, moves.len(), weights, fill, random)
    }

    /// Learns from a simulation that stands for `playouts` playouts.
    fn learn(&mut self, sequence: Sequence<'_>, playouts: u32, goals: &[f64]) {
        if !self.replies.is_empty() {
            update_replies(&mut self.replies, sequence, goals);
        }
        match &mut self.scores {
            Scores::Ngrams(ngrams) => ngrams.learn(sequence, playouts, goals),
            Scores::Moves(averages) => {
                averages.add_path(&sequence.moves[CONTEXT_STEPS * goals.len()..], playouts, goals)
            }
        }
    }
}

impl Strategy for ScorePolicy {
    fn allow_vectors(&mut self, allowed: bool) {
        self.sampler.allow_vectors(allowed);
    }

    fn begin_batch(&mut self, paths: &[Path]) {
        self.steps.set_paths(paths);
        if let Some(contexts) = &mut self.contexts {
            contexts.set_paths(paths);
        }
    }

    fn playout_policy(&mut self) -> PlayoutPolicy<'_> {
        PlayoutPolicy::Step(self)
    }

    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        place: DecisionPoint<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        let context = match &self.contexts {
            None => NgramContext::after(place.path, self.roles, role),
            Some(contexts) => contexts.after(place.path, role),
        };
        let how = Choice { choice: self.among_untried, unseen: self.unseen, role, context };
        self.experience.choose(how, untried, &mut self.weights, random)
    }

    /// Learns the path to the leaf, by mean goals; moves after the leaf are learned from each
    /// playout.
    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]) {
        pad_context(path, self.roles, &mut self.moves);
        let contexts = self.contexts.as_mut().map(|contexts| contexts.of_path(path));
        self.experience.learn(Sequence { moves: &self.moves, contexts }, playouts, goals);
    }
}

impl StepPolicy for ScorePolicy {
    fn begin(&mut self, lane: usize, leaf: usize) {
        self.steps.begin(lane, leaf);
        if let Some(contexts) = &mut self.contexts {
            contexts.begin(lane, leaf);
        }
    }

    fn choose(&mut self, choices: &Choices, seed: u64, chosen: &mut Vec<u32>) {
        let random = &mut fastrand::Rng::with_seed(seed);
        if self.unseen == Unseen::Average {
            return self.choose_each(choices, random, chosen);
        }
        let role = choices.role().index();
        let (last, before) = match &mut self.contexts {
            None => self.steps.contexts(role),
            Some(contexts) => contexts.of_role(role),
        };
        let Experience { scores, replies } = &mut self.experience;
        self.replies.clear();
        if let Some(replies) = replies.get(role) {
            self.replies.extend(choices.lanes().iter().map(|&lane| {
                let at = usize::from(lane);
                let [to_two, to_one] =
                    replies.lookup(NgramContext { last: last[at].0, before: before[at].0 });
                // Looks up both replies without a branch: which one is legal is unpredictable.
                let (two, has_two) = choices.find(lane, MoveId(to_two));
                let (one, has_one) = choices.find(lane, MoveId(to_one));
                select_unpredictable(has_two, two, select_unpredictable(has_one, one, NO_REPLY))
            }));
        }
        self.unigrams.clear();
        let ngrams = match scores {
            Scores::Moves(averages) => {
                averages.means(role, choices.moves(), &mut self.unigrams);
                None
            }
            Scores::Ngrams(ngrams) => {
                ngrams.mark_unforced(role, choices.moves());
                let (grams, k) = ngrams.of(role);
                self.unigrams.extend(choices.moves().iter().map(|&id| grams.unigram(id)));
                Some(NgramTerms { grams, k, last, before })
            }
        };
        let choice = self.in_playouts;
        let terms = SamplingTerms { choice, replies: &self.replies, unigrams: &self.unigrams, ngrams };
        self.sampler.choose(choices, &terms, random, chosen);
    }

    fn moved(&mut self, joint: &[MoveId]) {
        self.steps.moved(joint);
        if let Some(contexts) = &mut self.contexts {
            contexts.moved(joint);
        }
    }

    fn ended(&mut self, lane: usize, steps: usize, goals: Option<&[f64]>) {
        let moves = self.steps.end(lane, steps);
        let Some(goals) = goals else { return };
        let after = &moves[CONTEXT_STEPS * self.roles..];
        let contexts = self.contexts.as_mut().map(|contexts| contexts.of_playout(lane, after));
        self.experience.learn(Sequence { moves, contexts }, 1, goals);
    }
}

#[cfg(test)]
impl ScorePolicy {
    /// Whether a role's reply to two moves lost its place to the reply to another two.
    pub(crate) fn is_displaced(&self, role: usize, [before, last]: [MoveId; 2]) -> bool {
        let context = NgramContext { before: before.0, last: last.0 };
        self.experience.replies.get(role).is_some_and(|replies| replies.is_displaced(context))
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::RoleId;

    use super::*;

    const LEGAL: [MoveId; 3] = [MoveId(2), MoveId(5), MoveId(7)];

    /// One role with mean rewards of 60, 50 and 30 for its moves, in any context.
    fn learned(scores: Scores, choice: Sampling) -> ScorePolicy {
        let mut policy = ScorePolicy::new(1, scores, choice);
        // N-grams learn only moves that were unforced at least once.
        let place = DecisionPoint { path: &[], facts: &[] };
        policy.choose_untried(0, &LEGAL, place, &mut fastrand::Rng::with_seed(1));
        for (id, goal) in LEGAL.into_iter().zip([60.0, 50.0, 30.0]) {
            policy.learn(&[id], 10, &[goal]);
        }
        policy
    }

    fn draw(policy: &mut ScorePolicy, seed: u64) -> usize {
        policy.begin(0, 0);
        let mut chosen = Vec::new();
        policy.choose(&Choices::of_one(RoleId::new(0), &LEGAL), seed, &mut chosen);
        chosen[0] as usize
    }

    /// By MAST and by NST, every choice has the probability of its formula.
    #[test]
    fn choices_have_the_probabilities_of_their_formula() {
        let weights = [60.0f64, 50.0, 30.0].map(|score| (score / 10.0).exp());
        let gibbs = weights.map(|weight| weight / weights.iter().sum::<f64>());
        let greedy = [0.8 + 0.2 / 3.0, 0.2 / 3.0, 0.2 / 3.0];
        for (choice, expected) in [(Sampling::Gibbs(10.0), gibbs), (Sampling::EpsilonGreedy(0.2), greedy)] {
            for scores in [Scores::Moves(MoveAverages::new(1)), Scores::Ngrams(Ngrams::new(1, 7))] {
                let mut policy = learned(scores, choice);
                let (mut random, mut seen, draws) = (fastrand::Rng::with_seed(4), [0.0; 3], 60_000);
                (0..draws).for_each(|_| seen[draw(&mut policy, random.u64(..))] += 1.0);
                for (seen, p) in seen.iter().zip(expected) {
                    let n = f64::from(draws);
                    let off = (seen / n - p).abs();
                    assert!(off < 5.0 * (p * (1.0 - p) / n).sqrt(), "{choice:?}: {off} from {p}");
                }
            }
        }
    }

    /// CP_imp: averages are used only in the tree, but learned from playouts too.
    #[test]
    fn playouts_may_use_another_sampling() {
        let scores = Scores::Moves(MoveAverages::new(1));
        let mut policy =
            learned(scores, Sampling::EpsilonGreedy(0.0)).in_playouts(Sampling::EpsilonGreedy(1.0));
        let (mut random, mut seen) = (fastrand::Rng::with_seed(4), [0u32; 3]);
        for _ in 0..3000 {
            seen[draw(&mut policy, random.u64(..))] += 1;
            let place = DecisionPoint { path: &[], facts: &[] };
            assert_eq!(policy.choose_untried(0, &LEGAL, place, &mut random), 0);
        }
        assert!(seen.iter().all(|&seen| (850..1150).contains(&seen)), "{seen:?}");
        for _ in 0..20 {
            policy.begin(0, 0);
            policy.moved(&LEGAL[1..2]);
            policy.ended(0, 1, Some(&[100.0]));
        }
        let place = DecisionPoint { path: &[], facts: &[] };
        assert_eq!(policy.choose_untried(0, &LEGAL, place, &mut random), 1);
    }
}

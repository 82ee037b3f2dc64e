//! What sequences of moves gave: the memory of NST, built to be read fast.
//!
//! Playouts ask for the scores of moves in very many contexts. Single moves and pairs with the same first move lie side by side;
//! triples, and pairs where a game has very many moves, are found by hash in a [`NgramHashTable`] of fixed size. Hashes are sums, so that
//! what all moves of a context have in common is computed once.

use ludex_game::MoveId;

use super::context::{NO_MOVE, NgramContext, moves_with_context};
use super::packed_mean::{
    COUNT_MASK, MAX_MEAN, MAX_TABLE_COUNT, NgramHashTable, PackedMean, add, fixed, mean, mean_or_max,
};
use super::sampling::UNSEEN_SCORE;
use super::scoring::{BigramsView, NgramView, as_reward, last, score};

/// Bigrams that are kept as a matrix; if there are more, in a table.
const MAX_CELLS: usize = 1 << 16;

/// Room is made for so many moves at a time: no more than needed, because it has to stay in the cache.
const GROWTH: usize = 32;

/// Hash of the first move of a triple.
#[inline(always)]
fn first(id: u32) -> u32 {
    id.wrapping_mul(0x9E37_79B1)
}

/// Hash of the move before the last of a sequence.
#[inline(always)]
fn middle(id: u32) -> u32 {
    id.wrapping_mul(0x85EB_CA77)
}

/// Where pairs are kept.
#[derive(Clone, Debug)]
enum Bigrams {
    /// By the first move and the second; behind the last row another one, of nothing.
    Matrix(Vec<PackedMean>),
    Hashed(NgramHashTable),
}

/// What sequences gave, for the role that made their last move.
#[derive(Clone, Debug)]
pub(crate) struct RoleNgrams {
    /// Moves have numbers below this.
    moves: usize,
    /// By move.
    one: Vec<PackedMean>,
    bigrams: Bigrams,
    trigrams: NgramHashTable,
    /// By move: whether there ever was a choice between it and others. What is only made because nothing else is legal, such as
    /// waiting, needs no value.
    chosen: Vec<bool>,
}

/// The learned values of sequences, and the scores of moves by them.
#[derive(Clone, Debug)]
pub(crate) struct Ngrams {
    k: u32,
    roles: Vec<RoleNgrams>,
}

impl RoleNgrams {
    fn new() -> Self {
        let bigrams = Bigrams::Matrix(vec![0]);
        Self { moves: 0, one: Vec::new(), bigrams, trigrams: NgramHashTable::new(), chosen: Vec::new() }
    }

    /// Makes room for moves with numbers up to this one.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, id: usize) {
        let (old, new) = (self.moves, (id + 1).next_multiple_of(GROWTH));
        self.moves = new;
        self.one.resize(new, 0);
        let Bigrams::Matrix(rows) = &self.bigrams else { return };
        let rows = rows.chunks(old.max(1)).take(old).enumerate();
        self.bigrams = if (new + 1) * new <= MAX_CELLS {
            let mut matrix = vec![0; (new + 1) * new];
            rows.for_each(|(at, row)| matrix[at * new..at * new + old].copy_from_slice(row));
            Bigrams::Matrix(matrix)
        } else {
            let mut table = NgramHashTable::new();
            for (at, row) in rows {
                for (id, &entry) in (0..).zip(row).filter(|(_, entry)| *entry & COUNT_MASK > 0) {
                    let first = middle(u32::try_from(at).unwrap_or(NO_MOVE));
                    table.add(first.wrapping_add(last(id)), entry & COUNT_MASK, mean(entry));
                }
            }
            Bigrams::Hashed(table)
        };
    }

    #[inline(always)]
    fn is_unforced(&self, id: MoveId) -> bool {
        self.chosen.get(id.index()).copied().unwrap_or(false)
    }

    /// There was a choice between it and others; there is room for it from now on.
    fn mark_unforced(&mut self, id: MoveId) {
        if id.index() >= self.moves {
            self.grow(id.index());
        }
        if self.chosen.len() <= id.index() {
            self.chosen.resize(id.index() + 1, false);
        }
        self.chosen[id.index()] = true;
    }

    /// Adds rewards of a common value to the sequences that a move completes.
    #[inline(always)]
    fn add(&mut self, context: NgramContext, id: MoveId, weight: u32, reward: u32) {
        let before = context.last as usize;
        let highest = if context.last == NO_MOVE { id.index() } else { before.max(id.index()) };
        if highest >= self.moves {
            self.grow(highest);
        }
        add(&mut self.one[id.index()], weight, reward);
        if context.last == NO_MOVE {
            return;
        }
        let (bigrams, trigrams) = self.context_keys(context);
        match &mut self.bigrams {
            Bigrams::Matrix(rows) => add(&mut rows[bigrams as usize + id.index()], weight, reward),
            Bigrams::Hashed(table) => table.add(bigrams.wrapping_add(last(id.0)), weight, reward),
        }
        if context.before != NO_MOVE {
            self.trigrams.add(trigrams.wrapping_add(last(id.0)), weight, reward);
        }
    }

    /// Where pairs and triples of a context are found: the start of a row of pairs, or what hashes have in common.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "a matrix has far fewer cells")]
    pub(crate) fn context_keys(&self, context: NgramContext) -> (u32, u32) {
        let bigrams = match &self.bigrams {
            Bigrams::Matrix(_) => ((context.last as usize).min(self.moves) * self.moves) as u32,
            Bigrams::Hashed(_) => middle(context.last),
        };
        (bigrams, first(context.before).wrapping_add(middle(context.last)))
    }

    /// What is known of moves with these numbers, and of sequences that end with them.
    #[inline(always)]
    pub(crate) fn known<'a>(&'a self, ids: &'a [u32], unigrams: &'a [u32], k: u32) -> NgramView<'a> {
        let bigrams = match &self.bigrams {
            Bigrams::Matrix(rows) => BigramsView::Rows(rows),
            Bigrams::Hashed(table) => BigramsView::Hashed(table),
        };
        NgramView { ids, unigrams, bigrams, trigrams: &self.trigrams, k }
    }

    /// The mean of a move alone; the highest if it was never seen.
    #[inline(always)]
    pub(crate) fn one(&self, id: MoveId) -> u32 {
        self.one.get(id.index()).map_or(MAX_MEAN, |&entry| mean_or_max(entry))
    }
}

impl Ngrams {
    /// What `k` can be at most: no sequence is counted any further.
    pub(crate) const MAX_K: u32 = MAX_TABLE_COUNT;

    /// Nothing learned; longer sequences count when they were seen `k` times.
    pub(crate) fn new(roles: usize, k: u64) -> Self {
        // What was never seen has no mean.
        let k = u32::try_from(k).unwrap_or(u32::MAX).clamp(1, Self::MAX_K);
        Self { k, roles: vec![RoleNgrams::new(); roles] }
    }

    /// Adds the sequences of a simulation, seen in so many `playouts`; for `moves` see [`moves_with_context`].
    pub(crate) fn learn(&mut self, moves: &[MoveId], playouts: u32, goals: &[f64]) {
        // Nearly always it is one, and what is known when this is compiled need not be computed.
        match playouts {
            1 => self.learn_weighted(moves, 1, goals),
            _ => self.learn_weighted(moves, playouts.min(u32::from(u16::MAX)), goals),
        }
    }

    #[inline(always)]
    fn learn_weighted(&mut self, moves: &[MoveId], weight: u32, goals: &[f64]) {
        let roles = self.roles.len();
        for (role, (grams, &goal)) in self.roles.iter_mut().zip(goals).enumerate() {
            let reward = fixed(goal);
            for (context, id) in moves_with_context(moves, roles, role) {
                if grams.is_unforced(id) {
                    grams.add(context, id, weight, reward);
                }
            }
        }
    }

    /// There was a choice between these moves.
    pub(crate) fn mark_unforced(&mut self, role: usize, moves: &[MoveId]) {
        moves.iter().for_each(|&id| self.roles[role].mark_unforced(id));
    }

    /// What sequences gave that end with a move of a role, and how often they have to be seen.
    pub(crate) fn of(&self, role: usize) -> (&RoleNgrams, u32) {
        (&self.roles[role], self.k)
    }

    /// Adds the scores of a role's moves in a context to a list.
    #[inline(always)]
    pub(crate) fn scores(&self, role: usize, context: NgramContext, moves: &[MoveId], scores: &mut Vec<f32>) {
        let (k, grams) = (self.k, &self.roles[role]);
        let (bigrams, trigrams) = grams.context_keys(context);
        scores.extend(moves.iter().map(|&id| {
            if id.index() >= grams.moves {
                return UNSEEN_SCORE;
            }
            let pair = match &grams.bigrams {
                Bigrams::Matrix(rows) => {
                    let entry = rows.get(bigrams as usize + id.index()).copied().unwrap_or(0);
                    (entry & COUNT_MASK >= k).then_some(mean(entry))
                }
                Bigrams::Hashed(table) => table.look_up(bigrams.wrapping_add(last(id.0)), k),
            };
            let triple = grams.trigrams.look_up(trigrams.wrapping_add(last(id.0)), k);
            as_reward(score(grams.one(id), pair, triple))
        }));
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::{Choices, RoleId};

    use super::super::context::pad_context;
    use super::super::lane_sampler::{LaneSampler, NgramTerms, SamplingTerms};
    use super::super::packed_mean::fixed;
    use super::super::sampling::Sampling;
    use super::*;

    fn score_of(ngrams: &Ngrams, role: usize, context: NgramContext, id: u32) -> f32 {
        let mut scores = Vec::new();
        ngrams.scores(role, context, &[MoveId(id)], &mut scores);
        scores[0]
    }

    /// Learns from a whole way.
    fn learn(ngrams: &mut Ngrams, path: &[MoveId], playouts: u32, goals: &[f64]) {
        let mut moves = Vec::new();
        pad_context(path, ngrams.roles.len(), &mut moves);
        ngrams.learn(&moves, playouts, goals);
    }

    /// With a choice between all these moves.
    fn with_choices(roles: usize, k: u64, moves: u32) -> Ngrams {
        let mut ngrams = Ngrams::new(roles, k);
        let moves: Vec<MoveId> = (0..moves).map(MoveId).collect();
        (0..roles).for_each(|role| ngrams.mark_unforced(role, &moves));
        ngrams
    }

    /// How often a pair was seen, and its mean.
    fn pair(grams: &RoleNgrams, before: u32, id: u32) -> (u32, u32) {
        match &grams.bigrams {
            Bigrams::Matrix(rows) => {
                let entry = rows[before as usize * grams.moves + id as usize];
                (entry & COUNT_MASK, mean(entry))
            }
            Bigrams::Hashed(_) => panic!("there are few moves"),
        }
    }

    fn triple(grams: &RoleNgrams, before: u32, between: u32, id: u32) -> Option<u32> {
        let (_, trigrams) = grams.context_keys(NgramContext { before, last: between });
        grams.trigrams.look_up(trigrams.wrapping_add(last(id)), 1)
    }

    /// A game with turns, two roles: the sequences of the example in figure 2, where those who wait make noop (0):
    /// role 0 makes 1, then waits, then makes 3; role 1 waits, makes 2, waits.
    #[test]
    fn sequences_are_those_of_the_paper() {
        let mut ngrams = with_choices(2, 1, 4);
        let moves = [1, 0, 0, 2, 3, 0].map(MoveId);
        learn(&mut ngrams, &moves, 1, &[80.0, 20.0]);
        let of = |role: usize| &ngrams.roles[role];
        let seen = |role: usize| -> Vec<usize> {
            let means = of(role).one.iter().enumerate();
            means.filter(|(_, entry)| **entry & COUNT_MASK > 0).map(|(at, _)| at).collect()
        };
        // Single moves: each role's own.
        assert_eq!(seen(0), [0, 1, 3]);
        assert_eq!(seen(1), [0, 2]);
        assert_eq!(of(1).one[0], fixed(20.0) << 16 | 2);
        // Bigrams of role 0 begin with a move of role 1: (0, 0) and (2, 3). Bigrams of role 1 begin with a move of role 0: (1, 2)
        // and (0, 0).
        let pairs = |role: usize| -> Vec<(u32, u32)> {
            let all = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
            all.filter(|&(a, b)| pair(of(role), a, b).0 > 0).collect()
        };
        assert_eq!(pairs(0), [(0, 0), (2, 3)]);
        assert_eq!(pairs(1), [(0, 0), (1, 2)]);
        // Triples begin with a move of the role itself, for two roles: (1, 2, 3) and (0, 0, 0).
        let triples = |role: usize| of(role).trigrams.0.iter().filter(|entry| **entry != 0).count();
        assert_eq!((triples(0), triples(1)), (1, 1));
        assert_eq!(triple(of(0), 1, 2, 3), Some(fixed(80.0)));
        assert_eq!(triple(of(0), 2, 1, 3), None);
    }

    /// Learning the way to a leaf once for many playouts, and what comes behind it from each of them, is the same as learning
    /// the whole of each.
    #[test]
    fn a_way_counts_once_for_every_playout_behind_it() {
        let (mut whole, mut parts) = (with_choices(2, 1, 4), with_choices(2, 1, 4));
        let moves = [1, 0, 0, 2, 3, 0, 0, 1].map(MoveId);
        for goals in [[100.0, 0.0], [0.0, 100.0], [50.0, 50.0], [100.0, 0.0]] {
            learn(&mut whole, &moves, 1, &goals);
            // Two steps lead to the leaf.
            parts.learn(&moves, 1, &goals);
        }
        learn(&mut parts, &moves[..4], 4, &[62.5, 37.5]);
        for (whole, parts) in whole.roles.iter().zip(&parts.roles) {
            for id in 0..4 {
                let (a, b) = (whole.one[id], parts.one[id]);
                assert_eq!(a & COUNT_MASK, b & COUNT_MASK);
                assert!(mean(a).abs_diff(mean(b)) < 5);
                for before in 0..4 {
                    let of = |grams: &RoleNgrams| pair(grams, before, u32::try_from(id).unwrap());
                    assert_eq!(of(whole).0, of(parts).0);
                    assert!(of(whole).1.abs_diff(of(parts).1) < 5);
                }
            }
        }
    }

    #[test]
    fn what_is_always_forced_is_not_learned() {
        let mut ngrams = Ngrams::new(1, 1);
        ngrams.mark_unforced(0, &[MoveId(1), MoveId(2)]);
        learn(&mut ngrams, &[0, 1, 0, 2].map(MoveId), 1, &[100.0]);
        let seen: Vec<u32> = ngrams.roles[0].one.iter().map(|entry| entry & COUNT_MASK).collect();
        assert_eq!(seen[..4], [0, 1, 1, 0]);
        assert_eq!(pair(&ngrams.roles[0], 0, 2).0, 1, "it is a context all the same");
    }

    #[test]
    fn rare_sequences_do_not_count_and_unseen_moves_count_most() {
        let mut ngrams = Ngrams::new(2, 2);
        let context = NgramContext { before: 5, last: 6 };
        assert_eq!(score_of(&ngrams, 0, context, 7), UNSEEN_SCORE);
        ngrams.roles[0].add(NgramContext { before: 1, last: 1 }, MoveId(7), 1, fixed(10.0));
        ngrams.roles[0].add(context, MoveId(7), 1, fixed(40.0));
        assert!((score_of(&ngrams, 0, context, 7) - 25.0).abs() < 1e-2, "both pairs were seen once only");
        ngrams.roles[0].add(context, MoveId(7), 1, fixed(100.0));
        // One: (10 + 40 + 100) / 3 = 50; two and three: 70.
        let expected = (50.0 + 70.0 + 70.0) / 3.0;
        assert!((score_of(&ngrams, 0, context, 7) - expected).abs() < 1e-2);
        assert_eq!(score_of(&ngrams, 0, context, 8), UNSEEN_SCORE);
        for last in [NO_MOVE, 900] {
            let alone = score_of(&ngrams, 0, NgramContext { before: NO_MOVE, last }, 7);
            assert!((alone - 50.0).abs() < 1e-2, "{alone}: {last} was never seen");
        }
    }

    /// Bigrams are the same whether there are few moves or many: growing keeps them, and so does the table.
    #[test]
    fn pairs_stay_when_there_are_more_moves() {
        let mut ngrams = Ngrams::new(1, 1);
        let context = NgramContext { before: NO_MOVE, last: 2 };
        ngrams.roles[0].add(context, MoveId(3), 1, fixed(10.0));
        ngrams.roles[0].add(NgramContext { before: NO_MOVE, last: 1 }, MoveId(3), 1, fixed(40.0));
        let before = score_of(&ngrams, 0, context, 3);
        assert!((before - f32::midpoint(25.0, 10.0)).abs() < 1e-2);
        for id in [100, 5000] {
            ngrams.roles[0].add(NgramContext { before: NO_MOVE, last: 0 }, MoveId(id), 1, fixed(70.0));
            assert_eq!(score_of(&ngrams, 0, context, 3), before, "{id}");
        }
        assert!(matches!(ngrams.roles[0].bigrams, Bigrams::Hashed(_)), "there are too many for a matrix");
        let there = score_of(&ngrams, 0, NgramContext { before: NO_MOVE, last: 0 }, 5000);
        assert!((there - 70.0).abs() < 1e-2, "{there}");
    }

    /// In all lanes at once a move is chosen by the same scores that lists have.
    #[test]
    fn the_best_has_the_best_score() {
        let mut random = fastrand::Rng::with_seed(3);
        for moves in [8u32, 2000] {
            let mut ngrams = with_choices(1, 2, moves);
            for _ in 0..3000 {
                let few = |random: &mut fastrand::Rng| random.u32(..moves.min(12));
                let context = NgramContext { before: few(&mut random), last: few(&mut random) };
                let id = MoveId(if moves > 12 { moves - 1 - few(&mut random) } else { few(&mut random) });
                ngrams.roles[0].add(context, id, 1, fixed(random.f64() * 100.0));
            }
            let all: Vec<MoveId> =
                (0..moves).map(MoveId).filter(|id| id.0 < 12 || id.0 + 12 >= moves).collect();
            let choices = Choices::of_one(RoleId::new(0), &all);
            let (grams, k) = ngrams.of(0);
            let unigrams: Vec<u32> = all.iter().map(|&id| grams.one(id)).collect();
            for _ in 0..200 {
                let context = NgramContext { before: random.u32(..8), last: random.u32(..8) };
                let (last, before) = ([MoveId(context.last)], [MoveId(context.before)]);
                let terms = SamplingTerms {
                    choice: Sampling::EpsilonGreedy(0.0),
                    replies: &[],
                    unigrams: &unigrams,
                    sequences: Some(NgramTerms { grams, k, last: &last, before: &before }),
                };
                let mut chosen = Vec::new();
                LaneSampler::default().choose(&choices, &terms, &mut random, &mut chosen);
                let mut scores = Vec::new();
                ngrams.scores(0, context, &all, &mut scores);
                let highest = scores.iter().copied().fold(0.0, f32::max);
                assert_eq!(scores[chosen[0] as usize], highest);
            }
        }
    }
}

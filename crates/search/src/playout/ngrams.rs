//! N-gram tables of NST: mean rewards of unigrams, bigrams and trigrams, laid out for fast reads.
//!
//! Playouts score moves in very many contexts. Unigrams, and bigrams with the same first move, are
//! adjacent in memory. Trigrams, and bigrams of games with very many moves, are in a
//! [`NgramHashTable`] of fixed size. Hashes are sums, so the part of the context is computed once
//! for all moves.

use ludex_game::MoveId;

use super::context::{NO_MOVE, NgramContext, Sequence};
use super::packed_mean::{
    COUNT_MASK, MAX_MEAN, MAX_TABLE_COUNT, NgramHashTable, PackedMean, add, fixed, mean, mean_or_max,
};
use super::scoring::{BigramsView, NgramView, as_reward, last, score};

/// Entries of the largest bigram matrix (256 KiB); games with more use a hash table.
const MAX_CELLS: usize = 1 << 16;

/// Move entries added at a time: few, because the tables must stay in the cache.
const GROWTH: usize = 32;

/// Hash of the first move of a trigram.
#[inline(always)]
fn first(id: u32) -> u32 {
    id.wrapping_mul(0x9E37_79B1)
}

/// Hash of the move before the last of a bigram or trigram.
#[inline(always)]
fn middle(id: u32) -> u32 {
    id.wrapping_mul(0x85EB_CA77)
}

/// Bigram means.
#[derive(Clone, Debug)]
enum Bigrams {
    /// By first and second move; the last row, for unknown first moves, is empty.
    Matrix(Vec<PackedMean>),
    Hashed(NgramHashTable),
}

/// N-gram means for the role that made the last move.
#[derive(Clone, Debug)]
pub(crate) struct RoleNgrams {
    /// Move ids are below this.
    moves: usize,
    /// By move.
    unigrams: Vec<PackedMean>,
    bigrams: Bigrams,
    trigrams: NgramHashTable,
    /// By move: whether it was ever one of several legal moves. Moves that are always forced, such
    /// as no-ops, need no value.
    unforced: Vec<bool>,
}

/// N-gram means of all roles, and scores of moves by them.
#[derive(Clone, Debug)]
pub(crate) struct Ngrams {
    k: u32,
    roles: Vec<RoleNgrams>,
}

impl RoleNgrams {
    fn new() -> Self {
        let bigrams = Bigrams::Matrix(vec![0]);
        Self {
            moves: 0,
            unigrams: Vec::new(),
            bigrams,
            trigrams: NgramHashTable::new(),
            unforced: Vec::new(),
        }
    }

    /// Makes room for move ids up to this one.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, id: usize) {
        let (old, new) = (self.moves, (id + 1).next_multiple_of(GROWTH));
        self.moves = new;
        self.unigrams.resize(new, 0);
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
        self.unforced.get(id.index()).copied().unwrap_or(false)
    }

    /// Marks a move as one of several legal ones, and makes room for it.
    fn mark_unforced(&mut self, id: MoveId) {
        if id.index() >= self.moves {
            self.grow(id.index());
        }
        if self.unforced.len() <= id.index() {
            self.unforced.resize(id.index() + 1, false);
        }
        self.unforced[id.index()] = true;
    }

    /// Adds `weight` equal rewards to the N-grams that a move completes.
    #[inline(always)]
    fn add(&mut self, context: NgramContext, id: MoveId, weight: u32, reward: u32) {
        let before = context.last as usize;
        let highest = if context.last == NO_MOVE { id.index() } else { before.max(id.index()) };
        if highest >= self.moves {
            self.grow(highest);
        }
        add(&mut self.unigrams[id.index()], weight, reward);
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

    /// Bigram and trigram keys of a context: the start of a matrix row or the hash of the first
    /// moves.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "a matrix has far fewer cells")]
    pub(crate) fn context_keys(&self, context: NgramContext) -> (u32, u32) {
        let bigrams = match &self.bigrams {
            Bigrams::Matrix(_) => ((context.last as usize).min(self.moves) * self.moves) as u32,
            Bigrams::Hashed(_) => middle(context.last),
        };
        (bigrams, first(context.before).wrapping_add(middle(context.last)))
    }

    /// A view of the tables for scoring moves with these ids.
    #[inline(always)]
    pub(crate) fn known<'a>(&'a self, ids: &'a [u32], unigrams: &'a [u32], k: u32) -> NgramView<'a> {
        let bigrams = match &self.bigrams {
            Bigrams::Matrix(rows) => BigramsView::Rows(rows),
            Bigrams::Hashed(table) => BigramsView::Hashed(table),
        };
        NgramView { ids, unigrams, bigrams, trigrams: &self.trigrams, k }
    }

    /// The mean of a unigram; the highest reward if it was never seen.
    #[inline(always)]
    pub(crate) fn unigram(&self, id: MoveId) -> u32 {
        self.unigrams.get(id.index()).map_or(MAX_MEAN, |&entry| mean_or_max(entry))
    }
}

impl Ngrams {
    /// The largest `k`: N-grams are not counted further.
    pub(crate) const MAX_K: u32 = MAX_TABLE_COUNT;

    /// Empty tables; bigrams and trigrams count from `k` occurrences on.
    pub(crate) fn new(roles: usize, k: u64) -> Self {
        // An N-gram that was never seen has no mean.
        let k = u32::try_from(k).unwrap_or(u32::MAX).clamp(1, Self::MAX_K);
        Self { k, roles: vec![RoleNgrams::new(); roles] }
    }

    /// Adds the N-grams of a simulation that stands for `playouts` playouts.
    pub(crate) fn learn(&mut self, sequence: Sequence<'_>, playouts: u32, goals: &[f64]) {
        // It is nearly always 1: let the compiler specialize for it.
        match playouts {
            1 => self.learn_weighted(sequence, 1, goals),
            _ => self.learn_weighted(sequence, playouts.min(u32::from(u16::MAX)), goals),
        }
    }

    #[inline(always)]
    fn learn_weighted(&mut self, sequence: Sequence<'_>, weight: u32, goals: &[f64]) {
        let roles = self.roles.len();
        for (role, (grams, &goal)) in self.roles.iter_mut().zip(goals).enumerate() {
            let reward = fixed(goal);
            for (context, id) in sequence.of_role(roles, role) {
                if grams.is_unforced(id) {
                    grams.add(context, id, weight, reward);
                }
            }
        }
    }

    /// Marks these moves as legal at the same time.
    pub(crate) fn mark_unforced(&mut self, role: usize, moves: &[MoveId]) {
        moves.iter().for_each(|&id| self.roles[role].mark_unforced(id));
    }

    /// The tables of a role, and `k`.
    pub(crate) fn of(&self, role: usize) -> (&RoleNgrams, u32) {
        (&self.roles[role], self.k)
    }

    /// Appends the scores of a role's moves in a context; `unseen` is the score of moves that were
    /// never made.
    #[inline(always)]
    pub(crate) fn scores(
        &self,
        role: usize,
        context: NgramContext,
        moves: &[MoveId],
        unseen: f32,
        scores: &mut Vec<f32>,
    ) {
        let (k, grams) = (self.k, &self.roles[role]);
        let (bigrams, trigrams) = grams.context_keys(context);
        scores.extend(moves.iter().map(|&id| {
            let known = grams.unigrams.get(id.index());
            if known.is_none_or(|&entry| entry & COUNT_MASK == 0) {
                return unseen;
            }
            let pair = match &grams.bigrams {
                Bigrams::Matrix(rows) => {
                    let entry = rows.get(bigrams as usize + id.index()).copied().unwrap_or(0);
                    (entry & COUNT_MASK >= k).then_some(mean(entry))
                }
                Bigrams::Hashed(table) => table.look_up(bigrams.wrapping_add(last(id.0)), k),
            };
            let triple = grams.trigrams.look_up(trigrams.wrapping_add(last(id.0)), k);
            as_reward(score(grams.unigram(id), pair, triple))
        }));
    }
}

#[cfg(test)]
mod tests;

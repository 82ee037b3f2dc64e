//! What sequences of moves gave: the memory of NST, built to be read fast.
//!
//! A playout asks for the scores of all legal moves of a role in one context. Single moves and pairs with the same first move
//! lie side by side; triples, and pairs where a game has very many moves, are found by hash in a table of fixed size: when
//! two fall onto the same place, the later one takes it. Scores are computed without a branch, so that a processor does not
//! guess which sequences are known.

use ludex_game::MoveId;

use super::context::{Context, NOBODY};
use super::learned::{Mean, UNSEEN};

/// Places of a table: a power of two. The tables of both sides fit into the cache of a core.
const PLACES: usize = 1 << 15;

/// Pairs that are kept as a matrix; if there are more, in a table.
const MAX_CELLS: usize = 1 << 17;

/// A sequence in a table: a part of its hash that its place does not tell, how often it was seen as far as that matters,
/// and its mean. Small, because it is read at random: one in 65,536 strangers is taken for the right one, which a mean
/// can bear.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Entry {
    tag: u16,
    count: u16,
    value: f32,
}

/// Sequences by hash.
type Table = Vec<Entry>;

/// What sequences gave, for the role that made their last move.
#[derive(Clone, Debug)]
struct Grams {
    /// Moves have numbers below this.
    moves: usize,
    /// By move.
    one: Vec<Mean>,
    /// By the move before and the move; empty if there are too many.
    two: Vec<Mean>,
    /// The same by hash.
    two_by_hash: Table,
    three: Table,
}

/// The learned values of sequences, and the scores of moves by them.
#[derive(Clone, Debug)]
pub(crate) struct Ngrams {
    k: f32,
    roles: Vec<Grams>,
}

/// The key of a pair or, with the move before the last, of a triple.
#[inline(always)]
fn key(before: u32, last: u32, id: MoveId) -> u64 {
    // Ids are well below 2^21 in any game whose moves are listed.
    u64::from(before) << 42 ^ u64::from(last) << 21 ^ u64::from(id.0)
}

/// The place and the tag of a key.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "a part of the hash")]
fn place(key: u64) -> (usize, u16) {
    let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((hash >> 32) as usize & (PLACES - 1), (hash >> 48) as u16)
}

/// The mean of a sequence; a count of nothing if another one has its place. Without a branch, because what is found is
/// neither here nor there.
#[inline(always)]
fn look_up(table: &[Entry], key: u64) -> Mean {
    let (place, tag) = place(key);
    let entry = table[place];
    let is_it = 0u16.wrapping_sub(u16::from(entry.tag == tag));
    Mean { count: f32::from(entry.count & is_it), value: entry.value }
}

fn enter(table: &mut Table, key: u64, reward: f32) {
    let (place, tag) = place(key);
    let entry = &mut table[place];
    if entry.tag != tag {
        *entry = Entry { tag, ..Entry::default() };
    }
    // What has been seen very often follows the latest rewards.
    entry.count = entry.count.saturating_add(1);
    entry.value += (reward - entry.value) / f32::from(entry.count);
}

fn new_table() -> Table {
    vec![Entry::default(); PLACES]
}

impl Grams {
    fn new() -> Self {
        let (one, two, two_by_hash) = (Vec::new(), Vec::new(), Vec::new());
        Self { moves: 0, one, two, two_by_hash, three: new_table() }
    }

    /// Makes room for moves with numbers up to this one.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, id: usize) {
        let (old, new) = (self.moves, (id + 1).next_power_of_two());
        self.moves = new;
        self.one.resize(new, Mean::default());
        let rows = std::mem::take(&mut self.two);
        if new * new <= MAX_CELLS {
            self.two = vec![Mean::default(); new * new];
            for (at, row) in rows.chunks(old.max(1)).enumerate() {
                self.two[at * new..at * new + old].copy_from_slice(row);
            }
        } else if self.two_by_hash.is_empty() {
            self.two_by_hash = new_table();
            for (at, mean) in rows.into_iter().enumerate().filter(|(_, mean)| mean.count > 0.0) {
                let last = u32::try_from(at / old.max(1)).unwrap_or(NOBODY);
                let (place, tag) = place(key(0, last, MoveId::new(at % old.max(1))));
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
                let count = mean.count.min(f32::from(u16::MAX)) as u16;
                self.two_by_hash[place] = Entry { tag, count, value: mean.value };
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, context: Context, id: MoveId, reward: f32) {
        let last = context.last as usize;
        let highest = if context.last == NOBODY { id.index() } else { last.max(id.index()) };
        if highest >= self.moves {
            self.grow(highest);
        }
        self.one[id.index()].add(1.0, reward);
        if context.last == NOBODY {
            return;
        }
        match self.two.get_mut(last * self.moves + id.index()) {
            Some(mean) => mean.add(1.0, reward),
            None => enter(&mut self.two_by_hash, key(0, context.last, id), reward),
        }
        if context.before != NOBODY {
            enter(&mut self.three, key(context.before, context.last, id), reward);
        }
    }
}

impl Ngrams {
    /// Nothing learned; longer sequences count when they were seen `k` times.
    #[allow(clippy::cast_precision_loss, reason = "k is small")]
    pub(crate) fn new(roles: usize, k: u64) -> Self {
        Self { k: k as f32, roles: vec![Grams::new(); roles] }
    }

    /// Adds the sequences of a simulation; `moves` has one for each role and step.
    #[allow(clippy::cast_possible_truncation, reason = "goals are small")]
    pub(crate) fn learn(&mut self, moves: &[MoveId], goals: &[f64]) {
        let roles = self.roles.len();
        for (role, (grams, &goal)) in self.roles.iter_mut().zip(goals).enumerate() {
            for (step, joint) in moves.chunks_exact(roles).enumerate() {
                let context = Context::behind(&moves[..step * roles], roles, role);
                grams.add(context, joint[role], goal as f32);
            }
        }
    }

    /// The scores of a role's moves in a context.
    #[inline(always)]
    pub(crate) fn scores(&self, role: usize, context: Context) -> Scores<'_> {
        let grams = &self.roles[role];
        let last = context.last as usize;
        let two = match context.last {
            NOBODY => Pairs::None,
            _ if !grams.two_by_hash.is_empty() => Pairs::Table(&grams.two_by_hash),
            _ => grams.two.get(last * grams.moves..(last + 1) * grams.moves).map_or(Pairs::None, Pairs::Row),
        };
        let three = if context.before == NOBODY { &[] } else { &grams.three[..] };
        Scores { k: self.k, one: &grams.one, two, three, context }
    }
}

/// Where pairs are found.
#[derive(Clone, Copy)]
enum Pairs<'a> {
    None,
    /// By the second move.
    Row(&'a [Mean]),
    Table(&'a [Entry]),
}

/// What is known of a role's moves in a context, looked up once for all of them.
#[derive(Clone, Copy)]
pub(crate) struct Scores<'a> {
    k: f32,
    one: &'a [Mean],
    two: Pairs<'a>,
    three: &'a [Entry],
    context: Context,
}

impl Scores<'_> {
    /// Adds the scores of moves to a list.
    #[inline(always)]
    pub(crate) fn of_all(&self, moves: &[MoveId], scores: &mut Vec<f32>) {
        let Context { before, last } = self.context;
        let nothing = Mean::default();
        // The last move of nobody is that of nobody before as well: a triple needs both.
        match (self.two, self.three) {
            (Pairs::None, _) => self.each(moves, scores, |_| (nothing, nothing)),
            (Pairs::Row(row), []) => self.each(moves, scores, |id| (row[id.index()], nothing)),
            (Pairs::Row(row), three) => {
                self.each(moves, scores, |id| (row[id.index()], look_up(three, key(before, last, id))));
            }
            (Pairs::Table(two), []) => {
                self.each(moves, scores, |id| (look_up(two, key(0, last, id)), nothing));
            }
            (Pairs::Table(two), three) => self.each(moves, scores, |id| {
                (look_up(two, key(0, last, id)), look_up(three, key(before, last, id)))
            }),
        }
    }

    #[inline(always)]
    fn each(&self, moves: &[MoveId], scores: &mut Vec<f32>, longer: impl Fn(MoveId) -> (Mean, Mean)) {
        scores.extend(moves.iter().map(|&id| match self.one.get(id.index()) {
            Some(&one) => {
                let (two, three) = longer(id);
                mean_of_known(self.k, one, two, three)
            }
            None => UNSEEN,
        }));
    }
}

/// The mean over the sequence of one move and those longer ones that were seen often enough.
#[inline(always)]
fn mean_of_known(k: f32, one: Mean, two: Mean, three: Mean) -> f32 {
    let second = f32::from(u8::from(two.count >= k));
    let third = f32::from(u8::from(three.count >= k));
    let score = (one.value + second * two.value + third * three.value) / (1.0 + second + third);
    if one.count > 0.0 { score } else { UNSEEN }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(ngrams: &Ngrams, role: usize, context: Context, id: u32) -> f32 {
        let mut scores = Vec::new();
        ngrams.scores(role, context).of_all(&[MoveId(id)], &mut scores);
        scores[0]
    }

    /// A game with turns, two roles: the sequences of the example in figure 2, where those who wait make noop (0):
    /// role 0 makes 1, then waits, then makes 3; role 1 waits, makes 2, waits.
    #[test]
    fn sequences_are_those_of_the_paper() {
        let mut ngrams = Ngrams::new(2, 1);
        let moves = [1, 0, 0, 2, 3, 0].map(MoveId);
        ngrams.learn(&moves, &[80.0, 20.0]);
        let of = |role: usize| &ngrams.roles[role];
        let seen = |means: &[Mean]| -> Vec<usize> {
            means.iter().enumerate().filter(|(_, m)| m.count > 0.0).map(|(at, _)| at).collect()
        };
        // Single moves: each role's own.
        assert_eq!(seen(&of(0).one), [0, 1, 3]);
        assert_eq!(seen(&of(1).one), [0, 2]);
        assert_eq!(of(1).one[0], Mean { count: 2.0, value: 20.0 });
        // Pairs of role 0 begin with a move of role 1: (0, 0) and (2, 3). Pairs of role 1 begin with a move of role 0: (1, 2)
        // and (0, 0).
        let pairs = |role: usize| -> Vec<(usize, usize)> {
            seen(&of(role).two).into_iter().map(|at| (at / of(role).moves, at % of(role).moves)).collect()
        };
        assert_eq!(pairs(0), [(0, 0), (2, 3)]);
        assert_eq!(pairs(1), [(0, 0), (1, 2)]);
        // Triples begin with a move of the role itself, for two roles: (1, 2, 3) and (0, 0, 0).
        let triples = |role: usize| of(role).three.iter().filter(|entry| entry.count > 0).count();
        assert_eq!((triples(0), triples(1)), (1, 1));
        assert_eq!(look_up(&of(0).three, key(1, 2, MoveId(3))), Mean { count: 1.0, value: 80.0 });
    }

    #[test]
    fn rare_sequences_do_not_count_and_unseen_moves_count_most() {
        let mut ngrams = Ngrams::new(2, 2);
        let context = Context { before: 5, last: 6 };
        assert_eq!(score(&ngrams, 0, context, 7), UNSEEN);
        ngrams.roles[0].add(Context { before: 1, last: 1 }, MoveId(7), 10.0);
        ngrams.roles[0].add(context, MoveId(7), 40.0);
        assert_eq!(score(&ngrams, 0, context, 7), 25.0, "both pairs were seen once only");
        ngrams.roles[0].add(context, MoveId(7), 100.0);
        // One: (10 + 40 + 100) / 3 = 50; two and three: 70.
        let expected = (50.0 + 70.0 + 70.0) / 3.0;
        assert!((score(&ngrams, 0, context, 7) - expected).abs() < 1e-3);
        assert_eq!(score(&ngrams, 0, context, 8), UNSEEN);
        assert_eq!(score(&ngrams, 0, Context { before: NOBODY, last: NOBODY }, 7), 50.0);
    }

    /// Pairs are the same whether there are few moves or many: growing keeps them, and so does the table.
    #[test]
    fn pairs_stay_when_there_are_more_moves() {
        let mut ngrams = Ngrams::new(1, 1);
        let context = Context { before: NOBODY, last: 2 };
        ngrams.roles[0].add(context, MoveId(3), 10.0);
        ngrams.roles[0].add(Context { before: NOBODY, last: 1 }, MoveId(3), 40.0);
        let before = score(&ngrams, 0, context, 3);
        assert_eq!(before, f32::midpoint(25.0, 10.0));
        for id in [100, 5000] {
            ngrams.roles[0].add(Context { before: NOBODY, last: 0 }, MoveId(id), 70.0);
            assert_eq!(score(&ngrams, 0, context, 3), before, "{id}");
        }
        assert!(ngrams.roles[0].two.is_empty(), "there are too many for a matrix");
        assert_eq!(score(&ngrams, 0, Context { before: NOBODY, last: 0 }, 5000), 70.0);
    }
}

//! What sequences of moves gave: the memory of NST, built to be read fast.
//!
//! Playouts ask for the scores of moves in very many contexts. Single moves and pairs with the same first move lie side by side;
//! triples, and pairs where a game has very many moves, are found by hash in a table of fixed size: when two fall onto the
//! same place, the one that is seen more often keeps it. Hashes are sums, so that what all moves of a context have in common is computed once.
//! Scores are computed without a branch, so that a processor does not guess which sequences are known.

use ludex_game::MoveId;

use super::bids::{Bid, Offer};
use super::context::{Context, NOBODY};
use super::learned::UNSEEN;

/// Places of a table: a power of two. The tables of both sides fit into the cache of a core.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 14;

/// Pairs that are kept as a matrix; if there are more, in a table.
const MAX_CELLS: usize = 1 << 15;

/// Room is made for so many moves at a time: no more than needed, because it has to stay in the cache.
const GROWTH: usize = 32;

/// What a sequence gave: a part of its hash that its place does not tell, how often it was seen as far as that matters, and its
/// mean in parts of 2²⁰. Small, because it is read at random: one in 65,536 strangers is taken for the right one, which a
/// mean can bear. Whole numbers, because what is known is told from what is not by masks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Entry {
    tag: u16,
    count: u16,
    mean: u32,
}

/// Bits behind the point of means, and of scores: sums of three of these times six are scores.
const MEAN_BITS: u32 = 20;
const SCORE_BITS: u32 = 12;

/// A reward as a mean of one.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rewards are from 0 to 100")]
fn fixed(reward: f64) -> u32 {
    (reward.clamp(0.0, 100.0) * f64::from(1u32 << MEAN_BITS)) as u32
}

impl Entry {
    /// The mean, if it is of this sequence and of at least `k` rewards; otherwise nothing. And whether it is.
    #[inline(always)]
    fn known(self, tag: u16, k: u32) -> (u32, u32) {
        // The difference is negative if there are too few.
        let rare = u32::from(self.count).wrapping_sub(k) >> 31;
        let other = u32::from(self.tag ^ tag) | rare;
        let mask = (other.wrapping_sub(1).cast_signed() >> 31).cast_unsigned();
        ((self.mean >> (MEAN_BITS - SCORE_BITS)) & mask, mask & 1)
    }

    /// Adds rewards of a common value.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it stays between both means")]
    fn add(&mut self, weight: u16, reward: u32) {
        // What has been seen very often follows the latest rewards.
        self.count = self.count.saturating_add(weight);
        let change = (i64::from(reward) - i64::from(self.mean)) * i64::from(weight) / i64::from(self.count);
        self.mean = (i64::from(self.mean) + change) as u32;
    }
}

/// Sequences by hash.
#[derive(Clone, Debug)]
struct Table(Box<[Entry; PLACES]>);

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

/// Hash of the last move of a sequence.
#[inline(always)]
fn last(id: MoveId) -> u32 {
    id.0.wrapping_mul(0xC2B2_AE3D)
}

/// The hash of what is before the last move of a triple.
#[inline(always)]
fn before_triple(context: Context) -> u32 {
    first(context.before).wrapping_add(middle(context.last))
}

/// The place and the tag of a hash.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "a part of the hash")]
fn place(hash: u32) -> (usize, u16) {
    ((hash >> (u32::BITS - PLACE_BITS)) as usize, hash as u16)
}

impl Table {
    fn new() -> Self {
        Self(Box::new([Entry::default(); PLACES]))
    }

    /// What is known of a sequence, see [`Entry::known`].
    #[inline(always)]
    fn look_up(&self, hash: u32, k: u32) -> (u32, u32) {
        let (place, tag) = place(hash);
        self.0[place].known(tag, k)
    }

    #[inline(always)]
    fn add(&mut self, hash: u32, weight: u16, reward: u32) {
        let (place, tag) = place(hash);
        let entry = &mut self.0[place];
        if entry.tag != tag {
            // What is seen often stays against what comes by once.
            if entry.count > weight {
                entry.count -= weight;
                return;
            }
            *entry = Entry { tag, ..Entry::default() };
        }
        entry.add(weight, reward);
    }
}

/// Where pairs are kept.
#[derive(Clone, Debug)]
enum Pairs {
    /// By the first move and the second; behind the last row another one, of nothing.
    Matrix(Vec<Entry>),
    Hashed(Table),
}

/// What sequences gave, for the role that made their last move.
#[derive(Clone, Debug)]
struct Grams {
    /// Moves have numbers below this.
    moves: usize,
    /// By move.
    one: Vec<Entry>,
    two: Pairs,
    three: Table,
    /// By move: whether there ever was a choice between it and others. What is only made because nothing else is legal, such as
    /// waiting, needs no value.
    chosen: Vec<bool>,
}

/// The learned values of sequences, and the scores of moves by them.
#[derive(Clone, Debug)]
pub(crate) struct Ngrams {
    k: u32,
    roles: Vec<Grams>,
}

impl Grams {
    fn new() -> Self {
        let two = Pairs::Matrix(vec![Entry::default()]);
        Self { moves: 0, one: Vec::new(), two, three: Table::new(), chosen: Vec::new() }
    }

    /// Makes room for moves with numbers up to this one.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, id: usize) {
        let (old, new) = (self.moves, (id + 1).next_multiple_of(GROWTH));
        self.moves = new;
        self.one.resize(new, Entry::default());
        let Pairs::Matrix(rows) = &self.two else { return };
        let rows = rows.chunks(old.max(1)).take(old).enumerate();
        self.two = if (new + 1) * new <= MAX_CELLS {
            let mut matrix = vec![Entry::default(); (new + 1) * new];
            rows.for_each(|(at, row)| matrix[at * new..at * new + old].copy_from_slice(row));
            Pairs::Matrix(matrix)
        } else {
            let mut table = Table::new();
            for (at, row) in rows {
                for (id, entry) in row.iter().enumerate().filter(|(_, entry)| entry.count > 0) {
                    let first = middle(u32::try_from(at).unwrap_or(NOBODY));
                    table.add(first.wrapping_add(last(MoveId::new(id))), entry.count, entry.mean);
                }
            }
            Pairs::Hashed(table)
        };
    }

    fn is_chosen(&self, id: MoveId) -> bool {
        self.chosen.get(id.index()).copied().unwrap_or(false)
    }

    fn mark_chosen(&mut self, id: MoveId) {
        if self.chosen.len() <= id.index() {
            self.chosen.resize(id.index() + 1, false);
        }
        self.chosen[id.index()] = true;
    }

    /// Adds rewards of a common value to the sequences that a move completes.
    #[inline(always)]
    fn add(&mut self, context: Context, id: MoveId, weight: u16, reward: u32) {
        let before = context.last as usize;
        let highest = if context.last == NOBODY { id.index() } else { before.max(id.index()) };
        if highest >= self.moves {
            self.grow(highest);
        }
        self.one[id.index()].add(weight, reward);
        if context.last == NOBODY {
            return;
        }
        match &mut self.two {
            Pairs::Matrix(rows) => rows[before * self.moves + id.index()].add(weight, reward),
            Pairs::Hashed(table) => table.add(middle(context.last).wrapping_add(last(id)), weight, reward),
        }
        if context.before != NOBODY {
            self.three.add(before_triple(context).wrapping_add(last(id)), weight, reward);
        }
    }

    /// Where pairs behind a move are found: the start of a row, or what their hashes have in common.
    #[inline(always)]
    fn before_pair(&self, context: Context) -> u32 {
        match &self.two {
            Pairs::Matrix(_) => {
                let row = (context.last as usize).min(self.moves) * self.moves;
                // A matrix has far fewer cells.
                u32::try_from(row).unwrap_or(0)
            }
            Pairs::Hashed(_) => middle(context.last),
        }
    }
}

impl Ngrams {
    /// Nothing learned; longer sequences count when they were seen `k` times.
    pub(crate) fn new(roles: usize, k: u64) -> Self {
        // What was never seen has no mean; and no sequence is counted any further than this.
        let k = u32::try_from(k).unwrap_or(u32::MAX).clamp(1, u32::from(u16::MAX));
        Self { k, roles: vec![Grams::new(); roles] }
    }

    /// Adds the sequences that moves from a place on complete, seen in `playouts` simulations; `moves` has one for each role and
    /// step.
    pub(crate) fn learn(&mut self, moves: &[MoveId], from: usize, playouts: u32, goals: &[f64]) {
        let roles = self.roles.len();
        let weight = u16::try_from(playouts).unwrap_or(u16::MAX);
        for start in (from..moves.len()).step_by(roles.max(1)) {
            for (role, (grams, &goal)) in self.roles.iter_mut().zip(goals).enumerate() {
                let id = moves[start + role];
                if grams.is_chosen(id) {
                    let context = Context::behind(&moves[..start], roles, role);
                    grams.add(context, id, weight, fixed(goal));
                }
            }
        }
    }

    /// There was a choice between these moves.
    pub(crate) fn mark_chosen(&mut self, role: usize, moves: &[MoveId]) {
        moves.iter().for_each(|&id| self.roles[role].mark_chosen(id));
    }

    /// Puts into a bid what scores in a context need.
    #[inline(always)]
    pub(crate) fn prepare(&self, role: usize, context: Context, bid: &mut Bid) {
        bid.two = self.roles[role].before_pair(context);
        bid.three = before_triple(context);
    }

    /// Offers a move of a role in lanes whose bids are prepared; by lane: what it comes before in spite of scores.
    #[inline(always)]
    pub(crate) fn offer(
        &mut self,
        role: usize,
        id: MoveId,
        lanes: &[u16],
        bids: &mut [Bid],
        rank: impl Fn(usize) -> u32,
    ) {
        let (k, offer) = (self.k, Offer::new(id));
        let grams = &mut self.roles[role];
        grams.mark_chosen(id);
        let one = grams.one.get(id.index()).copied().unwrap_or_default();
        if one.count == 0 {
            for lane in lanes.iter().map(|&lane| usize::from(lane)) {
                bids[lane].offer(offer, UNSEEN_SCORE, rank(lane));
            }
            return;
        }
        let (hash, one, three) = (last(id), one.known(0, 0).0, &grams.three);
        match &grams.two {
            Pairs::Matrix(rows) => {
                for lane in lanes.iter().map(|&lane| usize::from(lane)) {
                    let bid = &mut bids[lane];
                    let two = rows[bid.two as usize + id.index()].known(0, k);
                    let three = three.look_up(bid.three.wrapping_add(hash), k);
                    bid.offer(offer, score(one, two, three), rank(lane));
                }
            }
            Pairs::Hashed(table) => {
                for lane in lanes.iter().map(|&lane| usize::from(lane)) {
                    let bid = &mut bids[lane];
                    let two = table.look_up(bid.two.wrapping_add(hash), k);
                    let three = three.look_up(bid.three.wrapping_add(hash), k);
                    bid.offer(offer, score(one, two, three), rank(lane));
                }
            }
        }
    }

    /// Adds the scores of a role's moves in a context to a list.
    #[inline(always)]
    pub(crate) fn scores(&self, role: usize, context: Context, moves: &[MoveId], scores: &mut Vec<f32>) {
        let (k, grams) = (self.k, &self.roles[role]);
        let (two, three) = (grams.before_pair(context), before_triple(context));
        scores.extend(moves.iter().map(|&id| match grams.one.get(id.index()) {
            Some(one) if one.count > 0 => {
                let pair = match &grams.two {
                    Pairs::Matrix(rows) => rows[two as usize + id.index()].known(0, k),
                    Pairs::Hashed(table) => table.look_up(two.wrapping_add(last(id)), k),
                };
                let triple = grams.three.look_up(three.wrapping_add(last(id)), k);
                as_reward(score(one.known(0, 0).0, pair, triple))
            }
            _ => UNSEEN,
        }));
    }
}

/// The mean over the sequence of one move and those longer ones that are known, times six: whole numbers for one, two and three.
#[inline(always)]
fn score(one: u32, (two, is_two): (u32, u32), (three, is_three): (u32, u32)) -> u32 {
    const PARTS: [u32; 4] = [6, 3, 2, 0];
    (one + two + three) * PARTS[(is_two + is_three) as usize & 3]
}

/// The score of a move that was never seen.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "100 in parts of 2^12, times six")]
const UNSEEN_SCORE: u32 = 6 * ((UNSEEN as u32) << SCORE_BITS);

/// A score as rewards are.
#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "scores have 22 bits")]
fn as_reward(score: u32) -> f32 {
    score as f32 / (6 << SCORE_BITS) as f32
}

#[cfg(test)]
mod tests {
    use super::super::bids::Probability;
    use super::*;

    fn score_of(ngrams: &Ngrams, role: usize, context: Context, id: u32) -> f32 {
        let mut scores = Vec::new();
        ngrams.scores(role, context, &[MoveId(id)], &mut scores);
        scores[0]
    }

    /// With a choice between all these moves.
    fn with_choices(roles: usize, k: u64, moves: u32) -> Ngrams {
        let mut ngrams = Ngrams::new(roles, k);
        let moves: Vec<MoveId> = (0..moves).map(MoveId).collect();
        (0..roles).for_each(|role| ngrams.mark_chosen(role, &moves));
        ngrams
    }

    fn pair(grams: &Grams, before: u32, id: u32) -> Entry {
        match &grams.two {
            Pairs::Matrix(rows) => rows[before as usize * grams.moves + id as usize],
            Pairs::Hashed(table) => table.0[place(middle(before).wrapping_add(last(MoveId(id)))).0],
        }
    }

    fn triple(grams: &Grams, before: u32, between: u32, id: u32) -> (u32, u32) {
        let context = Context { before, last: between };
        grams.three.look_up(before_triple(context).wrapping_add(last(MoveId(id))), 1)
    }

    /// A game with turns, two roles: the sequences of the example in figure 2, where those who wait make noop (0):
    /// role 0 makes 1, then waits, then makes 3; role 1 waits, makes 2, waits.
    #[test]
    fn sequences_are_those_of_the_paper() {
        let mut ngrams = with_choices(2, 1, 4);
        let moves = [1, 0, 0, 2, 3, 0].map(MoveId);
        ngrams.learn(&moves, 0, 1, &[80.0, 20.0]);
        let of = |role: usize| &ngrams.roles[role];
        let seen = |role: usize| -> Vec<usize> {
            let means = of(role).one.iter().enumerate();
            means.filter(|(_, mean)| mean.count > 0).map(|(at, _)| at).collect()
        };
        // Single moves: each role's own.
        assert_eq!(seen(0), [0, 1, 3]);
        assert_eq!(seen(1), [0, 2]);
        assert_eq!(of(1).one[0], Entry { tag: 0, count: 2, mean: fixed(20.0) });
        // Pairs of role 0 begin with a move of role 1: (0, 0) and (2, 3). Pairs of role 1 begin with a move of role 0: (1, 2)
        // and (0, 0).
        let pairs = |role: usize| -> Vec<(u32, u32)> {
            let all = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
            all.filter(|&(a, b)| pair(of(role), a, b).count > 0).collect()
        };
        assert_eq!(pairs(0), [(0, 0), (2, 3)]);
        assert_eq!(pairs(1), [(0, 0), (1, 2)]);
        // Triples begin with a move of the role itself, for two roles: (1, 2, 3) and (0, 0, 0).
        let triples = |role: usize| of(role).three.0.iter().filter(|entry| entry.count > 0).count();
        assert_eq!((triples(0), triples(1)), (1, 1));
        assert_eq!(triple(of(0), 1, 2, 3), (80 << SCORE_BITS, 1));
        assert_eq!(triple(of(0), 2, 1, 3), (0, 0));
    }

    /// Learning the way to a leaf once for many playouts, and what comes behind it from each of them, is the same as learning
    /// the whole of each.
    #[test]
    fn a_way_counts_once_for_every_playout_behind_it() {
        let (mut whole, mut parts) = (with_choices(2, 1, 4), with_choices(2, 1, 4));
        let moves = [1, 0, 0, 2, 3, 0, 0, 1].map(MoveId);
        for goals in [[100.0, 0.0], [0.0, 100.0], [50.0, 50.0], [100.0, 0.0]] {
            whole.learn(&moves, 0, 1, &goals);
            parts.learn(&moves, 4, 1, &goals);
        }
        parts.learn(&moves[..4], 0, 4, &[62.5, 37.5]);
        for (whole, parts) in whole.roles.iter().zip(&parts.roles) {
            for id in 0..4 {
                assert_eq!(whole.one[id].count, parts.one[id].count);
                assert!(whole.one[id].mean.abs_diff(parts.one[id].mean) < 100);
                for before in 0..4 {
                    let of = |grams: &Grams| pair(grams, before, u32::try_from(id).unwrap());
                    assert_eq!(of(whole).count, of(parts).count);
                    assert!(of(whole).mean.abs_diff(of(parts).mean) < 100);
                }
            }
        }
    }

    #[test]
    fn what_is_always_forced_is_not_learned() {
        let mut ngrams = Ngrams::new(1, 1);
        ngrams.mark_chosen(0, &[MoveId(1), MoveId(2)]);
        ngrams.learn(&[0, 1, 0, 2].map(MoveId), 0, 1, &[100.0]);
        let seen: Vec<u16> = ngrams.roles[0].one.iter().map(|mean| mean.count).collect();
        assert_eq!(seen[..4], [0, 1, 1, 0]);
        assert_eq!(pair(&ngrams.roles[0], 0, 2).count, 1, "it is a context all the same");
    }

    #[test]
    fn rare_sequences_do_not_count_and_unseen_moves_count_most() {
        let mut ngrams = Ngrams::new(2, 2);
        let context = Context { before: 5, last: 6 };
        assert_eq!(score_of(&ngrams, 0, context, 7), UNSEEN);
        ngrams.roles[0].add(Context { before: 1, last: 1 }, MoveId(7), 1, fixed(10.0));
        ngrams.roles[0].add(context, MoveId(7), 1, fixed(40.0));
        assert_eq!(score_of(&ngrams, 0, context, 7), 25.0, "both pairs were seen once only");
        ngrams.roles[0].add(context, MoveId(7), 1, fixed(100.0));
        // One: (10 + 40 + 100) / 3 = 50; two and three: 70.
        let expected = (50.0 + 70.0 + 70.0) / 3.0;
        assert!((score_of(&ngrams, 0, context, 7) - expected).abs() < 1e-3);
        assert_eq!(score_of(&ngrams, 0, context, 8), UNSEEN);
        assert_eq!(score_of(&ngrams, 0, Context { before: NOBODY, last: NOBODY }, 7), 50.0);
        assert_eq!(score_of(&ngrams, 0, Context { before: NOBODY, last: 900 }, 7), 50.0, "never seen");
    }

    /// Pairs are the same whether there are few moves or many: growing keeps them, and so does the table.
    #[test]
    fn pairs_stay_when_there_are_more_moves() {
        let mut ngrams = Ngrams::new(1, 1);
        let context = Context { before: NOBODY, last: 2 };
        ngrams.roles[0].add(context, MoveId(3), 1, fixed(10.0));
        ngrams.roles[0].add(Context { before: NOBODY, last: 1 }, MoveId(3), 1, fixed(40.0));
        let before = score_of(&ngrams, 0, context, 3);
        assert!((before - f32::midpoint(25.0, 10.0)).abs() < 1e-3);
        for id in [100, 5000] {
            ngrams.roles[0].add(Context { before: NOBODY, last: 0 }, MoveId(id), 1, fixed(70.0));
            assert_eq!(score_of(&ngrams, 0, context, 3), before, "{id}");
        }
        assert!(matches!(ngrams.roles[0].two, Pairs::Hashed(_)), "there are too many for a matrix");
        assert_eq!(score_of(&ngrams, 0, Context { before: NOBODY, last: 0 }, 5000), 70.0);
    }

    /// Bids are made by the same scores that lists have.
    #[test]
    fn the_best_bid_has_the_best_score() {
        let mut random = fastrand::Rng::with_seed(3);
        for moves in [8u32, 2000] {
            let mut ngrams = with_choices(1, 2, moves);
            for _ in 0..3000 {
                let few = |random: &mut fastrand::Rng| random.u32(..moves.min(12));
                let context = Context { before: few(&mut random), last: few(&mut random) };
                let id = MoveId(if moves > 12 { moves - 1 - few(&mut random) } else { few(&mut random) });
                ngrams.roles[0].add(context, id, 1, fixed(random.f64() * 100.0));
            }
            let all: Vec<MoveId> =
                (0..moves).map(MoveId).filter(|id| id.0 < 12 || id.0 + 12 >= moves).collect();
            for _ in 0..200 {
                let context = Context { before: random.u32(..8), last: random.u32(..8) };
                let mut bids = [Bid::new(Probability::new(0.0), &mut random)];
                ngrams.prepare(0, context, &mut bids[0]);
                all.iter().for_each(|&id| ngrams.offer(0, id, &[0], &mut bids, |_| 0));
                let mut scores = Vec::new();
                ngrams.scores(0, context, &all, &mut scores);
                let highest = scores.iter().copied().fold(0.0, f32::max);
                let at = all.iter().position(|&id| id == bids[0].best()).unwrap();
                assert_eq!(scores[at], highest);
            }
        }
    }
}

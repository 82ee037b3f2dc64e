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

use super::context::{Context, Histories, NOBODY};
use super::learned::{Choice, Mean, UNSEEN, choose};
use super::{Path, Place, Strategy};

/// Sequences of three moves that are kept for each role: a power of two. When two fall onto the same place, the
/// later one takes it.
const PLACES: usize = 1 << 16;

/// What sequences gave, for the role that made their last move.
#[derive(Clone, Debug, Default)]
struct Grams {
    /// By move.
    one: Vec<Mean>,
    /// By the move before and the move; rows are as long as needed.
    two: Vec<Vec<Mean>>,
    /// By hash: the sequence, and its mean.
    three: Vec<(u64, Mean)>,
}

/// The learned values of sequences, and the scores of moves by them.
#[derive(Clone, Debug)]
pub(crate) struct Ngrams {
    k: f32,
    roles: Vec<Grams>,
}

fn key(context: Context, id: MoveId) -> u64 {
    // Ids are well below 2^21 in any game whose moves are listed.
    u64::from(context.before) << 42 ^ u64::from(context.last) << 21 ^ u64::from(id.0)
}

fn place(key: u64) -> usize {
    usize::try_from(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48).unwrap_or(0) & (PLACES - 1)
}

impl Ngrams {
    #[allow(clippy::cast_precision_loss, reason = "k is small")]
    pub(crate) fn new(roles: usize, k: u64) -> Self {
        let grams = Grams { three: vec![(u64::MAX, Mean::default()); PLACES], ..Grams::default() };
        Self { k: k as f32, roles: vec![grams; roles] }
    }

    /// Adds the sequences of a simulation; `moves` has one for each role and step.
    #[allow(clippy::cast_possible_truncation, reason = "goals are small")]
    pub(crate) fn learn(&mut self, moves: &[MoveId], goals: &[f64]) {
        let roles = self.roles.len();
        for step in 0..moves.len() / roles.max(1) {
            for (role, &goal) in goals.iter().enumerate() {
                let context = Context::behind(&moves[..step * roles], roles, role);
                self.add(role, context, moves[step * roles + role], goal as f32);
            }
        }
    }

    fn add(&mut self, role: usize, context: Context, id: MoveId, reward: f32) {
        let grams = &mut self.roles[role];
        if grams.one.len() <= id.index() {
            grams.one.resize(id.index() + 1, Mean::default());
        }
        grams.one[id.index()].add(1.0, reward);
        if context.last == NOBODY {
            return;
        }
        let last = context.last as usize;
        if grams.two.len() <= last {
            grams.two.resize(last + 1, Vec::new());
        }
        let row = &mut grams.two[last];
        if row.len() <= id.index() {
            row.resize(id.index() + 1, Mean::default());
        }
        row[id.index()].add(1.0, reward);
        if context.before == NOBODY {
            return;
        }
        let key = key(context, id);
        let entry = &mut grams.three[place(key)];
        if entry.0 != key {
            *entry = (key, Mean::default());
        }
        entry.1.add(1.0, reward);
    }

    /// The scores of a role's moves in a context.
    #[inline(always)]
    pub(crate) fn scores(&self, role: usize, context: Context) -> Scores<'_> {
        let grams = &self.roles[role];
        let two = match context.last {
            NOBODY => &[],
            last => grams.two.get(last as usize).map_or(&[][..], Vec::as_slice),
        };
        let three = if context.last == NOBODY || context.before == NOBODY { &[] } else { &grams.three[..] };
        Scores { k: self.k, one: &grams.one, two, three, context }
    }
}

/// What is known of a role's moves in a context, looked up once for all of them.
#[derive(Clone, Copy)]
pub(crate) struct Scores<'a> {
    k: f32,
    one: &'a [Mean],
    two: &'a [Mean],
    three: &'a [(u64, Mean)],
    context: Context,
}

impl Scores<'_> {
    /// The score of a move.
    #[inline(always)]
    pub(crate) fn of(&self, id: MoveId) -> f32 {
        const SHARES: [f32; 4] = [1.0, 1.0, 1.0 / 2.0, 1.0 / 3.0];
        let (mut sum, mut count) = match self.one.get(id.index()) {
            Some(one) if one.count > 0.0 => (one.value, 1),
            _ => return UNSEEN,
        };
        if let Some(two) = self.two.get(id.index()).filter(|two| two.count >= self.k) {
            (sum, count) = (sum + two.value, count + 1);
        }
        if !self.three.is_empty() {
            let key = key(self.context, id);
            let (known, three) = &self.three[place(key)];
            if *known == key && three.count >= self.k {
                (sum, count) = (sum + three.value, count + 1);
            }
        }
        sum * SHARES[count]
    }
}

/// The strategy.
pub(crate) struct Nst {
    ngrams: Ngrams,
    histories: Histories,
    choice: Choice,
    weights: Vec<f32>,
}

impl Nst {
    pub(crate) fn new(roles: usize, k: u64, choice: Choice) -> Self {
        let (ngrams, histories) = (Ngrams::new(roles, k), Histories::new(roles));
        Self { ngrams, histories, choice, weights: Vec::new() }
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
        let context = Context::behind(place.path, self.ngrams.roles.len(), role);
        let scores = self.ngrams.scores(role, context);
        choose(self.choice, untried.len(), &mut self.weights, |at| scores.of(untried[at]), random)
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
        choose(self.choice, legal.len(), &mut self.weights, |at| scores.of(legal[at]), random)
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

#[cfg(test)]
mod tests {
    use super::*;

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
        // Pairs of role 0 begin with a move of role 1: (0, 0) and (2, 3).
        assert_eq!(seen(&of(0).two[0]), [0]);
        assert_eq!(seen(&of(0).two[2]), [3]);
        // Pairs of role 1 begin with a move of role 0: (1, 2) and (0, 0).
        assert_eq!(seen(&of(1).two[1]), [2]);
        assert_eq!(seen(&of(1).two[0]), [0]);
        // Triples begin with a move of the role itself, for two roles: (1, 2, 3) and (0, 0, 0).
        let triples = |role: usize| of(role).three.iter().filter(|(_, mean)| mean.count > 0.0).count();
        assert_eq!((triples(0), triples(1)), (1, 1));
        let context = Context { before: 1, last: 2 };
        let key = key(context, MoveId(3));
        assert_eq!(of(0).three[place(key)], (key, Mean { count: 1.0, value: 80.0 }));
    }

    #[test]
    fn rare_sequences_do_not_count_and_unseen_moves_count_most() {
        let mut ngrams = Ngrams::new(2, 2);
        let context = Context { before: 5, last: 6 };
        assert_eq!(ngrams.scores(0, context).of(MoveId(7)), UNSEEN);
        ngrams.add(0, Context { before: 1, last: 1 }, MoveId(7), 10.0);
        ngrams.add(0, context, MoveId(7), 40.0);
        assert_eq!(ngrams.scores(0, context).of(MoveId(7)), 25.0, "both pairs were seen once only");
        ngrams.add(0, context, MoveId(7), 100.0);
        // One: (10 + 40 + 100) / 3 = 50; two and three: 70.
        let expected = (50.0 + 70.0 + 70.0) / 3.0;
        assert!((ngrams.scores(0, context).of(MoveId(7)) - expected).abs() < 1e-3);
    }

    /// With three roles, whose moves count is (i + n - 1) mod n and (i + n - 2) mod n.
    #[test]
    fn roles_are_counted_around() {
        let moves = [10, 11, 12, 20, 21, 22].map(MoveId);
        assert_eq!(Context::behind(&moves, 3, 0), Context { last: 22, before: 11 });
        assert_eq!(Context::behind(&moves, 3, 1), Context { last: 20, before: 12 });
        assert_eq!(Context::behind(&moves, 3, 2), Context { last: 21, before: 10 });
        assert_eq!(Context::behind(&moves[..3], 3, 2), Context { last: 11, before: NOBODY });
    }
}

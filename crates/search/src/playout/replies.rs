//! Replies that were good the last time: to the last move, and to the last two.

use std::hint::select_unpredictable;

use ludex_game::MoveId;

use super::context::{Context, NOBODY, choices_of};

/// Replies of one role.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Replies {
    /// By the last move.
    one: Vec<u32>,
    /// By hash of the last two: the hash, and the reply. When two pairs fall onto the same place, the later one takes
    /// it. Empty until there is a reply.
    two: Vec<(u32, u32)>,
}

/// Places for replies to two moves: a power of two, and few enough to stay in the cache of a core.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 14;

/// The place of two moves, and what tells them from others there: all of their hash.
#[inline(always)]
fn place(context: Context) -> (usize, u32) {
    let hash = context.before.wrapping_mul(0x9E37_79B1).wrapping_add(context.last.wrapping_mul(0x85EB_CA77));
    ((hash >> (u32::BITS - PLACE_BITS)) as usize, hash)
}

impl Replies {
    #[inline(always)]
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
                self.two = vec![(0, NOBODY); PLACES];
            }
            let (place, tag) = place(context);
            self.two[place] = (tag, id.0);
        }
    }

    /// The reply to two moves, or [`NOBODY`].
    #[inline(always)]
    fn to_two(&self, context: Context) -> u32 {
        let (place, tag) = place(context);
        let (known, reply) = self.two.get(place).copied().unwrap_or((tag, NOBODY));
        select_unpredictable(known == tag, reply, NOBODY)
    }

    #[inline(always)]
    fn forget(&mut self, context: Context, id: MoveId) {
        if let Some(reply) = self.one.get_mut(context.last as usize).filter(|reply| **reply == id.0) {
            *reply = NOBODY;
        }
        if self.to_two(context) == id.0 {
            self.two[place(context).0].1 = NOBODY;
        }
    }

    /// The replies to the last two moves and to the last one, or [`NOBODY`].
    #[inline(always)]
    pub(crate) fn both(&self, context: Context) -> [u32; 2] {
        [self.to_two(context), self.one.get(context.last as usize).copied().unwrap_or(NOBODY)]
    }

    /// The reply that is legal, if there is one.
    #[inline(always)]
    pub(crate) fn find(&self, context: Context, legal: &[MoveId]) -> Option<usize> {
        self.both(context).into_iter().find_map(|id| legal.binary_search(&MoveId(id)).ok())
    }
}

/// Updates the reply tables by a simulation; for `moves` see [`choices_of`].
pub(crate) fn learn_replies(replies: &mut [Replies], moves: &[MoveId], goals: &[f64]) {
    let roles = replies.len();
    let highest = goals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (role, replies) in replies.iter_mut().enumerate() {
        let choices = choices_of(moves, roles, role);
        match goals[role] >= highest {
            true => choices.for_each(|(context, id)| replies.store(context, id)),
            false => choices.for_each(|(context, id)| replies.forget(context, id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::with_context;
    use super::*;

    fn learn(replies: &mut [Replies], path: &[MoveId], goals: &[f64]) {
        let mut moves = Vec::new();
        with_context(path, replies.len(), &mut moves);
        learn_replies(replies, &moves, goals);
    }

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
        learn(&mut replies, &first, &[0.0, 100.0]);
        assert_eq!(replies[0], Replies::default());
        let one = |replies: &Replies, last: u32| replies.one.get(last as usize).copied().unwrap_or(NOBODY);
        assert_eq!(one(&replies[1], D), A);
        assert_eq!(one(&replies[1], C), B);
        assert_eq!(one(&replies[1], NOOP), NOOP);
        assert_eq!(
            replies[1].to_two(Context { before: A, last: NOOP }),
            NOBODY,
            "white waited after a move of black's"
        );
        let second = [D, NOOP, NOOP, A, B, NOOP].map(MoveId);
        learn(&mut replies, &second, &[100.0, 0.0]);
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

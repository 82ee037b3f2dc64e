//! Reply tables of LGRF-2: the last good reply to the last move, and to the last two moves.

use std::hint::select_unpredictable;

use ludex_game::MoveId;

use super::context::{NO_MOVE, NgramContext, Sequence};

/// The replies of one role.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReplyTable {
    /// By the last move.
    to_last: Vec<u32>,
    /// By hash of the last two moves: the hash and the reply. On a collision the newer reply wins.
    /// Empty until the first reply.
    to_last_two: Vec<(u32, u32)>,
}

/// Entries of the table by two moves: a power of two, few enough (128 KiB) for a core's cache.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 14;

/// The slot of two moves, and the tag that identifies them there: the whole hash.
#[inline(always)]
fn slot(context: NgramContext) -> (usize, u32) {
    let hash = context.before.wrapping_mul(0x9E37_79B1).wrapping_add(context.last.wrapping_mul(0x85EB_CA77));
    ((hash >> (u32::BITS - SLOT_BITS)) as usize, hash)
}

impl ReplyTable {
    #[inline(always)]
    fn store(&mut self, context: NgramContext, id: MoveId) {
        if context.last == NO_MOVE {
            return;
        }
        let last = context.last as usize;
        if self.to_last.len() <= last {
            self.to_last.resize(last + 1, NO_MOVE);
        }
        self.to_last[last] = id.0;
        if context.before != NO_MOVE {
            if self.to_last_two.is_empty() {
                self.to_last_two = vec![(0, NO_MOVE); SLOTS];
            }
            let (slot, tag) = slot(context);
            self.to_last_two[slot] = (tag, id.0);
        }
    }

    /// The reply to two moves, or [`NO_MOVE`].
    #[inline(always)]
    fn reply_to_two(&self, context: NgramContext) -> u32 {
        let (slot, tag) = slot(context);
        let (known, reply) = self.to_last_two.get(slot).copied().unwrap_or((tag, NO_MOVE));
        select_unpredictable(known == tag, reply, NO_MOVE)
    }

    #[inline(always)]
    fn forget(&mut self, context: NgramContext, id: MoveId) {
        if let Some(reply) = self.to_last.get_mut(context.last as usize).filter(|reply| **reply == id.0) {
            *reply = NO_MOVE;
        }
        if self.reply_to_two(context) == id.0 {
            self.to_last_two[slot(context).0].1 = NO_MOVE;
        }
    }

    /// The replies to the last two moves and to the last one, or [`NO_MOVE`].
    #[inline(always)]
    pub(crate) fn lookup(&self, context: NgramContext) -> [u32; 2] {
        [self.reply_to_two(context), self.to_last.get(context.last as usize).copied().unwrap_or(NO_MOVE)]
    }

    /// The first legal reply, if there is one: an index into `legal`.
    #[inline(always)]
    pub(crate) fn find(&self, context: NgramContext, legal: &[MoveId]) -> Option<usize> {
        self.lookup(context).into_iter().find_map(|id| legal.binary_search(&MoveId(id)).ok())
    }
}

#[cfg(test)]
impl ReplyTable {
    /// Whether another pair of moves has the place of this one.
    pub(crate) fn is_displaced(&self, context: NgramContext) -> bool {
        let (slot, tag) = slot(context);
        self.to_last_two.get(slot).is_some_and(|&place| place != (0, NO_MOVE) && place.0 != tag)
    }
}

/// Updates the reply tables after a simulation.
pub(crate) fn update_replies(replies: &mut [ReplyTable], sequence: Sequence<'_>, goals: &[f64]) {
    let roles = replies.len();
    let highest = goals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (role, replies) in replies.iter_mut().enumerate() {
        let choices = sequence.of_role(roles, role);
        match goals[role] >= highest {
            true => choices.for_each(|(context, id)| replies.store(context, id)),
            false => choices.for_each(|(context, id)| replies.forget(context, id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::pad_context;
    use super::*;

    fn learn(replies: &mut [ReplyTable], path: &[MoveId], goals: &[f64]) {
        let mut moves = Vec::new();
        pad_context(path, replies.len(), &mut moves);
        update_replies(replies, Sequence::published(&moves), goals);
    }

    const NOOP: u32 = 0;
    const A: u32 = 1;
    const B: u32 = 2;
    const C: u32 = 3;
    const D: u32 = 4;

    /// As in figure 3: black (role 1) wins the first simulation and its moves are stored; white
    /// stores nothing. In the second one black loses: the replies it repeated are forgotten, the
    /// others stay.
    #[test]
    fn replies_are_stored_and_forgotten_as_in_the_paper() {
        let mut replies = vec![ReplyTable::default(); 2];
        let first = [D, NOOP, NOOP, A, C, NOOP, NOOP, B].map(MoveId);
        learn(&mut replies, &first, &[0.0, 100.0]);
        assert_eq!(replies[0], ReplyTable::default());
        let to_last =
            |replies: &ReplyTable, last: u32| replies.to_last.get(last as usize).copied().unwrap_or(NO_MOVE);
        assert_eq!(to_last(&replies[1], D), A);
        assert_eq!(to_last(&replies[1], C), B);
        assert_eq!(to_last(&replies[1], NOOP), NOOP);
        assert_eq!(
            replies[1].reply_to_two(NgramContext { before: A, last: NOOP }),
            NO_MOVE,
            "white waited after a move of black's"
        );
        let second = [D, NOOP, NOOP, A, B, NOOP].map(MoveId);
        learn(&mut replies, &second, &[100.0, 0.0]);
        assert_eq!(to_last(&replies[1], D), NO_MOVE, "D → A is forgotten");
        assert_eq!(to_last(&replies[1], C), B, "C → B was not played and stays");
        // White has won: its moves are stored.
        assert_eq!(to_last(&replies[0], A), B);
    }

    #[test]
    fn the_longer_context_comes_first_if_it_is_legal() {
        let mut replies = ReplyTable::default();
        replies.store(NgramContext { before: 9, last: 5 }, MoveId(A));
        replies.store(NgramContext { before: 8, last: 5 }, MoveId(B));
        let context = NgramContext { before: 9, last: 5 };
        assert_eq!(replies.find(context, &[MoveId(A), MoveId(B)]), Some(0));
        assert_eq!(replies.find(context, &[MoveId(B), MoveId(C)]), Some(0), "B to the last move alone");
        assert_eq!(replies.find(context, &[MoveId(C)]), None);
    }
}

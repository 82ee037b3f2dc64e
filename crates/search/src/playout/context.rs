//! Contexts of N-grams and replies: the moves before a choice.
//!
//! Roles have numbers 0 to n - 1. The context of role `i` is the last move of role `(i + n - 1) mod
//! n` and, before it, the one before the last of role `(i + n - 2) mod n` (Tak, Winands, Björnsson
//! 2012, IV-B and IV-C). No-ops count too, as in the paper; [`super::noops`] skips them.

use ludex_game::MoveId;

/// No move: the simulation is shorter than the context.
pub(crate) const NO_MOVE: u32 = u32::MAX;

/// The moves before a choice of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NgramContext {
    /// The last move of the previous role, or [`NO_MOVE`].
    pub last: u32,
    /// The move before the last of the role before that, or [`NO_MOVE`].
    pub before: u32,
}

impl NgramContext {
    /// The context of a role after moves, `roles` per step.
    #[inline(always)]
    pub(crate) fn after(moves: &[MoveId], roles: usize, role: usize) -> Self {
        // Without divisions: this runs for every choice of every playout.
        let at = |back: usize, of: usize| match moves.len().checked_sub(back * roles) {
            Some(start) => moves[start + of].0,
            None => NO_MOVE,
        };
        let before = |role: usize| if role == 0 { roles - 1 } else { role - 1 };
        let last = before(role);
        Self { last: at(1, last), before: at(2, before(last)) }
    }
}

/// The moves of a simulation, to learn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequence<'a> {
    /// One move per role and step; the first [`CONTEXT_STEPS`] steps are only contexts, see
    /// [`pad_context`].
    pub moves: &'a [MoveId],
    /// By step after these and role: the context, where no-ops are skipped.
    pub contexts: Option<&'a [NgramContext]>,
}

impl<'a> Sequence<'a> {
    /// With contexts as published.
    #[cfg(test)]
    pub(crate) fn published(moves: &'a [MoveId]) -> Self {
        Self { moves, contexts: None }
    }

    /// The moves of a role with their contexts.
    #[inline(always)]
    pub(crate) fn of_role(
        self,
        roles: usize,
        role: usize,
    ) -> impl Iterator<Item = (NgramContext, MoveId)> + 'a {
        let Self { moves, contexts } = self;
        let before = |role: usize| if role == 0 { roles - 1 } else { role - 1 };
        // Distance to both moves of the context.
        let (one, two) = (roles + role - before(role), CONTEXT_STEPS * roles + role - before(before(role)));
        let first = CONTEXT_STEPS * roles;
        (first + role..moves.len()).step_by(roles).map(move |at| {
            let context = match contexts {
                None => NgramContext { last: moves[at - one].0, before: moves[at - two].0 },
                Some(contexts) => contexts[at - first],
            };
            (context, moves[at])
        })
    }
}

/// Copies a path from the root into a list, after [`CONTEXT_STEPS`] steps of [`NO_MOVE`].
pub(crate) fn pad_context(path: &[MoveId], roles: usize, list: &mut Vec<MoveId>) {
    list.clear();
    list.resize(CONTEXT_STEPS * roles, MoveId(NO_MOVE));
    list.extend_from_slice(path);
}

/// Number of steps that a context covers.
pub(crate) const CONTEXT_STEPS: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    /// Three roles: the previous roles are (i + n - 1) mod n and (i + n - 2) mod n.
    #[test]
    fn roles_are_counted_around() {
        let moves = [10, 11, 12, 20, 21, 22].map(MoveId);
        assert_eq!(NgramContext::after(&moves, 3, 0), NgramContext { last: 22, before: 11 });
        assert_eq!(NgramContext::after(&moves, 3, 1), NgramContext { last: 20, before: 12 });
        assert_eq!(NgramContext::after(&moves, 3, 2), NgramContext { last: 21, before: 10 });
        assert_eq!(NgramContext::after(&moves[..3], 3, 2), NgramContext { last: 11, before: NO_MOVE });
        assert_eq!(NgramContext::after(&moves, 1, 0), NgramContext { last: 22, before: 21 });
    }

    #[test]
    fn every_choice_comes_with_its_context() {
        for roles in 1..4usize {
            let path: Vec<MoveId> = (0..7 * roles).map(|id| MoveId::new(id * id + 1)).collect();
            let mut moves = Vec::new();
            pad_context(&path, roles, &mut moves);
            for role in 0..roles {
                let expected = (0..path.len())
                    .step_by(roles)
                    .map(|start| (NgramContext::after(&path[..start], roles, role), path[start + role]));
                assert!(Sequence::published(&moves).of_role(roles, role).eq(expected), "{roles} roles");
            }
            let nothing = Sequence::published(&moves[..CONTEXT_STEPS * roles]);
            assert_eq!(nothing.of_role(roles, 0).count(), 0);
        }
    }
}

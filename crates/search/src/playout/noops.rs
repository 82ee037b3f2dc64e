//! No-ops: moves without an effect, which contexts of N-grams and replies can skip (`noops=skip`).
//!
//! As published, the context of a role is the last move of the role before it and the one before
//! the last of the role before that. That fits strict turns. In pentago a player has two turns in a
//! row, so in its second turn the published context is the no-op of the opponent; in chinook it may
//! be a pass. Tak, Winands and Björnsson (2012, section VII) suggest to detect no-ops.
//!
//! # What it does
//! A move of a role is a no-op if no gate behind the next state reads it. With `noops=skip` each
//! step counts as one move: for role i that of the first of the roles i-1, i-2, …, i whose move is
//! not a no-op; a step of no-ops only does not count. The context is the last two moves by this
//! count. Where turns are strict, it is the published one.
//!
//! An engine without gates (`rules`, `reference`) has no no-ops.

use ludex_game::model::{Literal, Node};
use ludex_game::{Game, MoveId, RoleId};

use super::context::{NO_MOVE, NgramContext};

/// Whether contexts count no-ops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoopContexts {
    /// As published.
    #[default]
    Count,
    /// They are skipped.
    Skip,
}

/// The no-ops of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noops {
    /// By role and move.
    by_role: Vec<Vec<bool>>,
}

impl Noops {
    /// Finds them in the gates of the game.
    pub(crate) fn of(game: &dyn Game) -> Self {
        let mut by_role = vec![Vec::new(); game.role_count()];
        let Some(model) = game.model().and_then(|model| model.ground()) else { return Self { by_role } };
        // Everything behind a next fact, the end or a goal is read.
        let mut is_read = vec![false; model.gates.len()];
        let mut open: Vec<Literal> = model.facts.iter().map(|fact| fact.next).collect();
        open.push(model.terminal);
        open.extend(model.goals.iter().map(|goal| goal.holds));
        while let Some(literal) = open.pop() {
            let node = literal.node();
            match is_read.get_mut(node as usize) {
                Some(known) if !*known => *known = true,
                _ => continue,
            }
            open.extend(model.gates.inputs(node));
            if let Some(Node::Loop(at)) = model.gates.nodes().get(node as usize)
                && let Some(group) = model.gates.loops().get(*at as usize)
            {
                open.extend(&group.becomes);
            }
        }
        for (at, input) in model.inputs.iter().enumerate() {
            let Some(noops) = by_role.get_mut(input.role.index()) else { continue };
            if noops.len() <= input.choice.index() {
                noops.resize(input.choice.index() + 1, false);
            }
            let read = is_read.get(model.does(at).node() as usize).copied();
            noops[input.choice.index()] = read == Some(false);
        }
        Self { by_role }
    }

    /// Whether a role's move has no effect.
    #[inline(always)]
    pub(crate) fn is_noop(&self, role: RoleId, id: MoveId) -> bool {
        let noops = self.by_role.get(role.index());
        noops.and_then(|noops| noops.get(id.index())).copied().unwrap_or(false)
    }

    /// The contexts of all roles after one more step: `context` has them before, `joint` is the step.
    pub(crate) fn advance(
        &self,
        contexts: &mut [NgramContext],
        joint: &[MoveId],
        old: &mut Vec<NgramContext>,
    ) {
        let roles = contexts.len();
        old.clear();
        old.extend_from_slice(contexts);
        for (role, context) in contexts.iter_mut().enumerate() {
            let counted = (1..=roles)
                .map(|back| (role + roles - back) % roles)
                .find(|&other| !self.is_noop(RoleId::new(other), joint[other]));
            if let Some(other) = counted {
                *context = NgramContext { last: joint[other].0, before: old[other].last };
            }
        }
    }

    /// The contexts of all roles after a path from the root.
    pub(crate) fn after(&self, path: &[MoveId], roles: usize) -> Vec<NgramContext> {
        let mut contexts = vec![NgramContext { last: NO_MOVE, before: NO_MOVE }; roles];
        let mut old = Vec::new();
        path.chunks_exact(roles.max(1)).for_each(|joint| self.advance(&mut contexts, joint, &mut old));
        contexts
    }

    /// Appends the contexts of all roles before each of these steps to a list; `contexts` are those
    /// before the first one.
    pub(crate) fn before_each(
        &self,
        mut contexts: Vec<NgramContext>,
        moves: &[MoveId],
        list: &mut Vec<NgramContext>,
    ) {
        let mut old = Vec::new();
        for joint in moves.chunks_exact(contexts.len().max(1)) {
            list.extend_from_slice(&contexts);
            self.advance(&mut contexts, joint, &mut old);
        }
    }
}

#[cfg(test)]
impl Noops {
    /// For tests: the first moves of every role are no-ops.
    pub(crate) fn of_first_moves(roles: usize, count: usize) -> Self {
        Self { by_role: vec![vec![true; count]; roles] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(game: &dyn Game, noops: &Noops) -> Vec<String> {
        let of_role = |(role, list): (usize, &Vec<bool>)| {
            let noops = list.iter().enumerate().filter(|(_, noop)| **noop);
            noops.map(|(at, _)| format!("{role} {}", game.move_name(MoveId::new(at)))).collect::<Vec<_>>()
        };
        noops.by_role.iter().enumerate().flat_map(of_role).collect()
    }

    #[test]
    fn noops_are_the_moves_that_nothing_reads() {
        for (name, expected) in [
            ("pentago", &["0 noop", "1 noop"][..]),
            ("chinook", &["0 pass", "1 pass"]),
            ("connect_four", &["0 noop", "1 noop"]),
            ("rock_paper_scissors", &[]),
        ] {
            let game = ludex_testkit::game(name, "batch");
            let found = names(&*game, &Noops::of(&*game));
            assert_eq!(found, expected, "{name}");
        }
        let game = ludex_testkit::game("pentago", "rules");
        assert_eq!(names(&*game, &Noops::of(&*game)), [""; 0], "no gates");
    }

    const N: MoveId = MoveId(0);

    fn noops(roles: usize) -> Noops {
        Noops::of_first_moves(roles, 1)
    }

    /// Strict turns: as published, but for contexts that would be no-ops.
    #[test]
    fn in_strict_turns_contexts_are_the_published_ones() {
        let path = [1, 0, 0, 2, 3, 0, 0, 4].map(MoveId);
        for steps in 1..=4 {
            let path = &path[..2 * steps];
            let mover = steps % 2;
            let found = noops(2).after(path, 2)[mover];
            assert_eq!(found, NgramContext::after(path, 2, mover), "{steps} steps");
        }
    }

    /// Two turns in a row, as in pentago: white places 1 and turns 2, black places 3 and turns 4.
    #[test]
    fn a_second_turn_follows_the_own_first_one() {
        let path = [MoveId(1), N, MoveId(2), N, N, MoveId(3)];
        let noops = noops(2);
        let of = |steps: usize, role: usize| {
            let found = noops.after(&path[..2 * steps], 2)[role];
            (found.last, found.before)
        };
        assert_eq!(of(1, 0), (1, NO_MOVE), "white turns after its own placing");
        assert_eq!(of(2, 1), (2, 1), "black places after both moves of white");
        assert_eq!(of(3, 1), (3, 2), "black turns after its own placing");
        let published = NgramContext::after(&path, 2, 1);
        assert_eq!((published.last, published.before), (N.0, N.0), "as published: no-ops");
    }

    /// Truly simultaneous: the other's move counts; where it is a no-op, the own one.
    #[test]
    fn simultaneous_steps_count_once() {
        let path = [1, 2, 3, 0].map(MoveId);
        let found = noops(2).after(&path, 2);
        assert_eq!((found[0].last, found[0].before), (3, 2));
        assert_eq!((found[1].last, found[1].before), (3, 2));
        let mut list = Vec::new();
        noops(2).before_each(noops(2).after(&path[..2], 2), &path[2..], &mut list);
        assert_eq!(list, noops(2).after(&path[..2], 2));
    }
}

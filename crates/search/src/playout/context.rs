//! What was played before, in each lane: the moves that N-grams and replies look at.
//!
//! Roles have numbers 0 to n - 1. The context of role `i` is the last move of role `(i + n - 1) mod n` and, before
//! it, the one before the last of role `(i + n - 2) mod n` (Tak, Winands, Björnsson 2012, IV-B and IV-C). Moves of
//! those who only wait count too, as in the paper.

use ludex_game::MoveId;

use super::Path;

/// No move: the simulation was not that long yet.
pub(crate) const NOBODY: u32 = u32::MAX;

/// The last two joint moves of each lane, and all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histories {
    roles: usize,
    paths: Vec<Path>,
    /// By lane: all moves since the root, `roles` a step.
    lanes: Vec<Vec<MoveId>>,
    /// By lane: how many of them lead to the leaf.
    before: Vec<usize>,
}

impl Histories {
    pub(crate) fn new(roles: usize) -> Self {
        Self { roles, ..Self::default() }
    }

    /// The paths of the leaves that come next.
    pub(crate) fn set_paths(&mut self, paths: &[Path]) {
        self.paths.clear();
        self.paths.extend_from_slice(paths);
    }

    /// A playout begins in a lane.
    pub(crate) fn begin(&mut self, lane: usize, leaf: usize) {
        if self.lanes.len() <= lane {
            self.lanes.resize(lane + 1, Vec::new());
            self.before.resize(lane + 1, 0);
        }
        self.lanes[lane].clear();
        if let Some(path) = self.paths.get(leaf) {
            self.lanes[lane].extend_from_slice(path);
        }
        self.before[lane] = self.lanes[lane].len();
    }

    /// Moves were made in a lane.
    #[inline(always)]
    pub(crate) fn moved(&mut self, lane: usize, joint: &[MoveId]) {
        self.lanes[lane].extend_from_slice(joint);
    }

    /// Moves were made in lanes: `joint` has one for each role, lane after lane.
    #[inline(always)]
    pub(crate) fn moved_in(&mut self, lanes: &[u16], joint: &[MoveId]) {
        for (&lane, joint) in lanes.iter().zip(joint.chunks_exact(self.roles)) {
            self.lanes[usize::from(lane)].extend_from_slice(joint);
        }
    }

    /// All moves of a lane, and how many of them lead to the leaf.
    pub(crate) fn moves(&self, lane: usize) -> (&[MoveId], usize) {
        (&self.lanes[lane], self.before[lane])
    }

    /// The context of a role behind the moves of a lane.
    #[inline(always)]
    pub(crate) fn context(&self, lane: usize, role: usize) -> Context {
        Context::behind(&self.lanes[lane], self.roles, role)
    }
}

/// What a role answers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    /// The last move of the role before, or [`NOBODY`].
    pub last: u32,
    /// The one before the last of the role before that, or [`NOBODY`].
    pub before: u32,
}

impl Context {
    /// The context of a role behind moves, `roles` a step.
    #[inline(always)]
    pub(crate) fn behind(moves: &[MoveId], roles: usize, role: usize) -> Self {
        // Without divisions: this is asked for every choice of every playout.
        let at = |back: usize, of: usize| match moves.len().checked_sub(back * roles) {
            Some(start) => moves[start + of].0,
            None => NOBODY,
        };
        let before = |role: usize| if role == 0 { roles - 1 } else { role - 1 };
        let last = before(role);
        Self { last: at(1, last), before: at(2, before(last)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With three roles, whose moves count is (i + n - 1) mod n and (i + n - 2) mod n.
    #[test]
    fn roles_are_counted_around() {
        let moves = [10, 11, 12, 20, 21, 22].map(MoveId);
        assert_eq!(Context::behind(&moves, 3, 0), Context { last: 22, before: 11 });
        assert_eq!(Context::behind(&moves, 3, 1), Context { last: 20, before: 12 });
        assert_eq!(Context::behind(&moves, 3, 2), Context { last: 21, before: 10 });
        assert_eq!(Context::behind(&moves[..3], 3, 2), Context { last: 11, before: NOBODY });
        assert_eq!(Context::behind(&moves, 1, 0), Context { last: 22, before: 21 });
    }
}

//! Move history of all lanes by step: a ring buffer that covers the running playouts.

use ludex_game::MoveId;

use super::Path;
use super::context::{CONTEXT_STEPS, NO_MOVE};

/// Padding per step, in moves: keeps the moves of a lane from sharing a cache set.
const GAP: usize = 16;

/// The lane has no playout.
const IDLE: usize = usize::MAX;

/// Move history of all lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    roles: usize,
    paths: Vec<Path>,
    /// Capacity in lanes, and in steps (a power of two).
    lanes: usize,
    room: usize,
    /// By step (modulo capacity), role and lane.
    moves: Vec<MoveId>,
    /// Steps so far; and the oldest step that is still needed.
    now: usize,
    oldest: usize,
    /// By lane: the first step of its playout.
    begun: Vec<usize>,
    playout: Vec<MoveId>,
}

impl Steps {
    pub(crate) fn new(roles: usize) -> Self {
        Self { roles, now: CONTEXT_STEPS, ..Self::default() }
    }

    /// Sets the paths of the next leaves.
    pub(crate) fn set_paths(&mut self, paths: &[Path]) {
        paths.clone_into(&mut self.paths);
    }

    /// Index of the first move of a role in a step.
    #[inline(always)]
    fn start(&self, step: usize, role: usize) -> usize {
        (step & self.room.wrapping_sub(1)) * (self.roles * self.lanes + GAP) + role * self.lanes
    }

    /// Grows the capacity in lanes or steps.
    #[cold]
    fn grow(&mut self, lanes: usize, room: usize) {
        let mut grown = Self { roles: self.roles, lanes, room, ..Self::default() };
        grown.moves = vec![MoveId(NO_MOVE); room * (self.roles * lanes + GAP)];
        for step in self.now.saturating_sub(self.room)..self.now {
            for role in 0..self.roles {
                let from = &self.moves[self.start(step, role)..][..self.lanes];
                let to = grown.start(step, role);
                grown.moves[to..to + self.lanes].copy_from_slice(from);
            }
        }
        (self.lanes, self.room, self.moves) = (lanes, room, grown.moves);
        self.begun.resize(lanes, IDLE);
    }

    /// Starts a playout in a lane.
    pub(crate) fn begin(&mut self, lane: usize, leaf: usize) {
        if lane >= self.lanes {
            self.grow((lane + 1).next_multiple_of(64), self.room.max(64));
        }
        self.begun[lane] = self.now;
        // Its context is the end of the path to its leaf.
        let roles = self.roles;
        for back in 1..=CONTEXT_STEPS {
            for role in 0..roles {
                let path = self.paths.get(leaf).map_or(&[][..], |path| &path[..]);
                let joint = path.len().checked_sub(back * roles);
                let id = joint.map_or(MoveId(NO_MOVE), |joint| path[joint + role]);
                let at = self.start(self.now - back, role) + lane;
                self.moves[at] = id;
            }
        }
    }

    /// Adds a step: the moves of all lanes, role after role.
    #[inline(always)]
    pub(crate) fn moved(&mut self, joint: &[MoveId]) {
        if self.now - self.oldest >= self.room {
            self.oldest = self.begun.iter().copied().min().unwrap_or(IDLE).min(self.now) - CONTEXT_STEPS;
            // Grows at half of the capacity; otherwise the minimum would be computed in every step.
            if 2 * (self.now - self.oldest) >= self.room {
                self.grow(self.lanes, (2 * self.room).max(64));
            }
        }
        let each = joint.len() / self.roles.max(1);
        let count = each.min(self.lanes);
        for role in 0..self.roles {
            let to = self.start(self.now, role);
            self.moves[to..to + count].copy_from_slice(&joint[role * each..][..count]);
        }
        self.now += 1;
    }

    /// By lane: the context of a role, see [`super::context`]: the last move of the previous role,
    /// and the one before the last of the role before that.
    #[inline(always)]
    pub(crate) fn contexts(&self, role: usize) -> (&[MoveId], &[MoveId]) {
        let before = |role: usize| if role == 0 { self.roles - 1 } else { role - 1 };
        let of = |back: usize, role: usize| &self.moves[self.start(self.now - back, role)..][..self.lanes];
        (of(1, before(role)), of(2, before(before(role))))
    }

    /// Ends the playout of a lane. Returns its moves, one per role and step, after
    /// [`CONTEXT_STEPS`] steps of the path to it, or [`NO_MOVE`].
    #[inline(always)]
    pub(crate) fn end(&mut self, lane: usize, steps: usize) -> &[MoveId] {
        let begun = std::mem::replace(&mut self.begun[lane], IDLE);
        self.playout.clear();
        for step in begun - CONTEXT_STEPS..begun + steps {
            let first = self.start(step, 0) + lane;
            self.playout.extend((0..self.roles).map(|role| self.moves[first + role * self.lanes]));
        }
        &self.playout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Playouts of any length in any number of lanes come back unchanged, after the end of their
    /// path.
    #[test]
    fn playouts_are_returned_unchanged() {
        let mut random = fastrand::Rng::with_seed(1);
        for roles in [1usize, 2, 3] {
            let mut steps = Steps::new(roles);
            let path = |random: &mut fastrand::Rng| -> Path {
                (0..random.usize(..4) * roles).map(|_| MoveId(random.u32(..1000))).collect()
            };
            let paths: Vec<Path> = (0..20).map(|_| path(&mut random)).collect();
            steps.set_paths(&paths);
            let lanes = 150;
            // By lane: its moves, after the end of its path; none if it is idle.
            let mut expected: Vec<Option<Vec<MoveId>>> = vec![None; lanes];
            let mut checked = 0;
            for _ in 0..2000 {
                for (lane, expected) in expected.iter_mut().enumerate() {
                    if expected.is_none() && random.u32(..10) == 0 {
                        let leaf = random.usize(..21);
                        steps.begin(lane, leaf);
                        let mut path = vec![MoveId(NO_MOVE); CONTEXT_STEPS * roles];
                        path.extend(paths.get(leaf).into_iter().flatten());
                        *expected = Some(path.split_off(path.len() - CONTEXT_STEPS * roles));
                    }
                }
                let joint: Vec<MoveId> = (0..lanes * roles).map(|_| MoveId(random.u32(..1000))).collect();
                for role in 0..roles {
                    let (last, before) = steps.contexts(role);
                    for (lane, moves) in expected.iter().enumerate() {
                        let Some(moves) = moves else { continue };
                        let context = super::super::context::NgramContext::after(moves, roles, role);
                        assert_eq!((last[lane].0, before[lane].0), (context.last, context.before));
                    }
                }
                steps.moved(&joint);
                for (lane, playout) in expected.iter_mut().enumerate() {
                    let Some(moves) = playout else { continue };
                    moves.extend((0..roles).map(|role| joint[role * lanes + lane]));
                    // Most are short, one in some hundreds is long.
                    let ends = random.u32(..if lane % 50 == 0 { 300 } else { 10 }) == 0;
                    if ends {
                        assert_eq!(steps.end(lane, moves.len() / roles - CONTEXT_STEPS), &moves[..]);
                        *playout = None;
                        checked += 1;
                    }
                }
            }
            assert!(checked > 1000, "{checked}");
        }
    }
}

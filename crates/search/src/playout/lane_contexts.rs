//! The contexts of all lanes where no-ops are skipped (`noops=skip`, see [`super::noops`]).
//!
//! A published context can be read from the last two steps ([`super::steps`]). Where no-ops are
//! skipped it may go back further, so that of every lane and role is carried along.

use ludex_game::MoveId;

use super::Path;
use super::context::{NO_MOVE, NgramContext};
use super::noops::Noops;

const EMPTY: NgramContext = NgramContext { last: NO_MOVE, before: NO_MOVE };

/// The contexts of all lanes.
#[derive(Clone, Debug)]
pub(crate) struct LaneContexts {
    noops: Noops,
    roles: usize,
    /// By leaf and role: after the path to it.
    by_leaf: Vec<NgramContext>,
    /// By lane and role: when its playout began, and now.
    begun: Vec<NgramContext>,
    now: Vec<NgramContext>,
    /// By lane: the context of the role that is asked for, as two lists.
    last: Vec<MoveId>,
    before: Vec<MoveId>,
    // Buffers.
    joint: Vec<MoveId>,
    old: Vec<NgramContext>,
    list: Vec<NgramContext>,
}

impl LaneContexts {
    pub(crate) fn new(roles: usize, noops: Noops) -> Self {
        Self {
            noops,
            roles,
            by_leaf: Vec::new(),
            begun: Vec::new(),
            now: Vec::new(),
            last: Vec::new(),
            before: Vec::new(),
            joint: Vec::new(),
            old: Vec::new(),
            list: Vec::new(),
        }
    }

    /// The context of a role after a path from the root.
    pub(crate) fn after(&self, path: &[MoveId], role: usize) -> NgramContext {
        self.noops.after(path, self.roles)[role]
    }

    /// The contexts of all roles before each step of a path from the root.
    pub(crate) fn of_path(&mut self, path: &[MoveId]) -> &[NgramContext] {
        self.list.clear();
        self.noops.before_each(vec![EMPTY; self.roles], path, &mut self.list);
        &self.list
    }

    /// Sets the paths of the next leaves.
    pub(crate) fn set_paths(&mut self, paths: &[Path]) {
        self.by_leaf.clear();
        for path in paths {
            self.by_leaf.extend(self.noops.after(path, self.roles));
        }
    }

    /// Starts a playout in a lane.
    pub(crate) fn begin(&mut self, lane: usize, leaf: usize) {
        let needed = (lane + 1) * self.roles;
        if self.now.len() < needed {
            self.begun.resize(needed, EMPTY);
            self.now.resize(needed, EMPTY);
        }
        for role in 0..self.roles {
            let context = self.by_leaf.get(leaf * self.roles + role).copied().unwrap_or(EMPTY);
            self.begun[lane * self.roles + role] = context;
            self.now[lane * self.roles + role] = context;
        }
    }

    /// Adds a step: the moves of all lanes, role after role.
    pub(crate) fn moved(&mut self, joint: &[MoveId]) {
        let each = joint.len() / self.roles.max(1);
        for (lane, contexts) in self.now.chunks_exact_mut(self.roles.max(1)).enumerate().take(each) {
            self.joint.clear();
            self.joint.extend((0..self.roles).map(|role| joint[role * each + lane]));
            self.noops.advance(contexts, &self.joint, &mut self.old);
        }
    }

    /// By lane: the context of a role, as [`super::steps::Steps::contexts`].
    pub(crate) fn of_role(&mut self, role: usize) -> (&[MoveId], &[MoveId]) {
        self.last.clear();
        self.before.clear();
        for contexts in self.now.chunks_exact(self.roles.max(1)) {
            self.last.push(MoveId(contexts[role].last));
            self.before.push(MoveId(contexts[role].before));
        }
        (&self.last, &self.before)
    }

    /// The contexts of all roles before each of the moves of a lane's playout that ends.
    pub(crate) fn of_playout(&mut self, lane: usize, moves: &[MoveId]) -> &[NgramContext] {
        self.list.clear();
        let begun = self.begun[lane * self.roles..(lane + 1) * self.roles].to_vec();
        self.noops.before_each(begun, moves, &mut self.list);
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes that begin at different times have the contexts of their paths and moves.
    #[test]
    fn lanes_have_the_contexts_of_their_simulations() {
        let mut random = fastrand::Rng::with_seed(3);
        for roles in 1..4usize {
            let noops = Noops::of_first_moves(roles, 2);
            let mut lanes = LaneContexts::new(roles, noops.clone());
            let paths: Vec<Path> =
                (0..5).map(|steps| (0..steps * roles).map(|_| MoveId(random.u32(..6))).collect()).collect();
            lanes.set_paths(&paths);
            let mut expected: Vec<Vec<MoveId>> = Vec::new();
            for (lane, path) in paths.iter().enumerate() {
                lanes.begin(lane, lane);
                expected.push(path.clone());
            }
            for _ in 0..20 {
                let joint: Vec<MoveId> = (0..roles * paths.len()).map(|_| MoveId(random.u32(..6))).collect();
                lanes.moved(&joint);
                for (lane, moves) in expected.iter_mut().enumerate() {
                    moves.extend((0..roles).map(|role| joint[role * paths.len() + lane]));
                }
            }
            for role in 0..roles {
                let (last, before) = lanes.of_role(role);
                for (lane, moves) in expected.iter().enumerate() {
                    let context = noops.after(moves, roles)[role];
                    assert_eq!((last[lane].0, before[lane].0), (context.last, context.before));
                }
            }
            for (lane, path) in paths.iter().enumerate() {
                let moves = &expected[lane][path.len()..];
                let whole = lanes.of_path(&expected[lane]).to_vec();
                assert_eq!(lanes.of_playout(lane, moves), &whole[path.len()..], "lane {lane}");
            }
        }
    }
}

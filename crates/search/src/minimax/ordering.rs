//! Move ordering that knows nothing of the game: the history heuristic and killer moves.
//!
//! Both remember moves that caused cutoffs. History counts `depth²` for each, by role and move,
//! anywhere in the tree (Schaeffer 1989, "The history heuristic and alpha-beta search enhancements in
//! practice"). Killers are the last two at the same distance from the root (Akl and Newborn 1977).

use ludex_game::MoveId;

/// A move of a role.
type RoleMove = (usize, MoveId);

/// Plies for which killer moves are kept.
const MAX_PLIES: usize = 1024;

/// Moves that caused cutoffs.
#[derive(Debug, Default)]
pub(super) struct Ordering {
    /// By role and move.
    history: Vec<Vec<u32>>,
    /// By ply: the last two.
    killers: Vec<[Option<RoleMove>; 2]>,
}

impl Ordering {
    /// A move caused a cutoff.
    pub(super) fn reward(&mut self, ply: usize, (role, id): RoleMove, depth: u16) {
        if self.history.len() <= role {
            self.history.resize_with(role + 1, Vec::new);
        }
        let of_role = &mut self.history[role];
        if of_role.len() <= id.index() {
            of_role.resize(id.index() + 1, 0);
        }
        let count = &mut of_role[id.index()];
        *count = count.saturating_add(u32::from(depth) * u32::from(depth));
        if *count > u32::MAX / 2 {
            self.fade();
        }
        if ply >= MAX_PLIES {
            return;
        }
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some((role, id)) {
            *killers = [Some((role, id)), killers[0]];
        }
    }

    /// How promising a move is: killers first, then by history.
    pub(super) fn rank(&self, ply: usize, (role, id): RoleMove) -> (bool, u32) {
        let killers = self.killers.get(ply);
        let is_killer = killers.is_some_and(|killers| killers.contains(&Some((role, id))));
        let count = self.history.get(role).and_then(|of_role| of_role.get(id.index()));
        (is_killer, count.copied().unwrap_or(0))
    }

    /// Another root: what was good before counts half, and plies mean other positions.
    pub(super) fn new_root(&mut self) {
        self.fade();
        self.killers.clear();
    }

    fn fade(&mut self) {
        self.history.iter_mut().flatten().for_each(|count| *count /= 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_killers_are_kept_and_history_fades() {
        let mut ordering = Ordering::default();
        let id = |at| (0, MoveId(at));
        ordering.reward(3, id(1), 4);
        ordering.reward(3, id(2), 2);
        ordering.reward(3, id(2), 2);
        assert_eq!(ordering.rank(3, id(1)), (true, 16));
        assert_eq!(ordering.rank(3, id(2)), (true, 8));
        assert_eq!(ordering.rank(4, id(2)), (false, 8));
        ordering.reward(3, id(9), 1);
        assert!(!ordering.rank(3, id(1)).0 && ordering.rank(3, id(2)).0);
        ordering.new_root();
        assert_eq!(ordering.rank(3, id(1)), (false, 8));
        assert_eq!(ordering.rank(3, (1, MoveId(1))), (false, 0));
    }
}

//! Joint moves: one move for each role, in all combinations.

use crate::game::{Failure, View};
use crate::ids::MoveId;

/// Calls `visit` with every joint move: the last role's move changes fastest.
pub fn each_joint_move(
    view: &View,
    mut visit: impl FnMut(&[MoveId]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if view.terminal {
        return Ok(());
    }
    let Some(mut joint) = view.legal.iter().map(|l| l.first().copied()).collect::<Option<Vec<MoveId>>>()
    else {
        return Ok(());
    };
    let mut at = vec![0usize; joint.len()];
    loop {
        visit(&joint)?;
        let Some(role) = (0..at.len()).rev().find(|&role| at[role] + 1 < view.legal[role].len()) else {
            return Ok(());
        };
        at[role] += 1;
        at[role + 1..].fill(0);
        for later in role..at.len() {
            joint[later] = view.legal[later][at[later]];
        }
    }
}

/// All joint moves of a view, the last role fastest; none in a terminal state, nor where a role has
/// no move. For few moves: their number is the product of the roles' numbers.
pub fn joint_moves(view: &View) -> Vec<Vec<MoveId>> {
    let mut all = Vec::new();
    let listed = each_joint_move(view, |joint| {
        all.push(joint.to_vec());
        Ok(())
    });
    debug_assert!(listed.is_ok(), "collecting does not fail");
    all
}

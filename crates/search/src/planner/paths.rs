//! From a state that a search has seen back to the moves that lead there.

use ludex_game::{ExpandOptions, Expansion, Failure, MoveId, Simulator};

use super::closed::Closed;
use super::packing::Packing;
use super::problem::Problem;

/// The moves from the start, which is state 0, to a state. Moves are not kept: the states on the way are
/// expanded again.
pub(crate) fn moves_to(
    problem: &Problem,
    simulator: &mut dyn Simulator,
    packing: Option<&Packing>,
    closed: &Closed,
    state: u32,
) -> Result<Vec<MoveId>, Failure> {
    let mut path = vec![state];
    while let Some(&state) = path.last().filter(|&&state| state != 0) {
        path.push(closed.parent(state));
    }
    path.pop();
    let (mut now, mut moves) = (problem.start.clone(), Vec::new());
    let mut children = Expansion::new();
    let options = ExpandOptions { legal: false, goals: false };
    while let Some(state) = path.pop() {
        simulator.expand(&[now.words()], options, &mut children)?;
        let wanted = closed.row(state);
        let found = (0..children.len())
            .find(|&child| !children.is_terminal(child) && key(packing, children.words(child)) == wanted);
        let found = found.ok_or_else(|| Failure::Limit("a state cannot be reached again".into()))?;
        moves.extend_from_slice(children.joint(found));
        now = children.state(found);
    }
    Ok(moves)
}

/// The key of a state.
fn key(packing: Option<&Packing>, state: &[u64]) -> Vec<u64> {
    let Some(packing) = packing else { return state.to_vec() };
    let mut row = vec![0; packing.words()];
    packing.pack(state, &mut row);
    row.truncate(packing.key_words());
    row
}

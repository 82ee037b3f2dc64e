//! "None of most moves" becomes "one of the rest", because every role makes exactly one move.
//!
//! [`super::super::gate`] applies that to the inputs of one gate. This pass looks through gates: an
//! AND that excludes many moves may read other gates that exclude a few moves each and have other
//! readers. Frame rules, which keep whatever a move does not touch, have this form.

use super::super::Circuit;
use super::super::gate::{Gates, Node, Signal};
use super::rebuild::rebuild;
use crate::limits::{StopReason, Watch};

/// Maximum number of moves stored for all gates together; bounds memory.
const MAX_MOVES: usize = 50_000_000;

pub(super) fn run(circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    let none_of = none_of(&circuit.gates);
    let counts = circuit.gates.move_counts().to_vec();
    rebuild(circuit, &[], watch, |r, node| {
        let inputs = r.old.gates.inputs(node);
        let replaced = replace(&r.old.gates, inputs, &none_of, &counts);
        let Some((replaced, roles)) = replaced else {
            let inputs = inputs.iter().map(|&s| r.mapped(s)).collect();
            return r.new.and(inputs);
        };
        let others = inputs.iter().zip(&replaced).filter(|&(_, &gone)| !gone);
        let mut inputs: Vec<Signal> = others.map(|(&s, _)| r.mapped(s)).collect();
        for (role, rest) in roles {
            let rest = rest.into_iter().map(|index| r.new.does(role, index)).collect();
            let one_of_rest = r.new.or(rest);
            inputs.push(one_of_rest);
        }
        r.new.and(inputs)
    })
}

/// Whether a gate excludes most moves of a role.
pub(super) fn has_work(circuit: &Circuit) -> bool {
    let gates = &circuit.gates;
    let counts = gates.move_counts();
    let nodes = 0..u32::try_from(gates.len()).unwrap_or(u32::MAX);
    let none_of = none_of(gates);
    nodes.into_iter().any(|node| {
        let inputs = gates.inputs(node);
        let speaks_of_moves = |input: &&Signal| {
            let is_move = input.is_inverted() && matches!(gates.node(input.node()), Node::Does(..));
            is_move || none_of[input.node() as usize].is_some()
        };
        // `replace` needs at least three such inputs, and most gates have fewer.
        inputs.iter().filter(speaks_of_moves).count() > 2
            && replace(gates, inputs, &none_of, counts).is_some()
    })
}

/// The moves (role and index) that a gate excludes, if it does nothing else.
type Moves = Vec<(u32, u32)>;

fn none_of(gates: &Gates) -> Vec<Option<Moves>> {
    let mut all: Vec<Option<Moves>> = vec![None; gates.len()];
    let mut written = 0;
    for node in 0..gates.len() {
        let Ok(number) = u32::try_from(node) else { break };
        let inputs = gates.inputs(number);
        if inputs.is_empty() || written > MAX_MOVES {
            continue;
        }
        let mut moves = Moves::new();
        if inputs.iter().all(|&input| add_moves(gates, input, &all, &mut moves)) {
            moves.sort_unstable();
            moves.dedup();
            written += moves.len();
            all[node] = Some(moves);
        }
    }
    all
}

/// Adds the moves that an input excludes; false if it is anything else.
fn add_moves(gates: &Gates, input: Signal, none_of: &[Option<Moves>], to: &mut Moves) -> bool {
    match (gates.node(input.node()), &none_of[input.node() as usize]) {
        (Node::Does(role, index), _) if input.is_inverted() => to.push((role, index)),
        (Node::And(..), Some(moves)) if !input.is_inverted() => to.extend(moves),
        _ => return false,
    }
    true
}

/// What to replace, if that saves inputs: by input whether it goes, and by role the moves one of
/// which must be made instead.
#[allow(clippy::type_complexity, reason = "a pair of lists, used in one place")]
fn replace(
    gates: &Gates,
    inputs: &[Signal],
    none_of: &[Option<Moves>],
    counts: &[u32],
) -> Option<(Vec<bool>, Vec<(usize, Vec<u32>)>)> {
    let said: Vec<Option<Moves>> = inputs
        .iter()
        .map(|&input| {
            let mut moves = Moves::new();
            add_moves(gates, input, none_of, &mut moves).then_some(moves)
        })
        .collect();
    if said.iter().flatten().count() < 3 {
        return None;
    }
    let mut excluded: Vec<Vec<bool>> = counts.iter().map(|&count| vec![false; count as usize]).collect();
    let mark = |excluded: &mut Vec<Vec<bool>>, moves: &Moves| {
        moves.iter().for_each(|&(role, index)| excluded[role as usize][index as usize] = true);
    };
    said.iter().flatten().for_each(|moves| mark(&mut excluded, moves));
    let most = |of_role: &Vec<bool>| 2 * of_role.iter().filter(|&&e| e).count() > of_role.len();
    let is_most: Vec<bool> = excluded.iter().map(most).collect();
    // Only inputs about roles most of whose moves are excluded can go.
    let goes = |moves: &Option<Moves>| {
        moves.as_ref().is_some_and(|moves| moves.iter().all(|&(role, _)| is_most[role as usize]))
    };
    let replaced: Vec<bool> = said.iter().map(goes).collect();
    excluded.iter_mut().for_each(|of_role| of_role.fill(false));
    for (moves, _) in said.iter().zip(&replaced).filter(|&(_, &gone)| gone) {
        moves.iter().for_each(|moves| mark(&mut excluded, moves));
    }
    let mut roles = Vec::new();
    let mut cost = 0;
    for (role, of_role) in excluded.iter().enumerate().filter(|(_, of_role)| of_role.contains(&true)) {
        let rest = (0..).zip(of_role).filter(|&(_, &excluded)| !excluded).map(|(index, _)| index);
        let rest: Vec<u32> = rest.collect();
        cost += rest.len() + 1;
        roles.push((role, rest));
    }
    (cost < replaced.iter().filter(|&&gone| gone).count()).then_some((replaced, roles))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A role with fourteen moves, and four gates that exclude three moves each.
    fn four_gates() -> (Gates, Vec<Signal>) {
        let mut gates = Gates::new(1, vec![14]);
        let mut tops = Vec::new();
        for group in 0..4 {
            let moves = (0..3).map(|index| !gates.does(0, 3 * group + index)).collect();
            tops.push(gates.and(moves));
        }
        (gates, tops)
    }

    #[test]
    fn none_of_most_moves_is_one_of_the_rest() {
        let (gates, mut inputs) = four_gates();
        inputs.push(gates.fact(0));
        let found = replace(&gates, &inputs, &none_of(&gates), &[14]);
        assert_eq!(found, Some((vec![true, true, true, true, false], vec![(0, vec![12, 13])])));
    }

    #[test]
    fn few_moves_stay_as_they_are() {
        let (gates, inputs) = four_gates();
        assert_eq!(replace(&gates, &inputs[..2], &none_of(&gates), &[14]), None);
        // An AND that includes a made move is not looked through.
        let made = [gates.does(0, 0), inputs[1], inputs[2], inputs[3]];
        let found = replace(&gates, &made, &none_of(&gates), &[14]);
        assert!(found.is_none_or(|(replaced, _)| !replaced[0]));
    }
}

//! Made moves are legal: in an AND with a move, the move's legality and what it implies is
//! redundant.

use rustc_hash::FxHashSet;

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::rebuild::rebuild;
use crate::limits::{StopReason, Watch};

pub(super) fn run(circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    // By node of a move: signals that hold whenever the move is made.
    let mut implied: Vec<Option<FxHashSet<Signal>>> = vec![None; circuit.gates.len()];
    for role_move in circuit.moves.iter().flatten() {
        if role_move.does.is_constant() {
            continue;
        }
        watch.look()?;
        let mut set = FxHashSet::default();
        let mut pending = vec![role_move.legal];
        while let Some(signal) = pending.pop() {
            if set.insert(signal) && !signal.is_inverted() {
                pending.extend(circuit.gates.inputs(signal.node()));
            }
        }
        set.remove(&Signal::TRUE);
        implied[role_move.does.node() as usize] = Some(set);
    }
    rebuild(circuit, &[], watch, |r, node| {
        let inputs = r.old.gates.inputs(node);
        let is_move = |s: &Signal| !s.is_inverted() && matches!(r.old.gates.node(s.node()), Node::Does(..));
        let moves: Vec<Signal> = inputs.iter().copied().filter(is_move).collect();
        let mut kept = Vec::with_capacity(inputs.len());
        for &input in inputs {
            let known = |of: Signal| {
                moves.iter().any(|m| implied[m.node() as usize].as_ref().is_some_and(|s| s.contains(&of)))
            };
            if known(!input) {
                return Signal::FALSE;
            }
            if !known(input) || moves.contains(&input) {
                kept.push(r.mapped(input));
            }
        }
        r.new.and(kept)
    })
}

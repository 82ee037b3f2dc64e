//! Random play in 64 lanes, which refutes wrong candidates before any proof is tried.
//!
//! Moves need not be uniform: a lane takes a legal move near a random position, which needs no work
//! per lane. The seed is fixed and the work is counted, so a circuit is always played the same way.

use super::super::Circuit;
use super::super::gate::{Gates, Node, Signal};
use super::super::schedule::{Cone, Schedule};
use super::GroupKind;
use super::candidates::GroupCandidate;

/// Maximum number of gate inputs evaluated; keeps this a small part of set-up.
const MAX_INPUTS: usize = 600_000;
const MAX_STEPS: usize = 64;

/// What play has shown.
pub(super) struct Seen {
    /// By fact: whether it was seen to become true (`came`) and to become false (`went`).
    pub came: Vec<bool>,
    pub went: Vec<bool>,
}

/// Plays, and drops candidates that fail. One-of groups seen empty become exclusive.
pub(super) fn filter(circuit: &Circuit, candidates: &mut Vec<GroupCandidate>) -> Seen {
    let facts = circuit.facts.len();
    let mut seen = Seen { came: vec![false; facts], went: vec![false; facts] };
    // Circuits with loops would need a fixpoint iteration. They are rare, so they are not played.
    if !circuit.loops.is_empty() {
        return seen;
    }
    let schedule = Schedule::new(circuit);
    let (view, next) = (schedule.nodes(Cone::View), schedule.nodes(Cone::Next));
    let inputs: usize = view.iter().chain(next).map(|&node| circuit.gates.inputs(node).len()).sum();
    let steps = (MAX_INPUTS / (inputs + facts + 1)).clamp(1, MAX_STEPS);
    let mut random = fastrand::Rng::with_seed(1);
    let mut values = vec![0u64; circuit.gates.len()];
    let word = |holds: bool| if holds { u64::MAX } else { 0 };
    for (fact, value) in circuit.facts.iter().zip(&mut values[1..]) {
        *value = word(fact.initial);
    }
    for _ in 0..steps {
        compute(&circuit.gates, view, &mut values);
        let mut over = value(circuit.terminal, &values);
        for role in 0..circuit.moves.len() {
            over |= choose(circuit, role, &mut values, &mut random);
        }
        compute(&circuit.gates, next, &mut values);
        let after: Vec<u64> = circuit.facts.iter().map(|fact| value(fact.next, &values)).collect();
        for (at, fact) in circuit.facts.iter().enumerate() {
            let (old, new) = (values[1 + at], after[at]);
            seen.came[at] |= !old & new & !over != 0;
            seen.went[at] |= old & !new & !over != 0;
            values[1 + at] = (new & !over) | (word(fact.initial) & over);
        }
        candidates.retain_mut(|candidate| {
            let (mut once, mut more) = (0, 0);
            for &fact in &candidate.facts {
                let row = values[1 + fact as usize];
                more |= once & row;
                once |= row;
            }
            if once != u64::MAX {
                candidate.kind = GroupKind::Exclusive;
            }
            more == 0
        });
    }
    seen
}

fn value(signal: Signal, values: &[u64]) -> u64 {
    values[signal.node() as usize] ^ if signal.is_inverted() { u64::MAX } else { 0 }
}

fn compute(gates: &Gates, nodes: &[u32], values: &mut [u64]) {
    for &node in nodes {
        if let Node::And(..) = gates.node(node) {
            values[node as usize] =
                gates.inputs(node).iter().fold(u64::MAX, |all, &input| all & value(input, values));
        }
    }
}

/// Gives every lane a legal move of a role; returns the lanes without one.
fn choose(circuit: &Circuit, role: usize, values: &mut [u64], random: &mut fastrand::Rng) -> u64 {
    let moves = &circuit.moves[role];
    let mut open = u64::MAX;
    for role_move in moves {
        values[role_move.does.node() as usize] = 0;
    }
    if moves.is_empty() {
        return open;
    }
    let start = random.usize(..moves.len());
    for round in 0..2 {
        for role_move in moves[start..].iter().chain(&moves[..start]) {
            let mut taken = value(role_move.legal, values) & open;
            if taken != 0 && round == 0 {
                taken &= random.u64(..) & random.u64(..);
            }
            values[role_move.does.node() as usize] |= taken;
            open &= !taken;
        }
    }
    open
}

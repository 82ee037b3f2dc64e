//! Latches: removes from a fact's next value what the fact itself implies.
//!
//! `f or R` is `f or R'`, where `R'` is `R` with `f` false: where `f` holds, `R` does not matter.
//! Likewise `f and R` is `f and R'` with `f` true. Next values of facts that stay true once true,
//! or false once false, have this form, and rules often repeat the fact in `R` (a cell is marked if
//! it is not marked yet). Only gates with a single reader are changed, so nothing is computed
//! twice. This is valid in all states, reachable or not.

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::rebuild::fan_out;
use crate::limits::{StopReason, Watch};

/// Maximum depth of the substitution, in gates; bounds recursion.
const MAX_DEPTH: usize = 32;

pub(super) fn run(mut circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    // Loops iterate over gates, so rewiring could change them. Few sheets have loops: skip those.
    if !circuit.loops.is_empty() {
        return Ok(circuit);
    }
    let fan_out = fan_out(&circuit);
    for number in 0..circuit.facts.len() {
        watch.look()?;
        let next = circuit.facts[number].next;
        let fact = circuit.gates.fact(u32::try_from(number).unwrap_or(u32::MAX));
        let has_one_reader = |signal: Signal| fan_out[signal.node() as usize] == 1;
        if !matches!(circuit.gates.node(next.node()), Node::And(..)) || !has_one_reader(next) {
            continue;
        }
        // An OR is the inverse of an AND of inverses: a fact that stays true once true is one of
        // its inputs, inverted.
        let itself = fact.inverted_if(next.is_inverted());
        if circuit.gates.inputs(next.node()).contains(&itself) {
            let assumed = Assumed { itself, has_one_reader };
            let shorter = assumed.gate(&mut circuit, next.node(), true, MAX_DEPTH);
            circuit.facts[number].next = shorter.inverted_if(next.is_inverted());
        }
    }
    Ok(circuit)
}

/// Substitutes a constant for a signal below a gate.
struct Assumed<F> {
    itself: Signal,
    has_one_reader: F,
}

impl<F: Fn(Signal) -> bool> Assumed<F> {
    /// A gate after substitution. At the top the signal itself stays, because it is the assumption.
    fn gate(&self, circuit: &mut Circuit, node: u32, at_top: bool, depth: usize) -> Signal {
        let inputs = circuit.gates.inputs(node).to_vec();
        let known: Vec<Signal> = inputs
            .iter()
            .map(|&input| match input {
                _ if at_top && input == self.itself => input,
                _ if input == self.itself => Signal::TRUE,
                _ if input == !self.itself => Signal::FALSE,
                _ => self.signal(circuit, input, depth),
            })
            .collect();
        if known == inputs { Signal::of(node) } else { circuit.gates.and(known) }
    }

    fn signal(&self, circuit: &mut Circuit, signal: Signal, depth: usize) -> Signal {
        let is_and = matches!(circuit.gates.node(signal.node()), Node::And(..));
        if depth == 0 || !is_and || !(self.has_one_reader)(signal) {
            return signal;
        }
        self.gate(circuit, signal.node(), false, depth - 1).inverted_if(signal.is_inverted())
    }
}

//! Latches: what a fact that stays by its own rule need not ask.
//!
//! `f or R` is `f or R'`, where `R'` is `R` with `f` false: where `f` holds the rest does not matter. Likewise `f and R` is `f
//! and R'` with `f` true. Next values of facts that stay once they hold, or never come back, are of this form, and rules
//! often say again in the rest what the fact itself says (a cell that is marked when it is not marked yet). Only gates that
//! nothing else reads are changed, so nothing is computed twice. This holds in all states, whether they can be
//! reached or not.

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::rebuild::fan_out;
use crate::limits::{StopReason, Watch};

/// How far into the rest is looked.
const MAX_DEPTH: usize = 32;

pub(super) fn run(mut circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    // In loops, gates that have been passed are computed again: too few sheets have them to care.
    if !circuit.loops.is_empty() {
        return Ok(circuit);
    }
    let fan_out = fan_out(&circuit);
    for number in 0..circuit.facts.len() {
        watch.look()?;
        let next = circuit.facts[number].next;
        let fact = circuit.gates.fact(u32::try_from(number).unwrap_or(u32::MAX));
        let alone = |signal: Signal| fan_out[signal.node() as usize] == 1;
        if !matches!(circuit.gates.node(next.node()), Node::And(..)) || !alone(next) {
            continue;
        }
        // An OR is the inverse of an AND of inverses: the fact is one of its inputs, inverted, if it stays once it holds.
        let itself = fact.inverted_if(next.is_inverted());
        if circuit.gates.inputs(next.node()).contains(&itself) {
            let assumed = Assumed { itself, alone };
            let shorter = assumed.gate(&mut circuit, next.node(), true, MAX_DEPTH);
            circuit.facts[number].next = shorter.inverted_if(next.is_inverted());
        }
    }
    Ok(circuit)
}

/// Where a signal is known to be true.
struct Assumed<F> {
    itself: Signal,
    alone: F,
}

impl<F: Fn(Signal) -> bool> Assumed<F> {
    /// A gate with what is known put in; `at_top` it stays as it is itself, because that is where it is known from.
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
        if depth == 0 || !is_and || !(self.alone)(signal) {
            return signal;
        }
        self.gate(circuit, signal.node(), false, depth - 1).inverted_if(signal.is_inverted())
    }
}

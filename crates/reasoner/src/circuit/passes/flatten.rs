//! Flattening: an AND that only one other AND reads is merged into it.

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::rebuild::{fan_out, rebuild};
use crate::limits::{StopReason, Watch};

pub(super) fn run(circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    let becomes_part = single_readers(&circuit);
    rebuild(circuit, &[], watch, |r, node| {
        if becomes_part[node as usize] {
            return Signal::FALSE; // its reader takes its inputs instead
        }
        let mut inputs = Vec::new();
        let mut pending: Vec<u32> = vec![node];
        while let Some(node) = pending.pop() {
            for &input in r.old.gates.inputs(node) {
                if becomes_part[input.node() as usize] {
                    pending.push(input.node());
                } else {
                    inputs.push(r.mapped(input));
                }
            }
        }
        r.new.and(inputs)
    })
}

/// Gates with exactly one reader, which is an AND that reads them uninverted.
fn single_readers(circuit: &Circuit) -> Vec<bool> {
    let fan_out = fan_out(circuit);
    let mut becomes_part = vec![false; circuit.gates.len()];
    for node in 0..circuit.gates.len() {
        let Ok(node) = u32::try_from(node) else { break };
        for input in circuit.gates.inputs(node) {
            let at = input.node() as usize;
            let is_gate = matches!(circuit.gates.node(input.node()), Node::And(..));
            if is_gate && !input.is_inverted() && fan_out[at] == 1 && fan_out[node as usize] > 0 {
                becomes_part[at] = true;
            }
        }
    }
    becomes_part
}

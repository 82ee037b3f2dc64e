//! An AND that only one other AND reads becomes part of it.

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::rebuild::{Rebuild, fan_out, rebuild};

pub(super) fn run(circuit: Circuit) -> Circuit {
    let fan_out = fan_out(&circuit);
    rebuild(circuit, &[], |r, node| {
        let mut inputs = Vec::new();
        collect(r, node, &fan_out, &mut inputs);
        r.new.and(inputs)
    })
}

/// The inputs of a gate with those of its single-reader ANDs in their place. The depth of this
/// recursion is that of ANDs directly inside ANDs, which hash-consing keeps small.
fn collect(r: &Rebuild, node: u32, fan_out: &[u32], into: &mut Vec<Signal>) {
    for &input in r.old.gates.inputs(node) {
        let is_and = matches!(r.old.gates.node(input.node()), Node::And(..));
        if is_and && !input.is_inverted() && fan_out[input.node() as usize] == 1 {
            collect(r, input.node(), fan_out, into);
        } else {
            into.push(r.mapped(input));
        }
    }
}

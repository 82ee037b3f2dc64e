//! Constant facts: true initially and ever after, or never true; they are folded.
//!
//! All facts are assumed to keep their initial value. A fact whose next value is not known to be
//! the same is no longer assumed to. Repeats to a fixpoint (three-valued simulation).

use super::super::gate::{Node, Signal};
use super::super::schedule::Schedule;
use super::super::{Circuit, Cone};
use super::rebuild::rebuild;
use crate::limits::{StopReason, Watch};

pub(super) fn run(circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    let schedule = Schedule::new(&circuit);
    let mut order: Vec<u32> =
        [Cone::View, Cone::Next].iter().flat_map(|&cone| schedule.nodes(cone)).copied().collect();
    order.sort_unstable();
    let mut constant: Vec<Option<bool>> = circuit.facts.iter().map(|f| Some(f.initial)).collect();
    let mut values: Vec<Option<bool>> = vec![None; circuit.gates.len()];
    loop {
        watch.look()?;
        values[0] = Some(false);
        for (fact, &value) in constant.iter().enumerate() {
            values[1 + fact] = value;
        }
        for &node in &order {
            // Moves and loops are unknown.
            values[node as usize] = match circuit.gates.node(node) {
                Node::And(..) => all(circuit.gates.inputs(node), &values),
                _ => None,
            };
        }
        let mut changed = false;
        for (fact, value) in circuit.facts.iter().zip(&mut constant) {
            if value.is_some() && of(fact.next, &values) != *value {
                *value = None;
                changed = true;
            }
        }
        if !changed {
            return rebuild(circuit, &constant, watch, |r, node| {
                let inputs = r.old.gates.inputs(node).iter().map(|&s| r.mapped(s)).collect();
                r.new.and(inputs)
            });
        }
    }
}

fn of(signal: Signal, values: &[Option<bool>]) -> Option<bool> {
    values[signal.node() as usize].map(|value| value != signal.is_inverted())
}

fn all(inputs: &[Signal], values: &[Option<bool>]) -> Option<bool> {
    let mut known = true;
    for &input in inputs {
        match of(input, values) {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

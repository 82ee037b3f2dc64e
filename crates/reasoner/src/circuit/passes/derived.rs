//! Derived next values: of facts of which exactly one holds, one is true next if no other is.
//!
//! In each such group, the fact whose next value has most gates of its own (read by nothing else)
//! is derived, if that saves anything. This is equivalent in reachable states only;
//! [`super::super::exact_next`] keeps the gates for the others.
//!
//! Other uses of such groups were tried on nineteen published sheets and save next to nothing:
//! contradicting conditions, redundant ones, and "none of most" as "one of the rest" together at
//! most 2.5 % of all gates.

use super::super::Circuit;
use super::super::exact_next::ExactNext;
use super::super::gate::{Node, Signal};
use super::super::invariants::{Group, GroupKind, Invariants};
use super::flatten;
use super::rebuild::fan_out;
use crate::limits::{StopReason, Watch};

pub(super) fn run(
    mut circuit: Circuit,
    invariants: &Invariants,
    watch: &mut Watch,
) -> Result<Circuit, StopReason> {
    // Loops iterate over gates, so rewiring could change them. Few sheets have loops: skip those.
    if !circuit.loops.is_empty() {
        return Ok(circuit);
    }
    let mut readers = Readers { counts: fan_out(&circuit) };
    // Facts that others are derived from keep their gates, so derivations do not chain.
    let mut settled = vec![false; circuit.facts.len()];
    let mut is_derived = vec![false; circuit.facts.len()];
    let mut derived: Vec<(u32, Signal, Vec<Signal>)> = Vec::new();
    for group in invariants.groups.iter().filter(|group| group.kind == GroupKind::OneOf) {
        watch.look()?;
        if group.facts.iter().any(|&fact| is_derived[fact as usize]) {
            continue;
        }
        let Some(fact) = most_expensive(&circuit, group, &settled, &mut readers) else { continue };
        group.facts.iter().for_each(|&fact| settled[fact as usize] = true);
        is_derived[fact as usize] = true;
        let next = |fact: u32| circuit.facts[fact as usize].next;
        let others: Vec<Signal> = group.facts.iter().filter(|&&f| f != fact).map(|&f| next(f)).collect();
        others.iter().for_each(|other| readers.counts[other.node() as usize] += 1);
        readers.release(&circuit, next(fact));
        derived.push((fact, next(fact), others));
    }
    if derived.is_empty() {
        return Ok(circuit);
    }
    let facts = derived.iter().map(|&(fact, next, _)| (fact, next)).collect();
    circuit.exact_next = ExactNext::new(&circuit, invariants.groups.clone(), facts);
    for (fact, _, others) in derived {
        let one_of_others = circuit.gates.or(others);
        circuit.facts[fact as usize].next = !one_of_others;
    }
    flatten::run(circuit, watch)
}

/// The fact of a group whose derivation saves most, if it saves anything.
fn most_expensive(circuit: &Circuit, group: &Group, settled: &[bool], readers: &mut Readers) -> Option<u32> {
    // Two facts need no gate: one next value is the inverse of the other.
    let cost = if group.facts.len() == 2 { 0 } else { group.facts.len() };
    let mut best: Option<(usize, u32)> = None;
    for &fact in group.facts.iter().filter(|&&fact| !settled[fact as usize]) {
        let next = circuit.facts[fact as usize].next;
        let saved = readers.release(circuit, next);
        readers.keep(circuit, next);
        if saved > cost && best.is_none_or(|(most, _)| saved > most) {
            best = Some((saved, fact));
        }
    }
    best.map(|(_, fact)| fact)
}

/// How often each node is read.
struct Readers {
    counts: Vec<u32>,
}

impl Readers {
    /// Removes a reader; returns the number of gates and inputs that become dead.
    fn release(&mut self, circuit: &Circuit, signal: Signal) -> usize {
        let mut saved = 0;
        let mut pending = vec![signal.node()];
        while let Some(node) = pending.pop() {
            let count = &mut self.counts[node as usize];
            *count = count.saturating_sub(1);
            if *count == 0 && matches!(circuit.gates.node(node), Node::And(..)) {
                let inputs = circuit.gates.inputs(node);
                saved += 1 + inputs.len();
                pending.extend(inputs.iter().map(|s| s.node()));
            }
        }
        saved
    }

    /// The inverse of [`Readers::release`].
    fn keep(&mut self, circuit: &Circuit, signal: Signal) {
        let mut pending = vec![signal.node()];
        while let Some(node) = pending.pop() {
            let count = &mut self.counts[node as usize];
            *count += 1;
            if *count == 1 {
                pending.extend(circuit.gates.inputs(node).iter().map(|s| s.node()));
            }
        }
    }
}

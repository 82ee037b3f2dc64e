//! Absorption: `a or (a and b)` is `a`, and `a and (not a or b)` is `a and b`.
//!
//! With ANDs and inverted edges both are one case: an AND with inputs I, one of which is the
//! inverse of an AND with inputs J. If I contains the inverse of an input of J, that inverse is
//! redundant. Inputs shared by I and J can be removed from J. Of two inverses, the one over the
//! larger set of inputs follows from the other.

use rustc_hash::FxHashMap;

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::rebuild::{Rebuild, fan_out, rebuild};
use crate::limits::{StopReason, Watch};

/// Gates with more parts are skipped: parts are compared in pairs.
const MAX_PARTS: usize = 400;

pub(super) fn run(circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    let fan_out = fan_out(&circuit);
    rebuild(circuit, &[], watch, |r, node| {
        let inputs = r.old.gates.inputs(node);
        let mapped: Vec<Signal> = inputs.iter().map(|&s| r.mapped(s)).collect();
        let is_part: Vec<bool> = mapped.iter().map(|&s| inputs_of_inverse(r, s).is_some()).collect();
        let count = is_part.iter().filter(|&&is_part| is_part).count();
        if count == 0 || count > MAX_PARTS {
            return r.new.and(mapped);
        }
        let has_one_reader: Vec<bool> = inputs.iter().map(|s| fan_out[s.node() as usize] == 1).collect();
        let mut kept: Vec<Signal> = Vec::with_capacity(mapped.len());
        let mut parts: Vec<(Signal, Vec<Signal>)> = Vec::new();
        for (&signal, has_one_reader) in mapped.iter().zip(has_one_reader) {
            let Some(of) = inputs_of_inverse(r, signal) else {
                kept.push(signal);
                continue;
            };
            if of.iter().any(|&input| mapped.contains(&!input)) {
                continue; // excluded by another input
            }
            let rest: Vec<Signal> = of.iter().copied().filter(|input| !mapped.contains(input)).collect();
            match (rest.len() == of.len(), has_one_reader) {
                (true, _) => parts.push((signal, rest)),
                // All inputs of the part are required elsewhere, which contradicts its inverse.
                (false, _) if rest.is_empty() => return Signal::FALSE,
                (false, true) => {
                    let shorter = !r.new.and(rest);
                    match inputs_of_inverse(r, shorter).map(<[Signal]>::to_vec) {
                        Some(inputs) => parts.push((shorter, inputs)),
                        None => kept.push(shorter),
                    }
                }
                (false, false) => parts.push((signal, rest)),
            }
        }
        kept.extend(smallest(parts));
        r.new.and(kept)
    })
}

/// The inputs of an AND, if this is the inverse of one.
fn inputs_of_inverse(r: &Rebuild, signal: Signal) -> Option<&[Signal]> {
    let is_and = signal.is_inverted() && matches!(r.new.node(signal.node()), Node::And(..));
    is_and.then(|| r.new.inputs(signal.node()))
}

/// The parts whose inputs are no superset of another part's.
fn smallest(mut parts: Vec<(Signal, Vec<Signal>)>) -> Vec<Signal> {
    parts.sort_by_key(|(signal, inputs)| (inputs.len(), *signal));
    parts.dedup_by_key(|(signal, _)| *signal);
    // By input: the kept parts that have it as their first. A part is contained in another only if
    // the other has its first input too.
    let mut by_first: FxHashMap<Signal, Vec<usize>> = FxHashMap::default();
    let mut stays: Vec<usize> = Vec::new();
    for (at, (_, inputs)) in parts.iter().enumerate() {
        let contains = |other: &usize| parts[*other].1.iter().all(|input| inputs.contains(input));
        let absorbed = inputs.iter().any(|input| by_first.get(input).is_some_and(|o| o.iter().any(contains)));
        if !absorbed {
            stays.push(at);
            if let Some(&first) = inputs.first() {
                by_first.entry(first).or_default().push(at);
            }
        }
    }
    stays.into_iter().map(|at| parts[at].0).collect()
}

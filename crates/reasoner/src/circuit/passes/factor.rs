//! Common factors: `(a and b) or (a and c)` becomes `a and (b or c)`, and the dual.
//!
//! With ANDs and inverted edges both are one case: an AND whose inputs are inverted ANDs that share
//! an input x. `not(x and R1) and not(x and R2)` is `not(x and not(not R1 and not R2))`. The most
//! common input is factored out first, then again among the rest. Ties go to the input with fewer
//! readers: the remainder then consists of widely read inputs and is more often shared elsewhere.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::super::Circuit;
use super::super::gate::{Gates, Node, Signal};
use super::rebuild::{fan_out, rebuild};
use crate::limits::{StopReason, Watch};

/// Gates with more parts are skipped: the search is quadratic in the worst case.
const MAX_PARTS: usize = 2000;

pub(super) fn run(circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    let fan_out = fan_out(&circuit);
    rebuild(circuit, &[], watch, |r, node| {
        let mut parts: Vec<Vec<Signal>> = Vec::new();
        let mut others: Vec<Signal> = Vec::new();
        for &input in r.old.gates.inputs(node) {
            let signal = r.mapped(input);
            let inner = matches!(r.new.node(signal.node()), Node::And(..));
            if inner && signal.is_inverted() && fan_out[input.node() as usize] == 1 {
                parts.push(r.new.inputs(signal.node()).to_vec());
            } else {
                others.push(signal);
            }
        }
        if parts.len() < 2 || parts.len() > MAX_PARTS {
            others.extend(parts.into_iter().map(|part| !r.new.and(part)));
            return r.new.and(others);
        }
        none_of(&mut r.new, &fan_out, parts, others)
    })
}

/// The AND of some signals and of inverted ANDs, with common inputs factored out.
fn none_of(
    gates: &mut Gates,
    fan_out: &[u32],
    mut parts: Vec<Vec<Signal>>,
    mut others: Vec<Signal>,
) -> Signal {
    // Facts and moves have the same numbers in the old circuit; gates count as having few readers.
    let readers = |gates: &Gates, signal: Signal| match gates.node(signal.node()) {
        Node::Fact(_) | Node::Does(..) => fan_out[signal.node() as usize],
        _ => 0,
    };
    while parts.len() > 1 {
        let mut count: FxHashMap<Signal, usize> = FxHashMap::default();
        for signal in parts.iter().flatten() {
            *count.entry(*signal).or_default() += 1;
        }
        #[allow(clippy::iter_over_hash_type, reason = "the largest entry is unique: ties go by signal")]
        let best =
            count.iter().max_by_key(|&(&signal, &n)| (n, Reverse(readers(gates, signal)), Reverse(signal)));
        let Some((&common, _)) = best.filter(|&(_, &n)| n > 1) else { break };
        let (with, without): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.contains(&common));
        parts = without;
        // Factors out whatever all of these parts share at once, which avoids deep nesting.
        let mut shared = with[0].clone();
        for part in &with[1..] {
            shared.retain(|signal| part.contains(signal));
        }
        let mut rests: Vec<Vec<Signal>> = Vec::new();
        let mut single: Vec<Signal> = Vec::new();
        let mut whole = false;
        for mut part in with {
            part.retain(|signal| !shared.contains(signal));
            match part.as_slice() {
                [] => whole = true, // the shared inputs alone: this part absorbs the others
                [one] => single.push(!*one),
                _ => rests.push(part),
            }
        }
        if !whole {
            let none = none_of(gates, fan_out, rests, single);
            shared.push(!none);
        }
        let inner = gates.and(shared);
        others.push(!inner);
    }
    others.extend(parts.into_iter().map(|part| !gates.and(part)));
    gates.and(others)
}

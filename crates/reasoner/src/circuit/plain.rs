//! Next values as the rules say them, for states that cannot be reached.
//!
//! Where one of some facts always holds, one of their next values is derived from the others
//! ([`super::passes::derived`]). Anyone may ask about states in which that is not so: their next values are computed
//! here, from the gates as they were before. Nobody waits for it, so it is simple and not fast.

use super::Circuit;
use super::gate::Signal;
use super::invariants::Group;
use super::schedule::{loops_by_node, mark};

/// What derived next values take for granted, and how to do without.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plain {
    /// What holds in all states that can be reached.
    groups: Vec<Group>,
    /// Facts whose next values are derived, and the signals that the rules give.
    pub facts: Vec<(u32, Signal)>,
    /// Gates for these signals in their order, and where their inputs end.
    gates: Vec<(u32, usize)>,
    inputs: Vec<Signal>,
    nodes: usize,
}

impl Plain {
    /// Keeps the gates of these facts.
    pub(super) fn new(circuit: &Circuit, groups: Vec<Group>, facts: Vec<(u32, Signal)>) -> Self {
        let roots: Vec<Signal> = facts.iter().map(|&(_, next)| next).collect();
        let mut done = vec![false; circuit.gates.len()];
        let mut plain = Self { groups, facts, nodes: done.len(), ..Self::default() };
        for node in mark(circuit, &loops_by_node(circuit), &roots, &mut done) {
            plain.inputs.extend_from_slice(circuit.gates.inputs(node));
            plain.gates.push((node, plain.inputs.len()));
        }
        plain
    }

    /// The gates in their order: node and inputs.
    pub(crate) fn gates(&self) -> impl Iterator<Item = (u32, &[Signal])> {
        let mut start = 0;
        self.gates.iter().map(move |&(node, end)| {
            let inputs = &self.inputs[start..end];
            start = end;
            (node, inputs)
        })
    }

    /// Number of nodes of the circuit that the gates come from.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether a state is as those are that can be reached.
    pub(crate) fn expects(&self, holds: impl Fn(u32) -> bool) -> bool {
        self.facts.is_empty() || self.groups.iter().all(|group| group.allows(&holds))
    }

    /// The facts whose next values are derived, with what the rules make of them. Facts and moves have the numbers of
    /// their nodes.
    pub(crate) fn next(&self, holds: impl Fn(u32) -> bool) -> Vec<(u32, bool)> {
        let mut values = vec![false; self.nodes];
        let inputs = self.inputs.iter().chain(self.facts.iter().map(|(_, next)| next));
        for node in inputs.map(|signal| signal.node()) {
            values[node as usize] = holds(node);
        }
        let value = |signal: Signal, values: &[bool]| values[signal.node() as usize] != signal.is_inverted();
        let mut start = 0;
        for &(node, end) in &self.gates {
            values[node as usize] = self.inputs[start..end].iter().all(|&input| value(input, &values));
            start = end;
        }
        self.facts.iter().map(|&(fact, next)| (fact, value(next, &values))).collect()
    }
}

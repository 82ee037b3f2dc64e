//! Exact next values, for states that violate the invariants of reachable states.
//!
//! Where exactly one of some facts always holds, one of their next values is derived from the
//! others ([`super::passes::derived`]). A caller may also ask about states in which the invariant
//! fails. For those, the next values are computed here, from the gates before derivation. This is
//! rare, so the code is simple rather than fast.

use super::Circuit;
use super::gate::Signal;
use super::invariants::Group;
use super::schedule::{loops_by_node, mark};

/// The invariants that derived next values rely on, and the gates to do without them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExactNext {
    /// Mutex groups, which hold in all reachable states.
    groups: Vec<Group>,
    /// Facts whose next values are derived, with the signals from the rules.
    pub facts: Vec<(u32, Signal)>,
    /// Gates for these signals in topological order, each with the end of its inputs.
    gates: Vec<(u32, usize)>,
    inputs: Vec<Signal>,
    nodes: usize,
}

impl ExactNext {
    /// Keeps the gates of these facts.
    pub(super) fn new(circuit: &Circuit, groups: Vec<Group>, facts: Vec<(u32, Signal)>) -> Self {
        let roots: Vec<Signal> = facts.iter().map(|&(_, next)| next).collect();
        let mut done = vec![false; circuit.gates.len()];
        let mut exact = Self { groups, facts, nodes: done.len(), ..Self::default() };
        for node in mark(circuit, &loops_by_node(circuit), &roots, &mut done) {
            exact.inputs.extend_from_slice(circuit.gates.inputs(node));
            exact.gates.push((node, exact.inputs.len()));
        }
        exact
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

    /// Whether a state satisfies all groups, so that derived next values are correct.
    pub(crate) fn expects(&self, holds: impl Fn(u32) -> bool) -> bool {
        self.facts.is_empty() || self.groups.iter().all(|group| group.allows(&holds))
    }

    /// The facts whose next values are derived, with their values by the rules. `holds` gives the
    /// value of a fact or move by its node.
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

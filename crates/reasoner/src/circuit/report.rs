//! Circuit reports: gates, inputs and depth of each cone, sizes after each pass, and invariants.

use std::cmp::Reverse;

use super::gate::Node;
use super::invariants::{Group, GroupKind};
use super::{Circuit, CircuitSize, Cone, Schedule};
use crate::ground::Ground;
use crate::limits::StopReason;

/// The structure of a circuit, to see where gates come from.
#[derive(Debug)]
pub struct CircuitReport {
    /// Total size.
    pub size: CircuitSize,
    /// By cone, in the order in which they are computed.
    pub cones: Vec<ConeReport>,
    /// As built, then after each pass.
    pub passes: Vec<PassReport>,
    /// By loop: the number of atoms computed together.
    pub loops: Vec<usize>,
    /// Proved mutex groups: facts that exclude each other in every reachable state. Groups with
    /// exactly one true fact come first, larger ones first.
    pub groups: Vec<FactGroup>,
    /// Latches: facts that stay true once true.
    pub stay_on: Vec<String>,
    /// Facts that stay false once false.
    pub stay_off: Vec<String>,
    /// Facts whose next values are derived from those of their groups.
    pub derived: Vec<String>,
    /// Number of candidates given up because their proof exceeded the work budget.
    pub given_up: usize,
    pub(super) circuit: Circuit,
}

/// A mutex group: facts that exclude each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactGroup {
    /// Whether one of them always holds; each is then a function of the others.
    pub exactly_one: bool,
    /// The facts, in the order of their numbers.
    pub facts: Vec<String>,
}

/// The gates of a cone that earlier cones do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConeReport {
    /// `view` is for `legal` and `terminal`; then `next`, and `goals`.
    pub name: &'static str,
    /// Gates.
    pub gates: usize,
    /// Their inputs.
    pub inputs: usize,
    /// The largest number of inputs of a gate.
    pub widest: usize,
    /// Gates on the longest path from a fact or a move to an output.
    pub depth: usize,
}

/// Size of the circuit after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassReport {
    /// Name of the pass; `built` is the circuit before all passes.
    pub name: &'static str,
    /// Live gates.
    pub gates: usize,
    /// Their inputs.
    pub inputs: usize,
}

impl CircuitReport {
    /// Builds the circuit of a grounded sheet and measures it after every pass.
    pub fn new(ground: Ground) -> Result<Self, StopReason> {
        let mut passes = Vec::new();
        let circuit = Circuit::observed(ground, &mut |name, circuit| {
            let size = circuit.size();
            passes.push(PassReport { name, gates: size.gates.iter().sum(), inputs: size.inputs });
        })?;
        let loops = circuit.loops.iter().map(|group| group.nodes.len()).collect();
        let text = |&fact: &u32| circuit.terms.text(&circuit.sheet.names, circuit.facts[fact as usize].term);
        let texts = |facts: &[u32]| facts.iter().map(text).collect::<Vec<String>>();
        let found = &circuit.invariants;
        let mut groups: Vec<&Group> = found.groups.iter().collect();
        groups.sort_by_key(|group| (group.kind, Reverse(group.facts.len())));
        let in_words =
            |g: &&Group| FactGroup { exactly_one: g.kind == GroupKind::OneOf, facts: texts(&g.facts) };
        Ok(Self {
            size: circuit.size(),
            cones: cones(&circuit),
            passes,
            loops,
            groups: groups.iter().map(in_words).collect(),
            stay_on: texts(&found.stay_on),
            stay_off: texts(&found.stay_off),
            derived: circuit.exact_next.facts.iter().map(|(fact, _)| text(fact)).collect(),
            given_up: found.given_up,
            circuit,
        })
    }
}

fn cones(circuit: &Circuit) -> Vec<ConeReport> {
    let schedule = Schedule::new(circuit);
    let gates = &circuit.gates;
    // Nodes are in topological order; loop nodes count as depth 0.
    let mut depth = vec![0usize; gates.len()];
    for node in 0..u32::try_from(gates.len()).unwrap_or(u32::MAX) {
        if let Node::And(..) = gates.node(node) {
            let deepest = gates.inputs(node).iter().map(|s| depth[s.node() as usize]).max();
            depth[node as usize] = 1 + deepest.unwrap_or(0);
        }
    }
    let cone = |(name, cone): (&'static str, Cone)| {
        let mut report = ConeReport { name, gates: 0, inputs: 0, widest: 0, depth: 0 };
        for &node in schedule.nodes(cone) {
            let inputs = gates.inputs(node).len();
            report.gates += usize::from(inputs > 0);
            report.inputs += inputs;
            report.widest = report.widest.max(inputs);
            report.depth = report.depth.max(depth[node as usize]);
        }
        report
    };
    [("view", Cone::View), ("next", Cone::Next), ("goals", Cone::Goals)].map(cone).to_vec()
}

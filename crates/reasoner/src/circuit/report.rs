//! How a circuit is made up: gates, inputs and depth of each cone, and what the passes did.

use std::cmp::Reverse;

use super::gate::Node;
use super::invariants::{Group, Kind};
use super::{Circuit, CircuitSize, Cone, Schedule};
use crate::ground::Ground;
use crate::limits::StopReason;

/// A circuit taken to pieces, for people who want to see where gates come from.
#[derive(Debug)]
pub struct CircuitReport {
    /// How large it is.
    pub size: CircuitSize,
    /// By question, in the order in which they are computed.
    pub cones: Vec<ConeReport>,
    /// As built, then after each pass.
    pub passes: Vec<PassReport>,
    /// By loop: how many atoms are computed together.
    pub loops: Vec<usize>,
    /// Facts that exclude each other in every state that can be reached, as far as that was proved; groups of which
    /// exactly one holds first, and larger ones first.
    pub groups: Vec<FactGroup>,
    /// Facts that stay once they hold.
    pub stay_on: Vec<String>,
    /// Facts that never come back once they do not hold.
    pub stay_off: Vec<String>,
    /// Facts whose next values are derived from those of their groups.
    pub derived: Vec<String>,
    /// How many such things were not proved because it was too much work.
    pub given_up: usize,
    pub(super) circuit: Circuit,
}

/// Facts that exclude each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactGroup {
    /// Whether one of them always holds; each is then a function of the others.
    pub exactly_one: bool,
    /// The facts, in the order of their numbers.
    pub facts: Vec<String>,
}

/// The gates that a question needs and that earlier questions do not.
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
    /// Gates on the longest way from a fact or a move to a result.
    pub depth: usize,
}

/// How large the circuit is after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassReport {
    /// Name of the pass; `built` is the circuit before all passes.
    pub name: &'static str,
    /// Gates that are needed.
    pub gates: usize,
    /// Their inputs.
    pub inputs: usize,
}

impl CircuitReport {
    /// Builds the circuit of a grounded sheet and looks at it after every pass.
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
        let in_words = |g: &&Group| FactGroup { exactly_one: g.kind == Kind::OneOf, facts: texts(&g.facts) };
        Ok(Self {
            size: circuit.size(),
            cones: cones(&circuit),
            passes,
            loops,
            groups: groups.iter().map(in_words).collect(),
            stay_on: texts(&found.stay_on),
            stay_off: texts(&found.stay_off),
            derived: circuit.plain.facts.iter().map(|(fact, _)| text(fact)).collect(),
            given_up: found.given_up,
            circuit,
        })
    }
}

fn cones(circuit: &Circuit) -> Vec<ConeReport> {
    let schedule = Schedule::new(circuit);
    let gates = &circuit.gates;
    // Nodes come in an order in which inputs are known; values of loops count as known.
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

//! Schedules: the nodes of each cone, in evaluation order.

use super::gate::{Node, Signal};
use super::{Circuit, Loop};

/// A set of outputs with everything they depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cone {
    /// Legal moves and `terminal`.
    View,
    /// The next state, after `View` has been evaluated.
    Next,
    /// Goals, after `View` and `Next` have been evaluated.
    Goals,
    /// Goals, when nothing else has been evaluated.
    StandaloneGoals,
}

/// The nodes of every cone, in order.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    view: Vec<u32>,
    next: Vec<u32>,
    goals: Vec<u32>,
    standalone_goals: Vec<u32>,
}

impl Schedule {
    pub(crate) fn new(circuit: &Circuit) -> Self {
        let legal = circuit.moves.iter().flatten().map(|m| m.legal);
        let view: Vec<Signal> = legal.chain([circuit.terminal]).collect();
        let next: Vec<Signal> = circuit.facts.iter().map(|f| f.next).collect();
        let goals: Vec<Signal> = circuit.goals.iter().map(|g| g.holds).collect();
        let loop_of = loops_by_node(circuit);
        let mut done = vec![false; circuit.gates.len()];
        let view = mark(circuit, &loop_of, &view, &mut done);
        let next = mark(circuit, &loop_of, &next, &mut done);
        let further = mark(circuit, &loop_of, &goals, &mut done);
        let mut fresh = vec![false; circuit.gates.len()];
        let standalone_goals = mark(circuit, &loop_of, &goals, &mut fresh);
        Self { view, next, goals: further, standalone_goals }
    }

    /// The nodes to compute for a cone: gates and loop nodes.
    pub(crate) fn nodes(&self, cone: Cone) -> &[u32] {
        match cone {
            Cone::View => &self.view,
            Cone::Next => &self.next,
            Cone::Goals => &self.goals,
            Cone::StandaloneGoals => &self.standalone_goals,
        }
    }
}

/// By node: the loop whose value it holds.
pub(super) fn loops_by_node(circuit: &Circuit) -> Vec<Option<u32>> {
    let mut of = vec![None; circuit.gates.len()];
    for (at, group) in circuit.loops.iter().enumerate() {
        for signal in &group.nodes {
            of[signal.node() as usize] = u32::try_from(at).ok();
        }
    }
    of
}

/// The nodes that some signals depend on and that are not done, in order; marks them as done.
pub(super) fn mark(
    circuit: &Circuit,
    loop_of: &[Option<u32>],
    roots: &[Signal],
    done: &mut [bool],
) -> Vec<u32> {
    if circuit.loops.is_empty() {
        return mark_downwards(circuit, roots, done);
    }
    let mut is_new = vec![false; done.len()];
    let mut pending: Vec<u32> = roots.iter().map(|s| s.node()).collect();
    while let Some(node) = pending.pop() {
        if done[node as usize] {
            continue;
        }
        match circuit.gates.node(node) {
            Node::And(..) => pending.extend(circuit.gates.inputs(node).iter().map(|s| s.node())),
            Node::Loop(_) => {
                // A loop is computed as a whole.
                let group = loop_of[node as usize].map(|at| &circuit.loops[at as usize]);
                if let Some(Loop { nodes, becomes, .. }) = group {
                    pending.extend(nodes.iter().chain(becomes).map(|s| s.node()));
                }
            }
            _ => continue,
        }
        done[node as usize] = true;
        is_new[node as usize] = true;
    }
    (0..).zip(is_new).filter(|&(_, new)| new).map(|(node, _)| node).collect()
}

/// Like [`mark`] for circuits without loops. Inputs come before the gates that read them, so one
/// pass from the last node to the first suffices.
fn mark_downwards(circuit: &Circuit, roots: &[Signal], done: &mut [bool]) -> Vec<u32> {
    let mut needed = vec![false; done.len()];
    let mut end = 0;
    for root in roots {
        needed[root.node() as usize] = true;
        end = end.max(root.node() + 1);
    }
    let mut found = Vec::new();
    for node in (0..end).rev() {
        if needed[node as usize] && !done[node as usize] && matches!(circuit.gates.node(node), Node::And(..))
        {
            circuit.gates.inputs(node).iter().for_each(|input| needed[input.node() as usize] = true);
            found.push(node);
        }
    }
    found.reverse();
    found.iter().for_each(|&node| done[node as usize] = true);
    found
}

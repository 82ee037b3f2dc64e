//! Copies a circuit gate by gate; a pass maps each gate to a signal. Dead gates are eliminated.

use super::super::gate::{Gates, Node, Signal};
use super::super::schedule::{loops_by_node, mark};
use super::super::{Circuit, Loop};
use crate::limits::{StopReason, Watch};

/// A circuit being copied.
pub(super) struct Rebuild {
    pub old: Circuit,
    pub new: Gates,
    /// By old node: its new signal.
    map: Vec<Signal>,
}

impl Rebuild {
    /// The new signal of an old one.
    pub(super) fn mapped(&self, old: Signal) -> Signal {
        self.map[old.node() as usize].inverted_if(old.is_inverted())
    }
}

/// How often each node is read by gates, loops and outputs.
pub(super) fn fan_out(circuit: &Circuit) -> Vec<u32> {
    let mut count = vec![0; circuit.gates.len()];
    let mut read = |signal: &Signal| count[signal.node() as usize] += 1;
    circuit.outputs().iter().for_each(&mut read);
    circuit.loops.iter().flat_map(|l| &l.becomes).for_each(&mut read);
    for node in live(circuit) {
        circuit.gates.inputs(node).iter().for_each(&mut read);
    }
    count
}

/// The live nodes, in order.
fn live(circuit: &Circuit) -> Vec<u32> {
    let mut done = vec![false; circuit.gates.len()];
    mark(circuit, &loops_by_node(circuit), &circuit.outputs(), &mut done)
}

/// Number of inputs of all live gates.
pub(super) fn live_inputs(circuit: &Circuit) -> usize {
    live(circuit).into_iter().map(|node| circuit.gates.inputs(node).len()).sum()
}

/// Copies the live part of a circuit. `gate` maps each old gate to its new signal; facts in
/// `constants` become constants.
pub(super) fn rebuild(
    old: Circuit,
    constants: &[Option<bool>],
    watch: &mut Watch,
    mut gate: impl FnMut(&mut Rebuild, u32) -> Signal,
) -> Result<Circuit, StopReason> {
    let before = old.gates.bytes() + old.gates.len() * size_of::<Signal>();
    let mut new = Gates::new(old.facts.len(), old.gates.move_counts().to_vec());
    new.reserve_for(&old.gates);
    let live = live(&old);
    let mut map = vec![Signal::FALSE; old.gates.len()];
    for (node, signal) in map.iter_mut().enumerate() {
        let node = u32::try_from(node).unwrap_or(u32::MAX);
        *signal = match old.gates.node(node) {
            Node::Fact(fact) => match constants.get(fact as usize).copied().flatten() {
                Some(true) => Signal::TRUE,
                Some(false) => Signal::FALSE,
                None => new.fact(fact),
            },
            Node::Does(role, index) => new.does(role as usize, index),
            _ => Signal::FALSE,
        };
    }
    let mut rebuild = Rebuild { old, new, map };
    let mut loops: Vec<Loop> = Vec::new();
    let mut open: Option<(Loop, u32)> = None;
    for node in live {
        if let Some((group, end)) = open.take_if(|(_, end)| node >= *end) {
            loops.push(close(&rebuild, group, end));
        }
        match rebuild.old.gates.node(node) {
            Node::And(..) => {
                let signal = gate(&mut rebuild, node);
                watch.check_gates(rebuild.new.len(), before + rebuild.new.bytes())?;
                rebuild.map[node as usize] = signal;
            }
            Node::Loop(at) => {
                if open.is_none() {
                    let group = rebuild.old.loops[at as usize].clone();
                    open = Some((Loop { nodes: Vec::new(), becomes: group.becomes, end: 0 }, group.end));
                }
                let number = u32::try_from(loops.len()).unwrap_or(u32::MAX);
                let signal = rebuild.new.add_loop(number);
                rebuild.map[node as usize] = signal;
                if let Some((group, _)) = &mut open {
                    group.nodes.push(signal);
                }
            }
            _ => {}
        }
    }
    if let Some((group, end)) = open {
        loops.push(close(&rebuild, group, end));
    }
    let mut old = std::mem::take(&mut rebuild.old.facts);
    for fact in &mut old {
        fact.next = rebuild.mapped(fact.next);
    }
    rebuild.old.facts = old;
    let mut moves = std::mem::take(&mut rebuild.old.moves);
    for role_move in moves.iter_mut().flatten() {
        role_move.legal = rebuild.mapped(role_move.legal);
        role_move.does = rebuild.mapped(role_move.does);
    }
    let mut goals = std::mem::take(&mut rebuild.old.goals);
    for goal in &mut goals {
        goal.holds = rebuild.mapped(goal.holds);
    }
    let terminal = rebuild.mapped(rebuild.old.terminal);
    Ok(Circuit { gates: rebuild.new, moves, goals, terminal, loops, ..rebuild.old })
}

/// Ends a loop: everything it repeats has been copied.
fn close(rebuild: &Rebuild, mut group: Loop, _old_end: u32) -> Loop {
    for signal in &mut group.becomes {
        *signal = rebuild.mapped(*signal);
    }
    group.end = u32::try_from(rebuild.new.len()).unwrap_or(u32::MAX);
    group
}

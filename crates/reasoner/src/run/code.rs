//! Straight-line code for the cones of a circuit: which slot is computed from which.
//!
//! A slot holds the value of a node for all lanes. Facts come first, then moves, role after role,
//! then gates, then what choosing moves needs. Constants never reach the gates: the circuit has folded
//! them.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::choice::MoveRows;
use super::shaped::Shaped;
use crate::circuit::{Circuit, Cone, Node, Schedule, Signal};

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Slot `out` is the AND of straight inputs and of the inverses of others; where they lie in the
    /// pool.
    And { out: u32, start: u32, straight: u32, inverted: u32 },
    /// A loop starts: its nodes become false.
    LoopStart { group: u32 },
    /// A loop ends: values that became true are taken over, and as long as there are any, the
    /// instructions from its start are repeated.
    LoopEnd { group: u32, start: u32 },
}

/// An output: the value of a slot, perhaps inverted, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Constant(bool),
    Slot { slot: u32, inverted: bool },
}

impl Default for Output {
    fn default() -> Self {
        Output::Constant(false)
    }
}

/// The code of one cone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    pub pool: Vec<u32>,
    /// By group of the circuit: pairs of the slot of a loop node and what it becomes.
    pub loops: Vec<Vec<(u32, Output)>>,
    /// Slots that are read after it.
    pub kept: Vec<u32>,
    /// The first row that is no slot.
    pub rows: u32,
    /// The same for the interpreter, once it has been asked to run.
    shaped: OnceLock<Shaped>,
}

impl Code {
    /// The same in the order of the interpreter.
    pub(super) fn shaped(&self) -> &Shaped {
        self.shaped.get_or_init(|| Shaped::new(self))
    }
}

/// What facts become: facts with the slots that say so as they stand or inverted, or with constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes {
    /// Facts that become what other facts were: these must be read before any fact is written.
    pub from_facts: Vec<(u32, u32, bool)>,
    pub straight: Vec<(u32, u32)>,
    pub inverted: Vec<(u32, u32)>,
    pub constant: Vec<(u32, bool)>,
}

impl Outcomes {
    fn new(next_facts: &[Output]) -> Self {
        let facts = u32::try_from(next_facts.len()).unwrap_or(u32::MAX);
        let mut outcomes = Self::default();
        for (fact, output) in (0..).zip(next_facts) {
            match *output {
                Output::Slot { slot, inverted } if slot < facts && slot != fact => {
                    outcomes.from_facts.push((fact, slot, inverted));
                }
                Output::Slot { slot, inverted: false } => outcomes.straight.push((fact, slot)),
                Output::Slot { slot, inverted: true } => outcomes.inverted.push((fact, slot)),
                Output::Constant(value) => outcomes.constant.push((fact, value)),
            }
        }
        outcomes
    }
}

/// The code of a circuit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub view: Code,
    pub next: Code,
    pub goals: Code,
    pub slots: usize,
    pub facts: usize,
    /// By role: the slot of its first move, and how many it has.
    pub moves: Vec<(u32, u32)>,
    pub terminal: Output,
    /// By role and move.
    pub legal: Vec<Vec<Output>>,
    /// By fact.
    pub next_facts: Vec<Output>,
    /// Role, number of the value among `goal_values`, signal.
    pub goal_outputs: Vec<Output>,
    /// The same, by kind.
    pub outcomes: Outcomes,
    /// How moves are chosen; `None` when a role has too many.
    pub choice: Option<MoveRows>,
    /// The slot of the lanes that start again.
    pub reset: u32,
    /// The first slot of the facts of the next state.
    pub other: u32,
}

impl Program {
    pub(crate) fn new(circuit: &Circuit) -> Self {
        let schedule = Schedule::new(circuit);
        let slots = Slots::new(circuit);
        let code = |cone: Cone| {
            let nodes = schedule.nodes(cone);
            match circuit.loops.is_empty() {
                true => emit(circuit, &slots, &depth_first(circuit, nodes)),
                false => emit(circuit, &slots, nodes),
            }
        };
        let mut moves = Vec::new();
        let mut first = u32::try_from(circuit.facts.len()).unwrap_or(u32::MAX);
        for &count in circuit.gates.move_counts() {
            moves.push((first, count));
            first += count;
        }
        let legal = circuit.moves.iter().map(|role| role.iter().map(|m| slots.output(m.legal)).collect());
        let legal: Vec<Vec<Output>> = legal.collect();
        let mut view = code(Cone::View);
        let mut count = u32::try_from(slots.count).unwrap_or(u32::MAX);
        let straight = straight_slots(&mut view, &legal, &mut count);
        let choice = MoveRows::new(&straight, &moves, &mut count);
        let reset = count;
        let next_facts: Vec<Output> = circuit.facts.iter().map(|f| slots.output(f.next)).collect();
        let mut program = Self {
            view,
            next: code(Cone::Next),
            goals: code(Cone::StandaloneGoals),
            slots: reset as usize + 1 + circuit.facts.len(),
            facts: circuit.facts.len(),
            moves,
            terminal: slots.output(circuit.terminal),
            legal,
            outcomes: Outcomes::new(&next_facts),
            next_facts,
            goal_outputs: circuit.goals.iter().map(|g| slots.output(g.holds)).collect(),
            choice,
            reset,
            other: reset + 1,
        };
        program.keep(&straight);
        program
    }

    /// Says what of each cone is read after it.
    fn keep(&mut self, legal: &[Vec<Option<u32>>]) {
        let in_next = self.next.loops.iter().flatten().map(|(_, output)| output);
        let outputs = self.legal.iter().flatten().chain([&self.terminal]).chain(&self.next_facts);
        let mut view: Vec<u32> = slots_of(outputs.chain(in_next)).collect();
        view.extend(legal.iter().flatten().flatten());
        view.extend(&self.next.pool);
        self.view.kept = view;
        self.next.kept = slots_of(&self.next_facts).collect();
        self.goals.kept = slots_of(&self.goal_outputs).collect();
        let rows = u32::try_from(self.slots).unwrap_or(u32::MAX);
        for code in [&mut self.view, &mut self.next, &mut self.goals] {
            code.rows = rows;
        }
    }
}

/// The slots behind outputs.
pub(super) fn slots_of<'a>(outputs: impl IntoIterator<Item = &'a Output>) -> impl Iterator<Item = u32> {
    outputs.into_iter().filter_map(|output| match output {
        Output::Slot { slot, .. } => Some(*slot),
        Output::Constant(_) => None,
    })
}

/// Adds instructions so that every output that can be true is a slot as it stands; gives those slots, and
/// `None` for outputs that are never true.
fn straight_slots(code: &mut Code, outputs: &[Vec<Output>], slots: &mut u32) -> Vec<Vec<Option<u32>>> {
    let mut added: FxHashMap<Option<u32>, u32> = FxHashMap::default();
    let mut inverse = |of: Option<u32>| {
        *added.entry(of).or_insert_with(|| {
            let (out, start) = (*slots, u32::try_from(code.pool.len()).unwrap_or(u32::MAX));
            *slots += 1;
            code.pool.extend(of);
            code.ops.push(Op::And { out, start, straight: 0, inverted: u32::from(of.is_some()) });
            out
        })
    };
    let mut straight = |output: &Output| match *output {
        Output::Constant(false) => None,
        Output::Constant(true) => Some(inverse(None)),
        Output::Slot { slot, inverted: true } => Some(inverse(Some(slot))),
        Output::Slot { slot, inverted: false } => Some(slot),
    };
    outputs.iter().map(|of_role| of_role.iter().map(&mut straight).collect()).collect()
}

/// Slots of nodes: node numbers without the constant in front. Facts and moves come first there too.
struct Slots {
    count: usize,
}

impl Slots {
    fn new(circuit: &Circuit) -> Self {
        Self { count: circuit.gates.len() - 1 }
    }

    fn of(&self, node: u32) -> u32 {
        node - 1
    }

    fn output(&self, signal: Signal) -> Output {
        match signal.is_constant() {
            true => Output::Constant(signal.is_inverted()),
            false => Output::Slot { slot: self.of(signal.node()), inverted: signal.is_inverted() },
        }
    }
}

/// The same nodes, each gate right behind the inputs that only it needs: what is computed is soon
/// used, so that it can stay in a register. Gates that others need come where they are first needed.
fn depth_first(circuit: &Circuit, nodes: &[u32]) -> Vec<u32> {
    let mut wanted = vec![false; circuit.gates.len()];
    nodes.iter().for_each(|&node| wanted[node as usize] = true);
    let mut order = Vec::with_capacity(nodes.len());
    // Nodes to visit; a second visit comes when the inputs are done.
    let mut pending: Vec<(u32, bool)> = Vec::new();
    // Gates that nobody in the cone reads are its ends: start from them, in their order.
    let mut is_read = vec![false; circuit.gates.len()];
    for &node in nodes {
        circuit.gates.inputs(node).iter().for_each(|s| is_read[s.node() as usize] = true);
    }
    for &end in nodes.iter().filter(|&&node| !is_read[node as usize]) {
        pending.push((end, false));
        while let Some((node, inputs_done)) = pending.pop() {
            if inputs_done {
                order.push(node);
            } else if std::mem::take(&mut wanted[node as usize]) {
                pending.push((node, true));
                let inputs = circuit.gates.inputs(node).iter().rev();
                pending.extend(inputs.map(|s| (s.node(), false)).filter(|&(n, _)| wanted[n as usize]));
            }
        }
    }
    order
}

fn emit(circuit: &Circuit, slots: &Slots, nodes: &[u32]) -> Code {
    let mut code = Code { loops: vec![Vec::new(); circuit.loops.len()], ..Code::default() };
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    // The loop that is open, where it started, and the node behind its last.
    let mut open: Option<(u32, u32, u32)> = None;
    let close = |code: &mut Code, open: &mut Option<(u32, u32, u32)>| {
        if let Some((group, start, _)) = open.take() {
            code.ops.push(Op::LoopEnd { group, start });
        }
    };
    for &node in nodes {
        if open.is_some_and(|(_, _, end)| node >= end) {
            close(&mut code, &mut open);
        }
        match circuit.gates.node(node) {
            Node::And(..) => {
                let start = number(code.pool.len());
                let inputs = circuit.gates.inputs(node);
                let slot = |s: &Signal| slots.of(s.node());
                code.pool.extend(inputs.iter().filter(|s| !s.is_inverted()).map(slot));
                let straight = number(code.pool.len()) - start;
                code.pool.extend(inputs.iter().filter(|s| s.is_inverted()).map(slot));
                let inverted = number(code.pool.len()) - start - straight;
                code.ops.push(Op::And { out: slots.of(node), start, straight, inverted });
            }
            Node::Loop(group) if open.is_none() => {
                let of = &circuit.loops[group as usize];
                let pairs = of.nodes.iter().zip(&of.becomes);
                code.loops[group as usize] =
                    pairs.map(|(node, becomes)| (slots.of(node.node()), slots.output(*becomes))).collect();
                code.ops.push(Op::LoopStart { group });
                open = Some((group, number(code.ops.len()), of.end));
            }
            _ => {}
        }
    }
    close(&mut code, &mut open);
    code
}

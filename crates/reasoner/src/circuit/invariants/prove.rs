//! Proofs by case analysis, 64 cases at a time.
//!
//! Goal: in every step, exactly one (or at most one) of some signals is true. A case is a list of
//! assumptions. Its lane evaluates, in three-valued logic, every gate that the signals depend on,
//! from what is known ([`Assumptions`]). A lane that stays undecided is split: by the move of a
//! role, by the true fact of a group, or by a gate or fact that several open gates read. The cases
//! of a split are exhaustive and unknown values may be anything, so a goal that every case decides
//! is proved. Work is counted and limited.

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::known::Assumptions;

/// Maximum number of splits on the way to a case.
const MAX_DEPTH: usize = 24;
/// Maximum number of cases in the queue; bounds memory.
const MAX_WAITING: usize = 20_000;

/// Result of a proof attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProofOutcome {
    Proved,
    /// No two can be true as far as was seen, but perhaps none is.
    PerhapsNone,
    /// Perhaps two are true.
    PerhapsTwo,
    /// Out of budget.
    GivenUp,
}

/// A proof goal: exactly one, or at most one, of the signals is true whenever `given` holds.
pub(super) struct ProofGoal<'q> {
    pub given: &'q [Signal],
    pub signals: &'q [Signal],
    pub exactly: bool,
    /// The hypothesis to split by: the group whose next values these are.
    pub group: Option<usize>,
    /// Work budget in steps.
    pub budget: u64,
}

#[derive(Clone, Debug, Default)]
struct Case {
    assumed: Vec<Signal>,
    /// Roles that make none of the moves in the goal's support, as bits.
    idle: u64,
    depth: usize,
}

/// The prover, with buffers that are reused from proof to proof.
pub(super) struct InvariantProver<'a> {
    circuit: &'a Circuit,
    pub known: Assumptions<'a>,
    /// By node: lanes in which it is true, and false.
    values: Vec<[u64; 2]>,
    /// By node: the stamp of the traversal that visited it last.
    stamps: Vec<u32>,
    stamp: u32,
    /// By node: how often undecided gates read it.
    reads: Vec<u32>,
}

/// The nodes that a goal depends on.
struct Support {
    /// In order.
    nodes: Vec<u32>,
    /// By role: moves.
    moves: Vec<Vec<Signal>>,
    /// By role, computed on first use: what follows if it makes none of them.
    idle: Vec<Option<Vec<Signal>>>,
    inputs: u64,
}

impl<'a> InvariantProver<'a> {
    pub(super) fn new(circuit: &'a Circuit, known: Assumptions<'a>) -> Self {
        let nodes = circuit.gates.len();
        Self {
            circuit,
            known,
            values: vec![[0; 2]; nodes],
            stamps: vec![0; nodes],
            stamp: 0,
            reads: vec![0; nodes],
        }
    }

    /// Tries to prove a goal.
    pub(super) fn prove(&mut self, question: &ProofGoal<'_>) -> ProofOutcome {
        let limit = self.known.work.saturating_add(question.budget);
        let Some(mut support) = self.support(question.signals, limit) else { return ProofOutcome::GivenUp };
        let mut waiting = vec![Case { assumed: question.given.to_vec(), idle: 0, depth: 0 }];
        while !waiting.is_empty() {
            if self.known.work > limit || waiting.len() > MAX_WAITING {
                return ProofOutcome::GivenUp;
            }
            let cases = waiting.split_off(waiting.len().saturating_sub(64));
            let dead = self.compute(&cases, &support);
            let (mut possible, mut two, mut yes, mut both) = (0, 0, 0, 0);
            for &signal in question.signals {
                let [sure, no] = self.value(signal);
                two |= possible & !no;
                possible |= !no;
                both |= yes & sure;
                yes |= sure;
            }
            for (lane, case) in cases.iter().enumerate() {
                let holds = |lanes: u64| lanes >> lane & 1 == 1;
                if holds(dead) || (!holds(two) && (!question.exactly || holds(yes))) {
                    continue;
                }
                let fails = if holds(two) { ProofOutcome::PerhapsTwo } else { ProofOutcome::PerhapsNone };
                // The goal fails here. Open nodes could only show that the case cannot occur.
                let decided = holds(both) || !holds(possible);
                if decided || case.depth == MAX_DEPTH {
                    return fails;
                }
                let before = waiting.len();
                if !self.split(question, &mut support, lane, case, &mut waiting) {
                    return fails;
                }
                self.known.work += (waiting.len() - before) as u64;
            }
        }
        ProofOutcome::Proved
    }

    fn value(&self, signal: Signal) -> [u64; 2] {
        let [yes, no] = self.values[signal.node() as usize];
        if signal.is_inverted() { [no, yes] } else { [yes, no] }
    }

    fn is_open(&self, signal: Signal, lane: usize) -> bool {
        let [yes, no] = self.values[signal.node() as usize];
        (yes | no) >> lane & 1 == 0
    }

    /// The nodes that some signals depend on; `None` if they exceed the budget.
    fn support(&mut self, signals: &[Signal], limit: u64) -> Option<Support> {
        self.stamp += 1;
        let gates = &self.circuit.gates;
        let roles = self.known.decided.len();
        let mut support =
            Support { nodes: Vec::new(), moves: vec![Vec::new(); roles], idle: vec![None; roles], inputs: 0 };
        let mut pending: Vec<u32> = signals.iter().map(|s| s.node()).collect();
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut self.stamps[node as usize], self.stamp) == self.stamp {
                continue;
            }
            support.nodes.push(node);
            let inputs = gates.inputs(node);
            support.inputs += 1 + inputs.len() as u64;
            if self.known.work + 2 * support.inputs > limit {
                self.known.work += support.inputs;
                return None;
            }
            pending.extend(inputs.iter().map(|s| s.node()));
        }
        self.known.work += support.inputs;
        support.nodes.sort_unstable();
        for &node in &support.nodes {
            if let Node::Does(role, _) = gates.node(node) {
                support.moves[role as usize].push(Signal::of(node));
            }
        }
        Some(support)
    }

    /// Evaluates all nodes in all cases; returns the lanes with a contradiction.
    fn compute(&mut self, cases: &[Case], support: &Support) -> u64 {
        let mut dead = 0;
        self.known.clear();
        for (lane, case) in cases.iter().enumerate() {
            if !self.known.assume(lane, &case.assumed) {
                dead |= 1 << lane;
            }
            let idle = (0..self.known.decided.len()).filter(|&role| role < 64 && case.idle >> role & 1 == 1);
            for role in idle {
                self.known.decided[role] |= 1 << lane;
            }
        }
        self.known.work += support.inputs;
        let gates = &self.circuit.gates;
        for &node in &support.nodes {
            let known = self.known.word(Signal::of(node));
            let [yes, no] = match gates.node(node) {
                Node::False => [0, u64::MAX],
                Node::Fact(_) | Node::Loop(_) => known,
                Node::Does(role, index) => self.known.does(node, role as usize, index as usize),
                Node::And(..) => {
                    let [mut yes, mut no] = [u64::MAX, 0];
                    for &input in gates.inputs(node) {
                        let [sure, never] = self.value(input);
                        yes &= sure;
                        no |= never;
                    }
                    [yes | known[0], no | known[1]]
                }
            };
            dead |= yes & no;
            self.values[node as usize] = [yes, no];
        }
        dead
    }

    /// Adds the cases that a case splits into; false if no useful split is left.
    fn split(
        &mut self,
        question: &ProofGoal<'_>,
        support: &mut Support,
        lane: usize,
        case: &Case,
        waiting: &mut Vec<Case>,
    ) -> bool {
        let mut with = |signals: &[Signal]| {
            let mut assumed = case.assumed.clone();
            assumed.extend_from_slice(signals);
            waiting.push(Case { assumed, idle: case.idle, depth: case.depth + 1 });
        };
        let open = self.open(question.signals, lane);
        let role_of = |node: &u32| match self.circuit.gates.node(*node) {
            Node::Does(role, _) => Some(role as usize),
            _ => None,
        };
        if let Some(role) = open.iter().filter_map(role_of).min() {
            let moves = &support.moves[role];
            for &does in moves.iter().filter(|&&does| self.is_open(does, lane)) {
                with(&[does]);
            }
            // "None of these moves" is possible only if the role has others.
            if moves.len() < self.circuit.moves[role].len() && role < 64 {
                let follows =
                    support.idle[role].get_or_insert_with(|| self.known.implied_by_others(role, moves));
                let assumed = case.assumed.iter().chain(&*follows).copied().collect();
                waiting.push(Case { assumed, idle: case.idle | 1 << role, depth: case.depth + 1 });
            }
            return role < 64;
        }
        if let Some(group) = question.group.filter(|&group| !self.known.has_value(group, lane)) {
            self.known.values(group, lane).iter().for_each(|value| with(value));
            return true;
        }
        // Split on what connects open gates: a node that several of them read, or facts of one
        // group.
        let by_reads = open.iter().copied().max_by_key(|&node| (self.reads[node as usize], node));
        let by_reads = by_reads.filter(|&node| self.reads[node as usize] > 1);
        let by_group = self.tied_group(&open);
        match (by_reads, by_group) {
            (reads, Some((count, group))) if reads.is_none_or(|node| self.reads[node as usize] <= count) => {
                self.known.values(group, lane).iter().for_each(|value| with(value));
            }
            (Some(node), _) => {
                with(&[Signal::of(node)]);
                with(&[!Signal::of(node)]);
            }
            _ => return false,
        }
        true
    }

    /// The undecided nodes that undecided signals depend on in a lane; counts the reads of each.
    fn open(&mut self, signals: &[Signal], lane: usize) -> Vec<u32> {
        self.stamp += 1;
        let mut open = Vec::new();
        let mut pending: Vec<u32> = Vec::new();
        let mut read = |prover: &mut Self, signal: Signal, pending: &mut Vec<u32>| {
            let node = signal.node() as usize;
            if !prover.is_open(signal, lane) {
                return;
            }
            if std::mem::replace(&mut prover.stamps[node], prover.stamp) != prover.stamp {
                prover.reads[node] = 0;
                open.push(signal.node());
                pending.push(signal.node());
            }
            prover.reads[node] += 1;
        };
        for &signal in signals {
            read(self, signal, &mut pending);
        }
        let gates = &self.circuit.gates;
        while let Some(node) = pending.pop() {
            let inputs = gates.inputs(node);
            self.known.work += 1 + inputs.len() as u64;
            inputs.iter().for_each(|&input| read(self, input, &mut pending));
        }
        open
    }

    /// The group with most of the open facts, if it has more than one; with their number.
    fn tied_group(&self, open: &[u32]) -> Option<(u32, usize)> {
        let mut groups: Vec<u32> = Vec::new();
        for &node in open {
            if let Node::Fact(fact) = self.circuit.gates.node(node) {
                let alive = |at: &&u32| self.known.hypotheses[**at as usize].alive;
                groups.extend(self.known.groups_of[fact as usize].iter().filter(alive));
            }
        }
        groups.sort_unstable();
        let runs = groups.chunk_by(|a, b| a == b).map(|run| (run.len(), run[0]));
        let (count, group) = runs.max_by_key(|&(count, group)| (count, std::cmp::Reverse(group)))?;
        (count > 1).then_some((u32::try_from(count).unwrap_or(u32::MAX), group as usize))
    }
}

//! Proofs by cases, 64 at a time.
//!
//! To prove: in every step, exactly one of some signals (or at most one) is true. A case is a list of assumptions; its
//! lane computes every gate that the signals need from what is [`Assumptions`], in three values. A lane that does not
//! decide the question is split: by the move of a role, by the fact of a group that holds, or by a gate (or
//! fact) that is read in several places and so ties them together. All cases of a split together leave nothing out, and
//! what is not known may be anything, so a question that every case decides is proved. Work is counted and limited.

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::known::Assumptions;

/// Splits on the way to a case, at most.
const MAX_DEPTH: usize = 24;
/// Cases that wait, at most.
const MAX_WAITING: usize = 20_000;

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProofOutcome {
    Proved,
    /// No two may be true, as far as was seen, but perhaps none.
    PerhapsNone,
    /// Perhaps two.
    PerhapsTwo,
    /// Too much work.
    GivenUp,
}

/// A question: of these signals, exactly one or at most one is true whenever the assumptions hold.
pub(super) struct ProofGoal<'q> {
    pub given: &'q [Signal],
    pub signals: &'q [Signal],
    pub exactly: bool,
    /// The hypothesis to split by: the group whose next values these are.
    pub group: Option<usize>,
    /// Steps of work to spend.
    pub budget: u64,
}

#[derive(Clone, Debug, Default)]
struct Case {
    assumed: Vec<Signal>,
    /// Roles that make none of the moves that the question depends on, as bits.
    idle: u64,
    depth: usize,
}

/// Room for proofs, used again and again.
pub(super) struct InvariantProver<'a> {
    circuit: &'a Circuit,
    pub known: Assumptions<'a>,
    /// By node: lanes in which it is true, and false.
    values: Vec<[u64; 2]>,
    /// By node: the question for which it was looked at last.
    stamps: Vec<u32>,
    stamp: u32,
    /// By node: how often undecided gates read it.
    reads: Vec<u32>,
}

/// The nodes that a question depends on.
struct Support {
    /// In order.
    nodes: Vec<u32>,
    /// By role: moves.
    moves: Vec<Vec<Signal>>,
    /// By role, once it was asked for: what follows if it makes none of them.
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

    /// Tries to prove it.
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
                // What is still open could only show that the case does not occur.
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

    /// The nodes that some signals depend on; `None` if they are too many.
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

    /// Computes all nodes in all cases; returns the lanes that contradict themselves.
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

    /// Adds the cases into which a case falls apart; false if nothing is left that could help.
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
            // Who could do nothing else must do one of them.
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
        // What ties open gates together: a node that several of them read, or facts of one group.
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

    /// The undecided nodes on which undecided signals depend in a lane, and how often each is read.
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

    /// The group that has most of the open facts, if more than one; with their number.
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

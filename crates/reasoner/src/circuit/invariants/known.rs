//! Assumptions in 64 cases at a time, bit-sliced, with unit propagation.
//!
//! A true gate implies its inputs. A move implies its legality and that its role makes no other
//! move. A fact implies that the other facts of its groups are false; when all facts of a one-of
//! group but one are false, the last one is true. Propagation is sound but incomplete: whatever it
//! does not find is unknown.

use rustc_hash::FxHashMap;

use super::super::Circuit;
use super::super::gate::{Node, Signal};
use super::GroupKind;
use super::candidates::GroupCandidate;

/// No move has been assumed.
const NONE: u32 = u32::MAX;
/// Maximum number of signals collected as implied by a move; bounds the work per move.
const MAX_IMPLIED: usize = 400;

/// A candidate that proofs may use.
pub(super) struct Hypothesis {
    pub group: GroupCandidate,
    /// Whether proofs may use it: it has come up and has not been dropped.
    pub alive: bool,
}

/// Known values in 64 lanes.
pub(super) struct Assumptions<'a> {
    circuit: &'a Circuit,
    pub hypotheses: Vec<Hypothesis>,
    /// By fact: the hypotheses that contain it.
    pub groups_of: Vec<Vec<u32>>,
    /// By node: lanes in which it is known to be true, and to be false.
    words: Vec<[u64; 2]>,
    /// By node: what holds in all lanes because the state is not terminal, as words.
    base: Vec<[u64; 2]>,
    touched: Vec<u32>,
    /// By lane and role: the move that is assumed.
    chosen: Vec<u32>,
    /// By hypothesis: lanes in which a fact of the group is known to hold, which settles the
    /// others.
    valued: Vec<u64>,
    touched_groups: Vec<u32>,
    /// By role: lanes in which it makes none of the relevant moves except the assumed one.
    pub decided: Vec<u64>,
    /// By node of a move: the range in `pool` of the signals it implies.
    implied: Vec<Option<(u32, u32)>>,
    pool: Vec<Signal>,
    /// By role, computed on first use: how many of its moves imply each signal.
    totals: Vec<FxHashMap<Signal, usize>>,
    /// Hypotheses used since the last [`take_used`](Self::take_used), as a list and as flags.
    used: Vec<u32>,
    is_used: Vec<bool>,
    /// Work done so far, in steps.
    pub work: u64,
}

impl<'a> Assumptions<'a> {
    pub(super) fn new(circuit: &'a Circuit, candidates: Vec<GroupCandidate>) -> Self {
        let mut groups_of = vec![Vec::new(); circuit.facts.len()];
        for (at, candidate) in (0..).zip(&candidates) {
            candidate.facts.iter().for_each(|&fact| groups_of[fact as usize].push(at));
        }
        let nodes = circuit.gates.len();
        let mut known = Self {
            circuit,
            used: Vec::new(),
            is_used: vec![false; candidates.len()],
            hypotheses: candidates.into_iter().map(|group| Hypothesis { group, alive: false }).collect(),
            groups_of: vec![Vec::new(); circuit.facts.len()],
            words: vec![[0; 2]; nodes],
            base: vec![[0; 2]; nodes],
            touched: Vec::new(),
            chosen: vec![NONE; 64 * circuit.moves.len()],
            valued: Vec::new(),
            touched_groups: Vec::new(),
            decided: vec![0; circuit.moves.len()],
            implied: vec![None; nodes],
            pool: Vec::new(),
            totals: vec![FxHashMap::default(); circuit.moves.len()],
            work: 0,
        };
        // Moves are made only in non-terminal states. If that is a contradiction, there are no
        // steps.
        known.assume(0, &[!circuit.terminal]);
        known.groups_of = groups_of;
        known.valued = vec![0; known.hypotheses.len()];
        for &node in &known.touched {
            let word = known.words[node as usize].map(|lanes| if lanes == 0 { 0 } else { u64::MAX });
            known.words[node as usize] = word;
            known.base[node as usize] = word;
        }
        known.touched.clear();
        known
    }

    /// Forgets all assumptions.
    pub(super) fn clear(&mut self) {
        for node in self.touched.drain(..) {
            self.words[node as usize] = self.base[node as usize];
        }
        self.chosen.fill(NONE);
        self.decided.fill(0);
        for group in self.touched_groups.drain(..) {
            self.valued[group as usize] = 0;
        }
    }

    /// Lanes in which a signal is known to be true, and to be false.
    pub(super) fn word(&self, signal: Signal) -> [u64; 2] {
        let [yes, no] = self.words[signal.node() as usize];
        if signal.is_inverted() { [no, yes] } else { [yes, no] }
    }

    /// Assumes signals in a lane and propagates; false on a contradiction.
    pub(super) fn assume(&mut self, lane: usize, signals: &[Signal]) -> bool {
        let bit = 1u64 << lane;
        let mut pending = signals.to_vec();
        while let Some(signal) = pending.pop() {
            self.work += 1;
            if signal == Signal::TRUE {
                continue;
            }
            let [yes, no] = self.word(signal);
            if signal == Signal::FALSE || no & bit != 0 {
                return false;
            }
            if yes & bit != 0 {
                continue;
            }
            let node = signal.node();
            self.words[node as usize][usize::from(signal.is_inverted())] |= bit;
            self.touched.push(node);
            match self.circuit.gates.node(node) {
                Node::Fact(fact) => self.add_groups(fact, !signal.is_inverted(), bit, &mut pending),
                Node::Does(role, index) if !signal.is_inverted() => {
                    let chosen = &mut self.chosen[lane * self.decided.len() + role as usize];
                    if *chosen != NONE && *chosen != index {
                        return false;
                    }
                    *chosen = index;
                    self.decided[role as usize] |= bit;
                    let (start, end) = self.implied(node, role as usize, index as usize);
                    pending.extend_from_slice(&self.pool[start as usize..end as usize]);
                }
                Node::And(..) if !signal.is_inverted() => {
                    pending.extend_from_slice(self.circuit.gates.inputs(node));
                }
                _ => {}
            }
        }
        true
    }

    /// Propagates a fact to the other facts of its groups.
    fn add_groups(&mut self, fact: u32, holds: bool, bit: u64, pending: &mut Vec<Signal>) {
        let gates = &self.circuit.gates;
        for &at in &self.groups_of[fact as usize] {
            let Hypothesis { group, alive } = &self.hypotheses[at as usize];
            let valued = &mut self.valued[at as usize];
            if !alive || (!holds && (group.kind == GroupKind::Exclusive || *valued & bit != 0)) {
                continue;
            }
            let others = group.facts.iter().filter(|&&other| other != fact).map(|&other| gates.fact(other));
            if holds {
                *valued |= bit;
                self.touched_groups.push(at);
                self.work += group.facts.len() as u64;
                note(&mut self.used, &mut self.is_used, at);
                pending.extend(others.map(|other| !other));
                continue;
            }
            let mut left = others.filter(|other| {
                self.work += 1;
                self.words[other.node() as usize][1] & bit == 0
            });
            if let (last, None) = (left.next(), left.next()) {
                note(&mut self.used, &mut self.is_used, at);
                pending.push(last.unwrap_or(Signal::FALSE));
            }
        }
    }

    /// The range in the pool of the signals that hold whenever a move is made.
    fn implied(&mut self, node: u32, role: usize, index: usize) -> (u32, u32) {
        if let Some(known) = self.implied[node as usize] {
            return known;
        }
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let start = self.pool.len();
        self.pool.push(self.circuit.moves[role][index].legal);
        let mut at = start;
        while at < self.pool.len() && at - start < MAX_IMPLIED {
            let signal = self.pool[at];
            if !signal.is_inverted() {
                self.pool.extend_from_slice(self.circuit.gates.inputs(signal.node()));
            }
            at += 1;
        }
        self.work += (self.pool.len() - start) as u64;
        let mut own = self.pool.split_off(start);
        own.sort_unstable();
        own.dedup();
        self.pool.extend(own);
        let range = (number(start), number(self.pool.len()));
        self.implied[node as usize] = Some(range);
        range
    }

    /// What follows if a role makes a move other than these (sorted): what all other moves imply.
    pub(super) fn implied_by_others(&mut self, role: usize, moves: &[Signal]) -> Vec<Signal> {
        let circuit = self.circuit;
        let mut totals = std::mem::take(&mut self.totals[role]);
        if totals.is_empty() {
            for (index, role_move) in circuit.moves[role].iter().enumerate() {
                for signal in self.implied_list(role_move.does.node(), role, index) {
                    *totals.entry(signal).or_default() += 1;
                }
            }
        }
        let all = circuit.moves[role].iter().enumerate();
        let mut others = all.filter(|(_, role_move)| moves.binary_search(&role_move.does).is_err());
        let mut common = Vec::new();
        if let Some((index, role_move)) = others.next() {
            let count = 1 + others.count();
            common = self.implied_list(role_move.does.node(), role, index);
            let mut here: FxHashMap<Signal, usize> = FxHashMap::default();
            for does in moves {
                if let Node::Does(_, index) = circuit.gates.node(does.node()) {
                    for signal in self.implied_list(does.node(), role, index as usize) {
                        *here.entry(signal).or_default() += 1;
                    }
                }
            }
            let of =
                |counts: &FxHashMap<Signal, usize>, signal: &Signal| counts.get(signal).copied().unwrap_or(0);
            common.retain(|signal| of(&totals, signal) == count + of(&here, signal));
        }
        self.totals[role] = totals;
        common
    }

    fn implied_list(&mut self, node: u32, role: usize, index: usize) -> Vec<Signal> {
        let (start, end) = self.implied(node, role, index);
        self.work += u64::from(end - start);
        self.pool[start as usize..end as usize].to_vec()
    }

    /// Lanes in which a move is known to be made, and known not to be made.
    pub(super) fn does(&mut self, node: u32, role: usize, index: usize) -> [u64; 2] {
        let [yes, mut no] = self.words[node as usize];
        no |= self.decided[role] & !yes;
        let (start, end) = self.implied(node, role, index);
        for at in start..end {
            no |= self.word(self.pool[at as usize])[1];
        }
        self.work += u64::from(end - start);
        [yes, no]
    }

    /// Whether a group has a fact that is known to hold in a lane.
    pub(super) fn has_value(&self, group: usize, lane: usize) -> bool {
        self.valued[group] >> lane & 1 == 1
    }

    /// The cases of a group in a lane: each fact that may hold, and "none" if the group allows it.
    pub(super) fn values(&mut self, group: usize, lane: usize) -> Vec<Vec<Signal>> {
        let gates = &self.circuit.gates;
        let GroupCandidate { facts, kind, .. } = &self.hypotheses[group].group;
        let open = |fact: &Signal| self.word(*fact)[1] >> lane & 1 == 0;
        let mut cases: Vec<Vec<Signal>> =
            facts.iter().map(|&fact| gates.fact(fact)).filter(open).map(|fact| vec![fact]).collect();
        if *kind == GroupKind::Exclusive {
            cases.push(cases.iter().flatten().map(|&fact| !fact).collect());
        }
        note(&mut self.used, &mut self.is_used, u32::try_from(group).unwrap_or(u32::MAX));
        cases
    }

    /// The hypotheses used since the last call.
    pub(super) fn take_used(&mut self) -> Vec<u32> {
        let used = std::mem::take(&mut self.used);
        used.iter().for_each(|&at| self.is_used[at as usize] = false);
        used
    }
}

/// Notes that a hypothesis is used.
fn note(used: &mut Vec<u32>, is_used: &mut [bool], at: u32) {
    if !std::mem::replace(&mut is_used[at as usize], true) {
        used.push(at);
    }
}

//! Gates: an AND-inverter graph with hash-consing.
//!
//! An AND with inverted edges expresses everything: OR is the inverse of the AND of inverses. Nodes
//! are numbered in topological order: inputs come before the gates that read them. Equal gates are
//! one gate. They are compared in full, because comparing hashes alone could merge different gates.

use std::ops::Range;

use hashbrown::HashTable;

use crate::hash::{hash, spread, upper};

/// A node, straight or inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Signal(u32);

impl Signal {
    pub(crate) const FALSE: Signal = Signal(0);
    pub(crate) const TRUE: Signal = Signal(1);

    pub(crate) fn of(node: u32) -> Self {
        Signal(node << 1)
    }

    pub(crate) fn node(self) -> u32 {
        self.0 >> 1
    }

    pub(crate) fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn inverted_if(self, invert: bool) -> Self {
        Signal(self.0 ^ u32::from(invert))
    }

    pub(crate) fn is_constant(self) -> bool {
        self.node() == 0
    }
}

impl std::ops::Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// The kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// Never true; node 0.
    False,
    /// A fact of the state, by number.
    Fact(u32),
    /// A move of a role: the role, and the number of the move among those of the role.
    Does(u32, u32),
    /// The AND of its inputs: their start and length in the pool.
    And(u32, u32),
    /// The value of a recursive atom, computed by its loop.
    Loop(u32),
}

/// All nodes of a circuit.
#[derive(Debug)]
pub(crate) struct Gates {
    nodes: Vec<Node>,
    pool: Vec<Signal>,
    /// Hash-consing table: part of the hash, and the gate. The stored part lets the table grow
    /// without rehashing gates.
    lookup: HashTable<(u32, u32)>,
    /// By role: the number of its moves. In every step a role makes exactly one of them.
    move_counts: Vec<u32>,
    /// By role: the node of its first move; the others follow.
    first_moves: Vec<u32>,
    /// The nodes of all moves.
    moves: Range<u32>,
}

impl Gates {
    /// Creates the nodes for constants, facts and moves.
    pub(crate) fn new(facts: usize, move_counts: Vec<u32>) -> Self {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut nodes = vec![Node::False];
        nodes.extend((0..number(facts)).map(Node::Fact));
        let mut first_moves = Vec::new();
        let start = number(nodes.len());
        for (role, &count) in move_counts.iter().enumerate() {
            first_moves.push(number(nodes.len()));
            nodes.extend((0..count).map(|m| Node::Does(number(role), m)));
        }
        let moves = start..number(nodes.len());
        Self { nodes, pool: Vec::new(), lookup: HashTable::new(), move_counts, first_moves, moves }
    }

    /// The same gates for reading only: drops the hash-consing table and spare capacity.
    pub(crate) fn finished(mut self) -> Self {
        self.lookup = HashTable::new();
        self.nodes.shrink_to_fit();
        self.pool.shrink_to_fit();
        self
    }

    /// Reserves room for a copy of other gates.
    pub(crate) fn reserve_for(&mut self, other: &Gates) {
        self.nodes.reserve(other.nodes.len());
        self.pool.reserve(other.pool.len());
        self.lookup.reserve(other.lookup.len(), |&(part, _)| spread(part));
    }

    pub(crate) fn fact(&self, fact: u32) -> Signal {
        Signal::of(1 + fact)
    }

    pub(crate) fn does(&self, role: usize, index: u32) -> Signal {
        Signal::of(self.first_moves[role] + index)
    }

    pub(crate) fn move_counts(&self) -> &[u32] {
        &self.move_counts
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of inputs of all gates together.
    pub(crate) fn inputs_count(&self) -> usize {
        self.pool.len()
    }

    /// Estimate of the bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + 12) + self.pool.len() * size_of::<Signal>()
    }

    pub(crate) fn node(&self, node: u32) -> Node {
        self.nodes[node as usize]
    }

    /// The inputs of a gate; none for other nodes.
    pub(crate) fn inputs(&self, node: u32) -> &[Signal] {
        match self.nodes[node as usize] {
            Node::And(start, count) => &self.pool[start as usize..(start + count) as usize],
            _ => &[],
        }
    }

    pub(crate) fn add_loop(&mut self, number: u32) -> Signal {
        self.nodes.push(Node::Loop(number));
        Signal::of(u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX))
    }

    /// The disjunction of signals.
    pub(crate) fn or(&mut self, signals: Vec<Signal>) -> Signal {
        !self.and(signals.into_iter().map(|s| !s).collect())
    }

    /// The conjunction of signals, with constant folding and the one-move-per-role rule.
    pub(crate) fn and(&mut self, mut signals: Vec<Signal>) -> Signal {
        signals.sort_unstable();
        signals.dedup();
        if signals.first() == Some(&Signal::FALSE) || signals.windows(2).any(|w| w[0] == !w[1]) {
            return Signal::FALSE;
        }
        signals.retain(|&s| s != Signal::TRUE);
        if let Some(known) = self.one_move_each(&mut signals) {
            return known;
        }
        match signals.as_slice() {
            [] => Signal::TRUE,
            [one] => *one,
            _ => self.gate(&signals),
        }
    }

    /// Simplifies by the rule that every role makes exactly one move: two moves of a role
    /// contradict each other, one move makes the absence of others redundant, and the absence of
    /// most moves is the presence of one of the rest.
    fn one_move_each(&mut self, signals: &mut Vec<Signal>) -> Option<Signal> {
        // Moves have the smallest node numbers after the facts, so they are adjacent here.
        let is_move = |s: &Signal| self.moves.contains(&s.node());
        if !signals.iter().any(is_move) {
            return None;
        }
        for role in 0..self.move_counts.len() {
            let (first, count) = (self.first_moves[role], self.move_counts[role]);
            let of_role = |s: &Signal| (first..first + count).contains(&s.node());
            let done = signals.iter().filter(|s| of_role(s) && !s.is_inverted()).count();
            let absent = signals.iter().filter(|s| of_role(s) && s.is_inverted()).count();
            if done > 1 || (absent == count as usize && count > 0) {
                return Some(Signal::FALSE);
            }
            if done == 1 {
                signals.retain(|s| !(of_role(s) && s.is_inverted()));
            } else if absent * 2 > count as usize {
                let excluded: Vec<u32> = signals.iter().filter(|s| of_role(s)).map(|s| s.node()).collect();
                let rest = (first..first + count).filter(|n| excluded.binary_search(n).is_err());
                let rest: Vec<Signal> = rest.map(Signal::of).collect();
                signals.retain(|s| !of_role(s));
                let one_of_rest = self.or(rest);
                signals.push(one_of_rest);
                signals.sort_unstable();
                signals.dedup();
                if signals.windows(2).any(|w| w[0] == !w[1]) {
                    return Some(Signal::FALSE);
                }
            }
        }
        None
    }

    fn gate(&mut self, signals: &[Signal]) -> Signal {
        let part = upper(hash(signals.iter().map(|s| s.0)));
        let same = |&(own, node): &(u32, u32)| own == part && self.inputs(node) == signals;
        if let Some(&(_, node)) = self.lookup.find(spread(part), same) {
            return Signal::of(node);
        }
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let node = number(self.nodes.len());
        self.nodes.push(Node::And(number(self.pool.len()), number(signals.len())));
        self.pool.extend_from_slice(signals);
        self.lookup.insert_unique(spread(part), (part, node), |&(part, _)| spread(part));
        Signal::of(node)
    }
}

//! One state at a time, by changes: a gate is looked at only when something it depends on has changed.
//!
//! # How
//! A gate keeps the number of its false inputs; it is true when there is none. When a node changes, it
//! counts up or down in the gates that read it; a gate whose number becomes zero, or was, is marked.
//! Marked gates are handled in the order of their numbers, so each is handled when all its inputs are
//! settled, and at most once; marks are bits, with one bit more for each word of them, so finding the
//! next one costs next to nothing. Gates that only the next state needs wait until moves have been made:
//! what changes with the state and what changes with the moves then costs one visit and not two.
//!
//! # Cost
//! A step costs about as much as there are readers of nodes that change, instead of all inputs of all
//! gates. A fact that many gates read and that changes in every step, as whose turn it is, is what keeps
//! small games from gaining.

use super::network::Network;
use super::scalar::Scalar;

/// A role that makes no move.
const NONE: u32 = u32::MAX;

/// The values of a network for one state.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// The facts of the state.
    facts: Vec<u64>,
    /// By role: the node of the move that it makes.
    moves: Vec<u32>,
    /// By gate: how many of its inputs are false, times two, plus one if its readers know it as true.
    counts: Vec<u32>,
    /// Gates that may have changed.
    marked: Vec<u64>,
    /// Words of marks that are not zero.
    marked_words: Vec<u64>,
    /// See [`Layout`](super::network::Layout).
    results: Vec<u64>,
    /// Readers that were counted up or down, and gates that were handled.
    pub work: u64,
}

impl Values {
    /// The values of the state without facts.
    pub(crate) fn new(network: &Network) -> Self {
        let words = network.gates.div_ceil(64);
        let mut values = Self {
            facts: vec![0; network.layout.fact_words],
            moves: vec![NONE; network.first_moves.len()],
            counts: vec![0; network.gates],
            marked: vec![0; words],
            marked_words: vec![0; words.div_ceil(64)],
            results: Vec::new(),
            work: 0,
        };
        values.settle(network);
        values
    }

    /// Computes everything from the facts, without moves.
    fn settle(&mut self, network: &Network) {
        self.moves.fill(NONE);
        self.marked.fill(0);
        self.marked_words.fill(0);
        self.results.clear();
        self.results.extend_from_slice(network.constant_results());
        for fact in 0..network.facts {
            if self.facts[fact / 64] >> (fact % 64) & 1 == 1 {
                self.flip_results(network, fact);
            }
        }
        for gate in 0..network.gates {
            let is_false = |&&source: &&u32| {
                let node = (source >> 1) as usize;
                let value = match node.checked_sub(network.inputs) {
                    Some(gate) => self.counts[gate] & 1 == 1,
                    None => node < network.facts && self.facts[node / 64] >> (node % 64) & 1 == 1,
                };
                value == (source & 1 == 1)
            };
            let count = network.sources_of(gate).iter().filter(is_false).count();
            self.counts[gate] = u32::try_from(2 * count).unwrap_or(u32::MAX) + u32::from(count == 0);
            if count == 0 {
                self.flip_results(network, network.inputs + gate);
            }
        }
    }

    fn flip_results(&mut self, network: &Network, node: usize) {
        let [_, _, bits] = network.readers(node);
        for &bit in bits {
            self.results[(bit / 64) as usize] ^= 1 << (bit % 64);
        }
    }

    /// Tells the readers of a node that it has changed.
    #[inline]
    fn change(&mut self, network: &Network, node: usize, is_true: bool) {
        let [straight, inverted, bits] = network.readers(node);
        let (better, worse) = if is_true { (straight, inverted) } else { (inverted, straight) };
        for &gate in better {
            let count = &mut self.counts[gate as usize];
            *count -= 2;
            if *count < 2 {
                mark(&mut self.marked, &mut self.marked_words, gate);
            }
        }
        for &gate in worse {
            let count = &mut self.counts[gate as usize];
            if *count < 2 {
                mark(&mut self.marked, &mut self.marked_words, gate);
            }
            *count += 2;
        }
        for &bit in bits {
            self.results[(bit / 64) as usize] ^= 1 << (bit % 64);
        }
        self.work += (straight.len() + inverted.len()) as u64;
    }

    /// Handles the marked gates of some words, in order.
    fn run(&mut self, network: &Network, words: std::ops::Range<usize>) {
        for over in words.start / 64..words.end.div_ceil(64) {
            let from = words.start.saturating_sub(64 * over).min(64);
            let to = (words.end - 64 * over).min(64);
            let range = low_bits(to) & !low_bits(from);
            loop {
                let left = self.marked_words[over] & range;
                if left == 0 {
                    break;
                }
                let word = 64 * over + left.trailing_zeros() as usize;
                self.marked_words[over] &= !(left & left.wrapping_neg());
                // Handling a gate may mark others of the same word, all of them behind it.
                while self.marked[word] != 0 {
                    let bits = self.marked[word];
                    self.marked[word] = bits & (bits - 1);
                    let gate = 64 * word + bits.trailing_zeros() as usize;
                    let count = self.counts[gate];
                    let is_true = count < 2;
                    self.work += 2;
                    if is_true != (count & 1 == 1) {
                        self.counts[gate] = count ^ 1;
                        self.change(network, network.inputs + gate, is_true);
                    }
                }
                // That marked the word again.
                self.marked_words[over] &= !(left & left.wrapping_neg());
            }
        }
    }

    /// Takes over other values.
    fn copy_from(&mut self, other: &Values) {
        self.facts.copy_from_slice(&other.facts);
        self.moves.copy_from_slice(&other.moves);
        self.counts.copy_from_slice(&other.counts);
        self.marked.copy_from_slice(&other.marked);
        self.marked_words.copy_from_slice(&other.marked_words);
        self.results.copy_from_slice(&other.results);
    }
}

#[inline]
fn mark(marked: &mut [u64], marked_words: &mut [u64], gate: u32) {
    let word = (gate / 64) as usize;
    marked[word] |= 1 << (gate % 64);
    marked_words[word / 64] |= 1 << (word % 64);
}

fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Values with their network, and with those of a state to which it often returns.
pub(crate) struct Incremental<'a> {
    pub network: &'a Network,
    pub values: &'a mut Values,
    /// Where playouts start.
    start: Option<Values>,
    /// What will change.
    changes: Vec<u64>,
}

impl<'a> Incremental<'a> {
    pub(crate) fn new(network: &'a Network, values: &'a mut Values) -> Self {
        Self { network, values, start: None, changes: Vec::new() }
    }

    fn view_words(&self) -> usize {
        self.network.view_gates / 64
    }
}

impl Scalar for Incremental<'_> {
    fn load(&mut self, facts: &[u64]) {
        for (word, &wanted) in facts.iter().enumerate().take(self.values.facts.len()) {
            let mut different = self.values.facts[word] ^ wanted;
            self.values.facts[word] = wanted;
            while different != 0 {
                let bit = different & different.wrapping_neg();
                different ^= bit;
                let fact = 64 * word + bit.trailing_zeros() as usize;
                if fact < self.network.facts {
                    self.values.change(self.network, fact, wanted & bit != 0);
                }
            }
        }
    }

    fn load_often(&mut self, facts: &[u64]) {
        if let Some(start) = self.start.as_ref().filter(|start| start.facts == facts) {
            self.values.copy_from(start);
            return;
        }
        self.load(facts);
        self.look();
        self.start = Some(self.values.clone());
    }

    fn look(&mut self) {
        let words = self.view_words();
        self.values.run(self.network, 0..words);
    }

    fn is_terminal(&self) -> bool {
        self.values.results[self.network.layout.terminal] & 1 == 1
    }

    fn legal(&self, role: usize) -> &[u64] {
        let (start, end) = self.network.layout.legal[role];
        &self.values.results[start..end]
    }

    fn make(&mut self, role: usize, index: Option<u32>) {
        let node = index.map_or(NONE, |index| self.network.first_moves[role] + index);
        let old = std::mem::replace(&mut self.values.moves[role], node);
        if old == node {
            return;
        }
        if old != NONE {
            self.values.change(self.network, old as usize, false);
        }
        if node != NONE {
            self.values.change(self.network, node as usize, true);
        }
    }

    fn step(&mut self) {
        self.values.run(self.network, 0..self.network.gates.div_ceil(64));
        self.changes.clear();
        self.changes.extend_from_slice(&self.values.results[..self.network.layout.fact_words]);
        for word in 0..self.changes.len() {
            let mut different = self.changes[word];
            self.values.facts[word] ^= different;
            let now = self.values.facts[word];
            while different != 0 {
                let bit = different & different.wrapping_neg();
                different ^= bit;
                let fact = 64 * word + bit.trailing_zeros() as usize;
                self.values.change(self.network, fact, now & bit != 0);
            }
        }
    }

    fn facts(&self) -> &[u64] {
        &self.values.facts
    }
}

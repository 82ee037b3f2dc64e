//! A circuit as a network for one state at a time: who reads whom.
//!
//! Gates are numbered so that inputs come before readers, and those that `legal` and `terminal` need come
//! before all others, which start at a multiple of 64. A node (a fact, a move or a gate) has two lists of reading gates, those that read it
//! straight and those that read it inverted, and a list of results that are bits of the state's
//! [`Results`](Layout): whenever the node changes, these bits change too.

use crate::circuit::{Circuit, Cone, Schedule, Signal};

/// Where the results of a state lie: bits in one list of words.
///
/// First comes a bit for each fact that says whether it will change in this step, then for each role a bit
/// for each of its moves, in the order of their ids, starting a new word; last a word for the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Words of facts.
    pub fact_words: usize,
    /// By role: the first word of its moves, and the word behind them.
    pub legal: Vec<(usize, usize)>,
    /// The word that says whether the game is over.
    pub terminal: usize,
    pub words: usize,
}

/// Who reads a node: where its part of the list of readers starts. The part of the next node ends it.
#[derive(Clone, Copy, Debug, Default)]
struct Fan {
    /// Gates that read it straight, ...
    straight: u32,
    /// ... gates that read it inverted, ...
    inverted: u32,
    /// ... bits of results that change with it.
    results: u32,
}

/// The network.
#[derive(Debug)]
pub(crate) struct Network {
    pub layout: Layout,
    pub facts: usize,
    /// By role: the node of its first move.
    pub first_moves: Vec<u32>,
    /// Facts and moves together; gates are the nodes behind them.
    pub inputs: usize,
    pub gates: usize,
    /// Gates below this number are for `legal` and `terminal`.
    pub view_gates: usize,
    /// By node; a last entry ends them.
    fans: Vec<Fan>,
    readers: Vec<u32>,
    /// By gate: where its inputs start; a last entry ends them.
    starts: Vec<u32>,
    /// Node times two, plus one if inverted.
    sources: Vec<u32>,
    /// Results as they are when all facts and all nodes are false.
    constant_results: Vec<u64>,
}

impl Network {
    /// The network of a circuit; none if it has loops, which have no order to go by.
    ///
    /// `ranks` gives by role and index of a move its place in the order of ids (see
    /// [`Machine::ranks`](super::machine::Machine::ranks)).
    pub(crate) fn new(circuit: &Circuit, ranks: &[Vec<u32>]) -> Option<Self> {
        if !circuit.loops.is_empty() {
            return None;
        }
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let schedule = Schedule::new(circuit);
        let (view, next) = (schedule.nodes(Cone::View), schedule.nodes(Cone::Next));
        let facts = circuit.facts.len();
        let moves: usize = circuit.moves.iter().map(Vec::len).sum();
        let inputs = facts + moves;
        // Facts and moves are the first nodes of a circuit, behind the constant.
        let mut node_of = vec![u32::MAX; circuit.gates.len()];
        for input in 0..inputs {
            node_of[1 + input] = number(input);
        }
        let view_gates = view.len().next_multiple_of(64);
        let numbered = view.iter().zip(0..).chain(next.iter().zip(view_gates..));
        for (&node, gate) in numbered.clone() {
            node_of[node as usize] = number(inputs + gate);
        }
        let gates = view_gates + next.len();
        let (mut starts, mut sources) = (Vec::with_capacity(gates + 1), Vec::new());
        for (&node, gate) in numbered {
            // Numbers that no gate has get an empty list.
            starts.resize(gate + 1, number(sources.len()));
            let inputs = circuit.gates.inputs(node).iter();
            sources.extend(inputs.map(|s| node_of[s.node() as usize] << 1 | u32::from(s.is_inverted())));
        }
        starts.resize(gates + 1, number(sources.len()));
        let layout = Layout::new(circuit);
        let (results, constant_results) = results(circuit, &layout, &node_of, ranks);
        let mut network = Self {
            first_moves: first_moves(circuit),
            facts,
            inputs,
            gates,
            view_gates,
            fans: Vec::with_capacity(inputs + gates + 1),
            readers: Vec::new(),
            starts,
            sources,
            constant_results,
            layout,
        };
        network.connect(results);
        Some(network)
    }

    /// Fills the lists of readers and results.
    fn connect(&mut self, results: Vec<(u32, u32)>) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let nodes = self.inputs + self.gates;
        // By node and inversion: the readers.
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); 2 * nodes];
        for gate in 0..self.gates {
            for &source in self.sources_of(gate) {
                readers[source as usize].push(number(gate));
            }
        }
        let mut bits: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        for (node, bit) in results {
            bits[node as usize].push(bit);
        }
        for (readers, bits) in readers.chunks(2).zip(&bits) {
            let straight = number(self.readers.len());
            self.readers.extend(&readers[0]);
            let inverted = number(self.readers.len());
            self.readers.extend(&readers[1]);
            self.fans.push(Fan { straight, inverted, results: number(self.readers.len()) });
            self.readers.extend(bits);
        }
        let end = number(self.readers.len());
        self.fans.push(Fan { straight: end, inverted: end, results: end });
    }

    /// Who reads a node: gates that read it straight, gates that read it inverted, bits of results.
    #[inline]
    pub(crate) fn readers(&self, node: usize) -> [&[u32]; 3] {
        let (fan, end) = (self.fans[node], self.fans[node + 1].straight);
        let part = |from: u32, to: u32| &self.readers[from as usize..to as usize];
        [part(fan.straight, fan.inverted), part(fan.inverted, fan.results), part(fan.results, end)]
    }

    /// The inputs of a gate: nodes times two, plus one if inverted.
    pub(crate) fn sources_of(&self, gate: usize) -> &[u32] {
        &self.sources[self.starts[gate] as usize..self.starts[gate + 1] as usize]
    }

    /// Inputs of all gates.
    pub(crate) fn edges(&self) -> usize {
        self.sources.len()
    }

    /// Results as they are when all nodes are false and no fact holds.
    pub(crate) fn constant_results(&self) -> &[u64] {
        &self.constant_results
    }
}

fn first_moves(circuit: &Circuit) -> Vec<u32> {
    let mut first = circuit.facts.len();
    let mut all = Vec::new();
    for moves in &circuit.moves {
        all.push(u32::try_from(first).unwrap_or(u32::MAX));
        first += moves.len();
    }
    all
}

impl Layout {
    pub(crate) fn new(circuit: &Circuit) -> Self {
        let fact_words = circuit.facts.len().div_ceil(64);
        let mut words = fact_words;
        let mut legal = Vec::new();
        for moves in &circuit.moves {
            let end = words + moves.len().div_ceil(64);
            legal.push((words, end));
            words = end;
        }
        Self { fact_words, legal, terminal: words, words: words + 1 }
    }
}

/// Which node changes which bit, and the bits as they are when all nodes are false.
fn results(
    circuit: &Circuit,
    layout: &Layout,
    node_of: &[u32],
    ranks: &[Vec<u32>],
) -> (Vec<(u32, u32)>, Vec<u64>) {
    let mut bits = Vec::new();
    let mut constant = vec![0u64; layout.words];
    let mut add = |signal: Signal, bit: usize| {
        if !signal.is_constant() {
            bits.push((node_of[signal.node() as usize], u32::try_from(bit).unwrap_or(u32::MAX)));
        }
        if signal.is_inverted() {
            constant[bit / 64] ^= 1 << (bit % 64);
        }
    };
    for (fact, of) in circuit.facts.iter().enumerate() {
        // The bit says whether the fact will change: it depends on the next value and on its own.
        add(of.next, fact);
        add(Signal::of(u32::try_from(1 + fact).unwrap_or(u32::MAX)), fact);
    }
    for (role, moves) in circuit.moves.iter().enumerate() {
        for (index, of) in moves.iter().enumerate() {
            add(of.legal, 64 * layout.legal[role].0 + ranks[role][index] as usize);
        }
    }
    add(circuit.terminal, 64 * layout.terminal);
    (bits, constant)
}

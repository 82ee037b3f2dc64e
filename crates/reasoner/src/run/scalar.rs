//! One state at a time: the interface of scalar evaluators, and the evaluator that computes all gates
//! for every state.

use super::lanes::Lanes;
use super::machine::Machine;
use super::network::Layout;
use super::vector::{Plain, Vector};

/// Computes one state. Results are those of the state that was loaded, once it has been looked at.
pub(crate) trait Scalar {
    /// Takes a state.
    fn load(&mut self, facts: &[u64]);

    /// Takes a state that will be taken again and again.
    fn load_often(&mut self, facts: &[u64]) {
        self.load(facts);
    }

    /// Computes legal moves and the end.
    fn look(&mut self);

    /// Whether the game is over.
    fn is_terminal(&self) -> bool;

    /// The legal moves of a role: a bit for each, in the order of ids.
    fn legal(&self, role: usize) -> &[u64];

    /// Makes a move: its index among those of the role; none if the role does nothing that is known.
    fn make(&mut self, role: usize, index: Option<u32>);

    /// Goes on to the next state, once moves have been made.
    fn step(&mut self);

    /// The facts of the state.
    fn facts(&self) -> &[u64];
}

/// Computes everything anew for every state, gate by gate.
pub(crate) struct Full<'a> {
    machine: &'a Machine,
    layout: &'a Layout,
    lanes: &'a mut Lanes<1>,
    facts: Vec<u64>,
    results: Vec<u64>,
    is_viewed: bool,
}

impl<'a> Full<'a> {
    pub(crate) fn new(machine: &'a Machine, layout: &'a Layout, lanes: &'a mut Lanes<1>) -> Self {
        let facts = vec![0; layout.fact_words];
        Self { machine, layout, lanes, facts, results: vec![0; layout.words], is_viewed: false }
    }

    fn view(&mut self) {
        if !self.is_viewed {
            for (fact, row) in self.lanes.rows[..self.machine.fact_count()].iter_mut().enumerate() {
                *row = [(self.facts[fact / 64] >> (fact % 64) & 1).wrapping_neg()];
            }
            Plain::<1>::interpret(&self.machine.program.view, self.lanes);
            self.is_viewed = true;
        }
    }
}

impl Scalar for Full<'_> {
    fn load(&mut self, facts: &[u64]) {
        let count = self.facts.len().min(facts.len());
        self.facts[..count].copy_from_slice(&facts[..count]);
        self.facts[count..].fill(0);
        self.is_viewed = false;
    }

    fn look(&mut self) {
        self.view();
        let program = &self.machine.program;
        self.results[self.layout.terminal] = self.lanes.get(program.terminal)[0] & 1;
        for (role, moves) in program.legal.iter().enumerate() {
            let (start, end) = self.layout.legal[role];
            self.results[start..end].fill(0);
            for (&output, &rank) in moves.iter().zip(self.machine.ranks(role)) {
                let bit = self.lanes.get(output)[0] & 1;
                self.results[start + (rank / 64) as usize] |= bit << (rank % 64);
            }
        }
    }

    fn is_terminal(&self) -> bool {
        self.results[self.layout.terminal] & 1 == 1
    }

    fn legal(&self, role: usize) -> &[u64] {
        let (start, end) = self.layout.legal[role];
        &self.results[start..end]
    }

    fn make(&mut self, role: usize, index: Option<u32>) {
        let (first, count) = self.machine.program.moves[role];
        self.lanes.rows[first as usize..(first + count) as usize].fill([0]);
        if let Some(index) = index {
            self.lanes.rows[(first + index) as usize] = [u64::MAX];
        }
    }

    fn step(&mut self) {
        self.view();
        Plain::<1>::interpret(&self.machine.program.next, self.lanes);
        self.facts.fill(0);
        for (fact, &output) in self.machine.program.next_facts.iter().enumerate() {
            self.facts[fact / 64] |= (self.lanes.get(output)[0] & 1) << (fact % 64);
        }
        self.is_viewed = false;
    }

    fn facts(&self) -> &[u64] {
        &self.facts
    }
}

/// The places of all ones.
pub(crate) fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors(Some(word), |&left| Some(left & left.wrapping_sub(1)))
            .take_while(|&left| left != 0)
            .map(move |left| 64 * at + left.trailing_zeros() as usize)
    })
}

/// The place of a one, by its number among the ones.
pub(crate) fn nth_one(words: &[u64], mut number: usize) -> usize {
    for (at, &word) in words.iter().enumerate() {
        let count = word.count_ones() as usize;
        if number >= count {
            number -= count;
            continue;
        }
        // The half in which it lies, then the quarter, and so on.
        let (mut place, mut word) = (0, word);
        for half in [32, 16, 8, 4, 2, 1] {
            let below = (word & ((1 << half) - 1)).count_ones() as usize;
            if number >= below {
                number -= below;
                place += half;
                word >>= half;
            }
        }
        return 64 * at + place;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_found_by_number() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..200 {
            let words: Vec<u64> = (0..3).map(|_| random.u64(..) & random.u64(..) & random.u64(..)).collect();
            let expected: Vec<usize> = (0..192).filter(|&at| words[at / 64] >> (at % 64) & 1 == 1).collect();
            assert_eq!(ones(&words).collect::<Vec<_>>(), expected);
            for (number, &place) in expected.iter().enumerate() {
                assert_eq!(nth_one(&words, number), place);
            }
        }
        assert_eq!(nth_one(&[u64::MAX], 63), 63);
    }
}

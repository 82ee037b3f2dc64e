//! States in few bits, exactly: what never changes is left out, and of facts that exclude each other
//! the number of the one that holds is kept.
//!
//! A packed state is a row of words: first the key, which has all that matters for the future, then the
//! rest, which has what else a state needs to be complete (step counters, facts that nothing reads).
//! States with equal keys have equal futures.

use super::problem::FactKnowledge;

/// Where a fact is kept.
#[derive(Clone, Copy, Debug)]
struct Place {
    word: u32,
    shift: u32,
    /// Its number in its field; 0: the fact is not kept.
    value: u64,
}

/// A field: some facts of which at most one holds.
#[derive(Clone, Debug)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
    facts: Vec<u32>,
}

/// How states of a game are packed.
#[derive(Clone, Debug)]
pub(crate) struct Packing {
    places: Vec<Place>,
    fields: Vec<Field>,
    /// Bits of facts that are kept, by word of the state.
    kept: Vec<u64>,
    /// Facts that never change, as they are in all states.
    base: Vec<u64>,
    key_words: usize,
    words: usize,
}

impl Packing {
    /// A packing for the states that are reachable from one. With `whole`, the key leaves nothing out
    /// but what never changes or never matters; otherwise the step counter is not in it either.
    pub(crate) fn new(facts: &FactKnowledge, start: &[u64], whole: bool) -> Self {
        let count = facts.constant.len();
        let mut in_key = facts.relevant.clone();
        if let Some(counter) = facts.counter.as_ref().filter(|_| !whole) {
            counter.facts.iter().for_each(|fact| in_key[fact.index()] = false);
        }
        let mut packing = Self {
            places: vec![Place { word: 0, shift: 0, value: 0 }; count],
            fields: Vec::new(),
            kept: vec![0; start.len()],
            base: start.to_vec(),
            key_words: 0,
            words: 0,
        };
        let mut used = vec![false; count];
        for fact in (0..count).filter(|&fact| !facts.constant[fact]) {
            packing.kept[fact / 64] |= 1 << (fact % 64);
        }
        packing.base.iter_mut().zip(&packing.kept).for_each(|(base, kept)| *base &= !kept);
        for part in [true, false] {
            let wanted =
                |fact: usize, used: &[bool]| !used[fact] && !facts.constant[fact] && in_key[fact] == part;
            // The biggest groups first: each saves most bits for its facts.
            let mut groups: Vec<&Vec<usize>> = facts.groups.iter().collect();
            groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
            let mut sets: Vec<Vec<u32>> = Vec::new();
            for group in groups {
                let free: Vec<usize> = group.iter().copied().filter(|&fact| wanted(fact, &used)).collect();
                if free.len() >= 2 {
                    free.iter().for_each(|&fact| used[fact] = true);
                    sets.push(free.into_iter().map(as_u32).collect());
                }
            }
            for fact in 0..count {
                if wanted(fact, &used) {
                    used[fact] = true;
                    sets.push(vec![as_u32(fact)]);
                }
            }
            packing.place(sets);
            if part {
                packing.key_words = packing.words;
            }
        }
        packing
    }

    /// Puts fields into words, from a new word on: the wide ones first, each where it fits.
    fn place(&mut self, mut sets: Vec<Vec<u32>>) {
        let width = |set: &Vec<u32>| usize::BITS - set.len().leading_zeros();
        sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
        let first = self.words;
        let mut room: Vec<u32> = Vec::new();
        for set in sets {
            let bits = width(&set);
            // Only the last words can have room for a field that did not fit before.
            let from = room.len().saturating_sub(8);
            let at = (from..room.len()).find(|&at| room[at] >= bits).unwrap_or_else(|| {
                room.push(64);
                room.len() - 1
            });
            let (word, shift) = (first + at, 64 - room[at]);
            room[at] -= bits;
            for (number, &fact) in (1..).zip(&set) {
                self.places[fact as usize] = Place { word: as_u32(word), shift, value: number };
            }
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            self.fields.push(Field { word, shift, mask, facts: set });
        }
        self.words = first + room.len();
    }

    /// Words of a packed state.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Words of its key, which come first.
    pub(crate) fn key_words(&self) -> usize {
        self.key_words
    }

    /// Packs a state; `row` has the words of a packed one.
    pub(crate) fn pack(&self, state: &[u64], row: &mut [u64]) {
        row.fill(0);
        for (at, (&word, &kept)) in state.iter().zip(&self.kept).enumerate() {
            let mut rest = word & kept;
            while rest != 0 {
                let place = self.places[at * 64 + rest.trailing_zeros() as usize];
                row[place.word as usize] |= place.value << place.shift;
                rest &= rest - 1;
            }
        }
    }

    /// Restores a state; `state` has the words of one.
    pub(crate) fn unpack(&self, row: &[u64], state: &mut [u64]) {
        state.copy_from_slice(&self.base);
        for field in &self.fields {
            let number = row[field.word] >> field.shift & field.mask;
            if number != 0 {
                #[allow(clippy::cast_possible_truncation, reason = "numbers of facts have 32 bits")]
                let fact = field.facts[number as usize - 1] as usize;
                state[fact / 64] |= 1 << (fact % 64);
            }
        }
    }
}

fn as_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::Problem;

    #[test]
    fn packed_states_are_exact() {
        for name in ["eight_puzzle", "hanoi", "knights_tour", "peg", "blocks_world", "sudoku_easy"] {
            let problem = Problem::new(ludex_testkit::game(name, "batch")).unwrap();
            let facts = problem.facts.as_ref().unwrap();
            let packing = Packing::new(facts, problem.start.words(), false);
            let game = &problem.game;
            let mut random = fastrand::Rng::with_seed(7);
            let (mut bits, mut packed) = (0, 0);
            for _ in 0..20 {
                let mut state = problem.start.clone();
                for _ in 0..40 {
                    let mut row = vec![0; packing.words()];
                    packing.pack(state.words(), &mut row);
                    let mut back = vec![0; state.words().len()];
                    packing.unpack(&row, &mut back);
                    assert_eq!(back, state.words(), "{name}");
                    (bits, packed) = (facts.constant.len(), row.len() * 64);
                    let view = game.view(&state).unwrap();
                    if view.terminal || view.legal[0].is_empty() {
                        break;
                    }
                    let id = view.legal[0][random.usize(..view.legal[0].len())];
                    state = game.next(&state, &[id]).unwrap();
                }
            }
            assert!(packed < bits + 128, "{name}: {packed} bits for {bits} facts");
        }
    }
}

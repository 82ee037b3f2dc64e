//! The facts of a state from its words, without asking the game where the words are bits.

use ludex_game::{FactId, Game, State};

use crate::random_play::Position;

/// Reads states of one game.
#[derive(Clone, Debug, Default)]
pub struct StateReader {
    /// By bit: the fact. Empty if the words are no bits.
    facts: Vec<u32>,
}

/// A bit without a fact.
const NONE: u32 = u32::MAX;

impl StateReader {
    /// Finds out what the bits of a game mean: each fact alone sets one bit of its own. Checked with
    /// these positions; if one is read wrongly, the game is asked from then on.
    pub fn new(game: &dyn Game, checked: &[&Position]) -> Self {
        let facts = bits(game).unwrap_or_default();
        let reader = Self { facts };
        let mut read = Vec::new();
        let right = checked.iter().all(|position| {
            reader.read(game, position.state.words(), &mut read);
            read.sort_unstable();
            let mut facts: Vec<u32> = position.facts.iter().map(|fact| fact.0).collect();
            facts.sort_unstable();
            facts == read
        });
        if right { reader } else { Self { facts: Vec::new() } }
    }

    /// Whether states are read bit by bit.
    pub fn reads_bits(&self) -> bool {
        !self.facts.is_empty()
    }

    /// Writes the facts of a state, in any order.
    pub fn read(&self, game: &dyn Game, words: &[u64], into: &mut Vec<u32>) {
        into.clear();
        if self.facts.is_empty() {
            into.extend(game.facts(&State::from_words(words)).iter().map(|fact| fact.0));
            return;
        }
        for (number, &word) in words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let bit = number * 64 + rest.trailing_zeros() as usize;
                into.extend(self.facts.get(bit).copied().filter(|&fact| fact != NONE));
                rest &= rest - 1;
            }
        }
    }
}

fn bits(game: &dyn Game) -> Option<Vec<u32>> {
    let count = game.model()?.ground()?.facts.len();
    let empty = game.state_with(&[]);
    if empty.words().iter().any(|&word| word != 0) {
        return None;
    }
    let mut facts = vec![NONE; empty.words().len() * 64];
    for fact in (0..count).map(FactId::new) {
        let state = game.state_with(&[fact]);
        let mut set = (0..facts.len()).filter(|bit| state.words()[bit / 64] >> (bit % 64) & 1 == 1);
        if let Some(bit) = set.next() {
            if set.next().is_some() || facts[bit] != NONE {
                return None;
            }
            facts[bit] = fact.0;
        }
    }
    Some(facts)
}

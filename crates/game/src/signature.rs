//! One number for what a game does: it changes when an answer changes, and with nothing else.
//!
//! # What goes in
//! The roles; perft, as deep as a number of states allows; and seeded random games, state by state: facts,
//! end, goals, legal moves, the moves that were made. Everything goes in by name and in the order of names,
//! so the number does not depend on how an engine numbers things, on the width of lanes, on machine code or
//! on the processor. Playouts in lanes do not go in: which of them are played depends on the width.
//!
//! # The number
//! FNV-1a with 64 bits (Fowler, Noll, Vo) over the text, which is the same everywhere and easy to compute
//! again elsewhere.

use std::sync::Arc;

use crate::game::{Failure, Game};
use crate::perft::{Layer, perft};
use crate::trace::{Recording, record};

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureEffort {
    /// Perft goes as deep as layers have at most this many states.
    pub perft_states: u64,
    /// But not deeper than this.
    pub perft_depth: usize,
    /// The random games.
    pub recording: Recording,
}

impl Default for SignatureEffort {
    fn default() -> Self {
        Self {
            perft_states: 300,
            perft_depth: 6,
            recording: Recording { seed: 2026, playouts: 3, max_steps: 60 },
        }
    }
}

/// The number of a game. Every engine must give the same for the same rules.
pub fn signature(game: &Arc<dyn Game>, effort: &SignatureEffort) -> Result<u64, Failure> {
    let mut hash = Fnv::default();
    for role in game.roles() {
        hash.add("role");
        hash.add(role);
    }
    for layer in layers(game, effort)? {
        for number in [layer.paths, layer.states, layer.terminal, layer.stuck] {
            hash.add(&number.to_string());
        }
    }
    let trace = record(&**game, effort.recording)?;
    let mut text = Vec::new();
    for line in &trace.lines {
        hash.add("state");
        let mut facts = line.state.clone();
        facts.sort();
        facts.iter().for_each(|fact| hash.add(fact));
        hash.add(if line.terminal { "over" } else { "goes on" });
        for (role, goal) in &line.goals {
            hash.add(role);
            hash.add(&goal.map_or_else(|| "none".to_owned(), |value| value.to_string()));
        }
        for (role, values) in &line.goal_values {
            text.clear();
            text.extend(values.iter().cloned());
            text.sort();
            hash.add(role);
            text.iter().for_each(|value| hash.add(value));
        }
        for (role, moves) in line.legal.iter().flatten() {
            text.clear();
            text.extend(moves.iter().cloned());
            text.sort();
            hash.add(role);
            text.iter().for_each(|name| hash.add(name));
        }
        line.moves.iter().flatten().for_each(|name| hash.add(name));
    }
    Ok(hash.0)
}

/// Several numbers as one; their order matters.
pub fn joined(numbers: impl IntoIterator<Item = u64>) -> u64 {
    let mut hash = Fnv::default();
    numbers.into_iter().for_each(|number| hash.add(&number.to_string()));
    hash.0
}

fn layers(game: &Arc<dyn Game>, effort: &SignatureEffort) -> Result<Vec<Layer>, Failure> {
    let mut layers = perft(game, 0)?;
    for depth in 1..=effort.perft_depth {
        if layers.last().is_none_or(|layer| layer.states == 0 || layer.states > effort.perft_states) {
            break;
        }
        layers = perft(game, depth)?;
    }
    Ok(layers)
}

/// FNV-1a with 64 bits, over texts.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds a text, with an end that no text has.
    pub(crate) fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The hash so far.
    pub(crate) fn value(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of the authors, without the end that is added to texts here.
    #[test]
    fn the_hash_is_fnv_1a() {
        let mut hash = Fnv::default();
        for byte in "foobar".bytes() {
            hash.0 = (hash.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
        let (mut one, mut other) = (Fnv::default(), Fnv::default());
        ["ab", "c"].iter().for_each(|text| one.add(text));
        ["a", "bc"].iter().for_each(|text| other.add(text));
        assert_ne!(one.0, other.0);
        assert_ne!(joined([1, 2]), joined([2, 1]));
    }
}

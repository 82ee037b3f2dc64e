//! States: opaque words that only their game can read, cheap to keep, compare and hash.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// A state of a game: exactly the facts that hold.
///
/// Equal states of one game have equal words, and the other way round. What the words mean is the
/// game's own business: a bit for each fact, or a sorted list of fact numbers. There is no undo:
/// whoever wants to go back keeps the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(Box<[u64]>);

impl State {
    /// A state made of these words.
    pub fn from_words(words: impl Into<Box<[u64]>>) -> Self {
        Self(words.into())
    }

    /// The words.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// A hash that is the same in every run.
    pub fn hash_value(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.0.hash(&mut hasher);
        hasher.finish()
    }
}

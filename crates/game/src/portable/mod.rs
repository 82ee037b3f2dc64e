//! States and moves in a form that outlives an engine: for engine changes in a match, stores,
//! workers on other machines and web pages.
//!
//! Ids and the words of a [`State`] belong to the engine that gave them out. Two forms do not:
//!
//! | form | state | moves | needs |
//! |---|---|---|---|
//! | by name | [`NamedState`]: sorted names of facts | [`NamedMoves`]: names | nothing |
//! | as bits | [`BitState`]: a bit for each fact of the model | [`NumberedMoves`] | a ground model |
//!
//! Bits and numbers follow the order of names ([`GroundModel::facts_by_name`]), so they mean the
//! same in every engine whose ground model has the same hash. [`PortableState`] is either form;
//! [`PortableState::of`] takes the smaller one that the game has. [`IdMap`] goes from one engine to
//! another by name and remembers the ids, for many states.
//!
//! Reading checks everything: another game, a fact that the engine does not know, a wrong length.
//! Each is a [`PortableError`].
//!
//! # As JSON
//! ```json
//! {"rules":"7be1f3a2094c11d0","facts":["(cell 1 1 b)","(control xplayer)"]}
//! {"model":"02f1a9c85be3d471","bits":"4901000210"}
//! {"moves":["(mark 1 1)","noop"]}
//! {"model":"02f1a9c85be3d471","numbers":[0,9]}
//! ```
//! Hashes are 16 hexadecimal digits: numbers of 64 bits do not survive JavaScript. Bits are
//! hexadecimal, byte after byte; fact `n` in the order of names is bit `n % 8` of byte `n / 8`.
//!
//! [`GroundModel::facts_by_name`]: crate::GroundModel::facts_by_name

mod bits;
mod hex;
mod id_map;
mod names;

pub use bits::{BitState, NumberedMoves};
pub use hex::{Bits, Fingerprint};
pub use id_map::IdMap;
pub use names::{NamedMoves, NamedState};

use serde::{Deserialize, Serialize};

use crate::game::Game;
use crate::state::State;

/// Why a portable state or move cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortableError {
    /// It belongs to other rules.
    #[error("it belongs to the rules {found}; this game has the rules {expected}")]
    OtherRules {
        /// Hash of the rules of this game.
        expected: Fingerprint,
        /// Hash that was read.
        found: Fingerprint,
    },
    /// It belongs to another ground model.
    #[error("it belongs to the model {found}; this game has the model {expected}")]
    OtherModel {
        /// Hash of the model of this game.
        expected: Fingerprint,
        /// Hash that was read.
        found: Fingerprint,
    },
    /// The engine has no ground model: it can use names only.
    #[error("the engine {0} has no ground model, which bits and numbers need")]
    NoGroundModel(&'static str),
    /// The game does not have this fact.
    #[error("this game does not have the fact {0}")]
    UnknownFact(String),
    /// The game does not have this move.
    #[error("this game does not have the move {0}")]
    UnknownMove(String),
    /// Too many or too few bits.
    #[error("{found} bytes for {facts} facts")]
    Length {
        /// Facts of the model.
        facts: usize,
        /// Bytes that were read.
        found: usize,
    },
}

/// A state in either form. In JSON its fields tell which.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PortableState {
    /// As bits.
    Bits(BitState),
    /// By name.
    Names(NamedState),
}

impl PortableState {
    /// Bits if the game has a ground model, or else names.
    pub fn of(game: &dyn Game, state: &State) -> Self {
        match BitState::of(game, state) {
            Ok(bits) => PortableState::Bits(bits),
            Err(_) => PortableState::Names(NamedState::of(game, state)),
        }
    }

    /// The state in this game.
    pub fn read(&self, game: &dyn Game) -> Result<State, PortableError> {
        match self {
            PortableState::Bits(bits) => bits.read(game),
            PortableState::Names(names) => names.read(game),
        }
    }
}

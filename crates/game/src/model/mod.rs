//! A read-only view of a game's structure: rules, atoms, gates, invariants.
//!
//! Planners (SAT), evaluation functions, provers, explanations and GPU back ends read a [`Model`]
//! instead of asking an engine state by state. An engine offers what it has:
//!
//! | engine | [`Model::rules`] | [`Model::statics`] | [`Model::ground`] |
//! |---|---|---|---|
//! | `reference`, `rules` | yes | yes, if small enough | no |
//! | `circuit`, `batch` | yes | yes, if small enough | yes |
//!
//! `auto` hands on the model of the engine that it runs. Callers do with less where there is no
//! ground model, and say so. All parts are built when they are first asked for, then kept.
//!
//! # What may be assumed of the gates
//! The gates of a [`GroundModel`] are the circuit that the engine runs, after its simplifications,
//! because rebuilding the plain circuit would take as long as set-up. So they equal the rules only
//! under these conditions, which all hold in play:
//!
//! - each role makes exactly one move, and that move is legal (`next` does not check it);
//! - facts that never change have the value that they have in the initial state. Their `next` is a
//!   constant.
//!
//! Every reachable state meets the second condition. In any state that does, `legal`, `terminal`,
//! `goal` and `next` equal the rules, whether the state is reachable or not: where `batch` derives
//! the next value of a fact from a mutex group, the model has the value that the rules give.
//! [`GroundParts::mutexes`], `stays_on` and `stays_off` hold in reachable states only. `legal` is
//! meaningless in terminal states, where games list no moves.
//!
//! # Ids
//! Facts and moves have the ids of the game ([`crate::FactId`], [`crate::MoveId`]), here without
//! gaps. Ids differ between engines; names and hashes do not.

mod evaluate;
mod gates;
mod ground;
mod lifted;
mod statics;
mod term;

pub use evaluate::Values;
pub use gates::{Gates, Literal, Loop, Node};
pub use ground::{Fact, GoalSignal, GroundModel, GroundParts, Input, ModelError, MutexGroup};
pub use lifted::{Atom, Condition, LiftedRules, Pattern, Place, Relation, RelationId, Rule};
pub use statics::{StaticRelation, Statics};
pub use term::{SymbolId, Symbols, TermRef, Terms};

/// What a game knows about its own structure.
pub trait Model: Send + Sync {
    /// The rules with variables, as written.
    fn rules(&self) -> &LiftedRules;

    /// The relations that never change, with all their tuples; none if they are too many.
    fn statics(&self) -> Option<&Statics>;

    /// Atoms and gates, if the engine has grounded the rules.
    fn ground(&self) -> Option<&GroundModel>;

    /// The hash of the ground model, or of the rules where there is none; the same on every machine
    /// and in every run.
    fn hash(&self) -> u64 {
        self.ground().map_or_else(|| self.rules().hash(), GroundModel::hash)
    }
}

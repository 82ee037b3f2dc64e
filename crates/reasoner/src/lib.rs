//! From rules to running games.
//!
//! | engine | how | for |
//! |---|---|---|
//! | [`Reference`] | carries the rules out as written | believing |
//! | [`RulesGame`] | compiled plans over the facts of a state | sheets that do not ground |
//! | [`CircuitGame`] | the rules without variables, as gates | one state at a time |
//! | [`BatchGame`] | the same gates for hundreds of states at once | speed |
//!
//! [`build`] makes any of them by name; [`Upgrading`] starts with what is ready first and moves up.

mod choice;
mod circuit;
mod engines;
mod ground;
mod hash;
mod jit;
mod limits;
mod model;
mod progress;
mod reference;
mod rules_engine;
mod run;
mod stats;
mod term;
mod upgrading;

pub use choice::{Built, Choice};
pub use circuit::{CircuitReport, CircuitSize, ConeReport, FactGroup, PassReport};
pub use engines::{BuildError, BuildOptions, ENGINES, Engine, build, build_with};
pub use ground::{Ground, GroundRule, GroundSize};
pub use limits::{Limits, StopReason};
pub use progress::{Counts, Phase, Progress};
pub use reference::{Limits as ReferenceLimits, Reference};
pub use rules_engine::{RulesGame, RulesOptions};
pub use run::{BatchGame, BatchOptions, CircuitGame, Evaluation, Instructions, MachineCode, Width};
pub use stats::Stats;
pub use term::{TermId, Terms};
pub use upgrading::{Upgrade, Upgrading};

//! From GDL rules to running games.
//!
//! | engine | how | for |
//! |---|---|---|
//! | [`Reference`] | interprets the rules as written | the authority the others are tested against |
//! | [`RulesGame`] | compiled plans over the facts of a state | sheets that do not ground |
//! | [`CircuitGame`] | ground rules as gates (a propnet) | one state at a time |
//! | [`BatchGame`] | the same gates, bit-sliced over hundreds of states | speed |
//!
//! [`build`] makes any of them by name. [`Upgrading`] starts with the first engine that is ready
//! and moves to a better one later.
//!
//! ```
//! use ludex_gdl::{Source, load};
//! use ludex_reasoner::build;
//!
//! let text = "(role you) (init (light off)) (legal you press) (legal you wait)
//!     (<= (next (light on)) (does you press)) (<= (next (light ?x)) (does you wait) (true (light ?x)))
//!     (<= terminal (true (light on))) (<= (goal you 100) (true (light on)))
//!     (<= (goal you 0) (not (true (light on))))";
//! let rules = load(&Source::new("light", text)).playable().expect("no errors");
//! let game = build(rules, "batch")?;
//! let press = game.find_move("press").expect("a move");
//! let state = game.next(&game.initial(), &[press]).expect("a state");
//! assert_eq!(game.describe(&state), ["(light on)"]);
//! # Ok::<(), ludex_reasoner::BuildError>(())
//! ```

mod circuit;
mod engine_choice;
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

pub use circuit::{CircuitReport, CircuitSize, ConeReport, FactGroup, PassReport};
pub use engine_choice::{Built, EngineChoice};
pub use engines::{BuildError, BuildOptions, ENGINES, Engine, build, build_with};
pub use ground::{Ground, GroundRule, GroundSize};
pub use limits::{Limits, StopReason};
pub use progress::{Counts, Phase, Progress};
pub use reference::{Reference, ReferenceLimits};
pub use rules_engine::{RulesGame, RulesOptions};
pub use run::{BatchGame, BatchOptions, CircuitGame, Evaluation, Instructions, MachineCode, Width};
pub use stats::Stats;
pub use term::{TermId, Terms};
pub use upgrading::{Upgrade, Upgrading};

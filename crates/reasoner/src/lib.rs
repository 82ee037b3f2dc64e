//! From rules to running games.
mod rules_engine;
mod term;
pub use rules_engine::{RulesGame, RulesOptions};
pub use term::{TermId, Terms};

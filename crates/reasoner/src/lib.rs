//! From rules to running games.
mod term;
pub use term::{TermId, Terms};

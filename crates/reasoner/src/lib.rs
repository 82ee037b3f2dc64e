//! From rules to running games.
mod reference;
mod term;
pub use reference::{Limits, Reference};
pub use term::{TermId, Terms};

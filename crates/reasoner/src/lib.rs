//! From rules to running games.
mod engines;
mod reference;
mod term;
pub use engines::{BuildError, ENGINES, Engine, build};
pub use reference::{Limits as ReferenceLimits, Reference};
pub use term::{TermId, Terms};

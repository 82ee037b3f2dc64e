//! From rules to running games.
mod ground;
mod limits;
mod term;

pub use ground::{Ground, GroundSize};
pub use limits::{Limits, StopReason};
pub use term::{TermId, Terms};

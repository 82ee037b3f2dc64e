//! From rules to running games.
mod circuit;
mod engines;
mod ground;
mod limits;
mod reference;
mod run;
mod term;

pub use circuit::CircuitSize;
pub use engines::{BuildError, ENGINES, Engine, build};
pub use ground::{Ground, GroundSize};
pub use limits::{Limits, StopReason};
pub use reference::{Limits as ReferenceLimits, Reference};
pub use run::{BatchGame, CircuitGame, Width};
pub use term::{TermId, Terms};

/// Size of the circuit of a sheet, for reports.
pub fn circuit_size(ground: Ground) -> Result<CircuitSize, StopReason> {
    Ok(circuit::Circuit::new(ground)?.size())
}

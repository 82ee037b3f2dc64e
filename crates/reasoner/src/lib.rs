//! From rules to running games.
mod circuit;
mod ground;
mod limits;
mod run;
mod term;

pub use circuit::CircuitSize;
pub use ground::{Ground, GroundSize};
pub use limits::{Limits, StopReason};
pub use run::{BatchGame, CircuitGame, Width};
pub use term::{TermId, Terms};

/// Size of the circuit of a sheet, for reports.
pub fn circuit_size(ground: Ground) -> Result<CircuitSize, StopReason> {
    Ok(circuit::Circuit::new(ground)?.size())
}

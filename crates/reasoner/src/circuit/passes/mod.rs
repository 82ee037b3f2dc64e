//! Passes that make a circuit smaller without changing what it computes.

mod constant_facts;
mod factor;
mod flatten;
mod implied;
mod rebuild;

use super::Circuit;
use crate::limits::{StopReason, Watch};

/// Runs all passes in their order.
pub(super) fn run(circuit: Circuit, watch: &mut Watch) -> Result<Circuit, StopReason> {
    let mut circuit = constant_facts::run(circuit, watch)?;
    for _ in 0..2 {
        circuit = flatten::run(circuit, watch)?;
        circuit = implied::run(circuit, watch)?;
        circuit = factor::run(circuit, watch)?;
    }
    flatten::run(circuit, watch)
}

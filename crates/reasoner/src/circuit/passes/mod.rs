//! Passes that make a circuit smaller without changing what it computes.

mod constant_facts;
mod factor;
mod flatten;
mod implied;
mod rebuild;

use super::Circuit;

/// Runs all passes in their order.
pub(super) fn run(circuit: Circuit) -> Circuit {
    let mut circuit = constant_facts::run(circuit);
    for _ in 0..2 {
        circuit = flatten::run(circuit);
        circuit = implied::run(circuit);
        circuit = factor::run(circuit);
    }
    flatten::run(circuit)
}

//! Passes that make a circuit smaller without changing what it computes.

mod constant_facts;
mod exclusive;
mod factor;
mod flatten;
mod implied;
mod rebuild;

use super::Circuit;
use crate::limits::{StopReason, Watch};

/// A pass: its name, and what it does.
type Pass = (&'static str, fn(Circuit, &mut Watch) -> Result<Circuit, StopReason>);

/// All passes in their order.
const PASSES: &[Pass] = &[
    ("constant facts", constant_facts::run),
    ("flatten", flatten::run),
    ("exclusive", exclusive::run),
    ("implied", implied::run),
    ("factor", factor::run),
    ("flatten", flatten::run),
    ("implied", implied::run),
    ("factor", factor::run),
    ("flatten", flatten::run),
];

/// Runs all passes in their order; `observe` sees what each of them leaves.
pub(super) fn run(
    mut circuit: Circuit,
    watch: &mut Watch,
    observe: &mut dyn FnMut(&'static str, &Circuit),
) -> Result<Circuit, StopReason> {
    for (name, pass) in PASSES {
        circuit = pass(circuit, watch)?;
        observe(name, &circuit);
    }
    Ok(circuit)
}

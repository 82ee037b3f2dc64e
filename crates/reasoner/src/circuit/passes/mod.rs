//! Passes that make a circuit smaller without changing its outputs.

mod absorb;
mod constant_facts;
pub(super) mod derived;
mod exclusive;
mod factor;
mod flatten;
mod implied;
mod latched;
mod rebuild;

use super::Circuit;
use super::invariants::{Wanted, invariants};
use crate::limits::{StopReason, Watch};
use rebuild::live_inputs;

/// A pass: its name and its function.
type Pass = (&'static str, fn(Circuit, &mut Watch) -> Result<Circuit, StopReason>);

/// All passes in their order.
const PASSES: &[Pass] = &[
    ("constant facts", constant_facts::run),
    ("flatten", flatten::run),
    ("exclusive", exclusive::run),
    ("implied", implied::run),
    ("latched", latched::run),
    ("absorb", absorb::run),
    ("factor", factor::run),
    ("flatten", flatten::run),
];

/// Passes that run once more if the last of [`PASSES`] still saved enough.
const AGAIN: &[Pass] = &[("implied", implied::run), ("factor", factor::run), ("flatten", flatten::run)];

/// Factoring may leave gates over most moves of a role that were hidden before.
const MOST_MOVES: &[Pass] = &[("exclusive", exclusive::run), ("flatten", flatten::run)];

/// The last pass must have saved more than one in this many inputs for [`AGAIN`] to run.
const WORTHWHILE: usize = 50;

/// Runs the passes in order; `observe` sees the circuit after each.
pub(super) fn run(
    mut circuit: Circuit,
    watch: &mut Watch,
    observe: &mut dyn FnMut(&'static str, &Circuit),
) -> Result<Circuit, StopReason> {
    let mut before = 0;
    for (at, (name, pass)) in PASSES.iter().enumerate() {
        if at + 1 == PASSES.len() {
            before = live_inputs(&circuit);
        }
        circuit = pass(circuit, watch)?;
        observe(name, &circuit);
    }
    if exclusive::has_work(&circuit) {
        for (name, pass) in MOST_MOVES {
            circuit = pass(circuit, watch)?;
            observe(name, &circuit);
        }
    }
    if before.saturating_sub(live_inputs(&circuit)) * WORTHWHILE > before {
        for (name, pass) in AGAIN {
            circuit = pass(circuit, watch)?;
            observe(name, &circuit);
        }
    }
    Ok(circuit)
}

/// Passes that rely on states being reachable. `built` is the number of gate inputs before all
/// passes; the work budget is in proportion to it.
pub(super) fn for_play(
    mut circuit: Circuit,
    built: usize,
    wanted: Wanted,
    watch: &mut Watch,
) -> Result<Circuit, StopReason> {
    let found = invariants(&circuit, built, wanted, watch)?;
    circuit = derived::run(circuit, &found, watch)?;
    circuit.invariants = found;
    Ok(circuit)
}

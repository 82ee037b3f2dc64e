//! Passes that make a circuit smaller without changing what it computes.

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

/// A pass: its name, and what it does.
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

/// Passes that are worth their time once more where the last of the others still found something.
const AGAIN: &[Pass] = &[("implied", implied::run), ("factor", factor::run), ("flatten", flatten::run)];

/// What factors leave may be gates over most moves of a role, which were not to be seen before.
const MOST_MOVES: &[Pass] = &[("exclusive", exclusive::run), ("flatten", flatten::run)];

/// Which share of the inputs the last pass must have saved for that.
const WORTHWHILE: usize = 50;

/// Runs the passes in their order; `observe` sees what each of them leaves.
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

/// What pays only where states can be expected to be reachable; `built` says how large the circuit was before all
/// passes, so that the effort fits the game.
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

//! The engine and the circuit of a game in numbers.

use std::time::Duration;

use ludex_game::Game;
use ludex_gdl::{Source, load};
use ludex_reasoner::{Limits, Progress, Stats};
use serde_json::{Value, json};

/// Larger games show no circuit.
fn limits() -> Limits {
    Limits { atoms: 1_000_000, instances: 2_000_000, bytes: 512 << 20, time: Duration::from_secs(10) }
}

/// What runs the game.
pub(crate) fn engine(game: &dyn Game) -> Value {
    let engine = game.engine();
    json!({
        "name": engine.name, "lanes": engine.lanes, "compiled": engine.compiled,
        "instructions": engine.instructions,
    })
}

/// Sizes on the way from rules to gates; null if the rules are too much for a circuit.
pub(crate) fn circuit(text: &str) -> Value {
    let Ok(rules) = load(&Source::new("game", text)).playable() else { return Value::Null };
    let Ok(stats) = Stats::new(&rules, &limits(), &Progress::new()) else { return Value::Null };
    let circuit = &stats.circuit;
    let [view, next, goals] = circuit.size.gates;
    let one_of = circuit.groups.iter().filter(|group| group.exactly_one).count();
    json!({
        "rules": stats.rules,
        "atoms": stats.ground.atoms,
        "instances": stats.ground.instances,
        "facts": circuit.size.facts,
        "moves": circuit.size.moves,
        "gates": { "view": view, "next": next, "goals": goals },
        "inputs": circuit.size.inputs,
        "built": circuit.passes.first().map_or(0, |pass| pass.inputs),
        "depth": circuit.cones.iter().map(|cone| cone.depth).max().unwrap_or(0),
        "loops": circuit.loops.len(),
        "one_of": one_of,
        "exclusive": circuit.groups.len() - one_of,
        "stay_on": circuit.stay_on.len(),
        "stay_off": circuit.stay_off.len(),
    })
}

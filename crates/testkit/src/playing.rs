//! Uniform playouts for tests.

use std::sync::Arc;

use ludex_game::{Game, Playouts, Simulator, SimulatorConfig};

/// A simulator whose playouts are cut off after so many steps.
pub fn simulator<G: Game + ?Sized>(game: &Arc<G>, max_steps: u32) -> Box<dyn Simulator> {
    Arc::clone(game).simulator(SimulatorConfig { max_steps, ..SimulatorConfig::default() })
}

/// Uniform playouts from the initial state.
pub fn playouts<G: Game + ?Sized>(game: &Arc<G>, count: u64, max_steps: u32, seed: u64) -> Playouts {
    simulator(game, max_steps).playouts(&game.initial(), count, seed).expect("playouts")
}

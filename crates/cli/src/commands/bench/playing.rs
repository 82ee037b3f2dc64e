//! Random playouts for benchmarks: from the first state, with the time they took.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use ludex_game::{Game, Simulator, SimulatorConfig};
use ludex_gdl::{Rules, load};
pub(super) use ludex_lab::{process_time, thread_time};

use crate::input;

/// The rules of a sheet without errors.
pub(super) fn read_rules(path: &Path) -> Result<Rules> {
    let loaded = load(&input::read(path)?);
    match loaded.playable() {
        Ok(rules) => Ok(rules),
        Err(_) => Err(input::Faulty.into()),
    }
}

/// Longest playout that is followed to its end.
const MAX_STEPS: u32 = 1000;

/// A simulator for uniformly random playouts.
pub(super) fn simulator(game: &Arc<dyn Game>) -> Box<dyn Simulator> {
    Arc::clone(game).simulator(SimulatorConfig { max_steps: MAX_STEPS, ..SimulatorConfig::default() })
}

//! Random playouts for benchmarks: from the first state, with the time they took.

use std::path::Path;

use anyhow::{Result, bail};
use ludex_game::{Game, Playouts, Request};
use ludex_gdl::{Rules, load};
pub(super) use ludex_lab::{process_time, thread_time};

use crate::input;

/// The rules of a sheet without errors.
pub(super) fn read_rules(path: &Path) -> Result<Rules> {
    let loaded = load(&input::read(path)?);
    match loaded.playable() {
        Ok(rules) => Ok(rules),
        Err(_) => bail!("the sheet has errors; `ludex check` shows them"),
    }
}

/// Longest playout that is followed to its end.
const MAX_STEPS: u32 = 1000;

/// Uniformly random playouts.
pub(super) fn playouts(game: &dyn Game, count: u64, seed: u64) -> Result<Playouts> {
    let from = game.initial();
    let mut request = Request { from: &from, count, max_steps: MAX_STEPS, seed, policy: None };
    Ok(game.playouts(&mut request)?)
}

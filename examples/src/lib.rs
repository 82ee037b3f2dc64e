//! Small programs that use Ludex as a library, one per file in `src/bin`:
//!
//! | program | shows |
//! |---|---|
//! | `random_game` | reading rules, engines, states and moves |
//! | `best_move` | asking a built-in player for a move |
//! | `referee` | a match between two players, and its record |
//! | `own_player` | writing a player of your own and letting it play |
//!
//! `cargo run -p ludex-examples --bin random_game` runs one. A test runs all of them.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use ludex_game::Game;
use ludex_gdl::{Source, load};
use ludex_reasoner::build;

/// The text of a built-in game.
pub fn sheet(name: &str) -> Result<&'static str> {
    Ok(ludex_library::find(name).with_context(|| format!("there is no game `{name}`"))?.text)
}

/// A built-in game, run by the engine `batch`.
pub fn game(name: &str) -> Result<Arc<dyn Game>> {
    match load(&Source::new(name, sheet(name)?)).playable() {
        Ok(rules) => Ok(build(rules, "batch")?),
        Err(report) => bail!("the sheet has {} findings", report.diagnostics().len()),
    }
}

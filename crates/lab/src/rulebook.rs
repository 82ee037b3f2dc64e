//! Games ready for matches.

use std::time::Duration;

use ludex_arena::{Rulebook, RulebookError};
use ludex_gdl::{Rules, Source, load};
use ludex_reasoner::{BuildOptions, Progress, build_with};

use crate::games::GameSheet;

/// How long to wait for the best engine: hours are spent with it, and counted playouts give the
/// same match only with the same engine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The rules of a sheet.
pub(crate) fn rules(sheet: &GameSheet) -> Result<Rules, RulebookError> {
    load(&Source::new(&sheet.name, sheet.text.as_str())).playable().map_err(|_| RulebookError::Errors)
}

/// Sets a game up with the best engine there is for it.
pub(crate) fn rulebook(sheet: &GameSheet) -> Result<Rulebook, RulebookError> {
    let rules = rules(sheet)?;
    let options = BuildOptions { patience: PATIENCE, ..BuildOptions::default() };
    let built = build_with(rules.clone(), "auto", &options, &Progress::new())?;
    Ok(Rulebook::with_game(&sheet.name, &sheet.text, rules, built.game)?)
}

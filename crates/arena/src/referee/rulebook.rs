//! The rules of a match: the sheet, a fast engine to play with, and the reference to believe. Made
//! once, shared by any number of matches.

use std::sync::Arc;

use ludex_game::{Failure, Game};
use ludex_gdl::{Rules, Source, load};
use ludex_reasoner::{BuildError, BuildOptions, Progress, Reference, build_with};
use ludex_search::is_chance;

/// A game that matches can be played of.
#[derive(Clone)]
pub struct Rulebook {
    name: String,
    text: String,
    game: Arc<dyn Game>,
    reference: Arc<dyn Game>,
}

/// Why there is nothing to play.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RulebookError {
    /// The sheet has errors.
    #[error("the rule sheet has errors; `ludex check` shows them")]
    Errors,
    /// No engine can run it.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// Not even the reference can run it.
    #[error("the reference cannot run these rules: {0}")]
    Reference(#[from] Failure),
}

impl Rulebook {
    /// Reads a sheet and sets it up with the engine `auto`; `name` is what records call the game.
    pub fn new(name: &str, text: &str) -> Result<Self, RulebookError> {
        let rules = load(&Source::new(name, text)).playable().map_err(|_| RulebookError::Errors)?;
        let built = build_with(rules.clone(), "auto", &BuildOptions::default(), &Progress::new())?;
        Ok(Self::with_game(name, text, rules, built.game)?)
    }

    /// With a game that is there already; it must be one of these rules.
    pub fn with_game(name: &str, text: &str, rules: Rules, game: Arc<dyn Game>) -> Result<Self, Failure> {
        let reference = Arc::new(Reference::new(rules)?);
        Ok(Self { name: name.to_owned(), text: text.to_owned(), game, reference })
    }

    /// What records call the game.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sheet as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The game, by a fast engine.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The game as the rules say it.
    pub fn reference(&self) -> &Arc<dyn Game> {
        &self.reference
    }

    /// Roles that somebody must play: all but `random`, which the referee moves.
    pub fn seats(&self) -> usize {
        self.game.roles().iter().filter(|role| !is_chance(role)).count()
    }
}

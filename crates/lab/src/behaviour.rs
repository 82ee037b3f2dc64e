//! The search signature of an experiment: a number that changes when one of its players chooses
//! differently, so that old results can be recognised.
//!
//! Each player searches a few small games with a fixed seed and number of playouts
//! ([`player_signature`]), once for each setting that gives it other options.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_engine::{Player, player_signature};
use ludex_game::{Failure, Game, joined};
use ludex_gdl::{Source, load};
use ludex_reasoner::{BatchGame, BatchOptions, Ground, Instructions, Limits, MachineCode, Width};

use crate::experiment::{Experiment, Form, PlayerEntry};
use crate::run::share::spec_under;
use crate::stable_hash::stable_hash;

/// The games that players search: two roles in turn, two at once, one. A new game changes every
/// signature, so this list does not follow the library.
const GAMES: [&str; 4] = ["connect_four", "breakthrough_small", "rock_paper_scissors", "eight_puzzle"];

/// Why there is no signature.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// A game of the list cannot be set up.
    #[error("{0} cannot be set up for the search signature")]
    Game(&'static str),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] Failure),
}

/// The games behind the signatures of players, in lanes of one width on every processor: the width
/// decides which playouts are played.
pub fn signature_games() -> Result<Vec<Arc<dyn Game>>, SignatureError> {
    let options = BatchOptions {
        width: Width::Lanes512,
        instructions: Instructions::best(),
        machine_code: MachineCode::Never,
    };
    let game = |name: &'static str| -> Option<Arc<dyn Game>> {
        let rules = load(&Source::new(name, ludex_library::find(name)?.text)).playable().ok()?;
        let ground = Ground::new(&rules, &Limits::default()).ok()?;
        Some(Arc::new(BatchGame::with_options(ground, options).ok()?))
    };
    GAMES.into_iter().map(|name| game(name).ok_or(SignatureError::Game(name))).collect()
}

/// The search signature of a form of an experiment, in hexadecimal digits; nothing if no player of
/// the table takes part.
pub fn search_signature(experiment: &Experiment, form: &Form) -> Result<Option<String>, SignatureError> {
    let mut specs = BTreeSet::new();
    for setting in &form.settings {
        let spec = |player: &PlayerEntry| spec_under(player, setting).ok();
        specs.extend(experiment.players.iter().filter_map(spec));
    }
    let players: Vec<(String, Player)> =
        specs.into_iter().filter_map(|spec| Player::new(&spec).ok().map(|player| (spec, player))).collect();
    if players.is_empty() {
        return Ok(None);
    }
    let games = signature_games()?;
    let mut numbers = Vec::new();
    for (spec, player) in &players {
        numbers.extend([stable_hash([spec]), player_signature(player, &games)?]);
    }
    Ok(Some(format!("{:016x}", joined(numbers))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(text: &str) -> Option<String> {
        let experiment = Experiment::read("t.toml", text).unwrap();
        search_signature(&experiment, &experiment.quick).unwrap()
    }

    const TEXT: &str = r#"
title = "t"
games = ["tic_tac_toe"]
players = [{ name = "a", spec = "cadia-uct" }, { name = "b", spec = "random" }]
[quick]
matches = 4
settings = [{ name = "one", playouts = 100 }]
"#;

    #[test]
    fn a_signature_follows_the_players_and_their_options() {
        let first = signature(TEXT);
        assert!(first.as_ref().is_some_and(|text| text.len() == 16), "{first:?}");
        assert_eq!(first, signature(&TEXT.replace("tic_tac_toe", "hex")), "games do not matter");
        assert_eq!(first, signature(&TEXT.replace("100", "200")), "playouts do not matter");
        assert_ne!(first, signature(&TEXT.replace("cadia-uct", "cadia-uct:c=50")));
        let options = TEXT.replace("playouts = 100", "playouts = 100, options = \"batch=1,playouts=1\"");
        assert_ne!(first, signature(&options));
    }

    #[test]
    fn engines_have_no_search_signature() {
        let text = TEXT.replace("title", "measure = \"reasoners\"\nengines = [\"batch\"]\ntitle");
        let text = text.lines().filter(|line| !line.starts_with("players")).collect::<Vec<_>>().join("\n");
        assert_eq!(signature(&text.replace("playouts = 100", "play = 0.1")), None);
    }
}

//! From a name or a text to rules and games.

use std::sync::Arc;

use ludex_game::Game;
use ludex_gdl::{Rules, Source, load};
use ludex_reasoner::build;

/// The sheet of a library game.
pub fn text(name: &str) -> &'static str {
    ludex_library::find(name).unwrap_or_else(|| panic!("no library game `{name}`")).text
}

/// The rules of a library game.
pub fn library_rules(name: &str) -> Rules {
    rules(text(name))
}

/// All library games: name and rules, in the order of their names.
pub fn library() -> Vec<(&'static str, Rules)> {
    ludex_library::sheets().iter().map(|sheet| (sheet.name, rules(sheet.text))).collect()
}

/// The rules of a sheet, which must have no errors.
pub fn rules(text: &str) -> Rules {
    load(&Source::new("test.kif", text)).playable().unwrap_or_else(|report| {
        let messages: Vec<&str> = report.diagnostics().iter().map(|found| found.message.as_str()).collect();
        panic!("the sheet has errors: {messages:#?}\n{text}")
    })
}

/// The rules of a sheet, errors or not, for every engine: its errors are not counted.
pub fn rules_despite_errors(text: &str) -> Rules {
    Rules { errors: 0, ..load(&Source::new("test.kif", text)).rules }
}

/// A library game, run by the engine with this name.
pub fn game(name: &str, engine: &str) -> Arc<dyn Game> {
    game_from(text(name), engine)
}

/// The game of a sheet, run by the engine with this name.
pub fn game_from(text: &str, engine: &str) -> Arc<dyn Game> {
    build(rules(text), engine).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

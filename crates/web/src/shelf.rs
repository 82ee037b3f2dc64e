//! Games that are set up, shared by matches: built-in ones by name, others by their text.
//!
//! Setting up takes from milliseconds to seconds. Few are set up at the same time, each within
//! limits, so that a sheet that explodes ends with a message while other games go on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ludex_arena::Rulebook;
use ludex_gdl::{Severity, Source, load};
use ludex_library::{About, Kind, Picture};
use ludex_reasoner::{BuildOptions, Limits, Progress, build_with};
use ludex_search::is_chance;
use tokio::sync::Semaphore;

use crate::reply::{Refusal, apart};
use crate::shown::choices;
use crate::style::Style;

/// Games that are kept; the one that nobody used for longest goes first.
const MOST_GAMES: usize = 24;
/// Games that are set up at the same time.
const AT_ONCE: usize = 2;
/// Longest sheet that can be sent, in bytes: more than any published one.
pub(crate) const MAX_SHEET_BYTES: usize = 1 << 20;
/// Longest name of a sheet that is sent, in letters.
const MAX_NAME: usize = 60;

/// A game that can be played.
pub(crate) struct Game {
    /// Name for files and records.
    pub(crate) name: String,
    /// Name for people.
    pub(crate) title: String,
    /// Whether it is in the binary.
    pub(crate) built_in: bool,
    pub(crate) about: Option<About>,
    pub(crate) rulebook: Rulebook,
    pub(crate) kind: Kind,
    pub(crate) style: Style,
}

impl Game {
    /// Names of all roles.
    pub(crate) fn roles(&self) -> &[String] {
        self.rulebook.game().roles()
    }

    /// The picture of a state.
    pub(crate) fn picture(&self, facts: &[String]) -> Picture {
        Picture::new(self.about.as_ref(), self.roles(), facts)
    }
}

/// Which game is meant.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum Wanted {
    /// A built-in one.
    Named(String),
    /// A built-in game, or a sheet, that begins with another position.
    #[serde(skip)]
    Changed {
        /// What it is like: the name of the game.
        like: String,
        /// Whether that is a built-in one, whose boards are known.
        built_in: bool,
        /// The sheet with its first state.
        text: String,
    },
    /// A sheet.
    Sheet {
        /// What to call it.
        #[serde(default)]
        name: String,
        /// The sheet as written.
        text: String,
    },
}

/// The games that are set up.
pub(crate) struct Shelf {
    games: Mutex<Vec<(Wanted, Arc<Game>)>>,
    permits: Semaphore,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        Self { games: Mutex::default(), permits: Semaphore::new(AT_ONCE) }
    }

    /// A game, set up if it is not yet.
    pub(crate) async fn game(&self, wanted: Wanted) -> Result<Arc<Game>, Refusal> {
        let wanted = checked(wanted)?;
        if let Some(game) = self.known(&wanted) {
            return Ok(game);
        }
        // Never closed.
        let _permit = self.permits.acquire().await;
        if let Some(game) = self.known(&wanted) {
            return Ok(game); // somebody else wanted it too
        }
        let to_make = wanted.clone();
        let game = Arc::new(apart(move || set_up(&to_make)).await?);
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.push((wanted, Arc::clone(&game)));
        if games.len() > MOST_GAMES {
            games.remove(0);
        }
        Ok(game)
    }

    fn known(&self, wanted: &Wanted) -> Option<Arc<Game>> {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let at = games.iter().position(|(known, _)| known == wanted)?;
        let found = games.remove(at);
        let game = Arc::clone(&found.1);
        games.push(found);
        Some(game)
    }
}

fn checked(wanted: Wanted) -> Result<Wanted, Refusal> {
    match wanted {
        Wanted::Named(name) => match ludex_library::find(&name) {
            Some(sheet) => Ok(Wanted::Named(sheet.name.to_owned())),
            None => Err(Refusal::missing(format!("there is no game `{}`", shortened(&name)))),
        },
        Wanted::Sheet { text, .. } | Wanted::Changed { text, .. } if text.len() > MAX_SHEET_BYTES => {
            Err(Refusal::unplayable(format!("the sheet is longer than {} KiB", MAX_SHEET_BYTES >> 10)))
        }
        Wanted::Sheet { name, text } => Ok(Wanted::Sheet { name: file_name(&name), text }),
        changed @ Wanted::Changed { .. } => Ok(changed),
    }
}

/// A text of others, short enough to be repeated.
fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()
}

/// A word that can be the name of a file on every system.
fn file_name(name: &str) -> String {
    let name: String = name
        .chars()
        .take(MAX_NAME)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "my_game".to_owned() } else { name.to_owned() }
}

fn limits() -> Limits {
    Limits { atoms: 4_000_000, instances: 8_000_000, bytes: 1 << 30, time: Duration::from_secs(20) }
}

fn set_up(wanted: &Wanted) -> Result<Game, Refusal> {
    let (name, text, about) = match wanted {
        Wanted::Named(name) => {
            let Some(sheet) = ludex_library::find(name) else {
                return Err(Refusal::missing("there is no such game"));
            };
            (name.clone(), sheet.text, sheet.about().ok())
        }
        Wanted::Sheet { name, text } => (name.clone(), text.as_str(), None),
        Wanted::Changed { like, built_in, text } => {
            let known = if *built_in { ludex_library::find(like) } else { None };
            (like.clone(), text.as_str(), known.and_then(|sheet| sheet.about().ok()))
        }
    };
    let rules = load(&Source::new(name.clone(), text)).playable().map_err(|report| {
        let errors = report.diagnostics().iter().filter(|found| found.severity() == Severity::Error);
        let first: Vec<&str> = errors.map(|found| found.message.as_str()).take(3).collect();
        Refusal::unplayable(format!("the sheet has errors: {}", first.join("; ")))
    })?;
    // Upgrades need the limits too: memory counts for the whole set-up.
    let progress = Progress::new();
    let options = BuildOptions { limits: limits(), ..BuildOptions::default() };
    let built = build_with(rules.clone(), "auto", &options, &progress);
    // A circuit that is not ready when the choice is made is not waited for.
    progress.cancel();
    let built = built.map_err(|error| Refusal::unplayable(error.to_string()))?;
    let rulebook = Rulebook::with_game(&name, text, rules, built.game)
        .map_err(|failure| Refusal::unplayable(failure.to_string()))?;
    described(name, about, rulebook, matches!(wanted, Wanted::Named(_)))
}

/// Looks at the first position: is it one, and what does it look like?
fn described(
    name: String,
    about: Option<About>,
    rulebook: Rulebook,
    built_in: bool,
) -> Result<Game, Refusal> {
    let game = rulebook.game();
    let state = game.initial();
    let view = game.view(&state).map_err(|failure| Refusal::unplayable(failure.to_string()))?;
    let facts = game.describe(&state);
    let picture = Picture::new(about.as_ref(), game.roles(), &facts);
    let legal: Vec<String> = view.legal.iter().flatten().map(|&id| game.move_name(id)).collect();
    let contents = contents(about.as_ref());
    let style = Style::of(&picture, &contents, &choices(&legal, &picture));
    let roles = game.roles();
    let seats = roles.iter().filter(|role| !is_chance(role)).count();
    let kind = about.as_ref().and_then(|about| about.kind).unwrap_or(match seats {
        1 => Kind::SinglePlayer,
        _ if game.info().simultaneous == Some(true) => Kind::Simultaneous,
        _ => Kind::TurnTaking,
    });
    let title = match &about {
        Some(about) => about.title.clone(),
        None => name.replace('_', " "),
    };
    Ok(Game { name, title, built_in, about, kind, style, rulebook })
}

/// What lies on boards, as descriptions name it.
pub(crate) fn contents(about: Option<&About>) -> Vec<&str> {
    let board = about.and_then(|about| about.board.as_ref());
    let own = board.into_iter().flat_map(|board| board.glyphs.keys());
    let also = board.into_iter().flat_map(|board| &board.also).flat_map(|layer| layer.glyphs.keys());
    own.chain(also).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_words() {
        assert_eq!(file_name("My game <b>"), "My_game__b");
        assert_eq!(file_name("../../etc"), "etc");
        assert_eq!(file_name("!"), "my_game");
        assert_eq!(file_name(&"x".repeat(1000)).len(), MAX_NAME);
    }
}

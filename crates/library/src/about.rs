//! The description of a game next to its rules: `games/<name>.toml`. Every field may be left out.
//!
//! Tests check its figures: roles, kind, perft counts, lengths, values. The rest says how a state is
//! drawn. `docs/guide/descriptions.md` explains the fields to people who write games.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;

use crate::pattern::Pattern;

/// A description of a game.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Its name for people; from the name of the file if it is left out.
    #[serde(default)]
    pub title: String,
    /// Who moves when.
    pub kind: Option<Kind>,
    /// The roles, in the order of the sheet; none if that is left out.
    #[serde(default)]
    pub roles: Vec<String>,
    /// Whether the goals of all roles always have the same sum.
    #[serde(default)]
    pub constant_sum: bool,
    /// Mean number of steps of random playouts.
    pub average_length: Option<f64>,
    /// Perft: sequences of 1, 2, 3 ... joint moves from the initial state.
    #[serde(default)]
    pub perft: Vec<u64>,
    /// The same by whole turns, for games in which a turn can take several steps.
    #[serde(default)]
    pub perft_turns: Vec<u64>,
    /// Game value: the goal of each role under perfect play.
    pub value: Option<Vec<u8>>,
    /// Puzzles: fewest moves to the best score.
    pub solution_length: Option<u32>,
    /// Puzzles: the best score that can be reached.
    pub best: Option<u8>,
    /// Published sheets of the same game.
    #[serde(default)]
    pub corpus: Vec<Corpus>,
    /// How to show a state.
    pub board: Option<Board>,
    /// What to show next to the board, or without one.
    #[serde(default)]
    pub beside: Vec<Beside>,
}

/// Who moves when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One role.
    SinglePlayer,
    /// In every state at most one role has a choice.
    TurnTaking,
    /// Several roles choose at the same time.
    Simultaneous,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::SinglePlayer, Kind::TurnTaking, Kind::Simultaneous];

    /// Its name in descriptions.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::SinglePlayer => "single-player",
            Kind::TurnTaking => "turn-taking",
            Kind::Simultaneous => "simultaneous",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A published sheet of the same game.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corpus {
    /// Name of its file, without the extension.
    pub sheet: String,
    /// Whether it has the same perft counts.
    pub same: bool,
    /// How it differs.
    pub difference: Option<String>,
}

/// Which facts are cells, and how they look.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// How rows lie to each other; squares if it is left out.
    #[serde(default)]
    pub shape: Shape,
    /// The facts that are cells: `?column`, `?row` and perhaps `?content`.
    pub cells: Pattern,
    /// Values of `?column` from left to right; `|` draws a line.
    pub columns: Vec<String>,
    /// Values of `?row` from top to bottom; `-` draws a line.
    pub rows: Vec<String>,
    /// Pieces of a column lie on each other: gaps below them close, and rows have no
    /// labels. A cell without content shows the value of its `?row`.
    #[serde(default)]
    pub stacked: bool,
    /// What a cell without a fact looks like.
    #[serde(default = "empty_cell")]
    pub empty: String,
    /// What contents look like; others are shown by their names.
    #[serde(default)]
    pub glyphs: BTreeMap<String, String>,
    /// What a cell looks like when its fact has no content.
    pub glyph: Option<String>,
    /// Further facts, each drawn over what came before.
    #[serde(default)]
    pub also: Vec<Layer>,
}

fn empty_cell() -> String {
    "·".to_owned()
}

/// Facts that are drawn over a board.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// As for the board.
    pub cells: Pattern,
    /// As for the board.
    #[serde(default)]
    pub glyphs: BTreeMap<String, String>,
    /// As for the board.
    pub glyph: Option<String>,
}

/// The layout of the rows of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Squares: each row exactly below the one before.
    #[default]
    Grid,
    /// Hexagons: each row half a cell further to the right.
    Hex,
}

/// A line next to the board.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// What it is.
    pub label: String,
    /// The facts whose variables are shown.
    pub fact: Pattern,
}

/// Why a description cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AboutError {
    /// A built-in game has none.
    #[error("{name} has no description: {name}.toml is missing or empty")]
    Missing {
        /// Name of the game.
        name: String,
    },
    /// It cannot be read.
    #[error("the description of {name}: {problem}")]
    Unreadable {
        /// Name of the game.
        name: String,
        /// Where and why.
        problem: Box<toml::de::Error>,
    },
    /// It does not make sense.
    #[error("the description of {name}: {problem}")]
    Faulty {
        /// Name of the game.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

impl About {
    /// Reads a description; `name` is for messages, and for the title if it has none.
    pub fn read(name: &str, text: &str) -> Result<Self, AboutError> {
        let mut about: About = toml::from_str(text).map_err(|problem| AboutError::Unreadable {
            name: name.to_owned(),
            problem: Box::new(problem),
        })?;
        if about.title.trim().is_empty() {
            about.title = title_of(name);
        }
        match about.problem() {
            None => Ok(about),
            Some(problem) => Err(AboutError::Faulty { name: name.to_owned(), problem }),
        }
    }

    fn problem(&self) -> Option<String> {
        if let Some(kind) = self.kind
            && !self.roles.is_empty()
            && (kind == Kind::SinglePlayer) != (self.roles.len() == 1)
        {
            let roles = if self.roles.len() == 1 { "role is" } else { "roles are" };
            return Some(format!("{} {roles} not {kind}", self.roles.len()));
        }
        if self.value.as_ref().is_some_and(|value| value.len() != self.roles.len()) {
            return Some("`value` needs a number for each role".to_owned());
        }
        if self.corpus.iter().any(|sheet| !sheet.same && sheet.difference.is_none()) {
            return Some("a sheet that is not the same needs a `difference`".to_owned());
        }
        let board = self.board.as_ref()?;
        if board.columns.is_empty() || board.rows.is_empty() {
            return Some("a board needs columns and rows".to_owned());
        }
        board.layers().find_map(|layer| layer.problem())
    }
}

/// A title from the name or path of a sheet: `my_game.kif` is "My game".
fn title_of(name: &str) -> String {
    let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
    let words = stem.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or(words.clone(), |first| first.to_uppercase().chain(letters).collect())
}

/// The facts of a layer and their looks, whether it is the board's own or drawn over it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looks<'a> {
    /// What its facts are called: the content of cells that have none.
    pub(crate) name: &'a str,
    pub(crate) cells: &'a Pattern,
    pub(crate) glyphs: &'a BTreeMap<String, String>,
    pub(crate) glyph: Option<&'a str>,
}

impl Looks<'_> {
    fn problem(&self) -> Option<String> {
        if self.cells.place("column").is_none() || self.cells.place("row").is_none() {
            return Some("cells need `?column` and `?row`".to_owned());
        }
        match (self.cells.place("content").is_some(), self.glyphs.is_empty(), self.glyph) {
            (false, false, _) => Some("cells without `?content` need no `glyphs`".to_owned()),
            (false, _, None) => Some("cells without `?content` need a `glyph`".to_owned()),
            _ => None,
        }
    }
}

impl Board {
    /// The layers, the lowest first.
    pub(crate) fn layers(&self) -> impl Iterator<Item = Looks<'_>> {
        let own = Looks {
            name: self.cells.name(),
            cells: &self.cells,
            glyphs: &self.glyphs,
            glyph: self.glyph.as_deref(),
        };
        let also = self.also.iter();
        std::iter::once(own).chain(also.map(|layer| Looks {
            name: layer.cells.name(),
            cells: &layer.cells,
            glyphs: &layer.glyphs,
            glyph: layer.glyph.as_deref(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "title = \"A\"\nkind = \"turn-taking\"\nroles = [\"x\", \"o\"]\n";
    const BOARD: &str = "[board]\nshape = \"grid\"\nempty = \".\"\ncolumns = [\"1\"]\nrows = [\"1\"]\n";

    fn problem(text: &str) -> String {
        About::read("a", text).err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn every_field_may_be_left_out() {
        let about = About::read("games/my_game.kif", "# nothing yet\n").expect("no field is needed");
        assert_eq!((about.title.as_str(), about.kind, about.roles.len()), ("My game", None, 0));
        let about = About::read("my_game", "title = \"Mine\"\n").expect("a title is enough");
        assert_eq!(about.title, "Mine");
        let board = "[board]\ncells = \"(c ?column ?row ?content)\"\ncolumns = [\"1\"]\nrows = [\"1\"]\n";
        let about = About::read("my_game", board).expect("the rest of a board has defaults");
        let board = about.board.expect("a board");
        assert_eq!((board.shape, board.empty.as_str()), (Shape::Grid, "·"));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        assert_eq!(problem(GOOD), "");
        assert_eq!(problem(""), "");
        assert!(problem(&format!("{GOOD}colour = 1\n")).contains("unknown field `colour`"));
        assert!(problem(&GOOD.replace("turn-taking", "single-player")).contains("2 roles"));
        assert!(problem(&format!("{GOOD}value = [1]\n")).contains("`value`"));
        assert!(
            problem(&format!("{GOOD}[[corpus]]\nsheet = \"b\"\nsame = false\n")).contains("`difference`")
        );
        let board = |cells: &str| problem(&format!("{GOOD}{BOARD}{cells}\n"));
        assert_eq!(board("cells = \"(c ?column ?row)\"\nglyph = \"x\""), "");
        assert!(board("cells = \"(c ?column ?row)\"").contains("need a `glyph`"));
        assert_eq!(board("cells = \"(c ?column ?row ?content)\""), "");
        assert!(board("cells = \"(c ?column ?content)\"").contains("`?row`"));
        assert!(board("cells = \"(c ?column\"").contains("is not a fact"));
    }
}

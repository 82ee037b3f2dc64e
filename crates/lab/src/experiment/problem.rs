//! Errors in an experiment file.

use std::path::PathBuf;

use ludex_arena::ParticipantError;

use crate::games::GameError;

/// Why an experiment cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The file cannot be read.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// The I/O error.
        problem: std::io::Error,
    },
    /// The file was read but is invalid.
    #[error("{file}:{line}: {problem}")]
    Faulty {
        /// Which file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: Problem,
    },
}

/// What is wrong with an experiment.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// Invalid TOML, or not an experiment.
    #[error("{0}")]
    Toml(String),
    /// An unknown key or name.
    #[error("unknown {kind} `{name}`; {}", suggestion(.meant.as_deref(), .known))]
    Unknown {
        /// What it should be: `key`, `player`, ….
        kind: &'static str,
        /// As written.
        name: String,
        /// The closest known name.
        meant: Option<String>,
        /// All known names.
        known: Vec<String>,
    },
    /// Something required is missing, or excludes something else.
    #[error("{0}")]
    Missing(&'static str),
    /// Two entries of the same name.
    #[error("there are two {kind} called `{name}`")]
    Duplicate {
        /// What is duplicated: `players`, `games`, ….
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A number out of range.
    #[error("`{key}` is {value}, but must be {takes}")]
    Range {
        /// Name of the key.
        key: &'static str,
        /// As written.
        value: String,
        /// The valid range.
        takes: &'static str,
    },
    /// An option of a setting that no player has.
    #[error("no player of the experiment has an option `{0}`; `ludex players NAME` lists those of a player")]
    NobodyTakes(String),
    /// No such player.
    #[error(transparent)]
    Player(#[from] ParticipantError),
    /// No such game.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A game with a number of players that does not fit the measure.
    #[error("the game `{game}` has {seats}; {needs}")]
    Seats {
        /// Its name.
        game: String,
        /// Number of players, in words.
        seats: String,
        /// What is needed.
        needs: &'static str,
    },
    /// The experiment has only a quick form.
    #[error("there is no full form: the file has no [full]")]
    NoFullForm,
}

/// What could be written instead.
fn suggestion(meant: Option<&str>, known: &[String]) -> String {
    match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "there is none".to_owned(),
        None => {
            let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!("there is {}", known.join(", "))
        }
    }
}

impl Problem {
    /// A name that is not among the known ones.
    pub(super) fn unknown<'a>(
        kind: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let meant = ludex_gdl::closest(name, known.clone()).map(str::to_owned);
        Problem::Unknown { kind, name: name.to_owned(), meant, known: known.map(str::to_owned).collect() }
    }
}

//! What can be wrong with the file of an experiment.

use std::path::PathBuf;

use ludex_arena::ParticipantError;

use crate::games::GameError;

/// Why there is no experiment.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The file cannot be read.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        problem: std::io::Error,
    },
    /// The file was read, but something in it is wrong.
    #[error("{file}:{line}: {problem}")]
    Faulty {
        /// Which file.
        file: String,
        /// In which line, from 1.
        line: usize,
        /// What is wrong.
        problem: Problem,
    },
}

/// What is wrong with an experiment.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// Not an experiment in TOML.
    #[error("{0}")]
    Toml(String),
    /// A key or a word that nobody knows.
    #[error("unknown {what} `{name}`; {}", instead(.meant.as_deref(), .known))]
    Unknown {
        /// What it should be: `key`, `player`, ….
        what: &'static str,
        /// As written.
        name: String,
        /// What may have been meant.
        meant: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// Something must be there.
    #[error("{0}")]
    Missing(&'static str),
    /// Two of the same name cannot be told apart.
    #[error("there are two {what} called `{name}`")]
    Twice {
        /// What is there twice.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A number that makes no sense.
    #[error("`{key}` is {value}, but must be {takes}")]
    Range {
        /// Name of the key.
        key: &'static str,
        /// As written.
        value: String,
        /// What it can be.
        takes: &'static str,
    },
    /// No such player.
    #[error(transparent)]
    Player(#[from] ParticipantError),
    /// No such game.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A game that does not fit what is measured.
    #[error("the game `{game}` has {seats}; {needs}")]
    Seats {
        /// Its name.
        game: String,
        /// How many players it takes, in words.
        seats: String,
        /// What is needed.
        needs: &'static str,
    },
    /// The experiment has only a quick form.
    #[error("there is no full form: the file has no [full]")]
    NoFullForm,
}

/// What to write instead.
fn instead(meant: Option<&str>, known: &[String]) -> String {
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
    /// A name that is not among those there are.
    pub(super) fn unknown<'a>(
        what: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let meant = ludex_gdl::closest(name, known.clone()).map(str::to_owned);
        Problem::Unknown { what, name: name.to_owned(), meant, known: known.map(str::to_owned).collect() }
    }
}

//! The games of an experiment: built in, or sheets next to its file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ludex_gdl::{MAX_SOURCE_BYTES, Source, Term, load};
use ludex_library::Kind;
pub(crate) use ludex_search::is_chance;

/// The rules of a game, and who plays it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSheet {
    /// As the experiment names it.
    pub name: String,
    /// The sheet as written.
    pub text: String,
    /// The roles in order, as written.
    pub roles: Vec<String>,
    /// Who moves when, where that is known.
    pub kind: Option<Kind>,
}

/// Why there is nothing to play.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// Neither built in nor a file.
    #[error("there is no game and no file `{name}`{}", question(.similar))]
    Unknown {
        /// As written.
        name: String,
        /// What may have been meant.
        similar: Vec<&'static str>,
    },
    /// There is a file, but it cannot be read.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        problem: std::io::Error,
    },
    /// The sheet has errors.
    #[error("the rule sheet `{0}` has errors; `ludex check` shows them")]
    Errors(String),
}

fn question(similar: &[&str]) -> String {
    let quoted: Vec<String> = similar.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { String::new() } else { format!("; did you mean {}?", quoted.join(" or ")) }
}

impl GameSheet {
    /// The built-in game with this name, or the sheet with this path, relative to a folder.
    pub fn find(name: &str, base: &Path) -> Result<Self, GameError> {
        if let Some(sheet) = ludex_library::find(name) {
            let about = sheet.about().ok();
            let (roles, kind) = about.map_or((None, None), |about| {
                (Some(about.roles).filter(|roles| !roles.is_empty()), about.kind)
            });
            let roles = roles.map_or_else(|| roles_of(name, sheet.text), Ok)?;
            return Ok(Self { name: name.to_owned(), text: sheet.text.to_owned(), roles, kind });
        }
        let path = base.join(name);
        if !path.is_file() {
            return Err(GameError::Unknown { name: name.to_owned(), similar: ludex_library::similar(name) });
        }
        let mut bytes = Vec::new();
        let most = MAX_SOURCE_BYTES as u64 + 1;
        let read = File::open(&path).and_then(|file| file.take(most).read_to_end(&mut bytes));
        read.map_err(|problem| GameError::Unreadable { path, problem })?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Self { name: name.to_owned(), roles: roles_of(name, &text)?, text, kind: None })
    }

    /// How many players it takes: `random` is chance and sits nowhere.
    pub fn seats(&self) -> usize {
        self.roles.iter().filter(|role| !is_chance(role)).count()
    }
}

fn roles_of(name: &str, text: &str) -> Result<Vec<String>, GameError> {
    let rules = load(&Source::new(name, text)).playable().map_err(|_| GameError::Errors(name.to_owned()))?;
    let text = |role: &Term| match role {
        Term::Constant(symbol) => rules.names.text(*symbol).to_owned(),
        // Nobody is called so, but it is allowed.
        _ => "(role)".to_owned(),
    };
    Ok(rules.roles.iter().map(text).collect())
}

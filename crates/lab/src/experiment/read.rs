//! Parses experiment files; errors name the line.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::place::{line_at, line_of};
use super::problem::{ExperimentError, Problem};
use super::{Experiment, Form, FormName, check};
use crate::companions::COPIES;
use crate::games::GameSheet;

/// 1 MiB: far above any experiment file, and bounds the memory for a wrong path.
const MAX_BYTES: u64 = 1 << 20;

/// An experiment with its file, name and game rules: everything needed to run it.
#[derive(Clone, Debug)]
pub struct ExperimentFile {
    /// File name without extension.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Text of the file.
    pub text: String,
    /// The parsed experiment.
    pub experiment: Experiment,
    /// The rules, in the order of [`Experiment::games`].
    pub sheets: Vec<GameSheet>,
    /// Published figures (CSV), if there are any.
    pub published: Option<String>,
    /// The discussion of the results (Markdown), if there is one.
    pub reading: Option<String>,
}

impl ExperimentFile {
    /// Reads and checks a file, including that its players, engines and games exist.
    pub fn read(path: &Path) -> Result<Self, ExperimentError> {
        let text = read_text(path)?;
        let base = path.parent().unwrap_or(Path::new(""));
        let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        let file = Self::checked(&stem, path.to_owned(), text, base)?;
        // What cannot be read will be told when a report needs it.
        let [published, reading] =
            COPIES.map(|(end, _)| std::fs::read_to_string(path.with_extension(end)).ok());
        Ok(Self { published, reading, ..file })
    }

    /// The same from a text; sheets of games are found relative to the folder `base`.
    pub fn from_text(name: &str, text: &str, base: &Path) -> Result<Self, ExperimentError> {
        Self::checked(name, base.join(format!("{name}.toml")), text.to_owned(), base)
    }

    fn checked(name: &str, path: PathBuf, text: String, base: &Path) -> Result<Self, ExperimentError> {
        let file = path.display().to_string();
        let experiment = Experiment::read(&file, &text)?;
        let sheets = check::names(&experiment, base).map_err(|fault| fault.at(&file, &text))?;
        Ok(Self { name: name.to_owned(), path, text, experiment, sheets, published: None, reading: None })
    }

    /// One of its forms.
    pub fn form(&self, name: FormName) -> Result<&Form, ExperimentError> {
        self.experiment.form(name).ok_or_else(|| ExperimentError::Faulty {
            file: self.path.display().to_string(),
            line: 1,
            problem: Problem::NoFullForm,
        })
    }

    /// The rules of a game of the experiment.
    pub fn sheet(&self, game: &str) -> Option<&GameSheet> {
        let at = self.experiment.games.iter().position(|name| name == game)?;
        self.sheets.get(at)
    }
}

impl Experiment {
    /// Parses an experiment; `file` is for messages. Does not check that players and games exist:
    /// results can be read where they do not.
    pub fn read(file: &str, text: &str) -> Result<Self, ExperimentError> {
        let experiment: Experiment = toml::from_str(text).map_err(|error| {
            let line = line_at(text, error.span().map_or(0, |span| span.start));
            ExperimentError::Faulty { file: file.to_owned(), line, problem: reworded(error.message()) }
        })?;
        check::consistency(&experiment).map_err(|fault| fault.at(file, text))?;
        Ok(experiment)
    }
}

fn read_text(path: &Path) -> Result<String, ExperimentError> {
    let unreadable = |problem| ExperimentError::Unreadable { path: path.to_owned(), problem };
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
    read.map_err(unreadable)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(unreadable(std::io::Error::other("the file is too large for an experiment")));
    }
    Ok(text)
}

/// Turns serde's message about an unknown word into a problem with a suggestion.
fn reworded(message: &str) -> Problem {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let kind = match message {
        m if m.starts_with("unknown field") => "key",
        m if m.starts_with("unknown variant") => "word",
        m => return Problem::Toml(m.trim_end().to_owned()),
    };
    match words.split_first() {
        Some((name, known)) => Problem::unknown(kind, name, known.iter().copied()),
        None => Problem::Toml(message.trim_end().to_owned()),
    }
}

/// A problem and the TOML path of the value that has it.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) path: String,
    pub(super) problem: Problem,
}

impl Fault {
    fn at(self, file: &str, text: &str) -> ExperimentError {
        let line = line_of(text, &self.path);
        ExperimentError::Faulty { file: file.to_owned(), line, problem: self.problem }
    }
}

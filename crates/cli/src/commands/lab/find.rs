//! Finds an experiment: a file, one in the folder `experiments`, or one in the binary.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ludex_lab::{BUILT_IN, BuiltIn, Companions, ExperimentFile, FormName};

/// The folder of experiments, relative to the working directory. What is there goes before what is
/// built in, so that people can change it.
const FOLDER: &str = "experiments";

/// An experiment that was found.
pub(super) enum Found {
    /// In a file.
    File(PathBuf),
    /// In the binary.
    BuiltIn(&'static BuiltIn),
}

impl Found {
    /// Its name.
    pub(super) fn name(&self) -> String {
        match self {
            Found::File(path) => path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
            Found::BuiltIn(experiment) => experiment.name.to_owned(),
        }
    }

    /// The experiment, checked.
    pub(super) fn read(&self) -> Result<ExperimentFile> {
        Ok(match self {
            Found::File(path) => ExperimentFile::read(path)?,
            Found::BuiltIn(experiment) => experiment.file()?,
        })
    }

    /// Published figures and discussion.
    pub(super) fn companions(&self) -> Result<Companions> {
        Ok(match self {
            Found::File(path) => Companions::beside(path)?,
            Found::BuiltIn(experiment) => experiment.companions()?,
        })
    }

    /// The default folder for the results of a form.
    pub(super) fn results(&self, form: FormName) -> PathBuf {
        Path::new("lab").join(format!("{}-{form}", self.name()))
    }
}

/// The experiment that a word on the command line means: a path or a name.
pub(super) fn find(word: &Path) -> Result<Found> {
    if word.is_file() {
        return Ok(Found::File(word.to_owned()));
    }
    let name = word.to_string_lossy();
    if let Some(found) = named(&name) {
        return Ok(found);
    }
    let known: Vec<String> = all().iter().map(Found::name).collect();
    let meant = ludex_gdl::closest(&name, known.iter().map(String::as_str));
    let meant = meant.map_or_else(String::new, |meant| format!("did you mean `{meant}`? "));
    bail!("there is no experiment and no file `{name}`; {meant}`ludex lab list` lists them all")
}

/// The experiment with this name.
pub(super) fn named(name: &str) -> Option<Found> {
    // Names may have dots in them.
    let path = Path::new(FOLDER).join(format!("{name}.toml"));
    if path.is_file() { Some(Found::File(path)) } else { BuiltIn::find(name).map(Found::BuiltIn) }
}

/// All experiments, by name.
pub(super) fn all() -> Vec<Found> {
    let entries = std::fs::read_dir(FOLDER).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let mut found: Vec<Found> = files.into_iter().map(Found::File).collect();
    let known: Vec<String> = found.iter().map(Found::name).collect();
    let others = BUILT_IN.iter().filter(|experiment| !known.iter().any(|name| name == experiment.name));
    found.extend(others.map(Found::BuiltIn));
    found.sort_by_key(Found::name);
    found
}

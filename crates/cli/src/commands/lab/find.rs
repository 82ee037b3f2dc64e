//! Finds the file of an experiment.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ludex_lab::FormName;

/// The folder of experiments, relative to the working directory.
pub(super) const FOLDER: &str = "experiments";

/// The file that a word on the command line means: a path, or the name of an experiment in the
/// folder.
pub(super) fn find(word: &Path) -> Result<PathBuf> {
    if word.is_file() {
        return Ok(word.to_owned());
    }
    // Names may have dots in them.
    let mut name = word.as_os_str().to_owned();
    name.push(".toml");
    let named = Path::new(FOLDER).join(name);
    if named.is_file() {
        return Ok(named);
    }
    let known: Vec<String> = all()
        .unwrap_or_default()
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    let meant = ludex_gdl::closest(&word.to_string_lossy(), known.iter().map(String::as_str));
    let meant = meant.map_or_else(String::new, |meant| format!("did you mean `{meant}`? "));
    bail!("there is no experiment and no file `{}`; {meant}`ludex lab list` lists them all", word.display())
}

/// The default folder for the results of a form.
pub(super) fn results(file: &Path, form: FormName) -> PathBuf {
    let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    Path::new("lab").join(format!("{stem}-{form}"))
}

/// All experiments in the folder, by name.
pub(super) fn all() -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(FOLDER).with_context(|| format!("cannot read the folder {FOLDER}"))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    Ok(paths)
}

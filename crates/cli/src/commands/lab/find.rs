//! Which file an experiment is in.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Where experiments are, from where the program is run.
pub(super) const FOLDER: &str = "experiments";

/// The file that a word on the command line means: a path, or the name of an experiment in the folder.
pub(super) fn find(word: &Path) -> Result<PathBuf> {
    if word.is_file() {
        return Ok(word.to_owned());
    }
    let named = Path::new(FOLDER).join(word).with_extension("toml");
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

/// All experiments in the folder, by name.
pub(super) fn all() -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(FOLDER).with_context(|| format!("cannot look into {FOLDER}"))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    Ok(paths)
}

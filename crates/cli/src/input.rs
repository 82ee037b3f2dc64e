//! Rule sheets: built in, from files and folders, from standard input.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};
use ludex_gdl::{MAX_SOURCE_BYTES, Source};
use ludex_library::{About, Sheet};

use crate::Outcome;
use crate::output::remark;

/// File extensions of rule sheets, for folders.
const ENDINGS: [&str; 2] = ["kif", "gdl"];

/// A game that is not there.
#[derive(Debug)]
struct Unknown(String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unknown {}

/// A game whose sheet has errors.
#[derive(Debug)]
pub(crate) struct Faulty;

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sheet has errors; `ludex check` shows them")
    }
}

impl std::error::Error for Faulty {}

/// How a command ends that met this error with one of its games: what could not be read is one
/// thing, what could be read and not be run another.
pub(crate) fn failed(error: &Error) -> Outcome {
    if error.is::<Unknown>() || error.is::<io::Error>() { Outcome::Error } else { Outcome::Failure }
}

/// Whether a path means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The built-in game with this name, even if a file has the same name. A path with a folder or an
/// extension (`./chess`, `chess.kif`) is a path.
pub(crate) fn built_in(game: &Path) -> Option<&'static Sheet> {
    game.to_str().and_then(ludex_library::find)
}

/// Reads the sheet of a game: a built-in name, a path, or `-` for standard input.
pub(crate) fn read(game: &Path) -> Result<Source> {
    match built_in(game) {
        Some(sheet) => Ok(Source::new(sheet.name, sheet.text)),
        None if is_name(game) && !game.exists() => Err(unknown(game)),
        None => read_file(game),
    }
}

/// The description of a game. For a sheet in a file it is the TOML file next to it (`my_game.toml`
/// for `my_game.kif`), if there is one.
pub(crate) fn about(game: &Path) -> Result<Option<About>> {
    if let Some(sheet) = built_in(game) {
        return Ok(Some(sheet.about()?));
    }
    let beside = game.with_extension("toml");
    if is_stdin(game) || !beside.is_file() {
        return Ok(None);
    }
    let text =
        std::fs::read_to_string(&beside).with_context(|| format!("cannot read {}", beside.display()))?;
    match About::read(&game.display().to_string(), &text) {
        Ok(about) => Ok(Some(about)),
        // The file may be about something else.
        Err(error) => {
            remark(format_args!("{} is not used: {error}", beside.display()));
            Ok(None)
        }
    }
}

/// Whether a word could be the name of a game: nothing in it looks like a path.
fn is_name(game: &Path) -> bool {
    let word = game.to_str().unwrap_or("");
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') && !is_stdin(game)
}

/// The error for an unknown name, with similar names.
pub(crate) fn unknown(game: &Path) -> Error {
    let similar = ludex_library::similar(&game.to_string_lossy());
    let meant =
        if similar.is_empty() { String::new() } else { format!("did you mean {}? ", similar.join(", ")) };
    let text = format!(
        "there is no game and no file `{}`; {meant}`ludex games` lists the built-in games; a path to a \
         rule sheet works too",
        game.display()
    );
    Unknown(text).into()
}

/// Reads one sheet from a file; `-` is standard input.
///
/// Reads at most one byte more than the limit of a sheet.
pub(crate) fn read_file(path: &Path) -> Result<Source> {
    let mut bytes = Vec::new();
    let limit = MAX_SOURCE_BYTES as u64 + 1;
    if is_stdin(path) {
        io::stdin().lock().take(limit).read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(Source::new("<stdin>", bytes));
    }
    let name = path.display().to_string();
    let read = File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    read.with_context(|| format!("cannot read {name}"))?;
    Ok(Source::new(name, bytes))
}

/// The games of the given names and paths; a folder stands for all sheets below it, sorted by name.
pub(crate) fn expand(paths: &[PathBuf]) -> Vec<Result<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() && built_in(path).is_none() {
            match sheets_below(path) {
                Ok(found) => files.extend(found.into_iter().map(Ok)),
                Err(error) => files.push(Err(error)),
            }
        } else {
            files.push(Ok(path.clone()));
        }
    }
    files
}

fn sheets_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot read the folder {}", folder.display()))?;
        let ending = entry.path().extension().unwrap_or_default();
        if entry.file_type().is_file() && ENDINGS.iter().any(|e| ending.eq_ignore_ascii_case(e)) {
            found.push(entry.into_path());
        }
    }
    if found.is_empty() {
        bail!("no rule sheets (*.kif, *.gdl) in {}", folder.display());
    }
    Ok(found)
}

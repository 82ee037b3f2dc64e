//! Rule sheets from files, folders and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ludex_gdl::{MAX_SOURCE_BYTES, Source};

/// Endings of the names of rule sheets, for folders.
const ENDINGS: [&str; 2] = ["kif", "gdl"];

/// Whether a path means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Reads one sheet; `-` is standard input.
///
/// Of a file that is too large only as much is read as is needed to see that.
pub(crate) fn read(path: &Path) -> Result<Source> {
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

/// The files behind the given paths: of folders all sheets below them, in the order of their names.
pub(crate) fn expand(paths: &[PathBuf]) -> Vec<Result<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
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
        let entry = entry.with_context(|| format!("cannot look into {}", folder.display()))?;
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

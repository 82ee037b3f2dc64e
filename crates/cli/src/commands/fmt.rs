//! `ludex fmt`: the canonical layout.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ludex_gdl::{Source, Style, format, render};
use similar::{ChangeTag, TextDiff};

use crate::output::{count, report_error, stdout};
use crate::{Outcome, input};

/// Format rule sheets in the canonical layout; comments are kept
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Rule sheets, changed in place; a folder stands for all *.kif and *.gdl files below it; `-`
    /// reads standard input and writes standard output
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Change nothing; show the differences and exit with 1 if there are any
    #[arg(long)]
    check: bool,

    /// Write the result to standard output; do not change the files
    #[arg(long, conflicts_with = "check")]
    stdout: bool,
}

const EXAMPLES: &str = "Examples:
  ludex fmt my_game.kif
  ludex fmt --check games/       for CI: fails if a sheet is not in canonical layout
  ludex fmt - < my_game.kif      as a filter, for editors

A sheet with syntax errors is not changed.
Exit codes: 0 success, 1 not canonical or syntax errors, 2 a file could not be read or written.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    let mut outcome = Outcome::Success;
    let (mut seen, mut changed) = (0, 0);
    for file in input::expand(&arguments.files) {
        let done = file.and_then(|path| one(arguments, &path, &mut out));
        match done {
            Ok((result, did_change)) => {
                outcome = outcome.max(result);
                seen += 1;
                changed += usize::from(did_change);
            }
            Err(error) if crate::output::is_broken_pipe(&error) => return Err(error),
            Err(error) => {
                out.flush()?;
                report_error(&error);
                outcome = outcome.max(Outcome::Error);
            }
        }
    }
    let to_stdout = arguments.stdout || arguments.files.iter().any(|f| input::is_stdin(f));
    if arguments.check {
        writeln!(
            out,
            "{} checked: {} not in canonical layout",
            count(seen, "sheet"),
            if changed == 0 { "none".to_owned() } else { changed.to_string() }
        )?;
    } else if !to_stdout {
        writeln!(out, "{} formatted: {changed} changed", count(seen, "sheet"))?;
    }
    out.flush()?;
    Ok(outcome)
}

/// Formats one sheet; returns the outcome and whether its layout was (or would be) changed.
fn one(arguments: &Arguments, path: &Path, out: &mut impl Write) -> Result<(Outcome, bool)> {
    let source = input::read_file(path)?;
    let formatted = match format(&source) {
        Ok(formatted) => formatted,
        Err(report) => {
            for diagnostic in report.diagnostics() {
                writeln!(out, "{}\n", render(&source, diagnostic, Style::Coloured))?;
            }
            return Ok((Outcome::Failure, false));
        }
    };
    let changed = formatted != source.bytes();
    if arguments.check {
        if changed {
            show_difference(&source, &formatted, out)?;
            return Ok((Outcome::Failure, true));
        }
    } else if arguments.stdout || input::is_stdin(path) {
        out.write_all(&formatted)?;
    } else if changed {
        replace(path, &formatted).with_context(|| format!("cannot write {}", path.display()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok((Outcome::Success, changed))
}

/// Replaces a file atomically: at any time it has either the old or the new text.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let target = fs::canonicalize(path)?; // a link stays a link
    let folder = target.parent().context("not a file")?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
    file.persist(&target)?;
    Ok(())
}

fn show_difference(source: &Source, formatted: &[u8], out: &mut impl Write) -> Result<()> {
    let (old, new) = (String::from_utf8_lossy(source.bytes()), String::from_utf8_lossy(formatted));
    let diff = TextDiff::from_lines(old.as_ref(), new.as_ref());
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        let first = hunk.ops().first().map_or(0, |op| op.old_range().start + 1);
        writeln!(out, "\x1b[1m{}:{first}\x1b[0m", source.name())?;
        for change in hunk.iter_changes() {
            let (sign, colour) = match change.tag() {
                ChangeTag::Delete => ('-', "\x1b[31m"),
                ChangeTag::Insert => ('+', "\x1b[32m"),
                ChangeTag::Equal => (' ', ""),
            };
            let line = change.value().trim_end_matches(['\n', '\r']);
            writeln!(out, "{colour}{sign}{line}\x1b[0m")?;
        }
    }
    Ok(())
}

//! `ludex scramble`: renames the symbols of a sheet; the game stays the same.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ludex_gdl::{Style, parse, rename, render, scramble};

use crate::output::{remark, stdout};
use crate::{Outcome, input};

/// Obfuscate a sheet: rename everything but GDL's keywords, so that names carry no hints
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A path to a rule sheet, or a built-in game; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The same seed gives the same names; chosen at random and printed if omitted
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Write the renaming to this file: a JSON object of new and old names
    #[arg(long, value_name = "MAP", conflicts_with = "undo")]
    map: Option<PathBuf>,

    /// Restore the old names, from a file written by --map
    #[arg(long, value_name = "MAP", conflicts_with = "seed")]
    undo: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  ludex scramble my_game.kif --seed 7 --map names.json > hidden.kif
  ludex scramble hidden.kif --undo names.json

Keywords and goal values stay. Comments are removed. Variables and numbers are renamed too.
Exit codes: 0 success, 1 the sheet has syntax errors, 2 a file could not be read or written.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let source = input::read(&arguments.file)?;
    let (tree, report) = parse(&source);
    let mut out = stdout();
    if report.has_errors() {
        for diagnostic in report.diagnostics() {
            writeln!(out, "{}\n", render(&source, diagnostic, Style::Coloured))?;
        }
        out.flush()?;
        return Ok(Outcome::Failure);
    }
    if let Some(path) = &arguments.undo {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let map: BTreeMap<String, String> = serde_json::from_str(&text)
            .with_context(|| format!("{} was not written by --map", path.display()))?;
        out.write_all(rename(&tree, &map.into_iter().collect::<Vec<_>>()).as_bytes())?;
        out.flush()?;
        return Ok(Outcome::Success);
    }
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    if arguments.seed.is_none() {
        remark(format_args!("seed {seed}"));
    }
    let scrambled = scramble(&tree, seed);
    if let Some(path) = &arguments.map {
        let map: BTreeMap<_, _> = scrambled.map.iter().cloned().collect();
        let text = serde_json::to_string_pretty(&map)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    out.write_all(scrambled.text.as_bytes())?;
    out.flush()?;
    Ok(Outcome::Success)
}

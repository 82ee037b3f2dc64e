//! `ludex scramble`: other names, same game.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ludex_gdl::{Style, parse, rename, render, scramble};

use crate::output::{remark, stdout};
use crate::{Outcome, input};

/// Rename everything that has no meaning to GDL, so that names give nothing away
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A path to a rule sheet, or a built-in game; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The same seed gives the same names; without one a seed is drawn and told
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Write the way back to this file: a JSON object of new and old names
    #[arg(long, value_name = "MAP", conflicts_with = "undo")]
    map: Option<PathBuf>,

    /// Put the old names back, from a file that --map wrote
    #[arg(long, value_name = "MAP", conflicts_with = "seed")]
    undo: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  ludex scramble my_game.kif --seed 7 --map names.json > hidden.kif
  ludex scramble hidden.kif --undo names.json

Keywords and goal values stay, comments go, variables and numbers are renamed too.
Exit codes: 0 good, 1 the sheet is not readable as GDL, 2 a file could not be read or written.";

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
        return Ok(Outcome::Bad);
    }
    if let Some(path) = &arguments.undo {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let map: BTreeMap<String, String> = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a map that --map wrote", path.display()))?;
        out.write_all(rename(&tree, &map.into_iter().collect::<Vec<_>>()).as_bytes())?;
        out.flush()?;
        return Ok(Outcome::Good);
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
    Ok(Outcome::Good)
}

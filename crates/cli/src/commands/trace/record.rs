//! `ludex trace record`: random games, line by line.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ludex_game::{Recording, record};

use crate::game::{self, EngineName};
use crate::output::{report_error, stdout};
use crate::{Outcome, input};

/// Play random games and record every state
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet; `-` for standard input
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// The same seed gives the same games, with any engine
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many games
    #[arg(long, value_name = "N", default_value_t = 4)]
    playouts: u64,

    /// Stop games after this many steps
    #[arg(long, value_name = "N", default_value_t = 300)]
    steps: u64,

    /// Write to this file instead of standard output; compressed if its name ends with .gz
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Which engine plays
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t)]
    engine: EngineName,
}

const EXAMPLES: &str = "Examples:
  ludex trace record my_game.kif --playouts 1
  ludex trace record my_game.kif --seed 7 --steps 50 --output my_game.jsonl.gz

Exit codes: 0 success, 1 the sheet has errors or the engine gave up, 2 cannot read or write.";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let source = input::read(&arguments.game)?;
    let mut out = stdout();
    let Some(rules) = game::playable(&source, &mut out)? else { return Ok(Outcome::Failure) };
    let Arguments { seed, playouts, steps: max_steps, .. } = *arguments;
    let recording = Recording { seed, playouts, max_steps };
    let trace = match game::build(rules, &arguments.engine).and_then(|g| Ok(record(&*g, recording)?)) {
        Ok(trace) => trace,
        Err(error) => {
            report_error(&error);
            return Ok(Outcome::Failure);
        }
    };
    let Some(path) = &arguments.output else {
        trace.write(out)?;
        return Ok(Outcome::Success);
    };
    let context = || format!("cannot write {}", path.display());
    let file = BufWriter::new(File::create(path).with_context(context)?);
    match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        true => trace.write_compressed(file).with_context(context)?,
        false => trace.write(file).with_context(context)?,
    }
    Ok(Outcome::Success)
}

//! `ludex bench gdl-perf`: the process contract of a benchmark framework for GDL engines.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ludex_game::Game;

use super::playing::{read_rules, simulator};
use crate::game::{EngineName, build};
use crate::output::{in_words, report_error};
use crate::{Outcome, input};

/// The contract of the gdl-perf benchmark framework: FILE, result file, seconds
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A rule sheet
    file: PathBuf,
    /// Where to write `name = value` lines
    out: PathBuf,
    /// How long to run
    seconds: f64,
    /// Which engine
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName("auto"))]
    engine: EngineName,
}

const EXAMPLES: &str = "Examples:
  ludex bench gdl-perf connect_four result.txt 10

Exit codes: 0 success, 1 the game could not be run (the file says why), 2 cannot read or
write.";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let version = concat!("ludex ", env!("CARGO_PKG_VERSION"));
    let (text, outcome) = match run_for(arguments) {
        Ok((taken, nodes, ended)) => (
            format!(
                "version = {version}\nmillisecondsTaken = {}\nnumStateChanges = {nodes}\nnumRollouts = {ended}\n",
                taken.as_millis()
            ),
            Outcome::Success,
        ),
        Err(error) => {
            report_error(&error);
            let message = in_words(&error).replace('\n', " ");
            (format!("version = {version}\nerrorMessage = {message}\n"), input::failed(&error))
        }
    };
    std::fs::write(&arguments.out, text)
        .with_context(|| format!("cannot write {}", arguments.out.display()))?;
    Ok(outcome)
}

fn run_for(arguments: &Arguments) -> Result<(Duration, u64, u64)> {
    let game: Arc<dyn Game> = build(read_rules(&arguments.file)?, &arguments.engine)?;
    let (mut simulator, from) = (simulator(&game), game.initial());
    let started = Instant::now();
    let (mut nodes, mut ended, mut count, mut seed) = (0, 0, 1, 1);
    while started.elapsed().as_secs_f64() < arguments.seconds {
        let before = Instant::now();
        let result = simulator.playouts(&from, count, seed)?;
        nodes += result.steps;
        ended += result.ended();
        seed += 1;
        if before.elapsed().as_secs_f64() < arguments.seconds / 50.0 {
            count *= 2;
        }
    }
    Ok((started.elapsed(), nodes, ended))
}

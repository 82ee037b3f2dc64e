//! `ludex perft`: counts the paths and states of a game by depth.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use ludex_game::{Layer, perft_by_layer};

use crate::game::{self, EngineName};
use crate::output::{report_error, stdout};
use crate::{Outcome, input};

/// Count the paths and states of a game by depth (performance test, perft)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet; `-` for standard input
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// Depth in steps; each depth is shown as soon as it is counted
    #[arg(value_name = "DEPTH")]
    depth: usize,

    /// Which engine runs the game
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName("auto"))]
    engine: EngineName,
}

const EXAMPLES: &str = "Examples:
  ludex perft tic_tac_toe 5
  ludex perft my_game.kif 3 --engine reference

For each depth: `paths` are sequences of joint moves, `states` the different states that they reach,
`terminal` the paths that end there in a terminal state, `stuck` those that end because a role has no
legal move. Engines that agree on all numbers very likely agree on the rules.
Exit codes: 0 success, 1 the sheet has errors or the engine gave up, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let source = input::read(&arguments.game)?;
    let mut out = stdout();
    let Some(rules) = game::playable(&source, &mut out)? else { return Ok(Outcome::Failure) };
    let started = Instant::now();
    let game = match game::build(rules, &arguments.engine) {
        Ok(game) => game,
        Err(error) => {
            report_error(&error);
            return Ok(Outcome::Failure);
        }
    };
    writeln!(out, "{:>5}  {:>15}  {:>12}  {:>12}  {:>12}", "depth", "paths", "states", "terminal", "stuck")?;
    out.flush()?;
    // Each depth takes many times as long as the one before it: it is shown when it is counted.
    let mut written = Ok(());
    let counted = perft_by_layer(&game, arguments.depth, |depth, layer| {
        let Layer { paths, states, terminal, stuck } = layer;
        if written.is_ok() {
            let line = writeln!(out, "{depth:>5}  {paths:>15}  {states:>12}  {terminal:>12}  {stuck:>12}");
            written = line.and_then(|()| out.flush());
        }
    });
    written?;
    if let Err(failure) = counted {
        report_error(&failure.into());
        return Ok(Outcome::Failure);
    }
    writeln!(out, "{} in {:.2} s", game.engine().name, started.elapsed().as_secs_f64())?;
    out.flush()?;
    Ok(Outcome::Success)
}

//! `ludex lab`: experiments, from one file each to tables with intervals.

mod find;
mod list;
mod papers;
pub(crate) mod progress;
mod report;
mod run;
mod table;

use anyhow::Result;

use crate::Outcome;

/// Run experiments: strength of players, speed of engines, scores in single-player games
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Run(run::Arguments),
    Report(report::Arguments),
    List(list::Arguments),
}

const EXAMPLES: &str = "Examples:
  ludex lab list
  ludex lab run equal
  ludex lab report equal
  ludex lab run my_experiment.toml --full --cores 8
  ludex lab run papers

An experiment is a TOML file: games, players, pairings, clocks or playouts, number of matches. Those of
the papers and of Ludex are built in and work in any folder; results go to the folder lab/NAME-quick or
lab/NAME-full. For a short tournament without a file: `ludex tournament`.
Exit codes: 0 success, 1 something could not be run to its end, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.what {
        What::Run(arguments) => run::run(arguments),
        What::Report(arguments) => report::run(arguments),
        What::List(arguments) => list::run(arguments),
    }
}

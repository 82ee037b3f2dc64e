//! `ludex bench`: measures speed and checks behaviour. A rate never fails a check: the machine may
//! be busy.

mod deadlines;
mod expansion;
mod gdl_perf;
mod growth;
mod playing;
mod reasoner;
mod search;
mod signature;
mod thoughts;

use anyhow::Result;

use crate::Outcome;

/// Measure the speed of engines and players, and check that behaviour is unchanged
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Reasoner(reasoner::Arguments),
    GdlPerf(gdl_perf::Arguments),
    Growth(growth::Arguments),
    Search(search::Arguments),
    Signature(signature::Arguments),
    Deadlines(deadlines::Arguments),
    Thoughts(thoughts::Arguments),
}

const EXAMPLES: &str = "Examples:
  ludex bench reasoner connect_four
  ludex bench reasoner games/ --engine batch --engine rules --json
  ludex bench growth breakthrough --to 8
  ludex bench search connect_four
  ludex bench signature
  ludex bench deadlines connect_four --play-clock 1
  ludex bench thoughts connect_four --play-clock 0.2
  ludex bench gdl-perf connect_four result.txt 10

Exit codes: 0 success, 1 a game could not be run, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.what {
        What::Reasoner(arguments) => reasoner::run(arguments),
        What::GdlPerf(arguments) => gdl_perf::run(arguments),
        What::Growth(arguments) => growth::run(arguments),
        What::Search(arguments) => search::run(arguments),
        What::Signature(arguments) => signature::run(arguments),
        What::Deadlines(arguments) => deadlines::run(arguments),
        What::Thoughts(arguments) => thoughts::run(arguments),
    }
}

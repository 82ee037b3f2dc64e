//! `ludex trace`: records random games, and compares engines with them.

mod record;
mod verify;

use anyhow::Result;

use crate::Outcome;

/// Record random games, or check that an engine agrees with recorded ones
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Record(record::Arguments),
    Verify(verify::Arguments),
}

const EXAMPLES: &str = "Examples:
  ludex trace record tic_tac_toe --seed 7 --output ttt.jsonl.gz
  ludex trace verify tic_tac_toe ttt.jsonl.gz
  ludex trace verify --corpus ~/sheets --engine all --seconds 10

A trace has one JSON object per line: playout, step, state, terminal, goals, legal, moves.
Exit codes: 0 success, 1 the sheet has errors or an engine differs, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.action {
        Action::Record(arguments) => record::run(arguments),
        Action::Verify(arguments) => verify::run(arguments),
    }
}

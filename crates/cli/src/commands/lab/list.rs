//! `ludex lab list`: lists the experiments.

use std::io::Write;

use anyhow::Result;

use super::find::all;
use crate::Outcome;
use crate::output::{report_error, stdout};

/// List the experiments: those in the binary and those in the folder `experiments`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {}

const EXAMPLES: &str = "Examples:
  ludex lab list

A star marks those with a full form, as published (`ludex lab run NAME --full`). A file in the folder
`experiments` goes before a built-in experiment of the same name.
Exit codes: 0 success, 1 an experiment has errors, 2 cannot read.";

/// Runs the command.
pub(super) fn run(_: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    let mut outcome = Outcome::Success;
    for found in all() {
        match found.read() {
            Ok(file) => {
                let full = if file.experiment.full.is_some() { '*' } else { ' ' };
                writeln!(out, "{:<24} {full} {}", file.name, file.experiment.title)?;
            }
            Err(error) => {
                out.flush()?;
                report_error(&error);
                outcome = Outcome::Failure;
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}

//! `ludex lab report`: results as tables, plots and pages.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ludex_lab::{Companions, FormName, Measure, Measured, Provenance, Report, Results};
use ludex_lab::{read_results, search_signature, write_report};
use serde::Serialize;

use super::find::{self, Found};
use crate::Outcome;
use crate::output::{count, remark, stdout};

/// Write a report of the results: tables, plots, all numbers
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A folder of results, or an experiment: its file or its name
    #[arg(value_name = "DIR|FILE")]
    what: PathBuf,

    /// Of an experiment: the results of the full form, instead of the quick one
    #[arg(long)]
    full: bool,

    /// Where to write the report, instead of next to the results
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// One JSON object for each cell or measurement, instead of tables
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex lab report equal                      the results in lab/equal-quick
  ludex lab report lab/equal-quick --out docs/equal
  ludex lab report thesis-5.1 --full --json

Tables are printed as Markdown. The folder gets report.md, report.html (self-contained), plots as SVG
and all numbers as CSV. If NAME.csv and NAME.md are next to NAME.toml, the report includes the published
figures and the discussion of the results; built-in experiments have theirs in the binary. Unfinished
runs can be reported too. A report names the search signature of its players; if the players of this
program choose differently, the command says so.
Exit codes: 0 success, 2 there are no results or they cannot be read.";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let (folder, found) = place(arguments)?;
    let results = read_results(&folder)?;
    let companions = companions(&folder, found.as_ref(), &results)?;
    let provenance = Provenance::joined(&results.runs);
    let report = Report {
        experiment: &results.experiment,
        form: results.form,
        measured: match results.experiment.measure {
            Measure::Wins | Measure::Rates => Measured::Matches(&results.outcomes),
            Measure::Reasoners => Measured::Reasoners(&results.reasoners),
            Measure::Scores => Measured::Scores(&results.scores),
        },
        missing: results.missing,
        published: &companions.published,
        reading: companions.reading.as_deref(),
        provenance: &provenance,
    };
    let out = arguments.out.as_ref().unwrap_or(&folder);
    let written = write_report(out, &report)?;
    let mut standard = stdout();
    if arguments.json {
        match report.measured {
            Measured::Matches(_) => lines(&mut standard, &report.cells()?)?,
            Measured::Reasoners(measured) => lines(&mut standard, measured)?,
            Measured::Scores(runs) => lines(&mut standard, runs)?,
        }
    } else {
        standard.write_all(report.tables()?.as_bytes())?;
    }
    standard.flush()?;
    let form = results.experiment.form(results.form);
    let now = form.map(|form| search_signature(&results.experiment, form)).transpose()?.flatten();
    if let Some(warning) = provenance.warning(now.as_deref()) {
        remark(format_args!("{warning}"));
    }
    if results.missing > 0 {
        remark(format_args!("not finished: {} still to come", results.missing));
    }
    remark(format_args!("{} in {}", count(written.len(), "file"), out.display()));
    Ok(Outcome::Success)
}

fn lines(out: &mut impl Write, entries: &[impl Serialize]) -> Result<()> {
    for entry in entries {
        writeln!(out, "{}", serde_json::to_string(entry)?)?;
    }
    Ok(())
}

/// The folder of results, and the experiment if that was named.
fn place(arguments: &Arguments) -> Result<(PathBuf, Option<Found>)> {
    let word = &arguments.what;
    if word.is_dir() {
        return Ok((word.clone(), None));
    }
    // What looks like a path to a folder is none: an experiment would not be found either.
    if word.components().count() > 1 && word.extension().is_none_or(|ending| ending != "toml") {
        bail!("there is no folder {}", word.display());
    }
    let found = find::find(word)?;
    let form = if arguments.full { FormName::Full } else { FormName::Quick };
    let folder = found.results(form);
    if !folder.is_dir() {
        let full = if arguments.full { " --full" } else { "" };
        bail!(
            "there are no results in {}; `ludex lab run {}{full}` makes them",
            folder.display(),
            word.display()
        );
    }
    Ok((folder, Some(found)))
}

/// The companion files of the experiment, or the copies kept with its results.
fn companions(folder: &Path, found: Option<&Found>, results: &Results) -> Result<Companions> {
    let kept = Companions::kept(folder)?;
    let named = match found {
        Some(_) => None,
        // Another experiment can have the same name.
        None => find::named(&results.name)
            .filter(|found| found.read().is_ok_and(|file| file.experiment.title == results.experiment.title)),
    };
    Ok(match found.or(named.as_ref()) {
        Some(found) => found.companions()?.or(kept),
        None => kept,
    })
}

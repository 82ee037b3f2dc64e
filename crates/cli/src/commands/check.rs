//! `ludex check`: reports errors in rule sheets.

mod explain;
mod watch;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use ludex_gdl::{Code, DEFAULT_CAP, Diagnostic, Label, Report, Severity, Source, Style, check_with, render};
use serde::Serialize;

use crate::output::{count, report_error, stdout};
use crate::{Outcome, input};

/// Check rule sheets: report errors with their place and how to fix them
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Rule sheets; a folder stands for all *.kif and *.gdl files below it; `-` for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["codes", "explain"])]
    files: Vec<PathBuf>,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Also report hints about style, such as variables that are used once
    #[arg(long)]
    pedantic: bool,

    /// Print at most this many errors and this many warnings for each file
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CAP)]
    max: usize,

    /// List every code with its meaning; check nothing
    #[arg(long, exclusive = true)]
    codes: bool,

    /// Explain a code, with an example of a wrong sheet and its correction; check nothing
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,

    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Source lines with carets, for people
    #[default]
    Text,
    /// One JSON object per line, for editors and scripts
    Json,
}

const EXAMPLES: &str = "Examples:
  ludex check my_game.kif
  ludex check games/ other/              everything below two folders
  ludex check --format json my_game.kif  for an editor
  ludex check --watch my_game.kif        check again whenever the file changes
  ludex check --codes                    list the codes
  ludex check --explain W608             explain one of them

A first game, complete:
  (role you)
  (init (left 3))
  (legal you take)
  (<= (next (left ?m)) (true (left ?n)) (less ?n ?m))
  (less 3 2) (less 2 1) (less 1 0)
  (<= terminal (true (left 0)))
  (goal you 100)

Exit codes: 0 no errors, 1 errors, 2 a file could not be read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    if arguments.codes {
        for code in Code::ALL {
            writeln!(out, "{}  {:<7}  {}", code.as_str(), code.severity().as_str(), code.summary())?;
        }
        out.flush()?;
        return Ok(Outcome::Success);
    }
    if let Some(code) = &arguments.explain {
        return explain::run(code);
    }
    if arguments.watch { watch::run(arguments) } else { round(arguments) }
}

/// Checks all files once.
fn round(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    let mut totals = Totals::default();
    let mut outcome = Outcome::Success;
    let mut first = None;
    for file in input::expand(&arguments.files) {
        match file.and_then(|path| input::read(&path)) {
            Ok(source) => {
                let report = check_with(&source, Report::with_cap(arguments.max));
                totals.add(&report);
                let shown = report.diagnostics().iter();
                for found in shown.filter(|d| arguments.pedantic || d.severity() != Severity::Hint) {
                    first.get_or_insert(found.code);
                    match arguments.format {
                        Format::Text => writeln!(out, "{}\n", render(&source, found, Style::Coloured))?,
                        Format::Json => writeln!(out, "{}", serde_json::to_string(&json(&source, found))?)?,
                    }
                }
            }
            Err(error) => {
                out.flush()?;
                report_error(&error);
                outcome = Outcome::Error;
            }
        }
    }
    match arguments.format {
        Format::Text if totals.files == 0 => {} // the reason has been printed
        Format::Text => {
            if let Some(code) = first {
                writeln!(out, "For more on a finding: `ludex check --explain {}`\n", code.as_str())?;
            }
            writeln!(out, "{}", totals.in_words())?;
        }
        Format::Json => writeln!(out, "{}", serde_json::to_string(&Line::Summary(&totals))?)?,
    }
    out.flush()?;
    Ok(outcome.max(if totals.errors > 0 { Outcome::Failure } else { Outcome::Success }))
}

/// The totals of all files.
#[derive(Debug, Default, Serialize)]
struct Totals {
    files: usize,
    files_with_errors: usize,
    errors: usize,
    warnings: usize,
}

impl Totals {
    fn add(&mut self, report: &Report) {
        self.files += 1;
        self.files_with_errors += usize::from(report.has_errors());
        self.errors += report.count(Severity::Error);
        self.warnings += report.count(Severity::Warning);
    }

    fn in_words(&self) -> String {
        let (errors, warnings) = (count(self.errors, "error"), count(self.warnings, "warning"));
        let files = count(self.files, "sheet");
        match self.files_with_errors {
            bad if bad > 0 && self.files > 1 => {
                format!("{files} checked: {errors} in {}, {warnings}", count(bad, "sheet"))
            }
            _ => format!("{files} checked: {errors}, {warnings}"),
        }
    }
}

/// A line of JSON output.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Diagnostic(Box<JsonDiagnostic<'a>>),
    Summary(&'a Totals),
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    file: &'a str,
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    help: &'a str,
    /// The main place; the fields are null if the error concerns the file as a whole.
    #[serde(flatten)]
    place: Place,
    label: &'a str,
    /// Other places that explain the finding.
    related: Vec<Related<'a>>,
}

/// Lines and columns count from 1, columns in characters; offsets from 0 in bytes.
#[derive(Default, Serialize)]
struct Place {
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    start: Option<u32>,
    end: Option<u32>,
}

#[derive(Serialize)]
struct Related<'a> {
    #[serde(flatten)]
    place: Place,
    label: &'a str,
}

fn place(source: &Source, label: &Label) -> Place {
    let (from, to) = (source.position(label.span.start), source.position(label.span.end));
    Place {
        line: Some(from.line),
        column: Some(from.column),
        end_line: Some(to.line),
        end_column: Some(to.column),
        start: Some(label.span.start),
        end: Some(label.span.end),
    }
}

fn json<'a>(source: &'a Source, found: &'a Diagnostic) -> Line<'a> {
    let related =
        found.secondary.iter().map(|label| Related { place: place(source, label), label: &label.text });
    Line::Diagnostic(Box::new(JsonDiagnostic {
        file: source.name(),
        severity: found.severity().as_str(),
        code: found.code.as_str(),
        message: &found.message,
        help: &found.help,
        place: found.primary.as_ref().map(|label| place(source, label)).unwrap_or_default(),
        label: found.primary.as_ref().map_or("", |label| &label.text),
        related: related.collect(),
    }))
}

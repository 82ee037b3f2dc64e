//! `ludex lab run`: runs or resumes an experiment.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ludex_lab::{FormName, Provenance, RunOptions, Summary, read_results, search_signature};
use ludex_search::Stop;

use super::find::{self, Found};
use super::{papers, progress, table};
use crate::Outcome;
use crate::commands::matches::interrupt::stop_on_interrupt;
use crate::output::{count, remark, stdout};
use crate::publish::Publish;

/// Run an experiment, or resume it: existing results are kept
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The name of an experiment (`ludex lab list`), a file, or `papers`: all tables of the papers
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,

    /// The form as published, instead of the quick one
    #[arg(long)]
    pub(super) full: bool,

    /// Where to keep results, instead of lab/NAME-quick or lab/NAME-full
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    /// How many cores to use, instead of all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) cores: Option<u16>,

    /// Number of matches, instead of the number in the file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) matches: Option<u64>,

    /// Only these games of the experiment
    #[arg(long, value_name = "GAMES", value_delimiter = ',')]
    pub(super) games: Vec<String>,

    /// Delete existing results first
    #[arg(long)]
    pub(super) fresh: bool,

    /// One JSON object for each stored match or measurement
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) publish: Publish,
}

const EXAMPLES: &str = "Examples:
  ludex lab run equal
  ludex lab run equal --matches 1000                 more of the same
  ludex lab run experiments/equal.toml --full --cores 4
  ludex lab run my_experiment.toml --games connect_four,checkers --out results
  ludex lab run papers                               the quick form of every published table

After Ctrl-C or a kill the same command resumes; only the matches being played are lost. Players with
clocks never share a core. A match that cannot be finished is reported and retried the next time. If
the file has changed so that old and new results cannot be combined, the command stops with an error.
Exit codes: 0 complete, 1 something failed or is missing, 2 cannot read.";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let stop = Stop::new();
    stop_on_interrupt(&stop, "running matches are abandoned");
    if papers::is_meant(&arguments.file) {
        return papers::run(arguments, &stop);
    }
    let found = find::find(&arguments.file)?;
    let form = if arguments.full { FormName::Full } else { FormName::Quick };
    let folder = arguments.out.clone().unwrap_or_else(|| found.results(form));
    run_one(arguments, &found, &folder, &stop)
}

/// Runs an experiment; results go to the folder.
pub(super) fn run_one(arguments: &Arguments, found: &Found, folder: &Path, stop: &Stop) -> Result<Outcome> {
    let file = found.read()?;
    let form = if arguments.full { FormName::Full } else { FormName::Quick };
    remark(format_args!("results go to {}", folder.display()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let signature = search_signature(&file.experiment, file.form(form)?)?;
    let options = RunOptions {
        folder: folder.to_owned(),
        cores: arguments.cores.map_or(cores, usize::from),
        matches: arguments.matches,
        games: arguments.games.clone(),
        fresh: arguments.fresh,
        provenance: Some(Provenance::now(command(arguments, found)).with_signature(signature)),
        stop: stop.clone(),
    };
    let mut watcher = progress::Progress::new(arguments.json);
    let title = &file.experiment.title;
    let result = arguments.publish.run(title, &file, form, &options, &mut watcher);
    watcher.finish()?;
    let summary = result?;
    if !arguments.json {
        let mut out = stdout();
        table::write(&mut out, &read_results(folder)?)?;
        out.flush()?;
    }
    tell(&summary, folder);
    Ok(if summary.interrupted || !summary.failed.is_empty() { Outcome::Failure } else { Outcome::Success })
}

/// The command that reproduces the results on any machine: without local paths.
fn command(arguments: &Arguments, found: &Found) -> String {
    let here = std::env::current_dir().ok();
    let place = match found {
        Found::BuiltIn(experiment) => Path::new(experiment.name),
        Found::File(path) => match here.as_ref().and_then(|here| path.strip_prefix(here).ok()) {
            Some(inside) => inside,
            None if path.is_absolute() => Path::new(path.file_name().unwrap_or(path.as_os_str())),
            None => path,
        },
    };
    let mut words = vec!["ludex lab run".to_owned(), quoted(&place.to_string_lossy())];
    if arguments.full {
        words.push("--full".to_owned());
    }
    words.extend(arguments.cores.map(|cores| format!("--cores {cores}")));
    words.extend(arguments.matches.map(|matches| format!("--matches {matches}")));
    if !arguments.games.is_empty() {
        words.push(format!("--games {}", quoted(&arguments.games.join(","))));
    }
    words.join(" ")
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=@+".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Prints remarks on the run.
fn tell(summary: &Summary, folder: &Path) {
    let added = summary.finished;
    let before = if summary.before > 0 { format!(" to {}", summary.before) } else { String::new() };
    remark(format_args!("{added} added{before}; results are in {}", folder.display()));
    remark(format_args!(
        "`ludex lab report {}` makes tables and plots of them",
        quoted(&folder.to_string_lossy())
    ));
    if !summary.failed.is_empty() {
        let failed = count(summary.failed.len(), "failure");
        remark(format_args!("{failed}; run the same command to retry"));
    }
    if summary.interrupted {
        remark(format_args!("stopped before the end; run the same command to resume"));
    }
}

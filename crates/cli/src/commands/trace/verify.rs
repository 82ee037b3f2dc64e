//! `ludex trace verify`: checks whether an engine agrees with a trace.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use ludex_game::{End, Trace, Verified, verify_while};
use ludex_gdl::load;
use ludex_reasoner::{BuildOptions, Built, ENGINES, MachineCode};
use serde::Serialize;

use crate::circuits::CircuitArguments;
use crate::game::{self, EngineName, Engines};
use crate::output::{self, in_words, remark, stdout};
use crate::{Outcome, input, waiting};

/// Check that an engine agrees with recorded games, for one sheet or a folder of them
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet
    #[arg(value_name = "GAME", required_unless_present = "corpus", conflicts_with = "corpus")]
    game: Option<PathBuf>,

    /// Recorded games of it, plain or compressed with gzip
    #[arg(value_name = "TRACE", required_unless_present = "corpus", conflicts_with = "corpus")]
    trace: Option<PathBuf>,

    /// Check all sheets of a folder: games/NAME.kif with traces/NAME.jsonl.gz
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// Of the folder only sheets with this text in their names
    #[arg(long, value_name = "TEXT", requires = "corpus", default_value = "")]
    only: String,

    /// Which engine to check, or all of them
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t)]
    engine: Engines,

    #[command(flatten)]
    circuits: CircuitArguments,

    /// Time limit per sheet in seconds, set-up included
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<f64>,

    /// One JSON object for each sheet and engine, and one for each engine at the end
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex trace verify my_game.kif my_game.jsonl.gz
  ludex trace verify --corpus ~/sheets --seconds 10
  ludex trace verify --corpus ~/sheets --only chess --json
  ludex trace verify --corpus ~/sheets --engine batch --lanes 256 --no-jit

Every recorded state is built from its facts; then terminal, goals, legal moves and the next state must
be equal. Sheets with errors are tried too.
Exit codes: 0 no difference, 1 differences, 2 cannot read.";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let tasks = match (&arguments.corpus, &arguments.game, &arguments.trace) {
        (Some(corpus), ..) => tasks(corpus, &arguments.only)?,
        (None, Some(game), Some(trace)) => vec![Task::new(game, trace)],
        _ => bail!("a game and a trace are needed, or --corpus"), // clap has seen to it
    };
    let engines = arguments.engine.names();
    let mut options = arguments.circuits.options()?;
    if options.batch.machine_code != MachineCode::Never {
        // Machine code is what is verified, even where compiling does not pay for so few uses.
        options.batch.machine_code = MachineCode::AtOnce;
    }
    if let Some(time) = arguments.seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()) {
        // Set-up counts too; `auto` gives up on a circuit while there is time left for another
        // engine.
        options.limits.time = options.limits.time.min(time);
        options.patience = options.patience.min(time / 2);
    }
    let mut out = stdout();
    let progress = progress(tasks.len() * engines.len());
    let mut rows: Vec<Row> = Vec::new();
    for task in &tasks {
        for &engine in &engines {
            progress.set_message(task.name.clone());
            let row = task.run(engine, &options, arguments.seconds, &progress);
            if row.unreadable && arguments.corpus.is_none() {
                bail!("{}", row.reason);
            }
            if arguments.json {
                writeln!(out, "{}", serde_json::to_string(&Line::Sheet(&row))?)?;
                out.flush()?;
            }
            rows.push(row);
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    let totals: Vec<Totals> = engines.iter().map(|&engine| Totals::new(engine, &rows)).collect();
    if arguments.json {
        for total in &totals {
            writeln!(out, "{}", serde_json::to_string(&Line::Summary(total))?)?;
        }
    } else {
        table(&mut out, &rows, &totals)?;
    }
    out.flush()?;
    let one = |row: &Row| match row.result {
        _ if row.unreadable => Outcome::Error,
        Answer::Differs => Outcome::Failure,
        // In a folder some sheets are expected to exceed the limits.
        Answer::NotDone if arguments.corpus.is_none() => Outcome::Failure,
        _ => Outcome::Success,
    };
    Ok(rows.iter().map(one).max().unwrap_or(Outcome::Success))
}

/// A bar on standard error, if that is a terminal and there is more than one thing to do.
fn progress(count: usize) -> ProgressBar {
    if count < 2 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// A sheet and its trace.
struct Task {
    name: String,
    game: PathBuf,
    /// None if the folder has none.
    trace: Option<PathBuf>,
}

/// The sheets of a folder, in the order of their names.
fn tasks(corpus: &Path, only: &str) -> Result<Vec<Task>> {
    let games = corpus.join("games");
    if !games.is_dir() {
        bail!("there is no folder {}", games.display());
    }
    let sheets: Result<Vec<PathBuf>> = input::expand(&[games]).into_iter().collect();
    let traces = corpus.join("traces");
    let mut tasks = Vec::new();
    for game in sheets? {
        let name = game.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name.contains(only) {
            let trace = traces.join(format!("{name}.jsonl.gz"));
            let trace = Some(trace).filter(|path| path.exists());
            tasks.push(Task { name, game, trace });
        }
    }
    if tasks.is_empty() {
        bail!("no sheets with `{only}` in their names in {}", corpus.display());
    }
    Ok(tasks)
}

impl Task {
    fn new(game: &Path, trace: &Path) -> Self {
        Self { name: game.display().to_string(), game: game.to_owned(), trace: Some(trace.to_owned()) }
    }

    fn run(
        &self,
        engine: EngineName,
        options: &BuildOptions,
        seconds: Option<f64>,
        bar: &ProgressBar,
    ) -> Row {
        let mut row = Row { sheet: self.name.clone(), engine: engine.0, ..Row::default() };
        let Some(trace) = &self.trace else {
            row.reason = "there is no trace".to_owned();
            return row;
        };
        let started = Instant::now();
        match self.verify(trace, engine, options, seconds, bar) {
            Err(error) => {
                row.reason = in_words(&error);
                row.unreadable = true;
            }
            Ok(Err(reason)) => row.reason = reason,
            Ok(Ok((built, verified))) => {
                let game = &built.game;
                (row.runs_on, row.lanes, row.jit) =
                    (game.engine().name, game.engine().lanes, game.engine().compiled);
                row.choice = built.choice.reason;
                (row.states, row.of) = (verified.states, verified.of);
                (row.result, row.reason) = match verified.end {
                    End::Agreed => (Answer::Verified, String::new()),
                    End::Differs(difference) => (Answer::Differs, difference.to_string()),
                    End::Failed(failure) => (Answer::NotDone, failure.to_string()),
                    End::Stopped => (Answer::NotDone, format!("{} of {} states in time", row.states, row.of)),
                };
            }
        }
        row.seconds = started.elapsed().as_secs_f64();
        row
    }

    /// The game and the result; as text if there is no game to compare with.
    fn verify(
        &self,
        trace: &Path,
        engine: EngineName,
        options: &BuildOptions,
        seconds: Option<f64>,
        bar: &ProgressBar,
    ) -> Result<Result<(Built, Verified), String>> {
        let source = input::read(&self.game)?;
        let context = || format!("cannot read {}", trace.display());
        let file = BufReader::new(File::open(trace).with_context(context)?);
        let trace = Trace::read(file).with_context(context)?;
        let limit = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()).unwrap_or(Duration::MAX);
        let started = Instant::now();
        let rules = load(&source).rules;
        let built =
            waiting::show_on(bar, &self.name, |progress| game::build_with(rules, &engine, options, progress));
        Ok(match built {
            Ok(built) => {
                let verified = verify_while(&*built.game, &trace, |_| started.elapsed() < limit);
                Ok((built, verified))
            }
            Err(error) => Err(in_words(&error)),
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Verified,
    Differs,
    #[default]
    NotDone,
}

/// What came of a sheet and an engine.
#[derive(Debug, Default, Serialize)]
struct Row {
    sheet: String,
    engine: &'static str,
    /// What `auto` chose; the engine itself for others. Empty if there was no game.
    runs_on: &'static str,
    /// Why that one.
    choice: String,
    lanes: usize,
    jit: bool,
    result: Answer,
    states: usize,
    of: usize,
    seconds: f64,
    /// Empty if verified.
    reason: String,
    #[serde(skip)]
    unreadable: bool,
}

/// What came of all sheets with an engine.
#[derive(Debug, Serialize)]
struct Totals {
    engine: &'static str,
    verified: usize,
    differs: usize,
    not_done: usize,
    states: usize,
    seconds: f64,
}

impl Totals {
    fn new(engine: EngineName, rows: &[Row]) -> Self {
        let of = |answer| rows.iter().filter(|r| r.engine == engine.0 && r.result == answer).count();
        let ours = || rows.iter().filter(|row| row.engine == engine.0);
        Self {
            engine: engine.0,
            verified: of(Answer::Verified),
            differs: of(Answer::Differs),
            not_done: of(Answer::NotDone),
            states: ours().map(|row| row.states).sum(),
            seconds: ours().map(|row| row.seconds).sum(),
        }
    }
}

/// A line of JSON output.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Sheet(&'a Row),
    Summary(&'a Totals),
}

fn table(out: &mut impl Write, rows: &[Row], totals: &[Totals]) -> Result<()> {
    let remarkable = || rows.iter().filter(|row| row.result != Answer::Verified);
    let width = remarkable().map(|row| row.sheet.len()).max().unwrap_or(0);
    for row in remarkable() {
        let result = if row.result == Answer::Differs { "differs" } else { "not done" };
        writeln!(out, "{:<9}  {:<width$}  {result:<8}  {}", row.engine, row.sheet, row.reason)?;
    }
    if width > 0 {
        writeln!(out)?;
    }
    let chosen =
        |name: &str| rows.iter().filter(|row| row.engine != row.runs_on && row.runs_on == name).count();
    for (engine, count) in ENGINES.iter().map(|engine| (engine.name, chosen(engine.name))) {
        if count > 0 {
            remark(format_args!("auto chose {engine} for {}", output::count(count, "sheet")));
        }
    }
    writeln!(out, "engine     verified  differs  not done   states  seconds")?;
    for t in totals {
        let Totals { engine, verified, differs, not_done, states, seconds } = t;
        writeln!(
            out,
            "{engine:<9}  {verified:>8}  {differs:>7}  {not_done:>8}  {states:>7}  {seconds:>7.1}"
        )?;
    }
    Ok(())
}

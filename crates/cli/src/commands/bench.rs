//! `ludex bench`: how fast engines are. Rates, never verdicts: the machine may be busy.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use ludex_game::{Game, Playouts, Request};
use ludex_gdl::{Rules, load};
use serde::Serialize;

use crate::game::{EngineName, build};
use crate::output::{report_error, stdout};
use crate::{Outcome, input};

/// Measure how fast engines are
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Random playouts from the first state: state transitions and playouts a second, set-up time
    #[command(after_help = EXAMPLES)]
    Reasoner(ReasonerArguments),
    /// The contract of the gdl-perf benchmark framework: FILE, result file, seconds
    #[command(name = "gdl-perf", after_help = EXAMPLES)]
    GdlPerf(GdlPerfArguments),
}

#[derive(Debug, clap::Args)]
struct ReasonerArguments {
    /// Built-in games and rule sheets; of a folder all *.kif and *.gdl files below it
    #[arg(value_name = "GAME", required = true)]
    games: Vec<PathBuf>,

    /// Which engine; may be given several times
    #[arg(long, value_enum, value_name = "ENGINE", default_values_t = [EngineName("batch")])]
    engine: Vec<EngineName>,

    /// How long to measure each game with each engine
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,

    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct GdlPerfArguments {
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
  ludex bench reasoner games/connect_four.kif
  ludex bench reasoner games/ --engine batch --engine rules --json
  ludex bench gdl-perf games/connect_four.kif result.txt 10

Nodes are state transitions. Rates by CPU second count the time of the thread alone and hardly depend
on what else the machine does. Exit codes: 0 good, 1 a game could not be run, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.what {
        What::Reasoner(arguments) => reasoner(arguments),
        What::GdlPerf(arguments) => gdl_perf(arguments),
    }
}

/// One measurement; the names are a contract with programs that read them.
#[derive(Debug, Serialize)]
struct Measured {
    game: String,
    engine: &'static str,
    lanes: usize,
    jit: bool,
    nodes_per_second: f64,
    nodes_per_cpu_second: f64,
    playouts_per_second: f64,
    setup_ms: f64,
    nodes: u64,
    playouts: u64,
}

fn reasoner(arguments: &ReasonerArguments) -> Result<Outcome> {
    let mut out = stdout();
    let mut outcome = Outcome::Good;
    let files = input::expand(&arguments.games);
    let bar = ProgressBar::new((files.len() * arguments.engine.len()) as u64);
    bar.set_style(
        ProgressStyle::with_template("{pos}/{len} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    if !arguments.json {
        writeln!(out, "{HEAD}")?;
    }
    for file in files {
        let path = match file {
            Ok(path) => path,
            Err(error) => {
                report_error(&error);
                outcome = outcome.max(Outcome::Failed);
                continue;
            }
        };
        for engine in &arguments.engine {
            bar.set_message(format!("{} with {engine}", path.display()));
            let measured = measure(&path, engine, arguments.seconds);
            bar.inc(1);
            match measured {
                Ok(measured) if arguments.json => writeln!(out, "{}", serde_json::to_string(&measured)?)?,
                Ok(measured) => writeln!(out, "{}", row(&measured))?,
                Err(error) => {
                    out.flush()?;
                    report_error(&error.context(path.display().to_string()));
                    outcome = outcome.max(Outcome::Bad);
                }
            }
            out.flush()?;
        }
    }
    bar.finish_and_clear();
    Ok(outcome)
}

const HEAD: &str =
    "game                            engine     lanes  jit   nodes/s     nodes/CPU s  playouts/s   set-up";

fn row(m: &Measured) -> String {
    format!(
        "{:<31} {:<9} {:>6}  {:<3} {:>10} {:>14} {:>11} {:>7.1} ms",
        m.game,
        m.engine,
        m.lanes,
        if m.jit { "yes" } else { "no" },
        rate(m.nodes_per_second),
        rate(m.nodes_per_cpu_second),
        rate(m.playouts_per_second),
        m.setup_ms
    )
}

/// A rate with three digits: `345 M`, `12.3 k`.
fn rate(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e3 => (v / 1e3, "k"),
        v => (v, " "),
    };
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

fn read_rules(path: &Path) -> Result<Rules> {
    let loaded = load(&input::read(path)?);
    match loaded.playable() {
        Ok(rules) => Ok(rules),
        Err(_) => bail!("the sheet has errors; `ludex check` shows them"),
    }
}

/// Reads, builds and runs a game; playouts go on until the time is over.
fn measure(path: &Path, engine: &EngineName, seconds: f64) -> Result<Measured> {
    let started = Instant::now();
    let game = build(read_rules(path)?, engine)?;
    let first = playouts(&*game, 1, 0)?;
    let setup = started.elapsed();
    // Larger and larger requests, so that starting one costs nothing; the seed is fixed, so every
    // run of the same length must give the same.
    let mut count = (game.lanes() as u64).max(first.finished.max(1));
    let (mut nodes, mut ended, mut wall, mut cpu) = (0, 0, Duration::ZERO, Duration::ZERO);
    let mut seed = 1;
    while wall.as_secs_f64() < seconds {
        let (wall_start, cpu_start) = (Instant::now(), thread_time());
        let result = playouts(&*game, count, seed)?;
        let (took, used) = (wall_start.elapsed(), thread_time().saturating_sub(cpu_start));
        if result.finished + result.cut_off + result.stuck < count {
            bail!("{} gave fewer playouts than were asked for", game.engine());
        }
        nodes += result.steps;
        ended += result.finished + result.cut_off + result.stuck;
        wall += took;
        cpu += used;
        seed += 1;
        if took.as_secs_f64() < seconds / 20.0 {
            count *= 2;
        }
    }
    let per = |what: u64, time: Duration| what as f64 / time.as_secs_f64().max(1e-9);
    Ok(Measured {
        game: path.file_stem().map_or_else(|| "-".into(), |s| s.to_string_lossy().into_owned()),
        engine: game.engine(),
        lanes: game.lanes(),
        jit: game.is_compiled(),
        nodes_per_second: per(nodes, wall),
        nodes_per_cpu_second: per(nodes, cpu),
        playouts_per_second: per(ended, wall),
        setup_ms: setup.as_secs_f64() * 1000.0,
        nodes,
        playouts: ended,
    })
}

/// Longest playout that is followed to its end.
const MAX_STEPS: u32 = 1000;

fn playouts(game: &dyn Game, count: u64, seed: u64) -> Result<Playouts> {
    let from = game.initial();
    let mut request = Request { from: &from, count, max_steps: MAX_STEPS, seed, policy: None };
    Ok(game.playouts(&mut request)?)
}

/// Time that this thread has used.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Elsewhere the time on the clock has to do.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

fn gdl_perf(arguments: &GdlPerfArguments) -> Result<Outcome> {
    let version = concat!("ludex ", env!("CARGO_PKG_VERSION"));
    let (text, outcome) = match run_for(arguments) {
        Ok((taken, nodes, ended)) => (
            format!(
                "version = {version}\nmillisecondsTaken = {}\nnumStateChanges = {nodes}\nnumRollouts = {ended}\n",
                taken.as_millis()
            ),
            Outcome::Good,
        ),
        Err(error) => {
            report_error(&error);
            let message = format!("{error:#}").replace('\n', " ");
            (format!("version = {version}\nerrorMessage = {message}\n"), Outcome::Bad)
        }
    };
    std::fs::write(&arguments.out, text)
        .with_context(|| format!("cannot write {}", arguments.out.display()))?;
    Ok(outcome)
}

fn run_for(arguments: &GdlPerfArguments) -> Result<(Duration, u64, u64)> {
    let game: Arc<dyn Game> = build(read_rules(&arguments.file)?, &arguments.engine)?;
    let started = Instant::now();
    let (mut nodes, mut ended, mut count, mut seed) = (0, 0, 1, 1);
    while started.elapsed().as_secs_f64() < arguments.seconds {
        let before = Instant::now();
        let result = playouts(&*game, count, seed)?;
        nodes += result.steps;
        ended += result.finished + result.cut_off + result.stuck;
        seed += 1;
        if before.elapsed().as_secs_f64() < arguments.seconds / 50.0 {
            count *= 2;
        }
    }
    Ok((started.elapsed(), nodes, ended))
}

//! `ludex bench reasoner`: random playouts per second, by engine, lane width and kind of code.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use ludex_reasoner::{BuildOptions, Built, EngineChoice};
use serde::Serialize;

use super::expansion::children_per_second;
use super::playing::{read_rules, simulator, thread_time};
use crate::circuits::CircuitArguments;
use crate::game::{EngineName, build_with, tell};
use crate::output::{report_error, stdout};
use crate::{Outcome, input, waiting};

/// Measure random playouts: state transitions and playouts per second, set-up time
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Built-in games and rule sheets; a folder stands for all *.kif and *.gdl files below it
    #[arg(value_name = "GAME", required = true)]
    games: Vec<PathBuf>,

    /// Which engine; may be given several times
    #[arg(long, value_enum, value_name = "ENGINE", default_values_t = [EngineName("batch")])]
    engine: Vec<EngineName>,

    /// How long to measure each game with each engine
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,

    #[command(flatten)]
    circuits: CircuitArguments,

    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex bench reasoner connect_four
  ludex bench reasoner games/ --engine batch --engine rules --json
  ludex bench reasoner games/ --lanes 256 --no-jit
  ludex bench reasoner games/ --instructions avx2

Nodes are state transitions. Children are those of states of random games, found by expansion: all
joint moves of many states at once, with legal moves, and goals where the game is over. Rates per CPU second count the CPU time of the thread, so other load on
the machine hardly matters.
Exit codes: 0 success, 1 a game could not be run, 2 cannot read.";

/// One measurement; programs read these field names, so they must not change.
#[derive(Debug, Serialize)]
struct Measured {
    game: String,
    engine: &'static str,
    lanes: usize,
    jit: bool,
    /// The most that the engine uses of the processor.
    instructions: &'static str,
    /// Why this engine ran the game.
    reason: String,
    #[serde(skip)]
    choice: EngineChoice,
    nodes_per_second: f64,
    nodes_per_cpu_second: f64,
    playouts_per_second: f64,
    /// Per CPU second, by expansion; with legal moves, and goals of terminal children.
    children_per_second: f64,
    setup_ms: f64,
    nodes: u64,
    playouts: u64,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let options = arguments.circuits.options()?;
    let mut out = stdout();
    let mut outcome = Outcome::Success;
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
                outcome = outcome.max(Outcome::Error);
                continue;
            }
        };
        for engine in &arguments.engine {
            let what = format!("{} with {engine}", path.display());
            bar.set_message(what.clone());
            let built = build(&path, engine, &options, &bar, &what);
            bar.set_message(what);
            let measured = built.and_then(|(built, setup)| measure(&path, &built, setup, arguments.seconds));
            bar.inc(1);
            match measured {
                Ok(measured) if arguments.json => writeln!(out, "{}", serde_json::to_string(&measured)?)?,
                Ok(measured) => {
                    writeln!(out, "{}", row(&measured))?;
                    out.flush()?;
                    tell(engine, &measured.choice);
                }
                Err(error) => {
                    out.flush()?;
                    outcome = outcome.max(input::failed(&error));
                    report_error(&error.context(path.display().to_string()));
                }
            }
            out.flush()?;
        }
    }
    bar.finish_and_clear();
    Ok(outcome)
}

const HEAD: &str = "game                            engine     lanes  jit   nodes/s     nodes/CPU s  playouts/s  children/s   set-up";

fn row(m: &Measured) -> String {
    format!(
        "{:<31} {:<9} {:>6}  {:<3} {:>10} {:>14} {:>11} {:>11} {:>7.1} ms",
        m.game,
        m.engine,
        m.lanes,
        if m.jit { "yes" } else { "no" },
        rate(m.nodes_per_second),
        rate(m.nodes_per_cpu_second),
        rate(m.playouts_per_second),
        rate(m.children_per_second),
        m.setup_ms
    )
}

/// A rate with three digits: `345 M`, `12.3 k`.
pub(super) fn rate(value: f64) -> String {
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

/// Reads and builds a game and plays once, so that everything is ready; gives the time for that.
fn build(
    path: &Path,
    engine: &EngineName,
    options: &BuildOptions,
    bar: &ProgressBar,
    what: &str,
) -> Result<(Built, Duration)> {
    let started = Instant::now();
    let rules = read_rules(path)?;
    let built = waiting::show_on(bar, what, |progress| build_with(rules, engine, options, progress))?;
    simulator(&built.game).playouts(&built.game.initial(), 1, 0)?;
    Ok((built, started.elapsed()))
}

/// Runs a game; playouts go on until the time is over.
fn measure(path: &Path, built: &Built, setup: Duration, seconds: f64) -> Result<Measured> {
    let game = &built.game;
    // Larger and larger requests, so that starting one costs nothing; the seed is fixed, so every
    // run of the same length must give the same.
    let mut count = game.engine().lanes as u64;
    let (mut nodes, mut ended, mut wall, mut cpu) = (0, 0, Duration::ZERO, Duration::ZERO);
    let mut seed = 1;
    let (mut simulator, from) = (simulator(game), game.initial());
    while wall.as_secs_f64() < seconds {
        let (wall_start, cpu_start) = (Instant::now(), thread_time());
        let result = simulator.playouts(&from, count, seed)?;
        let (took, used) = (wall_start.elapsed(), thread_time().saturating_sub(cpu_start));
        if result.ended() < count {
            bail!("{} gave fewer playouts than were asked for", game.engine().name);
        }
        nodes += result.steps;
        ended += result.ended();
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
        engine: game.engine().name,
        lanes: game.engine().lanes,
        jit: game.engine().compiled,
        instructions: game.engine().instructions,
        reason: built.choice.reason.clone(),
        choice: built.choice.clone(),
        nodes_per_second: per(nodes, wall),
        nodes_per_cpu_second: per(nodes, cpu),
        playouts_per_second: per(ended, wall),
        children_per_second: children_per_second(game, seconds / 2.0)?,
        setup_ms: setup.as_secs_f64() * 1000.0,
        nodes,
        playouts: ended,
    })
}

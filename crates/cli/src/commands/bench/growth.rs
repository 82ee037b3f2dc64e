//! `ludex bench growth`: measures how cost grows with the board.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use ludex_game::{Effort, agree};
use ludex_gdl::{Rules, Source, load};
use ludex_reasoner::{Limits, Reference, Stats, build_with};
use serde::Serialize;

use super::playing::{simulator, thread_time};
use crate::boards::Board;
use crate::circuits::CircuitArguments;
use crate::output::{report_error, stdout};
use crate::{Outcome, waiting};

/// Measure how circuit size and time grow with the board, for connect four and breakthrough
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Which games; both if none is given
    #[arg(value_enum, value_name = "GAME")]
    games: Vec<Board>,

    /// The smallest board
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(4..=64))]
    from: u8,

    /// The largest board
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u8).range(4..=64))]
    to: u8,

    /// Increment of the board size
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..))]
    by: u8,

    /// How long to measure each board
    #[arg(long, value_name = "S", default_value_t = 0.5)]
    seconds: f64,

    #[command(flatten)]
    circuits: CircuitArguments,

    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex bench growth
  ludex bench growth breakthrough --from 6 --to 8 --by 1 --json

Boards are square. `ns/node` is the time of a state transition in the engine `batch`. `ns/input` is
that time divided by the number of gate inputs; it hardly changes while everything fits the caches.
Small boards are compared with the reference interpreter state by state.
Exit codes: 0 success, 1 engines disagree or a board could not be run, 2 wrong usage.";

/// One board; programs read these field names, so they must not change.
#[derive(Debug, Serialize)]
struct Measured {
    game: &'static str,
    size: u8,
    facts: usize,
    moves: usize,
    instances: usize,
    gates: usize,
    inputs: usize,
    setup_ms: f64,
    lanes: usize,
    jit: bool,
    nodes: u64,
    ns_per_node: f64,
    ns_per_input: f64,
    /// States in which the engine was compared with the reference; 0 for large boards.
    compared: u64,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    let games: &[Board] = match arguments.games.as_slice() {
        [] => &[Board::ConnectFour, Board::Breakthrough],
        some => some,
    };
    if !arguments.json {
        writeln!(out, "{HEAD}")?;
    }
    let mut outcome = Outcome::Success;
    for &game in games {
        for size in (arguments.from..=arguments.to).step_by(usize::from(arguments.by)) {
            match measure(game, size, arguments) {
                Ok(measured) if arguments.json => writeln!(out, "{}", serde_json::to_string(&measured)?)?,
                Ok(measured) => writeln!(out, "{}", row(&measured))?,
                Err(error) => {
                    out.flush()?;
                    report_error(&error.context(format!("{} {size}x{size}", game.name())));
                    outcome = Outcome::Failure;
                }
            }
            out.flush()?;
        }
    }
    Ok(outcome)
}

const HEAD: &str =
    "game          board   facts   moves  instances    gates   inputs   set-up ms   ns/node  ns/input";

fn row(m: &Measured) -> String {
    let board = format!("{0}x{0}", m.size);
    format!(
        "{:<12} {board:>6} {:>7} {:>7} {:>10} {:>8} {:>8} {:>11.1} {:>9.2} {:>9.5}",
        m.game, m.facts, m.moves, m.instances, m.gates, m.inputs, m.setup_ms, m.ns_per_node, m.ns_per_input
    )
}

/// Larger boards take the reference too long.
const COMPARED: u8 = 6;

fn measure(board: Board, size: u8, arguments: &Arguments) -> Result<Measured> {
    let text = board.sheet(usize::from(size), usize::from(size));
    let rules: Rules = load(&Source::new(board.name(), text))
        .playable()
        .map_err(|report| anyhow!("{} errors in our own sheet", report.diagnostics().len()))?;
    let stats = waiting::show(|progress| Stats::new(&rules, &Limits::default(), progress))?;
    let options = arguments.circuits.options()?;
    let started = Instant::now();
    let built = waiting::show(|progress| build_with(rules.clone(), "batch", &options, progress))?;
    let setup = started.elapsed();
    let game = &*built.game;
    let (mut simulator, from) = (simulator(&built.game), game.initial());
    let compared = if size <= COMPARED { compare(rules, game)? } else { 0 };
    let (mut count, mut nodes, mut cpu, mut seed) = (game.engine().lanes as u64, 0, Duration::ZERO, 1);
    let started = Instant::now();
    while started.elapsed().as_secs_f64() < arguments.seconds || nodes == 0 {
        let (wall, before) = (Instant::now(), thread_time());
        let result = simulator.playouts(&from, count, seed)?;
        cpu += thread_time().saturating_sub(before);
        if result.finished != count {
            bail!("{} of {count} playouts came to an end", result.finished);
        }
        if result.goal_sums.iter().sum::<u64>() != 100 * count || result.faulty_goals.iter().any(|&n| n > 0) {
            bail!("goals do not add up: {:?}", result.goal_sums);
        }
        nodes += result.steps;
        seed += 1;
        if wall.elapsed().as_secs_f64() < arguments.seconds / 10.0 {
            count *= 2;
        }
    }
    let ns_per_node = cpu.as_secs_f64() * 1e9 / nodes as f64;
    let size_of = stats.circuit.size;
    Ok(Measured {
        game: board.name(),
        size,
        facts: size_of.facts,
        moves: size_of.moves,
        instances: stats.ground.instances,
        gates: size_of.gates.iter().sum(),
        inputs: size_of.inputs,
        setup_ms: setup.as_secs_f64() * 1000.0,
        lanes: game.engine().lanes,
        jit: game.engine().compiled,
        nodes,
        ns_per_node,
        ns_per_input: ns_per_node / size_of.inputs.max(1) as f64,
        compared,
    })
}

/// Random games with both engines, state by state.
fn compare(rules: Rules, game: &dyn ludex_game::Game) -> Result<u64> {
    let reference = Reference::new(rules).context("the reference")?;
    let effort = Effort { games: 1, max_steps: 30, ..Effort::default() };
    Ok(agree(&reference, game, &effort)?)
}

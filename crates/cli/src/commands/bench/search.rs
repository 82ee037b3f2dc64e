//! `ludex bench search`: how much players see a second, and what their policies cost.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ludex_engine::Player;
use ludex_game::{Game, RoleId};
use ludex_search::{Budget, Seat, Thinking};
use serde::Serialize;

use super::playing::{read_rules, thread_time};
use super::reasoner::rate;
use crate::Outcome;
use crate::game::{EngineName, build};
use crate::output::{report_error, stdout};

/// How many states, playouts and nodes players see a second, at the first state of games
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Built-in games and rule sheets
    #[arg(value_name = "GAME", default_values = GAMES)]
    games: Vec<PathBuf>,

    /// Which player; may be given several times
    #[arg(long, value_name = "SPEC", default_values = PLAYERS)]
    player: Vec<String>,

    /// Which engine runs the games
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName("batch"))]
    engine: EngineName,

    /// How long each player thinks about each game
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,

    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// The games of the published comparisons.
const GAMES: [&str; 6] = ["connect_four", "checkers", "breakthrough", "othello", "skirmish", "amazons"];

const PLAYERS: [&str; 11] = [
    "mc",
    "mc-mem",
    "cadia-uct",
    "cadia-imp",
    "cadia-mast",
    "cadia-mastg",
    "cadia-nst",
    "cadia-lgr-mastg",
    "cadia-lgr-nst",
    "cadia-past",
    "cadia-rave",
];

const EXAMPLES: &str = "Examples:
  ludex bench search
  ludex bench search connect_four --player cadia-uct --player cadia-uct:batch=1,playouts=1
  ludex bench search checkers othello --seconds 10 --json

States are state transitions, in the tree and in playouts, a CPU second of the thread. ns/step is the time of a step in
playouts alone, the cost is that of the player beside the first that searches a tree (mc-mem, whose playouts are
uniform). Exit codes: 0 good, 1 a game could not be run, 2 cannot read.";

/// One measurement; the names are a contract with programs that read them.
#[derive(Debug, Serialize)]
struct Measured {
    game: String,
    player: String,
    engine: &'static str,
    states_per_cpu_second: f64,
    states_per_second: f64,
    playouts_per_second: f64,
    nodes_per_second: f64,
    /// Time of a state in playouts, and that against the same with uniform choices.
    playout_ns: f64,
    cost: f64,
    nodes: u64,
    depth: u32,
    memory: usize,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    let mut outcome = Outcome::Good;
    let players: Vec<Player> =
        arguments.player.iter().map(|spec| Player::new(spec)).collect::<Result<_, _>>()?;
    if !arguments.json {
        writeln!(out, "{HEAD}")?;
    }
    for path in &arguments.games {
        let game = match read_rules(path).and_then(|rules| build(rules, &arguments.engine)) {
            Ok(game) => game,
            Err(error) => {
                report_error(&error.context(path.display().to_string()));
                outcome = Outcome::Bad;
                continue;
            }
        };
        let mut uniform = None;
        for player in &players {
            let mut measured = measure(path, &game, player, arguments.seconds)?;
            if measured.playout_ns > 0.0 {
                let uniform = *uniform.get_or_insert(measured.playout_ns);
                measured.cost = measured.playout_ns / uniform;
            }
            match arguments.json {
                true => writeln!(out, "{}", serde_json::to_string(&measured)?)?,
                false => writeln!(out, "{}", row(&measured))?,
            }
            out.flush()?;
        }
    }
    Ok(outcome)
}

const HEAD: &str = "game                 player                      states/CPU s  playouts/s    nodes/s  ns/step   cost   depth      memory";

fn row(m: &Measured) -> String {
    format!(
        "{:<20} {:<28} {:>11} {:>11} {:>10} {:>8.1} {:>6.2} {:>7} {:>8.1} MB",
        m.game,
        m.player,
        rate(m.states_per_cpu_second),
        rate(m.playouts_per_second),
        rate(m.nodes_per_second),
        m.playout_ns,
        m.cost,
        m.depth,
        m.memory as f64 / 1e6
    )
}

fn measure(path: &Path, game: &Arc<dyn Game>, player: &Player, seconds: f64) -> Result<Measured> {
    // The first role that has a choice: the others would have nothing to think about.
    let view = game.view(&game.initial())?;
    let role = view.legal.iter().position(|legal| legal.len() > 1).context("nobody has a choice")?;
    let seat = Seat { game: Arc::clone(game), role: RoleId::new(role), seed: 1, threads: 1 };
    let mut search = player.search(seat);
    search.set_root(&game.initial())?;
    // Code and arrays come into being with the first thoughts.
    search.think(&Budget::playouts(20_000))?;
    search.set_root(&game.initial())?;
    let (wall, cpu) = (Instant::now(), thread_time());
    search.think(&Budget::until(wall + Duration::from_secs_f64(seconds)))?;
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), (thread_time() - cpu).as_secs_f64());
    let Thinking { playouts, steps, nodes, depth, memory, .. } = search.thinking();
    Ok(Measured {
        game: path.display().to_string(),
        player: player.spec().to_string(),
        engine: game.engine(),
        states_per_cpu_second: steps as f64 / cpu,
        states_per_second: steps as f64 / wall,
        playouts_per_second: playouts as f64 / wall,
        nodes_per_second: nodes as f64 / wall,
        playout_ns: search.playout_time().as_secs_f64() * 1e9 / steps.max(1) as f64 * cpu / wall,
        cost: 1.0,
        nodes,
        depth,
        memory,
    })
}

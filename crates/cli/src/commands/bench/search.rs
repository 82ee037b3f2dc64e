//! `ludex bench search`: states, playouts and nodes per second of players, and policy costs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ludex_engine::Player;
use ludex_game::{Game, RoleId};
use ludex_search::{Budget, SearchContext, SearchReport};
use serde::Serialize;

use super::playing::{process_time, read_rules};
use super::reasoner::rate;
use crate::game::{EngineName, build};
use crate::output::{report_error, stdout};
use crate::{Outcome, input};

/// Measure states, playouts and nodes per second of players, at the initial state of games
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

    /// How long each player searches each game
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,

    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// One JSON object per line
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
  ludex bench search othello --threads 2 --player cadia-uct --player cadia-uct:parallel=leaf

Columns:
  column        unit       meaning
  ------------  ---------  ----------------------------------------------
  states/CPU s  1/s        state transitions in tree and playouts
  playouts/s    1/s        playouts, by wall clock
  nodes/s       1/s        nodes added to the tree, by wall clock
  ns/step       ns         CPU time of a playout step
  cost          ratio      ns/step to that of uniform playouts (mc-mem)
  alone         ratio      the same without work per leaf or playout
  playout       ratio      the same for a whole playout
  ns/move       ns         extra time per legal move, learning included
  choosing      ns         the part of ns/move that chooses moves
  depth         steps      depth of the tree
  memory        MB         memory of the tree

Exit codes: 0 success, 1 a game could not be run, 2 cannot read.";

/// One measurement; programs read these field names, so they must not change.
#[derive(Debug, Serialize)]
struct Measured {
    game: String,
    player: String,
    engine: &'static str,
    states_per_cpu_second: f64,
    states_per_second: f64,
    playouts_per_second: f64,
    nodes_per_second: f64,
    /// Time of a playout step, and its ratio to uniform playouts.
    playout_ns: f64,
    cost: f64,
    /// Time of a whole playout, and its ratio to uniform playouts.
    ns_per_playout: f64,
    cost_per_playout: f64,
    /// Time of a step without the work done once per leaf or playout, and its ratio to uniform
    /// playouts.
    step_alone_ns: f64,
    cost_of_step_alone: f64,
    /// Mean legal moves of roles with a choice in random playouts, and the extra time per move.
    moves_per_state: f64,
    policy_ns_per_move: f64,
    /// The part of that in which a policy chooses moves in all lanes at once.
    choosing_ns_per_move: f64,
    threads: u16,
    nodes: u64,
    depth: u32,
    memory: usize,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    let mut outcome = Outcome::Success;
    let players: Vec<Player> =
        arguments.player.iter().map(|spec| Player::new(spec)).collect::<Result<_, _>>()?;
    if !arguments.json {
        writeln!(out, "{HEAD}")?;
    }
    for path in &arguments.games {
        let game = match read_rules(path).and_then(|rules| build(rules, &arguments.engine)) {
            Ok(game) => game,
            Err(error) => {
                outcome = outcome.max(input::failed(&error));
                report_error(&error.context(path.display().to_string()));
                continue;
            }
        };
        let moves = moves_per_state(&*game)?;
        let mut uniform = None;
        for player in &players {
            let mut measured = measure(path, &game, player, arguments)?;
            if measured.playout_ns > 0.0 {
                let this = (measured.playout_ns, measured.ns_per_playout, measured.step_alone_ns);
                let (uniform, whole, alone) = *uniform.get_or_insert(this);
                measured.cost = measured.playout_ns / uniform;
                measured.cost_per_playout = measured.ns_per_playout / whole;
                // Only engines with lanes report it.
                if alone > 0.0 {
                    measured.cost_of_step_alone = measured.step_alone_ns / alone;
                }
                measured.moves_per_state = moves;
                measured.policy_ns_per_move = (measured.playout_ns - uniform) / moves.max(1.0);
                measured.choosing_ns_per_move /= moves.max(1.0);
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

const HEAD: &str = "game                 player                      states/CPU s  playouts/s    nodes/s  ns/step   cost  alone playout  ns/move choosing   depth      memory";

fn row(m: &Measured) -> String {
    format!(
        "{:<20} {:<28} {:>11} {:>11} {:>10} {:>8.1} {:>6.2} {:>6.2} {:>7.2} {:>8.1} {:>8.1} {:>7} {:>8.1} MB",
        m.game,
        m.player,
        rate(m.states_per_cpu_second),
        rate(m.playouts_per_second),
        rate(m.nodes_per_second),
        m.playout_ns,
        m.cost,
        m.cost_of_step_alone,
        m.cost_per_playout,
        m.policy_ns_per_move,
        m.choosing_ns_per_move,
        m.depth,
        m.memory as f64 / 1e6
    )
}

fn measure(path: &Path, game: &Arc<dyn Game>, player: &Player, arguments: &Arguments) -> Result<Measured> {
    // The first role that has a choice: the moves of the others are forced.
    let view = game.view(&game.initial())?;
    let role = view.legal.iter().position(|legal| legal.len() > 1).context("nobody has a choice")?;
    let context = SearchContext {
        game: Arc::clone(game),
        role: RoleId::new(role),
        seed: 1,
        threads: usize::from(arguments.threads),
    };
    let mut search = player.search(context);
    search.set_root(&game.initial())?;
    // The first search compiles code and allocates arrays: not measured.
    search.think(&Budget::playouts(20_000))?;
    search.set_root(&game.initial())?;
    let (wall, cpu) = (Instant::now(), process_time());
    search.think(&Budget::until(wall + Duration::from_secs_f64(arguments.seconds)))?;
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), (process_time() - cpu).as_secs_f64());
    let SearchReport { playouts, steps, nodes, depth, memory, .. } = search.report();
    // Parts are measured in wall-clock time, for every thread.
    let part = cpu / (wall * f64::from(arguments.threads));
    let for_each = |time: Duration, count: u64| time.as_secs_f64() * 1e9 / count.max(1) as f64 * part;
    let times = search.times();
    Ok(Measured {
        game: path.display().to_string(),
        player: player.spec().to_string(),
        engine: game.engine().name,
        states_per_cpu_second: steps as f64 / cpu,
        states_per_second: steps as f64 / wall,
        playouts_per_second: playouts as f64 / wall,
        nodes_per_second: nodes as f64 / wall,
        playout_ns: for_each(times.playouts, steps),
        cost: 1.0,
        ns_per_playout: for_each(times.playouts, playouts),
        cost_per_playout: 1.0,
        step_alone_ns: for_each(times.stepping, steps),
        cost_of_step_alone: 1.0,
        moves_per_state: 0.0,
        policy_ns_per_move: 0.0,
        choosing_ns_per_move: for_each(times.choosing, steps),
        threads: arguments.threads,
        nodes,
        depth,
        memory,
    })
}

/// Random games in which legal moves are counted.
const GAMES_TO_COUNT: u64 = 30;

/// Mean legal moves of the roles that have a choice, in random playouts.
fn moves_per_state(game: &dyn Game) -> Result<f64> {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut moves, mut states) = (0, 0);
    for _ in 0..GAMES_TO_COUNT {
        let mut state = game.initial();
        for _ in 0..MAX_STEPS {
            let view = game.view(&state)?;
            if view.terminal || view.legal.iter().any(Vec::is_empty) {
                break;
            }
            moves += view.legal.iter().map(Vec::len).filter(|&count| count > 1).sum::<usize>();
            states += 1;
            let joint: Vec<_> = view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            state = game.next(&state, &joint)?;
        }
    }
    Ok(moves as f64 / f64::from(states.max(1)))
}

/// Longer games are cut off.
const MAX_STEPS: u32 = 500;

//! `ludex bench thoughts`: what does a player make of its clock?
//!
//! A player thinks in this process, move after move, without the network: about a role of each game,
//! while the other roles move at random. Every thought is measured: how long the new root took, how
//! far the answer was over the clock, and how much of the clock was used where there was something to
//! gain. A small `--memory` shows what a full tree costs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ludex_engine::{DEFAULT_PLAYER, Player};
use ludex_game::{MoveId, RoleId};
use ludex_gdl::load;
use ludex_search::{Budget, SearchContext, StopReason};
use serde::Serialize;

use crate::game::{EngineName, build};
use crate::output::{count, report_error, stdout};
use crate::{Outcome, amount, input, memory};

/// Let a player think on its clock, and measure what it makes of it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Built-in games, paths to rule sheets, or folders of them
    #[arg(value_name = "GAME", required = true)]
    games: Vec<PathBuf>,

    /// Play clock in seconds
    #[arg(long = "play-clock", visible_alias = "play", value_name = "SECONDS", default_value = "1", value_parser = amount::seconds)]
    play: Duration,

    /// How many thoughts of each game; shorter games begin again
    #[arg(long, value_name = "N", default_value_t = 10)]
    thoughts: usize,

    /// An answer that is further over the clock counts as late
    #[arg(long, value_name = "SECONDS", default_value = "0.01", value_parser = amount::seconds)]
    grace: Duration,

    /// The player
    #[arg(long, value_name = "SPEC", default_value = DEFAULT_PLAYER)]
    player: String,

    /// Memory of the search; if omitted, half of what is free
    #[arg(long, value_name = "BYTES", value_parser = amount::memory)]
    memory: Option<usize>,

    /// Threads that search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// Which engine runs the games
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName("auto"))]
    engine: EngineName,

    /// Seed of all random numbers
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex bench thoughts connect_four breakthrough --play-clock 0.2 --thoughts 50
  ludex bench thoughts games/ --memory 4MB --json

`late` counts answers that came later than the clock and its grace, `over` is the furthest, `used` the
mean share of the clock in thoughts that could have gone on, `root` the longest time for a new root.
Exit codes: 0 all in time and legal, 1 not, 2 cannot read.";

/// Steps of a game before another one begins.
const MAX_STEPS: usize = 500;

/// The result for a game; programs read these field names, so they must not change.
#[derive(Debug, Default, Serialize)]
struct Row {
    game: String,
    role: String,
    engine: &'static str,
    thoughts: usize,
    late: usize,
    illegal: usize,
    /// The furthest over the clock, in milliseconds; negative if all were earlier.
    over_ms: f64,
    /// Mean share of the clock in thoughts that were not finished before; none if all were.
    used: Option<f64>,
    /// The longest time for a new root, in milliseconds.
    root_ms: f64,
    /// The most nodes and bytes after a thought.
    nodes: u64,
    bytes: usize,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let player = Player::new(&arguments.player)?;
    let mut out = stdout();
    let mut outcome = Outcome::Success;
    let mut rows = Vec::new();
    for (number, file) in input::expand(&arguments.games).into_iter().enumerate() {
        let row = file.and_then(|path| {
            play(&path, number, &player, arguments).with_context(|| path.display().to_string())
        });
        match row {
            Ok(row) => {
                if row.late + row.illegal > 0 {
                    outcome = outcome.max(Outcome::Failure);
                }
                match arguments.json {
                    true => writeln!(out, "{}", serde_json::to_string(&row)?)?,
                    false => write_row(&mut out, &row)?,
                }
                out.flush()?;
                rows.push(row);
            }
            Err(error) => {
                report_error(&error);
                outcome = outcome.max(input::failed(&error));
            }
        }
    }
    if !arguments.json {
        let sum = |of: fn(&Row) -> usize| rows.iter().map(of).sum::<usize>();
        let thoughts = sum(|row| row.thoughts);
        let (games, thoughts) = (count(rows.len(), "game"), count(thoughts, "thought"));
        let (late, illegal) = (sum(|row| row.late), sum(|row| row.illegal));
        let over = rows.iter().map(|row| row.over_ms).fold(f64::NEG_INFINITY, f64::max);
        writeln!(out, "{games}, {thoughts}: {late} late, {illegal} illegal, furthest over {over:.1} ms")?;
        out.flush()?;
    }
    Ok(outcome)
}

fn write_row(out: &mut impl Write, row: &Row) -> Result<()> {
    let used = row.used.map_or("-".to_owned(), |used| format!("{:.1} %", 100.0 * used));
    writeln!(
        out,
        "{:<28} {:>4} thoughts, late {}, illegal {}, over {:>6.1} ms, used {used:>6}, root {:>5.2} ms, \
         {} nodes, {} MB",
        row.game,
        row.thoughts,
        row.late,
        row.illegal,
        row.over_ms,
        row.root_ms,
        row.nodes,
        row.bytes >> 20
    )?;
    Ok(())
}

fn play(path: &Path, number: usize, player: &Player, arguments: &Arguments) -> Result<Row> {
    let Ok(rules) = load(&input::read(path)?).playable() else { bail!("the sheet has errors") };
    let game = build(rules, &arguments.engine)?;
    let role = number % game.role_count().max(1);
    let mut random = fastrand::Rng::with_seed(arguments.seed);
    let memory = memory::of_player(arguments.memory, 1, true);
    let clock = arguments.play.as_secs_f64();
    let mut row = Row {
        game: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        role: game.roles().get(role).cloned().context("no roles")?,
        engine: game.engine().name,
        over_ms: f64::NEG_INFINITY,
        ..Row::default()
    };
    let (mut used, mut unfinished) = (0.0, 0u32);
    while row.thoughts < arguments.thoughts {
        let before = row.thoughts;
        let context = SearchContext {
            game: game.clone(),
            role: RoleId::new(role),
            seed: random.u64(..),
            threads: usize::from(arguments.threads),
        };
        let mut search = player.search(context);
        let mut state = game.initial();
        for _ in 0..MAX_STEPS {
            let view = game.view(&state)?;
            if view.terminal || view.legal.iter().any(Vec::is_empty) || row.thoughts >= arguments.thoughts {
                break;
            }
            let mut joint: Vec<MoveId> =
                view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            if view.legal[role].len() > 1 {
                let begun = Instant::now();
                search.set_root(&state)?;
                let root = begun.elapsed();
                let deadline = begun + arguments.play;
                let stopped = search.think(&Budget { memory, ..Budget::until(deadline) })?;
                let report = search.report();
                let took = begun.elapsed();
                let over = took.as_secs_f64() - clock;
                row.thoughts += 1;
                row.late += usize::from(took > arguments.play + arguments.grace);
                row.over_ms = row.over_ms.max(milliseconds(over));
                row.root_ms = row.root_ms.max(milliseconds(root.as_secs_f64()));
                (row.nodes, row.bytes) = (row.nodes.max(report.nodes), row.bytes.max(report.memory));
                if stopped == StopReason::Time {
                    (used, unfinished) = (used + took.as_secs_f64() / clock, unfinished + 1);
                }
                match report.best.filter(|best| view.legal[role].contains(best)) {
                    Some(best) => joint[role] = best,
                    None => row.illegal += 1,
                }
            }
            state = game.next(&state, &joint)?;
        }
        if row.thoughts == before {
            break; // the role has no choice in this game
        }
    }
    row.used = (unfinished > 0).then(|| (1000.0 * used / f64::from(unfinished)).round() / 1000.0);
    if row.thoughts == 0 {
        row.over_ms = 0.0;
    }
    Ok(row)
}

/// Milliseconds, to a hundredth.
fn milliseconds(seconds: f64) -> f64 {
    (seconds * 100_000.0).round() / 100.0
}

//! `ludex move`: the move that a player makes in a position.

mod look;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ludex_engine::{Player, Spelling, default_player};
use ludex_game::{Game, RoleId, State};
use ludex_search::{Budget, Candidate, Proof, SearchContext, SearchReport};
use serde_json::json;

use super::matches::scene::{is_idle, short};
use crate::game::{self, EngineName};
use crate::output::{count, stdout};
use crate::{Outcome, amount, history, input, memory};

/// Search a position: best moves, values, principal variation
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet; `-` for standard input
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// The role to move; may be omitted if only one role has a choice
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// The moves made so far. Each is a move, `(mark 1 1)`, or the moves of all roles in
    /// parentheses, `((mark 1 1) noop)`
    #[arg(long, value_name = "MOVES", conflicts_with = "state")]
    history: Option<String>,

    /// The facts of the position: `(cell 1 1 x) (control o)`
    #[arg(long, value_name = "FACTS")]
    state: Option<String>,

    /// Seconds to search
    #[arg(long = "play-clock", visible_alias = "play", value_name = "SECONDS", default_value = "1", value_parser = amount::seconds)]
    play: Duration,

    /// Search with this many playouts instead: the same seed gives the same move
    #[arg(long, value_name = "N", conflicts_with = "play")]
    playouts: Option<u64>,

    /// The player; `ludex players` lists them. If omitted, cadia-uct, or planner with one role
    #[arg(long, value_name = "SPEC")]
    player: Option<String>,

    /// Which engine runs the game
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName("auto"))]
    engine: EngineName,

    /// Memory for the search; if omitted, half of what is free, or 1GB with --playouts
    #[arg(long, value_name = "BYTES", value_parser = amount::memory)]
    memory: Option<usize>,

    /// Threads that search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// Seed of all random numbers
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Show so many continuations, each with another first move
    #[arg(long, value_name = "N", default_value_t = 1)]
    lines: usize,

    /// Show what the tree knows behind these moves: their replies, values and bounds
    #[arg(long, value_name = "MOVES")]
    behind: Option<String>,

    /// Print the search report as one JSON object: move, value, visits, candidates
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex move connect_four --play-clock 2
  ludex move tic_tac_toe --history '(mark 2 2)' --role o
  ludex move tic_tac_toe --playouts 10000 --seed 7 --json
  ludex move connect_four --playouts 50000 --lines 3 --behind '(drop 4)'
  ludex move my_game.kif --state '(cell 1 1 b) (control white)' --role white

Shows the best moves with expected goal and visits, the principal variation, the depth of the tree and
the playouts per second. The time for setting up the game does not count.
Exit codes: 0 success, 1 the sheet has errors or there is no move, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let named = arguments.player.as_deref().map(Player::new).transpose()?;
    let source = input::read(&arguments.game)?;
    let mut out = stdout();
    let Some(rules) = game::playable(&source, &mut out)? else { return Ok(Outcome::Failure) };
    let spelling = Spelling::new(&rules);
    let game = game::build(rules, &arguments.engine)?;
    let player = match named {
        Some(player) => player,
        None => Player::new(default_player(game.role_count()))?,
    };
    let state = position(&*game, arguments)?;
    let role = role(&*game, &state, arguments.role.as_deref())?;
    let context = SearchContext {
        game: game.clone(),
        role,
        seed: arguments.seed,
        threads: usize::from(arguments.threads),
    };
    let mut search = player.search(context);
    let begun = Instant::now();
    let mut budget = match arguments.playouts {
        Some(playouts) => Budget::playouts(playouts),
        None => Budget::until(begun + arguments.play),
    };
    budget.memory = memory::of_player(arguments.memory, 1, arguments.playouts.is_none());
    search.set_root(&state)?;
    search.think(&budget)?;
    let report = SearchReport { elapsed: begun.elapsed(), ..search.report() };
    let report = report.named(usize::MAX, |id| spelling.apply(&game.move_name(id)));
    let name = |id| spelling.apply(&game.move_name(id));
    let wanted = (&state, arguments.lines, arguments.behind.as_deref());
    let looks = look::ask(&*search, &*game, wanted, name)?;
    if arguments.json {
        let mut all = in_json(&report, &*game, role, &player);
        all["lines"] = looks.lines_in_json();
        all["behind"] = looks.behind_in_json(&*game);
        writeln!(out, "{all}")?;
    } else {
        write_report(&mut out, &report, &*game, role)?;
        looks.write(&mut out, &*game)?;
    }
    out.flush()?;
    Ok(if report.best.is_some() { Outcome::Success } else { Outcome::Failure })
}

/// The position to search.
fn position(game: &dyn Game, arguments: &Arguments) -> Result<State> {
    if let Some(moves) = &arguments.history {
        return Ok(history::play(game, moves)?.0);
    }
    let Some(facts) = &arguments.state else { return Ok(game.initial()) };
    let mut ids = Vec::new();
    for text in history::terms(facts).context("cannot read the facts")? {
        ids.push(game.find_fact(text).with_context(|| format!("there is no fact `{text}`"))?);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(game.state_with(&ids))
}

/// The role given on the command line, or the only one that has a choice.
fn role(game: &dyn Game, state: &State, name: Option<&str>) -> Result<RoleId> {
    let roles = game.roles().join(", ");
    if let Some(name) = name {
        return game
            .find_role(name)
            .with_context(|| format!("there is no role `{name}`; the roles are {roles}"));
    }
    let view = game.view(state)?;
    let choosing: Vec<usize> = (0..view.legal.len()).filter(|&role| view.legal[role].len() > 1).collect();
    match choosing[..] {
        [only] => Ok(RoleId::new(only)),
        [] => Ok(RoleId::new(0)),
        _ => bail!("several roles have a choice: choose one with --role: {roles}"),
    }
}

fn in_json(
    report: &SearchReport<String>,
    game: &dyn Game,
    role: RoleId,
    player: &Player,
) -> serde_json::Value {
    let own = role.index();
    let candidate = |c: &Candidate<String>| {
        json!({
            "move": c.id,
            "visits": c.visits,
            "value": c.values.get(own),
            "proven": c.proof.is_some_and(|proof| proof.is_exact()),
            "bounds": c.proof.map(|proof| [proof.low, proof.high]),
            "distance": c.proof.and_then(|proof| proof.steps),
        })
    };
    json!({
        "move": report.best,
        "value": report.value(own),
        "visits": report.visits(),
        "candidates": report.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "role": game.roles()[own],
        "player": player.spec().to_string(),
        "engine": game.engine().name,
        "playouts": report.playouts,
        "nodes": report.nodes,
        "depth": report.depth,
        "line": report.principal_variation,
        "proven": report.proven,
        "bounds": report.proof.map(|proof| [proof.low, proof.high]),
        "distance": report.proof.and_then(|proof| proof.steps),
        "seconds": report.elapsed.as_secs_f64(),
    })
}

fn write_report(
    out: &mut impl Write,
    report: &SearchReport<String>,
    game: &dyn Game,
    role: RoleId,
) -> Result<()> {
    const SHOWN: usize = 10;
    let Some(best) = &report.best else {
        writeln!(out, "there is no move")?;
        return Ok(());
    };
    writeln!(out, "{best}")?;
    let width = report.candidates.iter().take(SHOWN).map(|c| c.id.chars().count()).max().unwrap_or(0);
    for Candidate { id: name, visits, values, proof } in report.candidates.iter().take(SHOWN) {
        let value = values.get(role.index()).map_or("-".to_owned(), |value| format!("{value:.1}"));
        let proof = proof.map_or_else(String::new, |proof| format!("  {}", in_words(proof)));
        writeln!(out, "    {name:<width$}  {value:>5}  {visits} visits{proof}")?;
    }
    if report.candidates.len() > SHOWN {
        writeln!(out, "    and {}", count(report.candidates.len() - SHOWN, "other"))?;
    }
    if let Some(proof) = report.proof {
        writeln!(out, "{}", in_words(proof))?;
    }
    let variation = principal_variation(report);
    if !variation.is_empty() {
        writeln!(out, "principal variation: {variation}")?;
    }
    let seconds = report.elapsed.as_secs_f64();
    let rate = if seconds > 0.0 { report.playouts as f64 / seconds } else { 0.0 };
    writeln!(
        out,
        "{} in {seconds:.2} s ({} playouts/s), depth {}, {} nodes, engine {}",
        count_playouts(report.playouts),
        short(rate),
        report.depth,
        report.nodes,
        game.engine().name
    )?;
    Ok(())
}

/// What is proved, in words: `proved: 100 in 7 steps`.
fn in_words(proof: Proof) -> String {
    let Proof { low, high, steps } = proof;
    match (proof.is_exact(), steps) {
        (true, Some(steps)) => format!("proved: {low} in {}", count(usize::from(steps), "step")),
        (true, None) => format!("proved: {low}"),
        (false, _) if high == 100 => format!("proved: at least {low}"),
        (false, _) if low == 0 => format!("proved: at most {high}"),
        (false, _) => format!("proved: {low} to {high}"),
    }
}

/// The expected continuation: joint moves, no-ops left out where somebody else moves.
fn principal_variation(report: &SearchReport<String>) -> String {
    const SHOWN: usize = 12;
    let steps: Vec<String> =
        report.principal_variation.iter().take(SHOWN).map(|joint| joint_in_words(joint)).collect();
    let more = if report.principal_variation.len() > SHOWN { " …" } else { "" };
    steps.join(" ") + more
}

/// A joint move without the no-ops of those who wait.
fn joint_in_words(joint: &[String]) -> String {
    let moving: Vec<&str> = joint.iter().map(String::as_str).filter(|name| !is_idle(name)).collect();
    match moving[..] {
        [] => joint.first().cloned().unwrap_or_default(),
        [only] => only.to_owned(),
        _ => format!("[{}]", moving.join(", ")),
    }
}

fn count_playouts(playouts: u64) -> String {
    count(usize::try_from(playouts).unwrap_or(usize::MAX), "playout")
}

//! `ludex solve`: the best plan for a game with one role, and whether it is proved to be the best.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use ludex_engine::Spelling;
use ludex_game::{Game, Goal, State};
use ludex_gdl::Rules;
use ludex_library::About;
use ludex_search::{Planner, PlannerLimits, PlannerProgress, Problem, Solution};
use serde_json::json;

use super::matches::scene::short;
use super::show::state::draw;
use crate::game::{self, EngineName};
use crate::output::{count, remark, stdout};
use crate::{Outcome, amount, history, input, memory};

/// Solve a puzzle: the best plan for a game with one role, with proof or bound
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet; `-` for standard input
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// Seconds to search at most
    #[arg(long, value_name = "S", default_value = "60", value_parser = amount::seconds)]
    seconds: Duration,

    /// Search so many nodes instead: with one thread the same number gives the same result
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    nodes: Option<u64>,

    /// Threads that search; if omitted, one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Memory for the search; if omitted, half of what is free, or 1GB with --nodes
    #[arg(long, value_name = "BYTES", value_parser = amount::memory)]
    memory: Option<usize>,

    /// Show the board after each move
    #[arg(long)]
    boards: bool,

    /// Draw boards in ASCII
    #[arg(long, requires = "boards")]
    ascii: bool,

    /// Print one JSON object: score, optimal, plan, method, seconds, bound
    #[arg(long, conflicts_with = "boards")]
    json: bool,

    /// Check a plan instead: moves, `(push a) (push b)`, or a file with moves or with the JSON of this
    /// command
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["nodes", "threads", "memory"])]
    check: Option<String>,

    /// Which engine runs the game
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName("auto"))]
    engine: EngineName,
}

const EXAMPLES: &str = "Examples:
  ludex solve hanoi
  ludex solve lights_out --boards
  ludex solve eight_puzzle --json > plan.json
  ludex solve eight_puzzle --check plan.json
  ludex solve peg --nodes 1000000 --threads 1

A plan is worth the goal of the first terminal state that it reaches. It is `optimal` if it is proved
that no plan is worth more: nothing else can be reached, or no terminal state is worth more. Otherwise
the bound says what no plan can exceed. The reference interpreter replays every plan before it is
printed.
Exit codes: 0 success, 1 no plan was found, the plan is wrong, or the sheet has errors, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let source = input::read(&arguments.game)?;
    let about = input::about(&arguments.game)?;
    let mut out = stdout();
    let Some(rules) = game::playable(&source, &mut out)? else { return Ok(Outcome::Failure) };
    if let Some(plan) = &arguments.check {
        return check(arguments, rules, about.as_ref(), plan, &mut out);
    }
    let spelling = Spelling::new(&rules);
    let game = game::build(rules.clone(), &arguments.engine)?;
    let begun = Instant::now();
    let problem = match Problem::new(Arc::clone(&game)) {
        Ok(problem) => problem,
        Err(ludex_search::ProblemError::Failure(failure)) => return Err(failure.into()),
        Err(error) => bail!("{error}; `ludex play` and `ludex move` are for the others"),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let limits = PlannerLimits {
        deadline: arguments.nodes.is_none().then(|| begun + arguments.seconds),
        nodes: arguments.nodes,
        memory: memory::of_player(arguments.memory, 1, arguments.nodes.is_none()),
        threads: arguments.threads.map_or(cores, usize::from),
        ..PlannerLimits::default()
    };
    let mut planner = Planner::new(problem)?;
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    let solution = planner.run(&limits, |progress| {
        if !bar.is_hidden() && begun.elapsed() > Duration::from_millis(300) {
            bar.set_message(line(progress, begun.elapsed()));
            bar.tick();
        }
    });
    bar.finish_and_clear();
    let (solution, seconds) = (solution?, begun.elapsed().as_secs_f64());
    let moves = solution.plan.iter().flat_map(|plan| &plan.moves);
    let names: Vec<String> = moves.map(|&id| spelling.apply(&game.move_name(id))).collect();
    let reference = ludex_reasoner::build(rules, "reference")?;
    let played = play(&*reference, &names)?;
    if let Some(plan) = &solution.plan {
        let fault = played.fault.clone().or_else(|| {
            (played.score.unwrap_or(0) != plan.score).then(|| format!("it is worth {:?}", played.score))
        });
        if let Some(fault) = fault {
            bail!("the reference does not confirm the plan of {}: {fault}", plan.method);
        }
    }
    if arguments.json {
        writeln!(out, "{}", in_json(arguments, &solution, &names, seconds))?;
    } else {
        if arguments.boards && solution.plan.is_some() {
            write_boards(&mut out, &*reference, about.as_ref(), &played, &names, arguments.ascii)?;
        } else {
            names.iter().try_for_each(|name| writeln!(out, "{name}"))?;
        }
        write_summary(&mut out, &solution, seconds)?;
    }
    out.flush()?;
    Ok(if solution.plan.is_some() { Outcome::Success } else { Outcome::Failure })
}

/// The progress in a line.
fn line(progress: &PlannerProgress, elapsed: Duration) -> String {
    let rate = progress.nodes as f64 / elapsed.as_secs_f64().max(0.001);
    let best = progress.best.map_or_else(
        || "no plan yet".to_owned(),
        |(score, length)| format!("best {score} in {}", count(length, "move")),
    );
    let (methods, nodes) = (progress.methods.join(", "), short(progress.nodes as f64));
    format!("{methods}: {nodes} nodes, {}/s, {best}, bound {}", short(rate), progress.bound)
}

/// A plan played by the rules.
struct Played {
    /// The states, as far as the moves are legal; the initial one first.
    states: Vec<State>,
    /// The goal at the end, if the game is over and there is exactly one.
    score: Option<u8>,
    /// What is wrong with the plan, if anything.
    fault: Option<String>,
}

/// Plays moves, by name, from the initial state.
fn play(game: &dyn Game, moves: &[String]) -> Result<Played> {
    let mut played = Played { states: vec![game.initial()], score: None, fault: None };
    let mut state = game.initial();
    for (at, name) in moves.iter().enumerate() {
        let view = game.view(&state)?;
        if view.terminal {
            played.fault = Some(format!("the game is over before move {}, `{name}`", at + 1));
            return Ok(played);
        }
        let legal = view.legal.first().map_or(&[][..], Vec::as_slice);
        let Some(id) = game.find_move(name).filter(|id| legal.contains(id)) else {
            played.fault = Some(format!("move {}, `{name}`, is not legal", at + 1));
            return Ok(played);
        };
        state = game.next(&state, &[id])?;
        played.states.push(state.clone());
    }
    if game.view(&state)?.terminal {
        played.score = game.goals(&state)?.first().and_then(Goal::value);
    } else if !moves.is_empty() {
        played.fault = Some(format!("the game is not over after {}", count(moves.len(), "move")));
    }
    Ok(played)
}

/// `--check`.
fn check(
    arguments: &Arguments,
    rules: Rules,
    about: Option<&About>,
    plan: &str,
    out: &mut impl Write,
) -> Result<Outcome> {
    let moves = moves_of(plan)?;
    let reference = ludex_reasoner::build(rules, "reference")?;
    if reference.role_count() != 1 {
        bail!("plans are for games with one role; this game has {}", reference.role_count());
    }
    let played = play(&*reference, &moves)?;
    let over = played.fault.is_none() && reference.view(played.states.last().context("a state")?)?.terminal;
    if arguments.json {
        let fault = played.fault.clone();
        let object = json!({ "legal": over, "score": played.score, "moves": moves.len(), "fault": fault });
        writeln!(out, "{object}")?;
    } else {
        if arguments.boards {
            write_boards(out, &*reference, about, &played, &moves, arguments.ascii)?;
        }
        match (&played.fault, over) {
            (Some(fault), _) => writeln!(out, "The plan is wrong: {fault}.")?,
            (None, false) => writeln!(out, "The plan is wrong: it has no moves, and the game is not over.")?,
            (None, true) => {
                let score = played.score.map_or("no goal".to_owned(), |score| score.to_string());
                writeln!(out, "{score} in {}: all moves are legal.", count(moves.len(), "move"))?;
            }
        }
    }
    out.flush()?;
    Ok(if over { Outcome::Success } else { Outcome::Failure })
}

/// The moves that `--check` names: a file, or the moves themselves.
fn moves_of(plan: &str) -> Result<Vec<String>> {
    const MOST: u64 = 64 << 20; // bytes
    let path = Path::new(plan);
    let text = if path.is_file() {
        let size = std::fs::metadata(path).with_context(|| format!("cannot read {plan}"))?.len();
        if size > MOST {
            bail!("{plan} is too long for a plan");
        }
        std::fs::read_to_string(path).with_context(|| format!("cannot read {plan}"))?
    } else {
        plan.to_owned()
    };
    if text.trim_start().starts_with('{') {
        let object: serde_json::Value = serde_json::from_str(&text).context("the plan is not JSON")?;
        let moves = object["plan"].as_array().context("the JSON has no list `plan`")?;
        let texts = moves.iter().map(|text| text.as_str().map(str::to_owned));
        return texts.collect::<Option<_>>().context("the list `plan` has other things than texts");
    }
    Ok(history::terms(&text).context("cannot read the plan")?.into_iter().map(str::to_owned).collect())
}

fn write_boards(
    out: &mut impl Write,
    game: &dyn Game,
    about: Option<&About>,
    played: &Played,
    names: &[String],
    ascii: bool,
) -> Result<()> {
    for (at, state) in played.states.iter().enumerate() {
        match at.checked_sub(1).and_then(|at| names.get(at)) {
            None => writeln!(out, "The beginning\n")?,
            Some(name) => writeln!(out, "{at}. {name}\n")?,
        }
        writeln!(out, "{}", draw(game, about, state, ascii))?;
    }
    Ok(())
}

fn in_json(arguments: &Arguments, solution: &Solution, names: &[String], seconds: f64) -> serde_json::Value {
    let method = |report: &ludex_search::MethodReport| {
        json!({
            "name": report.name,
            "nodes": report.nodes,
            "seconds": report.time.as_secs_f64(),
            "gave_up": report.gave_up,
        })
    };
    let plan = solution.plan.as_ref();
    json!({
        "game": arguments.game.display().to_string(),
        "score": plan.map(|plan| plan.score),
        "optimal": solution.optimal,
        "bound": solution.bound,
        "proof": proof(solution),
        "plan": plan.map(|_| names),
        "moves": plan.map(|plan| plan.moves.len()),
        "method": plan.map(|plan| plan.method),
        "seconds": seconds,
        "nodes": solution.nodes,
        "methods": solution.methods.iter().map(method).collect::<Vec<_>>(),
    })
}

/// What proves that the plan is optimal.
fn proof(solution: &Solution) -> Option<&'static str> {
    solution.optimal.then(|| solution.proof.unwrap_or("goals"))
}

fn write_summary(out: &mut impl Write, solution: &Solution, seconds: f64) -> Result<()> {
    let Solution { plan, bound, optimal, nodes, .. } = solution;
    match plan {
        Some(plan) => {
            let length = count(plan.moves.len(), "move");
            let (score, method) = (plan.score, plan.method);
            let end = match proof(solution) {
                Some("goals") => "optimal: no end of the game is worth more".to_owned(),
                Some(by) => format!("optimal: proved by {by}"),
                None => format!("not proved to be the best; no plan is worth more than {bound}"),
            };
            writeln!(out, "{score} in {length}, found by {method}; {end}")?;
        }
        None if *optimal => writeln!(out, "there is no plan: the game cannot be brought to an end")?,
        None => writeln!(out, "no plan was found; no plan is worth more than {bound}")?,
    }
    let rate = *nodes as f64 / seconds.max(0.001);
    writeln!(out, "{} nodes in {seconds:.2} s ({}/s)", nodes, short(rate))?;
    for report in &solution.methods {
        if let Some(reason) = &report.gave_up {
            remark(format_args!(
                "{} gave up after {:.1} s: {reason}",
                report.name,
                report.time.as_secs_f64()
            ));
        }
    }
    Ok(())
}

//! `ludex show state`: any position of a game, drawn as a board.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use ludex_game::{Game, Goal, MoveId, State, View};
use ludex_library::{About, Look, Picture};

use crate::game::{self, EngineName};
use crate::output::{count, stdout, terminal_width};
use crate::{Outcome, history, input};

/// Which state, and how it is drawn.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// With `state`: the moves made so far. Each is a move, `(mark 1 1)`, or the moves of all roles
    /// in parentheses, `((mark 1 1) noop)`
    #[arg(long, value_name = "MOVES", conflicts_with = "random")]
    history: Option<String>,

    /// With `state`: play up to this many steps at random
    #[arg(long, value_name = "N")]
    random: Option<usize>,

    /// With `--random`: the same seed gives the same state
    #[arg(long, value_name = "S", requires = "random", default_value_t = 1)]
    seed: u64,

    /// With `state`: draw in ASCII
    #[arg(long)]
    ascii: bool,
}

impl Options {
    /// Other forms of a sheet have no use for them.
    pub(crate) fn refuse(&self) -> Result<()> {
        if self.history.is_some() || self.random.is_some() || self.ascii {
            bail!("--history, --random and --ascii are for `show state`");
        }
        Ok(())
    }
}

/// Shows the state.
pub(crate) fn run(path: &Path, options: &Options, json: bool) -> Result<Outcome> {
    let source = input::read(path)?;
    let about = input::about(path)?;
    let mut out = stdout();
    let Some(rules) = game::playable(&source, &mut out)? else { return Ok(Outcome::Failure) };
    // For a single state the engine without set-up is fastest.
    let game = game::build(rules, &EngineName::default())?;
    let (state, steps) = match (&options.history, options.random) {
        (Some(moves), _) => history::play(&*game, moves)?,
        (None, Some(most)) => at_random(&*game, most, options.seed)?,
        (None, None) => (game.initial(), 0),
    };
    if json {
        writeln!(out, "{}", serde_json::to_string(&in_json(&*game, &state, steps)?)?)?;
        out.flush()?;
        return Ok(Outcome::Success);
    }
    let file = path.file_stem().map(|stem| stem.to_string_lossy());
    let title = about.as_ref().map_or(file.as_deref().unwrap_or(source.name()), |about| &about.title);
    let after =
        if steps == 0 { "the initial state".to_owned() } else { format!("after {}", count(steps, "step")) };
    writeln!(out, "{title}, {after}\n")?;
    write!(out, "{}", draw(&*game, about.as_ref(), &state, options.ascii))?;
    write_moves(&*game, &state, &mut out)?;
    out.flush()?;
    Ok(Outcome::Success)
}

/// The board of a state, as text.
pub(crate) fn draw(game: &dyn Game, about: Option<&About>, state: &State, ascii: bool) -> String {
    let picture = Picture::new(about, game.roles(), &game.describe(state));
    let over = game.view(state).is_ok_and(|view| view.terminal);
    let picture = if over { picture.finished() } else { picture };
    picture.text(&Look { ascii, colours: true, width: terminal_width() })
}

/// The names are those of traces.
fn in_json(game: &dyn Game, state: &State, step: usize) -> Result<serde_json::Value> {
    let view = game.view(state)?;
    let names = |moves: &Vec<MoveId>| {
        let mut names: Vec<String> = moves.iter().map(|&id| game.move_name(id)).collect();
        names.sort();
        serde_json::json!(names)
    };
    let by_role = |values: Vec<serde_json::Value>| -> serde_json::Map<String, serde_json::Value> {
        game.roles().iter().cloned().zip(values).collect()
    };
    let goals = game.goals(state)?.iter().map(|goal| serde_json::json!(goal.value())).collect();
    Ok(serde_json::json!({
        "step": step,
        "state": game.describe(state),
        "terminal": view.terminal,
        "goals": by_role(goals),
        "legal": by_role(view.legal.iter().map(names).collect()),
    }))
}

fn at_random(game: &dyn Game, most: usize, seed: u64) -> Result<(State, usize)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut state = game.initial();
    for step in 0..most {
        let view = game.view(&state)?;
        if view.terminal || view.legal.iter().any(Vec::is_empty) {
            return Ok((state, step));
        }
        // Moves are drawn in the order of their names: the numbers of moves are the engine's own.
        let choose = |moves: &Vec<_>, random: &mut fastrand::Rng| {
            let mut moves: Vec<_> = moves.iter().map(|&id| (game.move_name(id), id)).collect();
            moves.sort();
            moves[random.usize(..moves.len())].1
        };
        let joint: Vec<_> = view.legal.iter().map(|moves| choose(moves, &mut random)).collect();
        state = game.next(&state, &joint)?;
    }
    Ok((state, most))
}

/// The legal moves of all roles, or their goals.
fn write_moves(game: &dyn Game, state: &State, out: &mut impl Write) -> Result<()> {
    let view: View = game.view(state)?;
    writeln!(out)?;
    let width = game.roles().iter().map(String::len).max().unwrap_or(0);
    if view.terminal {
        writeln!(out, "The game is over.")?;
        for (role, goal) in game.roles().iter().zip(game.goals(state)?) {
            let goal = match goal {
                Goal::Value(value) => value.to_string(),
                Goal::Undefined => "no goal".to_owned(),
                Goal::Faulty(values) => values.join(" and "),
            };
            writeln!(out, "{role:<width$}  {goal}")?;
        }
        return Ok(());
    }
    for (role, moves) in game.roles().iter().zip(&view.legal) {
        let mut names: Vec<String> = moves.iter().map(|&id| game.move_name(id)).collect();
        names.sort();
        writeln!(
            out,
            "{role:<width$}  {}",
            as_many_as_fit(&names, terminal_width().saturating_sub(width + 2))
        )?;
    }
    Ok(())
}

/// Names in a row, and how many there are in all if that is too much; one at least.
fn as_many_as_fit(names: &[String], room: usize) -> String {
    let all = names.join(", ");
    if all.chars().count() <= room {
        return all;
    }
    let more = format!(", ... ({} in all)", names.len());
    let mut shown = names.first().cloned().unwrap_or_default();
    for name in names.iter().skip(1) {
        if shown.chars().count() + 2 + name.chars().count() + more.len() > room {
            break;
        }
        shown = shown + ", " + name;
    }
    shown + &more
}

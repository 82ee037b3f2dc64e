//! Puzzles: the best score and the fewest moves to it.
//!
//! Breadth-first search meets all states that can be reached, step by step, so the first one that ends
//! with the best score shows that it takes so many moves and no fewer. That nothing is better needs no
//! more if the score is 100; otherwise all states are searched. Where that is too much, a solution is
//! played that is written down in `tests/data/solutions.txt`.

use std::sync::Arc;

use ludex_game::Game;
use ludex_library::Kind;

use crate::counting::{Layer, children};
use crate::games::{Built, each, ensure};

/// States that are met in every run, each as often as moves lead to it.
const STATES: usize = 400_000;
/// The same when asked for.
const MANY_STATES: usize = 40_000_000;

/// Puzzles that need more than [`STATES`]: searched when asked for.
const LARGE: &[&str] = &[
    "asteroids_parallel",
    "asteroids_serial",
    "eight_puzzle",
    "hanoi7",
    "incredible_machine",
    "pancakes88",
    "state_space_medium",
];

/// Solutions of those that need more than [`MANY_STATES`].
const SOLUTIONS: &str = include_str!("../data/solutions.txt");

/// The best score and the fewest steps to it; none if that takes too many states.
fn search(game: &Arc<dyn Game>, limit: usize) -> Option<(u8, u32)> {
    let mut best: Option<(u8, u32)> = None;
    let mut layer = Layer::first(game);
    let (mut steps, mut seen) = (0, 0);
    while !layer.states.is_empty() {
        steps += 1;
        let mut behind = Layer::default();
        for (state, _) in &layer.states {
            let children = children(game, state);
            seen += children.len();
            if seen > limit {
                return None;
            }
            for child in children {
                if child.view.terminal {
                    let score = game.goals(&child.state).ok()?.first()?.value()?;
                    if best.is_none_or(|(most, _)| score > most) {
                        best = Some((score, steps));
                    }
                } else {
                    behind.enter(child.state, 0);
                }
            }
        }
        if best.is_some_and(|(score, _)| score == 100) {
            break;
        }
        layer = behind;
    }
    best
}

/// Whether the figures were looked at.
fn solve(built: &Built, limit: usize) -> Result<bool, String> {
    let about = &built.about;
    let (Some(best), Some(length)) = (about.best, about.solution_length) else { return Ok(true) };
    ensure(about.kind == Some(Kind::SinglePlayer), || "not a puzzle".into())?;
    let Some(found) = search(built.shared(), limit) else { return Ok(false) };
    println!("{}: {} after {} steps", built.sheet.name, found.0, found.1);
    ensure(found == (best, length), || format!("written {:?}, found {found:?}", (best, length)))?;
    Ok(true)
}

/// The moves of the solution that is written down, if there is one.
fn solution(name: &str) -> Option<Vec<String>> {
    let mut lines = SOLUTIONS.lines().filter(|line| !line.starts_with(';'));
    let moves = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(moves.split_inclusive(')').map(|text| text.trim().to_owned()).collect())
}

/// Plays a solution to its end.
fn replay(built: &Built, moves: &[String]) -> Result<(), String> {
    let (about, game) = (&built.about, built.game());
    let mut state = game.initial();
    for text in moves {
        let view = game.view(&state).map_err(|failure| failure.to_string())?;
        let legal = game.find_move(text).filter(|id| view.legal.iter().flatten().any(|legal| legal == id));
        let chosen = legal.ok_or_else(|| format!("{text} is not legal"))?;
        state = game.next(&state, &[chosen]).map_err(|failure| failure.to_string())?;
    }
    let view = game.view(&state).map_err(|failure| failure.to_string())?;
    let goals = game.goals(&state).map_err(|failure| failure.to_string())?;
    ensure(view.terminal, || "the solution does not end the game".into())?;
    let score = goals.first().and_then(ludex_game::Goal::value);
    println!("{}: {score:?} after {} steps, played", built.sheet.name, moves.len());
    ensure(score == about.best && about.solution_length == u32::try_from(moves.len()).ok(), || {
        format!("{score:?} after {} steps", moves.len())
    })
}

#[test]
fn puzzles_have_the_solutions_written() {
    each(|built| match solution(built.sheet.name) {
        Some(moves) => replay(built, &moves),
        None => {
            let solved = LARGE.contains(&built.sheet.name) || solve(built, STATES)?;
            ensure(solved, || "too many states: it belongs to the large ones".into())
        }
    });
}

#[test]
#[ignore = "takes minutes"]
fn large_puzzles_have_the_solutions_written() {
    each(|built| {
        let solved = !LARGE.contains(&built.sheet.name) || solve(built, MANY_STATES)?;
        ensure(solved, || "too many states".into())
    });
}

//! What `ludex move` says about the tree: several continuations, and the replies behind some moves.

use std::io::Write;

use anyhow::Result;
use ludex_game::{Game, MoveId, State};
use ludex_search::{Line, Look, LookError, Question, Search};
use serde_json::{Value, json};

use super::{in_words, joint_in_words};
use crate::history;

/// Steps of a continuation.
const STEPS: usize = 12;

/// Continuations from the root, without the first one if there is only that; and the node behind some
/// moves.
pub(super) struct Looks {
    pub(super) lines: Vec<Line<String>>,
    pub(super) behind: Option<Look<String>>,
}

/// Asks the search. One that has no tree has no lines; there is nothing behind its moves to show.
pub(super) fn ask(
    search: &dyn Search,
    game: &dyn Game,
    (state, lines, behind): (&State, usize, Option<&str>),
    name: impl Fn(MoveId) -> String,
) -> Result<Looks> {
    let root = search.look(&Question { path: Vec::new(), lines, steps: STEPS });
    let lines = match root {
        Ok(look) => look.named(&name).lines,
        Err(LookError::NoTree) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let behind = match behind {
        Some(moves) => {
            let (_, path) = history::follow(game, state.clone(), moves)?;
            Some(search.look(&Question { path, lines: 1, steps: STEPS })?.named(&name))
        }
        None => None,
    };
    Ok(Looks { lines, behind })
}

impl Looks {
    pub(super) fn lines_in_json(&self) -> Value {
        let line =
            |line: &Line<String>| json!({ "moves": line.moves, "visits": line.visits, "value": line.value });
        self.lines.iter().map(line).collect()
    }

    pub(super) fn behind_in_json(&self, game: &dyn Game) -> Value {
        let Some(look) = &self.behind else { return Value::Null };
        let mut roles = Vec::new();
        for choice in &look.choices {
            let one = |known: &ludex_search::LookMove<String>| {
                json!({
                    "move": known.id,
                    "visits": known.visits,
                    "value": known.value,
                    "bounds": known.proof.map(|proof| [proof.low, proof.high]),
                    "distance": known.proof.and_then(|proof| proof.steps),
                })
            };
            let moves: Vec<Value> = choice.moves.iter().map(one).collect();
            roles.push(json!({ "role": game.roles()[choice.role], "moves": moves }));
        }
        json!({ "visits": look.visits, "choices": roles })
    }

    pub(super) fn write(&self, out: &mut impl Write, game: &dyn Game) -> Result<()> {
        const SHOWN: usize = 10;
        if self.lines.len() > 1 {
            for line in &self.lines {
                let value = line.value.map_or("-".to_owned(), |value| format!("{value:.1}"));
                let steps: Vec<String> = line.moves.iter().map(|joint| joint_in_words(joint)).collect();
                writeln!(out, "{value:>5}  {} visits: {}", line.visits, steps.join(" "))?;
            }
        }
        let Some(look) = &self.behind else { return Ok(()) };
        writeln!(out, "behind these moves: {} visits", look.visits)?;
        for choice in &look.choices {
            writeln!(out, "  {}", game.roles()[choice.role])?;
            let shown = choice.moves.iter().take(SHOWN);
            let width = shown.clone().map(|known| known.id.chars().count()).max().unwrap_or(0);
            for known in shown {
                let value = known.value.map_or("-".to_owned(), |value| format!("{value:.1}"));
                let proof = known.proof.map_or_else(String::new, |proof| format!("  {}", in_words(proof)));
                writeln!(out, "    {:<width$}  {value:>5}  {} visits{proof}", known.id, known.visits)?;
            }
        }
        Ok(())
    }
}

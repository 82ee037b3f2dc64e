//! What a session says about its thinking: [`Thinking`] with names instead of numbers.

use std::time::Duration;

use ludex_game::{Game, MoveId, RoleId};
use ludex_search::Thinking;

use crate::spelling::Spelling;

/// A move that was considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Considered {
    /// The move, as the sheet spells it.
    pub name: String,
    /// How many playouts went through it.
    pub visits: u64,
    /// The expected goal of the role that thinks, 0 to 100; none if nothing is known.
    pub value: Option<f64>,
}

/// What is known about a position. All names are spelled as in the sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The move to make.
    pub best: Option<String>,
    /// The expected goal of the role that thinks, 0 to 100; none if nothing is known.
    pub value: Option<f64>,
    /// By role: the expected goal. Empty if nothing is known.
    pub values: Vec<f64>,
    /// Playouts through the move to make.
    pub visits: u64,
    /// The moves of the role, the best first; not all if there are very many.
    pub candidates: Vec<Considered>,
    /// How the game is expected to go on: joint moves.
    pub line: Vec<Vec<String>>,
    /// Playouts for this position.
    pub playouts: u64,
    /// Playouts for each second of thinking.
    pub playouts_per_second: f64,
    /// State transitions for this position.
    pub steps: u64,
    /// Positions that are remembered.
    pub nodes: u64,
    /// How deep the deepest of them is.
    pub depth: u32,
    /// Bytes held for that.
    pub memory: usize,
    /// Whether the value is certain.
    pub proven: bool,
    /// Name of the engine that ran the game.
    pub engine: &'static str,
    /// How long it was thought about the position.
    pub thought: Duration,
}

/// Gives names to what a search found.
pub struct Reporter<'a> {
    /// The game that the search was made for.
    pub game: &'a dyn Game,
    /// The role that it thinks for.
    pub role: RoleId,
    /// How the sheet spells names.
    pub spelling: &'a Spelling,
    /// How many candidates are named.
    pub candidates: usize,
}

impl Reporter<'_> {
    /// What was found, after so much thinking.
    pub fn report(&self, thinking: &Thinking, thought: Duration) -> Report {
        let own = |values: &[f64]| values.get(self.role.index()).copied();
        let candidates = thinking.candidates.iter().take(self.candidates).map(|candidate| Considered {
            name: self.name(candidate.id),
            visits: candidate.visits,
            value: own(&candidate.values),
        });
        let seconds = thought.as_secs_f64();
        Report {
            best: thinking.best.map(|id| self.name(id)),
            value: own(&thinking.values),
            values: thinking.values.clone(),
            visits: thinking.chosen().map_or(0, |chosen| chosen.visits),
            candidates: candidates.collect(),
            line: thinking.line.iter().map(|joint| joint.iter().map(|&id| self.name(id)).collect()).collect(),
            playouts: thinking.playouts,
            playouts_per_second: if seconds > 0.0 { thinking.playouts as f64 / seconds } else { 0.0 },
            steps: thinking.steps,
            nodes: thinking.nodes,
            depth: thinking.depth,
            memory: thinking.memory,
            proven: thinking.proven,
            engine: self.game.engine(),
            thought,
        }
    }

    fn name(&self, id: MoveId) -> String {
        self.spelling.apply(&self.game.move_name(id))
    }
}

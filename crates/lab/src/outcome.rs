//! The outcome of each match or measurement: all that statistics need to know.

use serde::{Deserialize, Serialize};

/// A place in the table: a game, two players, a setting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// Name of the setting.
    pub setting: String,
    /// As the experiment names it.
    pub game: String,
    /// Whose results these are.
    pub player: String,
    /// Whom it meets.
    pub opponent: String,
}

/// One match of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchOutcome {
    /// Where it counts.
    pub cell: Cell,
    /// Which match of the cell, from 0.
    pub number: u64,
    /// By role, chance left out: whether `player` sat there (else `opponent`).
    pub seats: Vec<bool>,
    /// By role, chance left out: the goals.
    pub goals: Vec<u8>,
    /// Late, illegal and missing answers, of everybody.
    pub faults: u64,
    /// Joint moves.
    pub steps: u64,
    /// States that `player` visited while it thought, and the seconds it took; zero if nothing is
    /// known.
    pub visited: u64,
    /// Seconds of thinking of `player`.
    pub seconds: f64,
}

impl MatchOutcome {
    /// What `player` scored, 0 to 1, by the rule of the papers: the role with the highest goal gets
    /// the point; those who share it, share the point.
    pub fn score(&self) -> f64 {
        let best = self.goals.iter().max();
        let winners: Vec<bool> = self
            .seats
            .iter()
            .zip(&self.goals)
            .filter(|(_, goal)| Some(*goal) == best)
            .map(|(&s, _)| s)
            .collect();
        if winners.is_empty() {
            return 0.5;
        }
        winners.iter().filter(|&&own| own).count() as f64 / winners.len() as f64
    }
}

/// The outcome of measuring an engine with a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasonerOutcome {
    /// Name of the setting.
    pub setting: String,
    /// As the experiment names it.
    pub game: String,
    /// Name of the engine.
    pub engine: String,
    /// Which measurement, from 0.
    pub number: u64,
    /// From the text of the rules to the first playout; unknown of others.
    pub setup_seconds: Option<f64>,
    /// Random playouts.
    pub monte_carlo: Option<Visited>,
    /// Minimax search; unknown of others.
    pub minimax: Option<Visited>,
    /// Why there is nothing, or not everything.
    pub error: Option<String>,
}

/// States, and the time it took to visit them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visited {
    /// How many.
    pub states: u64,
    /// How long, in seconds.
    pub seconds: f64,
    /// How deep the deepest search was that came to its end; 0 for playouts.
    pub depth: u32,
}

impl Visited {
    /// States per second.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.states as f64 / self.seconds } else { 0.0 }
    }
}

impl ReasonerOutcome {
    /// Whether both are about the same thing.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let key = |outcome: &Self| {
            (outcome.setting.clone(), outcome.game.clone(), outcome.engine.clone(), outcome.number)
        };
        key(self) == key(other)
    }
}

/// What a player found in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreOutcome {
    /// Name of the setting.
    pub setting: String,
    /// As the experiment names it.
    pub game: String,
    /// Name of the player.
    pub player: String,
    /// Which run, from 0.
    pub number: u64,
    /// Seconds or playouts, and the score after that, in order.
    pub scores: Vec<(f64, u8)>,
}

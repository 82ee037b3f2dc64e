//! What came out of each match: all that statistics need to know.

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
    /// States that `player` visited while it thought, and the seconds it took; zero if nothing is known.
    pub visited: u64,
    /// Seconds of thinking of `player`.
    pub seconds: f64,
}

impl MatchOutcome {
    /// What `player` scored, 0 to 1, by the rule of the papers: the role with the highest goal gets the point;
    /// those who share it, share the point.
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

/// How fast an engine is in a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasonerRate {
    /// Name of the engine.
    pub engine: String,
    /// As the experiment names it.
    pub game: String,
    /// Milliseconds until it is ready.
    pub setup_ms: f64,
    /// States a second in random playouts.
    pub monte_carlo_nodes_per_second: Option<f64>,
    /// States a second in minimax search.
    pub minimax_nodes_per_second: Option<f64>,
    /// Why there are no figures.
    pub problem: Option<String>,
}

/// The best score that a player had found by some time, in a game for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScorePoint {
    /// Name of the player.
    pub player: String,
    /// As the experiment names it.
    pub game: String,
    /// Which run, from 0.
    pub run: u64,
    /// Seconds since it began.
    pub seconds: f64,
    /// 0 to 100.
    pub score: f64,
}

//! What a search found out: its move, what it thinks of the others, and how much work that took.

use ludex_game::MoveId;

/// A move of the searching role, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub id: MoveId,
    /// How many playouts went through it.
    pub visits: u64,
    /// By role: the expected goal, 0 to 100. Empty if nothing is known.
    pub values: Vec<f64>,
}

/// A report of thinking. Moves are ids of the game that the search was made for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thinking {
    /// The move to make; none before the first root, and in terminal states.
    pub best: Option<MoveId>,
    /// By role: the expected goal of the root, 0 to 100. Empty if nothing is known.
    pub values: Vec<f64>,
    /// All moves of the role, the best first.
    pub candidates: Vec<Candidate>,
    /// How the game is expected to go on: joint moves.
    pub line: Vec<Vec<MoveId>>,
    /// Playouts since the root was set.
    pub playouts: u64,
    /// State transitions since the root was set.
    pub steps: u64,
    /// Positions that are remembered.
    pub nodes: u64,
    /// How deep the deepest of them is below the root.
    pub depth: u32,
    /// Bytes held for that.
    pub memory: usize,
    /// Whether the value of the root is certain.
    pub proven: bool,
}

impl Thinking {
    /// The candidate that is to be made.
    pub fn chosen(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| Some(candidate.id) == self.best)
    }
}

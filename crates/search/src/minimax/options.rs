//! Options of the searches of the minimax family.

/// What simultaneous moves of two players are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simultaneous {
    /// The others answer knowing the own move: what the role can guarantee with a move in the open.
    #[default]
    Pessimistic,
    /// The matrix game, solved exactly: the expected goal of the best mixed strategy. Needs two
    /// players; with more, the same as pessimistic.
    Matrix,
}

/// Options of [`AlphaBeta`](crate::AlphaBeta).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaBetaOptions {
    /// Whether there is a transposition table.
    pub table: bool,
    /// Whether moves after the first are searched with a null window first (principal variation
    /// search).
    pub pvs: bool,
    /// Whether moves are ordered by history and killer moves, beside the table.
    pub history: bool,
    /// Half width of the aspiration window at the root, in goal points; 0: the whole range.
    pub window: f32,
    /// Steps at the bottom that are searched at full width, in batches; none: as many as fill the
    /// lanes of the engine.
    pub full_width: Option<u16>,
    /// Simultaneous moves.
    pub simultaneous: Simultaneous,
}

impl Default for AlphaBetaOptions {
    fn default() -> Self {
        Self {
            table: true,
            pvs: true,
            history: true,
            window: 8.0,
            full_width: None,
            simultaneous: Simultaneous::Pessimistic,
        }
    }
}

//! Which games are puzzles: one role, which is a player.

use ludex_game::Game;

use crate::utility::is_chance;

/// Whether a game is for one player alone: what follows from its moves is certain, so a playout
/// that ended well is a plan.
pub fn is_puzzle(game: &dyn Game) -> bool {
    matches!(game.roles(), [only] if !is_chance(only))
}

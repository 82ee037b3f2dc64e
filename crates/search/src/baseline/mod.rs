//! Baseline players that do not search.

mod first;
mod random;

pub use first::First;
pub use random::Random;

use ludex_game::{Failure, MoveId, State};

use crate::search::SearchContext;

/// The legal moves of the searching role; none in terminal states.
fn legal_moves(context: &SearchContext, state: &State) -> Result<Vec<MoveId>, Failure> {
    let view = context.game.view(state)?;
    Ok(view.legal.into_iter().nth(context.role.index()).unwrap_or_default())
}

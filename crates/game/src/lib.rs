//! The contract between reasoners and everyone who plays.
//!
//! A [`Game`] knows its roles, states, moves and goals. Reasoners make games out of rule sheets;
//! search, referee and lab see nothing else. Ids are small numbers that belong to the game.

mod batch;
mod game;
mod ids;
mod state;

pub use batch::{Child, Expansion, Playouts, Policy, Request, expand_one_by_one, play_one_by_one};
pub use game::{Failure, Game, Goal, View};
pub use ids::{FactId, MoveId, RoleId};
pub use state::State;

//! From the name of a player to a player that thinks.
//!
//! A [`Spec`] is what people write: `mc` or `mc:playouts=64,seed=3`. [`PLAYERS`] is the table of everything
//! that can be written there; [`Player::new`] looks a spec up and checks its options, and
//! [`Player::search`] makes a search for a seat.

mod options;
mod player;
mod players;
mod spec;
mod tree_options;

pub use options::{OptionKind, OptionValue, PlayerOption};
pub use player::{Player, PlayerError};
pub use players::{DEFAULT_PLAYER, Kind, PLAYERS};
pub use spec::{Spec, SpecError};

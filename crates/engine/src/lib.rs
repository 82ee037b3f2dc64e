//! From the name of a player to a player that thinks.
//!
//! A [`Spec`] is what people write: `mc` or `mc:playouts=64,seed=3`. [`PLAYERS`] is the table of
//! everything that can be written there; [`Player::new`] looks a spec up and checks its options,
//! and [`Player::search`] makes a search for a seat. A [`Session`] is a player at work in one
//! match: it sets up engines, thinks, follows the match, and always has a legal move to answer
//! with.

mod options;
mod player;
mod players;
mod runner;
mod session;
mod spec;
mod spelling;
mod tree_options;

pub use options::{OptionKind, OptionValue, PlayerOption};
pub use player::{Player, PlayerError};
pub use players::{DEFAULT_PLAYER, Kind, PLAYERS};
pub use runner::{MakeSearch, SearchFault, SearchRunner};
pub use session::{Answer, By, History, Session, SessionOptions, Standing, Ticket};
pub use spec::{Spec, SpecError};
pub use spelling::{Spelling, find_role};

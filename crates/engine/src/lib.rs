//! From the name of a player to a player that thinks.
//!
//! A [`Spec`] is what people write: `mc` or `mc:playouts=64,seed=3`. [`PLAYERS`] is the table of
//! everything that can be written there; [`Player::new`] looks a spec up and checks its options,
//! and [`Player::search`] makes a search for a seat. A [`Session`] is a player at work in one
//! match: it sets up engines, thinks, follows the match, and always has a legal move to answer
//! with.
//!
//! ```
//! use ludex_engine::Player;
//! use ludex_game::RoleId;
//! use ludex_search::{Budget, SearchContext};
//!
//! let game = ludex_testkit::game("tic_tac_toe", "batch");
//! let player = Player::new("cadia-mastg:epsilon=0.4").expect("a player");
//! let context = SearchContext { game: game.clone(), role: RoleId::new(0), seed: 1, threads: 1 };
//! let mut search = player.search(context);
//! search.set_root(&game.initial())?;
//! search.think(&Budget::playouts(200))?;
//! assert!(search.report().best.is_some());
//! # Ok::<(), ludex_game::Failure>(())
//! ```

mod knowledge_options;
mod minimax_options;
mod options;
mod player;
mod players;
mod puzzle_options;
mod runner;
mod session;
mod signature;
mod spec;
mod spelling;
mod tree_options;

pub use options::{OptionKind, OptionValue, PlayerOption};
pub use player::{Player, PlayerError};
pub use players::{DEFAULT_PLAYER, DEFAULT_PUZZLE_PLAYER, Family, HUMAN, Kind, PLAYERS, default_player};
pub use runner::{MakeSearch, SearchFault, SearchRunner};
pub use session::{Answer, By, History, Session, SessionOptions, Standing, Ticket};
pub use signature::player_signature;
pub use spec::{Spec, SpecError};
pub use spelling::{Spelling, find_role, role_names};

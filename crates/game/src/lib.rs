//! The contract between reasoners and everyone who plays.
//!
//! A [`Game`] knows its roles, states, moves and goals. Reasoners make games out of rule sheets;
//! search, referee and lab see nothing else. Ids are small numbers that belong to the game.
//!
//! | type | what it is |
//! |---|---|
//! | [`Game`] | the rules: roles, states, legal moves, goals, names |
//! | [`GameInfo`] | static facts: players and chance, simultaneous moves, the engine |
//! | [`Simulator`] | bulk work: playouts from many leaves, children of many states |
//! | [`PlayoutPolicy`] | how playouts choose moves |
//! | [`Model`] | the game as data: lifted rules, atoms, gates |
//! | [`portable`] | states and moves that every engine of the same rules reads |
//!
//! [`conforms`] and [`agree`] test engines, [`perft`] counts positions, [`record`] and [`verify`]
//! write and check traces.
//!
//! ```
//! use std::sync::Arc;
//!
//! use ludex_game::{Game, SimulatorConfig, perft};
//!
//! let game: Arc<dyn Game> = ludex_testkit::game("tic_tac_toe", "batch");
//! let view = game.view(&game.initial())?;
//! assert_eq!(view.legal.iter().map(Vec::len).collect::<Vec<_>>(), [9, 1]);
//! assert_eq!(game.info().simultaneous, None);
//!
//! let mut simulator = Arc::clone(&game).simulator(SimulatorConfig::default());
//! let playouts = simulator.playouts(&game.initial(), 1000, 1)?;
//! assert_eq!((playouts.finished, playouts.goal_sums.iter().sum::<u64>()), (1000, 100_000));
//! assert_eq!(perft(&game, 3)?[3].paths, 504);
//! # Ok::<(), ludex_game::Failure>(())
//! ```

mod agreement;
mod choices;
mod conformance;
mod conformance_model;
mod conversion;
mod cursor;
mod expansion;
mod game;
mod ids;
mod info;
mod joint_moves;
mod leaf_results;
pub mod model;
mod perft;
mod playouts;
mod policy;
pub mod portable;
mod ranking;
mod signature;
mod simulate;
mod simulator;
mod state;
mod trace;
mod verify;

pub use agreement::agree;
pub use choices::{ChoiceTable, Choices};
pub use conformance::{Effort, Law, Violation, conforms};
pub use cursor::{Cursor, GameCursor, RandomStep, below};
pub use expansion::{
    Child, ExpandOptions, Expansion, MAX_CHILDREN, NewChildren, check_children, children, expand_one_by_one,
    expand_state,
};
pub use game::{Failure, Game, Goal, View};
pub use ids::{FactId, MoveId, RoleId};
pub use info::{EngineInfo, GameInfo, Observability, RoleKind};
pub use joint_moves::{each_joint_move, joint_moves};
pub use leaf_results::{Endings, LeafResults};
pub use model::{GroundModel, LiftedRules, Model};
pub use perft::{Layer, perft, perft_by_layer};
pub use playouts::Playouts;
pub use policy::{PlayoutPolicy, StepPolicy};
pub use portable::{BitState, IdMap, NamedMoves, NamedState, NumberedMoves, PortableError, PortableState};
pub use ranking::{Ranking, Tally};
pub use signature::{SignatureEffort, joined, signature};
pub use simulate::{Leaf, Simulation, simulate_one_by_one, simulate_with_cursor};
pub use simulator::{Capabilities, OneByOne, Simulator, SimulatorConfig};
pub use state::State;
pub use trace::{Line, Recording, Trace, TraceError, record};
pub use verify::{Difference, End, Verified, What, verify, verify_while};

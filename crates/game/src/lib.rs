//! The contract between reasoners and everyone who plays.
//!
//! A [`Game`] knows its roles, states, moves and goals. Reasoners make games out of rule sheets;
//! search, referee and lab see nothing else. Ids are small numbers that belong to the game.

mod agreement;
mod batch;
mod choices;
mod conformance;
mod conformance_model;
mod conversion;
mod cursor;
mod expansion;
mod game;
mod ids;
mod joint_moves;
mod leaves;
pub mod model;
mod perft;
mod policy;
pub mod portable;
mod signature;
mod simulate;
mod simulator;
mod state;
mod trace;
mod verify;

pub use agreement::agree;
pub use batch::{Playouts, Policy, Request, play_one_by_one};
pub use choices::Choices;
pub use conformance::{Effort, Law, Violation, conforms};
pub use cursor::{Cursor, GameCursor};
pub use expansion::{
    Child, ExpandOptions, Expansion, MAX_CHILDREN, NewChildren, check_children, children, expand_one_by_one,
    expand_state,
};
pub use game::{Failure, Game, Goal, View};
pub use ids::{FactId, MoveId, RoleId};
pub use joint_moves::{each_joint_move, joint_moves};
pub use leaves::Leaves;
pub use model::{GroundModel, LiftedRules, Model};
pub use perft::{Layer, perft};
pub use policy::{LanePolicy, StepPolicy};
pub use portable::{BitState, IdMap, NamedMoves, NamedState, NumberedMoves, PortableError, PortableState};
pub use signature::{SignatureEffort, joined, signature};
pub use simulate::{Guide, Leaf, Ranking, Simulation, Tally, simulate_one_by_one, simulate_with_cursor};
pub use simulator::{Capabilities, OneByOne, Simulator, SimulatorConfig};
pub use state::State;
pub use trace::{Line, Recording, Trace, TraceError, record};
pub use verify::{Difference, End, Verified, What, verify, verify_while};

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
mod flight;
mod game;
mod ids;
mod leaves;
pub mod model;
mod perft;
mod policy;
pub mod portable;
mod signature;
mod simulate;
mod state;
mod trace;
mod verify;

pub use agreement::agree;
pub use batch::{
    Child, Expansion, Playouts, Policy, Request, expand_one_by_one, joint_moves, play_one_by_one,
};
pub use choices::Choices;
pub use conformance::{Effort, Law, Violation, conforms};
pub use flight::Flight;
pub use game::{Failure, Game, Goal, View};
pub use ids::{FactId, MoveId, RoleId};
pub use leaves::Leaves;
pub use model::{GroundModel, LiftedRules, Model};
pub use perft::{Layer, perft};
pub use policy::{LanePolicy, StepPolicy};
pub use portable::{BitState, IdMap, NamedMoves, NamedState, NumberedMoves, PortableError, PortableState};
pub use signature::{SignatureEffort, joined, signature};
pub use simulate::{Guide, Leaf, Ranking, Simulation, Tally, simulate_one_by_one};
pub use state::State;
pub use trace::{Line, Recording, Trace, TraceError, record};
pub use verify::{Difference, End, Verified, What, verify, verify_while};

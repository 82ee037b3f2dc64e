//! What can be read out of a game: from its model, confirmed by random play.
//!
//! | module | what it finds |
//! |---|---|
//! | `constant_sum` | whether the goals of two players always add up to the same number (proved) |
//! | `goal_bound` | the goals that a role can have at the end |
//! | `nearness` | how near a state is to a goal, in degrees of truth |
//! | `relaxation` | how far a state is from a goal if nothing gets lost |
//! | `relevance` | facts that can matter, and facts that never change |
//! | `step_counter` | facts that count steps and only end the game |
//! | `effects` | what moves do to facts |
//! | `exclusions` | pairs of facts that exclude each other |
//! | `move_sets` | games whose moves can be made in any order, for a SAT solver |
//! | `unrolled` | a game with one role over time, for a SAT solver |
//! | `random_play` | seeded random games, the evidence for what follows |
//! | `facts` | facts as names with values at places |
//! | `successions` | successor relations and orders |
//! | `shapes` | boards, step counters, quantities, variables |
//! | `pieces` | what lies on boards: whose it is, and how it moves |
//! | `turns` | who moves when |
//! | `symmetry` | reflections of boards |
//! | `estimates` | states, length, choices |
//! | `goal_rules` | goals in words |
//! | `features` | features of states as data, their stability and weights |
//! | `fuzzy` | how nearly goals hold, by fuzzy logic |
//! | `state_reader` | the facts of a state from its words |
//! | `signature` | what a game is, whatever its names and the order of its clauses |
//! | `transfer` | what was learned about a game, for copies and larger boards |
//! | `understanding` | all of it |
//!
//! Nothing depends on names: a scrambled sheet gives the same result in its own words.
//!
//! ```
//! use ludex_knowledge::{PlayLimits, Role, Understanding, constant_sum};
//!
//! let game = ludex_testkit::game("tic_tac_toe", "batch");
//! assert_eq!(constant_sum(&*game), Some(100));
//! let understood = Understanding::of(&*game, &PlayLimits::default())?;
//! let board = understood.with_role(Role::Board).next().expect("a board");
//! assert_eq!((board.name.as_str(), &board.size[..]), ("cell", &[3, 3][..]));
//! # Ok::<(), ludex_game::Failure>(())
//! ```

mod clauses;
mod cnf;
mod cofactor;
mod constant_sum;
mod effects;
mod estimates;
mod exclusions;
mod facts;
mod features;
mod fuzzy;
mod goal_bound;
mod goal_rules;
mod move_sets;
mod nearness;
mod pieces;
mod random_play;
mod relaxation;
mod relevance;
mod shapes;
mod signature;
mod state_reader;
mod step_counter;
mod successions;
mod symmetry;
mod transfer;
mod turns;
mod understanding;
mod unrolled;

pub use clauses::MustStop;
pub use constant_sum::constant_sum;
pub use effects::{Effect, MoveEffects, move_effects};
pub use estimates::Estimates;
pub use facts::{Facts, Fluent, KnownFact, Value};
pub use features::{
    About, Conjunctions, Feature, FeatureReport, FeatureSet, Folded, Formula, Measurements, Outlook,
    Outlooks, Phase, Scratch, Speaks, Weights,
};
pub use fuzzy::{Fuzzy, FuzzyOptions, FuzzyScratch};
pub use goal_bound::possible_goals;
pub use goal_rules::GoalRule;
pub use move_sets::{MoveSets, SetAnswer};
pub use nearness::Nearness;
pub use pieces::Kind;
pub use random_play::{PlayLimits, PlayedGame, Position, random_games};
pub use relaxation::{LANES, Relaxation, UNREACHABLE};
pub use relevance::{constant_facts, relevant_facts};
pub use shapes::{Changes, OrderedPlace, Role, Shape};
pub use signature::{Likeness, Signature};
pub use state_reader::StateReader;
pub use step_counter::{StepCounter, step_counter};
pub use successions::Succession;
pub use symmetry::Symmetry;
pub use transfer::{Learned, TransferStore};
pub use turns::Turns;
pub use understanding::Understanding;
pub use unrolled::{Answer, Unrolled};

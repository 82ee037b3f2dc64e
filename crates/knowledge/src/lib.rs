//! What can be read out of a game through its model.
//!
//! | module | what it finds |
//! |---|---|
//! | `constant_sum` | whether the goals of two players always add up to the same number |
//! | `goal_bound` | the goals that a role can have at the end |
//! | `relevance` | facts that can matter, and facts that never change |
//! | `step_counter` | facts that count steps and only end the game |
//!
//! ```
//! use ludex_knowledge::constant_sum;
//!
//! let game = ludex_testkit::game("tic_tac_toe", "batch");
//! assert_eq!(constant_sum(&*game), Some(100));
//! ```

mod cnf;
mod cofactor;
mod constant_sum;
mod goal_bound;
mod relevance;
mod step_counter;

pub use constant_sum::constant_sum;
pub use goal_bound::possible_goals;
pub use relevance::{constant_facts, relevant_facts};
pub use step_counter::{StepCounter, step_counter};

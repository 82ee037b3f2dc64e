//! What can be read out of a game through its model.
//!
//! | module | what it finds |
//! |---|---|
//! | `constant_sum` | whether the goals of two players always add up to the same number |
//!
//! ```
//! use ludex_knowledge::constant_sum;
//!
//! let game = ludex_testkit::game("tic_tac_toe", "batch");
//! assert_eq!(constant_sum(&*game), Some(100));
//! ```

mod cnf;
mod constant_sum;

pub use constant_sum::constant_sum;

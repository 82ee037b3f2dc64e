//! The minimax family: look ahead, and judge by an evaluation what is too far away.
//!
//! | module | what it is |
//! |---|---|
//! | `evaluation` | the value of positions at the horizon: the interface, and the one that knows nothing |

mod evaluation;

pub use evaluation::{Evaluation, Neutral, Positions};

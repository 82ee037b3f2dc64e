//! Running circuits: code for their cones, lanes, playouts, and the engines built on them.

mod ages;
mod answers;
mod choice;
mod choice_code;
mod choose;
mod code;
mod dispatch;
mod draw;
mod engine;
mod evaluate;
mod fused;
mod lanes;
mod line;
mod machine;
mod options;
mod playout;
mod random;

pub(crate) use code::{Output, Program};
pub use dispatch::Width;
pub(crate) use dispatch::{has_avx2, has_avx512};
pub use engine::{BatchGame, CircuitGame};
pub(crate) use evaluate::{Evaluator, Interpreter};
pub(crate) use fused::{StepLines, goals, with_drawn_moves, with_given_moves};
pub(crate) use lanes::Lanes;
pub(crate) use line::{Line, LineOp, Mix};
pub use options::{BatchOptions, Instructions};

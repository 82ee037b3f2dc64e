//! Running circuits: code for their cones, lanes, playouts, and the engines built on them.

mod answers;
mod choose;
mod code;
mod dispatch;
mod engine;
mod lanes;
mod machine;
mod options;
mod playout;
mod random;
mod transpose;

pub(crate) use code::{Code, Op, Program};
pub use dispatch::Width;
pub(crate) use dispatch::{has_avx2, has_avx512};
pub use engine::{BatchGame, CircuitGame};
pub(crate) use lanes::Lanes;
pub use options::{BatchOptions, Instructions};
pub(crate) use playout::{Evaluator, Interpreter};

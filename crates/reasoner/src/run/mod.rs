//! Running circuits: code for their cones, lanes, playouts, and the engines built on them.

mod choose;
mod code;
mod dispatch;
mod engine;
mod lanes;
mod machine;
mod playout;
mod random;
mod transpose;

pub(crate) use code::{Code, Op, Program};
pub use dispatch::Width;
pub(crate) use dispatch::{has_avx2, has_avx512};
pub use engine::{BatchGame, CircuitGame};
pub(crate) use lanes::Lanes;
pub(crate) use playout::{Evaluator, Interpreter};

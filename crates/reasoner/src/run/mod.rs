//! Running circuits: code for their cones, lanes, playouts, and the engines built on them.

mod answers;
mod batch;
mod choose;
mod code;
mod dispatch;
mod incremental;
mod lanes;
mod machine;
mod names;
mod network;
mod options;
mod playout;
mod random;
mod scalar;
mod single;
mod transpose;

pub use batch::BatchGame;
pub(crate) use code::{Code, Op, Program};
pub use dispatch::Width;
pub(crate) use dispatch::{has_avx2, has_avx512};
pub(crate) use lanes::Lanes;
pub use options::{BatchOptions, Instructions};
pub(crate) use playout::{Evaluator, Interpreter};
pub use single::{CircuitGame, Evaluation};

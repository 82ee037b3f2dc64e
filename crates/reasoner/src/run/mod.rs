//! Running circuits: code for their cones, lanes, playouts, and the engines built on them.

mod ages;
mod answers;
mod batch;
mod choice;
mod choice_code;
mod choose;
mod code;
mod cursor;
mod dispatch;
mod draw;
mod evaluate;
mod expand;
mod fused;
mod goal_support;
mod incremental;
mod lanes;
mod line;
mod machine;
mod names;
mod network;
mod options;
mod random;
mod rows;
mod scalar;
mod shaped;
mod simulate;
mod simulator;
mod single;
mod tally;
#[cfg(target_arch = "x86_64")]
mod target_kernels;
mod transpose;
mod vector;

pub use batch::BatchGame;
pub(crate) use code::{Output, Program};
pub use dispatch::Width;
pub(crate) use dispatch::{has_avx2, has_avx512};
pub(crate) use evaluate::{Evaluator, Interpreter};
pub(crate) use fused::{StepLines, goals, with_drawn_moves, with_given_moves};
pub(crate) use lanes::Lanes;
pub(crate) use line::{Line, LineOp, Mix};
pub use options::{BatchOptions, Instructions, MachineCode};
pub use single::{CircuitGame, Evaluation};

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

pub use dispatch::Width;
pub use engine::{BatchGame, CircuitGame};

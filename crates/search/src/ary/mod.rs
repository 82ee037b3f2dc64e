//! Ary's searches: UCT and nested Monte Carlo search, after J. Méhat and T. Cazenave, Combining UCT and
//! nested Monte-Carlo search for single-player general game playing, IEEE TCIAIG 2010.
//!
//! | module | what it is |
//! |---|---|
//! | `puzzle` | which games are for one |
//! | `plan` | the best playout so far, which is played |
//! | `recorder` | uniform playouts whose moves can be read afterwards |
//! | `pace` | deadlines of searches that work in batches |
//! | `forest` | nested searches side by side |
//! | `nested` | `ary-nmc` |
//! | `tree`, `descent` | nodes with statistics, and the ways down |
//! | `uct`, `uct_report` | `ary-uct`, `ary-uct+t` |
//! | `max` | `ary-max` |

mod descent;
mod forest;
mod max;
mod nested;
mod pace;
mod plan;
mod puzzle;
mod recorder;
mod tree;
mod uct;
mod uct_report;

pub use max::{AryMax, AryMaxOptions};
pub use nested::{Nested, NestedOptions};
pub(crate) use pace::Pace;
pub(crate) use plan::{Incumbent, Plan};
pub use puzzle::is_puzzle;
pub use uct::{AryUct, AryUctOptions};

//! Every way to choose a move.
//!
//! A [`Search`] thinks about one state of a [`Game`](ludex_game::Game) for one role, for as long as its
//! [`Budget`] allows, and says what it found as a [`SearchReport`]. It knows games by their contract alone:
//! which engine answers, and who asks, is not its business.

mod baseline;
mod budget;
mod flat;
mod memory;
mod parallel;
mod playout;
mod report;
mod search;
mod selection;
mod uct;
mod utility;

pub use baseline::{First, Random};
pub use budget::{Budget, Stop};
pub use flat::{Flat, FlatOptions};
pub use parallel::{Parallel, tree_search};
pub use report::{Candidate, SearchReport};
pub use search::{Search, SearchContext, SearchTimes, StopReason};
pub use uct::{Decision, Policy, Refill, Uct, UctOptions};
pub use utility::is_chance;

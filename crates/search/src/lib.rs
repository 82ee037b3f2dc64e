//! Search algorithms: UCT with playout policies, flat Monte Carlo, and baselines.
//!
//! A [`Search`] examines one state of a [`Game`](ludex_game::Game) for one role within a [`Budget`]
//! and returns a [`SearchReport`]. It uses games only through their trait, so any engine will do.

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

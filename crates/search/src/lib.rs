//! Search algorithms: UCT with playout policies, flat Monte Carlo, nested Monte Carlo, the minimax family,
//! baselines.
//!
//! A [`Search`] examines one state of a [`Game`](ludex_game::Game) for one role within a [`Budget`]
//! and returns a [`SearchReport`]. It uses games only through their trait, so any engine will do.
//!
//! ```
//! use ludex_game::RoleId;
//! use ludex_search::{Budget, Search, SearchContext, Uct, UctOptions};
//!
//! let game = ludex_testkit::game("tic_tac_toe", "batch");
//! let context = SearchContext { game: game.clone(), role: RoleId::new(0), seed: 1, threads: 1 };
//! let mut search = Uct::new(context, UctOptions::default());
//! search.set_root(&game.initial())?;
//! search.think(&Budget::playouts(1000))?;
//! assert_eq!(search.report().candidates.len(), 9);
//! # Ok::<(), ludex_game::Failure>(())
//! ```

mod ary;
mod baseline;
mod budget;
mod champion;
mod flat;
mod ida_star;
mod look;
mod memory;
mod minimax;
mod parallel;
mod planner;
mod playout;
mod report;
mod search;
mod selection;
mod uct;
mod utility;

pub use ary::{AryMax, AryMaxOptions, AryUct, AryUctOptions, Nested, NestedOptions, is_puzzle};
pub use baseline::{First, Random};
pub use budget::{Budget, Stop};
pub use champion::champion;
pub use flat::{Flat, FlatOptions};
pub use ida_star::IdaStar;
pub use look::{Choice, Line, Look, LookError, LookMove, Question, Watch};
pub use minimax::{
    AlphaBeta, AlphaBetaOptions, Clune, CluneOptions, CurrentGoals, Evaluation, FeatureWeights, MaxN,
    Minimax, Neutral, Positions, Simultaneous, fuzzy_goals,
};
pub use parallel::{Parallel, tree_search};
pub use planner::{
    MethodReport, Plan, Planner, PlannerLimits, PlannerProgress, PlannerSearch, Problem, ProblemError,
    Solution,
};
pub use playout::{NoopContexts, Unseen};
pub use report::{Candidate, Proof, SearchReport};
pub use search::{Search, SearchContext, SearchTimes, StopReason};
pub use uct::{Decision, Policy, Refill, Uct, UctOptions};
pub use utility::is_chance;

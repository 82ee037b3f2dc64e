//! The planner: games with one role as planning problems.
//!
//! A plan is a sequence of moves from a state to the first terminal state on the way; it is worth the
//! goal there. Goals of other states count nothing. [`Planner::run`] looks for the plan that is worth
//! most, until one is proved to be the best, nothing is left to search, or a limit is reached; it always
//! holds the best plan so far.
//!
//! | file | what it is |
//! |---|---|
//! | `problem` | the game, the state, and what is known before any search |
//! | `record` | the best plan so far and what is proved, shared by all methods |
//! | `method` | what a method is: work in slices |
//! | `portfolio` | shares the time among methods, on one or more threads |
//! | `breadth_first` | breadth-first search in lanes, with `packing`, `closed`, `paths` |
//! | `best_first` | best-first width search, with `novelty` |
//! | `move_sets` | sets of moves for a SAT solver, where any order will do |
//! | `nrpa` | nested rollout policy adaptation: some plan, where all else fails |
//! | `player` | the planner as a search: plans, plays, plans again |
//! | `sat` | the circuit unrolled over time, for a SAT solver |
//!
//! # What is proved
//! A plan is the best if no higher goal can hold in a terminal state (a bound from the model), or if a
//! method has looked at all states that matter. Without that, the bound is reported beside the plan.

mod best_first;
mod breadth_first;
mod closed;
mod method;
mod move_sets;
mod novelty;
mod nrpa;
mod packing;
mod paths;
mod player;
mod portfolio;
mod problem;
mod record;
mod sat;

pub use player::PlannerSearch;
pub use portfolio::{MethodReport, Planner, PlannerLimits, PlannerProgress, Solution};
pub use problem::{Problem, ProblemError};
pub use record::Plan;

//! The plan of a puzzle: what leads to the best end from a position, and whether that is proved.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{FactId, Game};
use ludex_search::{Planner, PlannerLimits, Problem};
use serde::Serialize;

use crate::reply::Refusal;

/// How long a plan is looked for.
const TIME: Duration = Duration::from_secs(8);
/// Memory for it.
const MEMORY: usize = 512 << 20;

/// A plan as the page gets it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ShownPlan {
    /// The moves; none if no end was found.
    moves: Option<Vec<String>>,
    /// What the end is worth, 0 to 100.
    score: Option<u8>,
    /// Who found it.
    method: Option<&'static str>,
    /// Whether it is proved that there is no better one.
    optimal: bool,
    /// No plan is worth more.
    bound: u8,
    nodes: u64,
}

/// Looks for a plan from a position.
pub(crate) fn plan(game: &Arc<dyn Game>, facts: &[String]) -> Result<ShownPlan, Refusal> {
    let ids: Option<Vec<FactId>> = facts.iter().map(|fact| game.find_fact(fact)).collect();
    let Some(mut ids) = ids else { return Err(Refusal::conflict("the position is not known to the engine")) };
    ids.sort_unstable();
    let broken = |error: &dyn std::fmt::Display| Refusal::conflict(error.to_string());
    let problem = Problem::new(Arc::clone(game)).map_err(|error| broken(&error))?;
    let problem = problem.from(game.state_with(&ids));
    let mut planner = Planner::new(problem).map_err(|failure| broken(&failure))?;
    let deadline = Some(Instant::now() + TIME);
    let limits = PlannerLimits { deadline, memory: MEMORY, ..PlannerLimits::default() };
    let solution = planner.run(&limits, |_| {}).map_err(|failure| broken(&failure))?;
    let found = solution.plan.as_ref();
    Ok(ShownPlan {
        moves: found.map(|plan| plan.moves.iter().map(|&id| game.move_name(id)).collect()),
        score: found.map(|plan| plan.score),
        method: found.map(|plan| plan.method),
        optimal: solution.optimal,
        bound: solution.bound,
        nodes: solution.nodes,
    })
}

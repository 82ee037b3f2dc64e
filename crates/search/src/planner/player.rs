//! The planner as a search: it plans at the root, plays the plan, and goes on planning.
//!
//! # What it does
//! In a game with one role it looks for plans as [`super::Planner`] does. If the next root lies on the
//! best plan, the rest of the plan is kept, with what was proved; the search for a better one begins
//! anew there. As long as no plan is worth anything, UCT gets a fifth of the time, and its move is the
//! one to make. In a game with several roles there is only UCT.

use std::time::Instant;

use ludex_game::{Failure, MoveId, State};

use super::portfolio::{Planner, PlannerLimits};
use super::problem::Problem;
use super::record::Plan;
use crate::budget::Budget;
use crate::parallel::tree_search;
use crate::report::{Candidate, Proof, SearchReport};
use crate::search::{Search, SearchContext, StopReason};
use crate::uct::UctOptions;

/// One part in so many goes to UCT while there is no plan.
const FLOOR: u32 = 5;

/// Plans and plays.
pub struct PlannerSearch {
    context: SearchContext,
    floor: Box<dyn Search>,
    /// The game as a planning problem; none with several roles, or where the engine gives up.
    problem: Option<Problem>,
    planner: Option<Planner>,
    root: Option<State>,
}

impl PlannerSearch {
    /// A search for a role of a game; UCT with these options is the floor.
    pub fn new(context: SearchContext, options: UctOptions) -> Self {
        Self {
            floor: tree_search(context.clone(), options),
            problem: Problem::new(context.game.clone()).ok(),
            planner: None,
            root: None,
            context,
        }
    }

    /// The rest of the best plan from a state on it, and the bound that holds there.
    fn rest_of_plan(&self, state: &State) -> Result<Option<(Plan, u8)>, Failure> {
        let Some(planner) = &self.planner else { return Ok(None) };
        let solution = planner.solution();
        let Some(plan) = solution.plan else { return Ok(None) };
        let mut now = planner.problem().start.clone();
        for (at, &id) in plan.moves.iter().enumerate() {
            now = self.context.game.next(&now, &[id])?;
            if now == *state {
                let rest = Plan { moves: plan.moves[at + 1..].to_vec(), ..plan };
                let bound = if solution.optimal { rest.score } else { solution.bound };
                return Ok(Some((rest, bound)));
            }
        }
        Ok(None)
    }

    /// The plan to play: one that is worth something, or proved to be the best.
    fn plan(&self) -> Option<Plan> {
        let planner = self.planner.as_ref()?;
        let solution = planner.solution();
        solution.plan.filter(|plan| plan.score > 0 || solution.optimal)
    }
}

impl Search for PlannerSearch {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        self.floor.set_root(state)?;
        if let Some(problem) = self.problem.as_ref().filter(|_| self.root.as_ref() != Some(state)) {
            let rest = self.rest_of_plan(state)?;
            self.planner = Some(match rest {
                Some((plan, bound)) => Planner::with_plan(problem.from(state.clone()), plan, bound)?,
                None => Planner::new(problem.from(state.clone()))?,
            });
        }
        self.root = Some(state.clone());
        Ok(())
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let Some(planner) = &mut self.planner else { return self.floor.think(budget) };
        if planner.is_settled() {
            return Ok(StopReason::Finished);
        }
        let begun = Instant::now();
        let has_plan = planner.solution().plan.is_some_and(|plan| plan.score > 0);
        let part = |whole: usize| whole / FLOOR as usize;
        if !planner.is_finished() {
            let share = |deadline: Instant| {
                let time = deadline.saturating_duration_since(begun);
                if has_plan { deadline } else { begun + time - time / FLOOR }
            };
            let limits = PlannerLimits {
                deadline: budget.deadline.map(share),
                nodes: budget.playouts,
                memory: budget.memory - part(budget.memory),
                threads: self.context.threads,
                stop: budget.stop.clone(),
            };
            planner.run(&limits, |_| ())?;
        }
        if planner.is_settled() {
            return Ok(StopReason::Finished);
        }
        if planner.solution().plan.is_none_or(|plan| plan.score == 0) {
            let playouts = budget.playouts.map(|playouts| playouts.div_ceil(u64::from(FLOOR)));
            return self.floor.think(&Budget { playouts, memory: part(budget.memory), ..budget.clone() });
        }
        // A plan, and nothing that could find a better one.
        if planner.is_finished() {
            return Ok(StopReason::Finished);
        }
        Ok(match (budget.stop.is_set(), budget.playouts) {
            (true, _) => StopReason::Requested,
            (_, Some(_)) => StopReason::Playouts,
            _ => StopReason::Time,
        })
    }

    fn report(&self) -> SearchReport {
        let mut report = self.floor.report();
        let Some(planner) = &self.planner else { return report };
        let nodes = planner.solution().nodes;
        report.playouts += nodes;
        report.steps += nodes;
        let Some(plan) = self.plan() else { return report };
        let solution = planner.solution();
        let Some(&first) = plan.moves.first() else { return report };
        let steps = u16::try_from(plan.moves.len()).ok();
        let high = if solution.optimal { plan.score } else { solution.bound };
        let proof = Proof { low: plan.score, high, steps };
        let values = vec![f64::from(plan.score)];
        report.best = Some(first);
        report.values.clone_from(&values);
        report.principal_variation = plan.moves.iter().map(|&id| vec![id]).collect();
        report.proven = solution.optimal;
        report.proof = Some(proof);
        let is_first = |candidate: &Candidate| candidate.id == first;
        let at = report.candidates.iter().position(is_first);
        let visits = at.map_or(0, |at| report.candidates.remove(at).visits);
        let chosen: Candidate<MoveId> = Candidate { id: first, visits, values, proof: Some(proof) };
        report.candidates.insert(0, chosen);
        report
    }
}

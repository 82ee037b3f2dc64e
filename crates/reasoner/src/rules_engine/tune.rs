//! Tuning: which of several ways to answer calls costs less in trial play.
//!
//! What the planner estimates can be far off, and some things it does not consider at all: a call
//! that is made with many different arguments in a state may be answered better by finding all
//! tuples of its relation once. So plans are tried in play that is the same for all of them, and
//! what costs less work is kept. Work is counted, not time: the same sheet always gets the same
//! plans.

use std::sync::Arc;
use std::time::Instant;

use ludex_game::Failure;

use super::code::{Mode, PlanCode};
use super::compile::{Compiler, PlanOptions, Stores};
use super::estimate::PlayStatistics;
use super::interpreter::InterpreterLimits;
use super::program::{RelationId, RulesProgram};
use super::trial::{Length, QueryPlans, Trial, play};
use super::unfold::{Unfolding, unfold};
use crate::term::{TermId, Terms};

/// Work of the first trial.
const FIRST: Length = Length { states: 300, work: 2_000_000 };
/// States that estimates are made from.
const KEPT_STATES: usize = 24;
/// Work of all trials together.
const ALL_WORK: u64 = 40_000_000;
/// How many kinds of calls are tried to be answered together.
const MAX_TABLES: usize = 12;

/// What plans are made from.
pub(super) struct Tuner<'a> {
    /// The clauses.
    pub program: &'a RulesProgram,
    /// All terms of the program.
    pub terms: &'a mut Terms,
    /// What is stored.
    pub stores: &'a mut Stores,
    /// Limits of machines.
    pub limits: InterpreterLimits,
    /// The first state.
    pub initial: &'a [TermId],
    /// When to stop looking for better plans.
    pub until: Instant,
}

impl Tuner<'_> {
    /// The plans for play.
    fn compile(
        &mut self,
        program: &RulesProgram,
        experience: &PlayStatistics,
        choice: &PlanOptions,
    ) -> Result<(Arc<PlanCode>, QueryPlans), Failure> {
        let mut compiler = Compiler::new(program, self.terms, self.stores, experience, choice);
        let mut plan = |relation: Option<RelationId>, modes: &[Mode]| {
            relation.map(|relation| compiler.plan(relation, modes.to_vec()))
        };
        let asked = QueryPlans {
            terminal: plan(program.terminal, &[]),
            legal: plan(program.legal, &[Mode::Given, Mode::Asked]),
            next: plan(program.next, &[Mode::Asked]),
            goal: plan(program.goal, &[Mode::Given, Mode::Asked]),
        };
        Ok((Arc::new(compiler.finish()?), asked))
    }

    fn try_out(&self, code: &Arc<PlanCode>, asked: &QueryPlans, length: Length) -> Trial {
        play(code, asked, self.terms, self.initial, self.limits, length)
    }

    /// The best plans that were found.
    pub(super) fn run(mut self) -> Result<(Arc<PlanCode>, QueryPlans), Failure> {
        let mut experience = PlayStatistics::default();
        experience.states.push(self.initial.to_vec());
        let mut choice = PlanOptions::default();
        let unfolded = [Unfolding::Careful, Unfolding::Bold, Unfolding::Nothing]
            .map(|how| unfold(self.program, self.stores, how));
        let mut program = &unfolded[0];
        let (code, asked) = self.compile(program, &experience, &choice)?;
        let first = self.try_out(&code, &asked, FIRST);
        experience = learn(&first);
        let mut spent = first.work;
        // States can be compared from here on: the terms they are made of are known to all.
        *self.terms = first.machine.terms;
        let mut best = (code, asked);
        let mut length = Length { states: first.states.len(), work: first.work.max(1000) };
        let mut costs = None;
        for (candidate, greedy) in [(0, false), (0, true), (1, false), (2, false)] {
            if Instant::now() > self.until {
                break;
            }
            let tried = PlanOptions { greedy, ..PlanOptions::default() };
            let (code, asked) = self.compile(&unfolded[candidate], &experience, &tried)?;
            let trial = self.try_out(&code, &asked, length);
            spent += trial.work;
            if trial.states.len() == length.states && trial.work < length.work {
                length.work = trial.work;
                best = (code, asked);
                program = &unfolded[candidate];
                choice = tried;
                costs = Some(trial);
            }
        }
        let Some(trial) = costs else { return Ok(best) };
        for key in self.candidates(&trial) {
            if spent > ALL_WORK || Instant::now() > self.until {
                break;
            }
            choice.tables.insert(key.clone());
            let (code, asked) = self.compile(program, &experience, &choice)?;
            let trial = self.try_out(&code, &asked, length);
            spent += trial.work;
            if trial.states.len() == length.states && trial.work < length.work / 100 * 99 {
                length.work = trial.work;
                best = (code, asked);
            } else {
                choice.tables.remove(&key);
            }
        }
        Ok(best)
    }

    /// Kinds of calls that could be answered together, the most costly first.
    fn candidates(&self, trial: &Trial) -> Vec<(RelationId, Vec<Mode>)> {
        let machine = &trial.machine;
        let mut found: Vec<(u64, RelationId, Vec<Mode>)> = Vec::new();
        for (plan, cost) in machine.code.plans.iter().zip(&machine.tables.costs) {
            let often = cost.calls > 2 * trial.states.len() as u64;
            let much = cost.work * 25 > trial.work;
            let open = !self.program.relation(plan.relation).required.contains(&true);
            if plan.given > 0 && often && much && open {
                found.push((cost.work, plan.relation, plan.modes.clone()));
            }
        }
        found.sort_by(|a, b| b.cmp(a));
        found.into_iter().take(MAX_TABLES).map(|(_, relation, modes)| (relation, modes)).collect()
    }
}

fn learn(trial: &Trial) -> PlayStatistics {
    let mut experience = PlayStatistics::default();
    let stride = trial.states.len().div_ceil(KEPT_STATES).max(1);
    experience.states.extend(trial.states.iter().step_by(stride).cloned());
    for (plan, cost) in trial.machine.code.plans.iter().zip(&trial.machine.tables.costs) {
        experience.calls.insert((plan.relation, plan.modes.clone()), *cost);
    }
    experience
}

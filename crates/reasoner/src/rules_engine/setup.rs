//! Set-up: from the rules of a sheet to code and a first state.
//!
//! 1. Relations that depend on nothing but the rules are answered once and stored, in the order of what
//!    uses what. One that grows beyond a budget is left to be answered when it is called, with what is
//!    then known of its arguments.
//! 2. Plans are made with what is known of the first state, some random play is played with them, and
//!    better plans are made with what it showed. The play is limited by work and not by time, so that
//!    the same sheet always gets the same plans.

use std::sync::Arc;
use std::time::Instant;

use ludex_game::Failure;
use ludex_gdl::Rules;

use super::RulesOptions;
use super::code::{Code, Mode, PlanId};
use super::compile::{Compiler, Stores};
use super::estimate::Experience;
use super::lower::lower;
use super::machine::{Limits, Machine};
use super::program::{Kind, Level, Pattern, Program, RelationId};
use super::shape::Store;
use crate::term::{TermId, Terms};

/// The plans that play asks for, where the sheet has the relation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    /// Yes or no.
    pub terminal: Option<PlanId>,
    /// The moves of a role.
    pub legal: Option<PlanId>,
    /// The facts of the next state.
    pub next: Option<PlanId>,
    /// The goal values of a role.
    pub goal: Option<PlanId>,
}

/// All that machines for a game need.
#[derive(Debug)]
pub(super) struct Ready {
    /// What to run.
    pub code: Arc<Code>,
    /// What to ask for.
    pub asked: Asked,
    /// Terms that every machine starts with.
    pub terms: Terms,
    /// What machines may use.
    pub limits: Limits,
    /// The roles.
    pub roles: Vec<TermId>,
    /// The first state.
    pub initial: Vec<TermId>,
    /// What facts can look like: the heads of `init` and `next`.
    pub fact_patterns: Vec<Pattern>,
    /// What moves can look like: those in the heads of `legal`.
    pub move_patterns: Vec<Pattern>,
}

/// Work that answering one relation may take while it is tried to store it.
const STORE_WORK: u64 = 2_000_000;
/// Tuples that a stored relation may have.
const STORE_TUPLES: usize = 500_000;
/// Terms that storing a relation may make.
const STORE_TERMS: usize = 200_000;
/// Work of the play that plans are improved with.
const TRIAL_WORK: u64 = 1_000_000;
/// Steps of that play.
const TRIAL_STEPS: usize = 400;
/// States that are kept of it.
const TRIAL_STATES: usize = 24;

/// Sets a game up.
pub(super) fn set_up(rules: &Rules, options: &RulesOptions) -> Result<Ready, Failure> {
    let started = Instant::now();
    let mut terms = Terms::default();
    let program = lower(rules, &mut terms);
    let limits =
        Limits { terms: options.max_terms, work: options.max_work, frames: options.max_calls, depth: 1000 };
    let mut setup = SetUp {
        stores: Stores::new(program.relations.len()),
        experience: Experience::default(),
        program,
        terms,
        limits,
    };
    setup.store(&|| {
        let seconds = started.elapsed().as_secs_f64();
        match seconds > options.max_setup_seconds {
            true => {
                Err(Failure::Limit(format!("set-up took more than {} seconds", options.max_setup_seconds)))
            }
            false => Ok(()),
        }
    })?;
    let initial = match setup.program.init {
        Some(init) => setup.first_state(init)?,
        None => Vec::new(),
    };
    setup.experience.states.push(initial.clone());
    setup.gain_experience(&initial)?;
    let (code, asked) = setup.compile()?;
    let heads = |relation: Option<RelationId>, position: usize| -> Vec<Pattern> {
        let clauses = relation.map_or(&[] as &[usize], |r| &setup.program.relations[r].clauses);
        clauses.iter().map(|&c| setup.program.clauses[c].head.arguments[position].clone()).collect()
    };
    let mut fact_patterns = heads(setup.program.next, 0);
    fact_patterns.extend(initial.iter().map(|&term| Pattern::Ground(term)));
    fact_patterns.dedup();
    Ok(Ready {
        asked,
        code: Arc::new(code),
        limits,
        fact_patterns,
        move_patterns: heads(setup.program.legal, 1),
        roles: setup.program.roles.clone(),
        initial,
        terms: setup.terms,
    })
}

struct SetUp {
    program: Program,
    terms: Terms,
    stores: Stores,
    experience: Experience,
    limits: Limits,
}

impl SetUp {
    /// Stores the relations that depend on nothing but the rules.
    fn store(&mut self, check_time: &dyn Fn() -> Result<(), Failure>) -> Result<(), Failure> {
        for relation in self.program.in_order() {
            check_time()?;
            let info = self.program.relation(relation);
            let fixed = info.kind == Kind::Derived && info.level == Level::Fixed;
            if !fixed || info.required.contains(&true) {
                continue;
            }
            if let Some(store) = self.facts_of(relation).or_else(|| self.answer(relation)) {
                self.stores.by_relation[relation] = Some(store);
            }
        }
        Ok(())
    }

    /// The tuples of a relation that has nothing but facts.
    fn facts_of(&self, relation: RelationId) -> Option<Store> {
        let arity = self.program.relation(relation).arity;
        let mut store = Store { arity, ..Store::default() };
        let mut seen = rustc_hash::FxHashSet::default();
        for &clause in &self.program.relation(relation).clauses {
            let clause = &self.program.clauses[clause];
            let ground =
                |pattern: &Pattern| if let Pattern::Ground(term) = pattern { Some(*term) } else { None };
            let row: Vec<TermId> = clause.head.arguments.iter().map(ground).collect::<Option<_>>()?;
            if !clause.body.is_empty() {
                return None;
            }
            if seen.insert(row.clone()) {
                store.values.extend(row);
                store.count += 1;
            }
        }
        Some(store)
    }

    /// The tuples of a relation, if they can be had within the budget.
    fn answer(&mut self, relation: RelationId) -> Option<Store> {
        let arity = self.program.relation(relation).arity;
        let limits = Limits { terms: self.terms.len() + STORE_TERMS, work: STORE_WORK, ..self.limits };
        let mut compiler = Compiler::new(&self.program, &self.terms, &mut self.stores, &self.experience);
        let plan = compiler.plan(relation, vec![Mode::Asked; arity]);
        let code = compiler.finish().ok()?;
        let mut machine = Machine::new(Arc::new(code), std::mem::take(&mut self.terms), limits);
        let mut values = Vec::new();
        let count = match arity {
            0 => machine.holds(plan, &[]).map(usize::from),
            _ => machine.answers(plan, &[], &mut values).map(|()| values.len() / arity),
        };
        self.terms = machine.terms;
        let count = count.ok().filter(|&count| count <= STORE_TUPLES)?;
        Some(Store { arity, count, values })
    }

    fn first_state(&mut self, init: RelationId) -> Result<Vec<TermId>, Failure> {
        if let Some(store) = &self.stores.by_relation[init] {
            return Ok(store.values.clone());
        }
        let mut compiler = Compiler::new(&self.program, &self.terms, &mut self.stores, &self.experience);
        let plan = compiler.plan(init, vec![Mode::Asked]);
        let code = compiler.finish()?;
        let mut machine = Machine::new(Arc::new(code), std::mem::take(&mut self.terms), self.limits);
        let mut facts = Vec::new();
        let result = machine.answers(plan, &[], &mut facts);
        self.terms = machine.terms;
        result.map(|()| facts)
    }

    /// Makes the plans for play.
    fn compile(&mut self) -> Result<(Code, Asked), Failure> {
        let program = &self.program;
        let mut compiler = Compiler::new(program, &self.terms, &mut self.stores, &self.experience);
        let mut plan = |relation: Option<RelationId>, modes: &[Mode]| {
            relation.map(|relation| compiler.plan(relation, modes.to_vec()))
        };
        let asked = Asked {
            terminal: plan(program.terminal, &[]),
            legal: plan(program.legal, &[Mode::Given, Mode::Asked]),
            next: plan(program.next, &[Mode::Asked]),
            goal: plan(program.goal, &[Mode::Given, Mode::Asked]),
        };
        Ok((compiler.finish()?, asked))
    }

    /// Plays at random for a while and notes what states look like and what calls cost.
    fn gain_experience(&mut self, initial: &[TermId]) -> Result<(), Failure> {
        let (code, asked) = self.compile()?;
        let limits = Limits { work: TRIAL_WORK, ..self.limits };
        let mut machine = Machine::new(Arc::new(code), self.terms.clone(), limits);
        let mut random = fastrand::Rng::with_seed(0);
        let mut states: Vec<Vec<TermId>> = Vec::new();
        let mut state = initial.to_vec();
        let mut moves = Vec::new();
        for step in 0..TRIAL_STEPS {
            machine.set_state(state.iter().copied());
            // A failure here will show again in play; set-up goes on with what it has learnt.
            let over = match try_step(&mut machine, &asked, &self.program.roles, &mut random, &mut moves) {
                Ok(over) => over,
                Err(_) => break,
            };
            if step % 2 == 1 && states.len() < 16 * TRIAL_STATES {
                states.push(state.clone());
            }
            if over {
                state = initial.to_vec();
            } else {
                state.clear();
                state.extend_from_slice(&moves);
            }
            if machine.work() > TRIAL_WORK {
                break;
            }
        }
        let stride = states.len().div_ceil(TRIAL_STATES).max(1);
        self.experience = Experience::default();
        self.experience.states.push(initial.to_vec());
        self.experience.states.extend(states.into_iter().step_by(stride));
        for (plan, cost) in machine.code.plans.iter().zip(&machine.costs) {
            self.experience.calls.insert((plan.relation, plan.modes.clone()), *cost);
        }
        self.terms = machine.terms;
        Ok(())
    }
}

/// One step of play: whether the game is over, and otherwise the next state in `facts`.
fn try_step(
    machine: &mut Machine,
    asked: &Asked,
    roles: &[TermId],
    random: &mut fastrand::Rng,
    facts: &mut Vec<TermId>,
) -> Result<bool, Failure> {
    let over = match asked.terminal {
        Some(plan) => machine.holds(plan, &[])?,
        None => false,
    };
    let mut joint = Vec::new();
    if !over {
        for &role in roles {
            facts.clear();
            if let Some(plan) = asked.legal {
                machine.answers(plan, &[role], facts)?;
            }
            match facts.is_empty() {
                true => return Ok(true),
                false => joint.push(facts[random.usize(..facts.len())]),
            }
        }
    } else if let Some(plan) = asked.goal {
        for &role in roles {
            machine.answers(plan, &[role], facts)?;
        }
    }
    facts.clear();
    if over {
        return Ok(true);
    }
    machine.set_moves(joint);
    if let Some(plan) = asked.next {
        machine.answers(plan, &[], facts)?;
    }
    Ok(false)
}

//! Set-up: from the rules of a sheet to code and a first state.
//!
//! 1. Relations that depend on nothing but the rules are answered once and stored, in the order of what
//!    uses what. One that grows beyond a budget is left to be answered when it is called, with what is
//!    then known of its arguments.
//! 2. Plans are made and tried out: see [`super::tune`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::Failure;
use ludex_gdl::Rules;

use super::RulesOptions;
use super::code::{Mode, PlanCode};
use super::compile::{Compiler, PlanOptions, Stores};
use super::estimate::PlayStatistics;
use super::interpreter::{InterpreterLimits, PlanInterpreter};
use super::lower::lower;
use super::program::{Level, RelationId, RulesPattern, RulesProgram, TupleSource};
use super::shape::TupleStore;
use super::trial::QueryPlans;
use super::tune::Tuner;
use crate::term::{TermId, Terms};

/// Everything that the interpreters of a game share.
#[derive(Debug)]
pub(super) struct CompiledRules {
    /// What to run.
    pub code: Arc<PlanCode>,
    /// What to ask for.
    pub asked: QueryPlans,
    /// Terms that every machine starts with.
    pub terms: Terms,
    /// What machines may use.
    pub limits: InterpreterLimits,
    /// The roles.
    pub roles: Vec<TermId>,
    /// The first state.
    pub initial: Vec<TermId>,
    /// What facts can look like: the heads of `init` and `next`.
    pub fact_patterns: Vec<RulesPattern>,
    /// What moves can look like: those in the heads of `legal`.
    pub move_patterns: Vec<RulesPattern>,
}

/// Work that answering one relation may take while it is tried to store it.
const STORE_WORK: u64 = 8_000_000;
/// Tuples that a stored relation may have, those of calls on the way included.
const STORE_TUPLES: u64 = 400_000;
/// Terms that storing a relation may make.
const STORE_TERMS: usize = 200_000;

/// Work that all of that may take.
const STORE_ALL_WORK: u64 = 40_000_000;
/// How deep terms may be nested: they are copied and written by functions that call themselves.
const MAX_DEPTH: u16 = 1000;

/// Sets a game up.
pub(super) fn set_up(rules: &Rules, options: &RulesOptions) -> Result<CompiledRules, Failure> {
    let started = Instant::now();
    let mut terms = Terms::default();
    let program = lower(rules, &mut terms);
    let limits = InterpreterLimits {
        terms: options.max_terms,
        work: options.max_steps,
        frames: options.max_calls,
        atoms: options.max_atoms,
        depth: MAX_DEPTH,
    };
    let mut setup = SetUp { stores: Stores::new(program.relations.len()), program, terms, limits, spent: 0 };
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
    let tuner = Tuner {
        program: &setup.program,
        terms: &mut setup.terms,
        stores: &mut setup.stores,
        limits,
        initial: &initial,
        until: started + Duration::from_secs_f64(options.max_setup_seconds.clamp(0.0, 1e6)),
    };
    let (code, asked) = tuner.run()?;
    let heads = |relation: Option<RelationId>, position: usize| -> Vec<RulesPattern> {
        let clauses = relation.map_or(&[] as &[usize], |r| &setup.program.relations[r].clauses);
        clauses.iter().map(|&c| setup.program.clauses[c].head.arguments[position].clone()).collect()
    };
    let mut fact_patterns = heads(setup.program.next, 0);
    fact_patterns.extend(initial.iter().map(|&term| RulesPattern::Ground(term)));
    fact_patterns.dedup();
    Ok(CompiledRules {
        asked,
        code,
        limits,
        fact_patterns,
        move_patterns: heads(setup.program.legal, 1),
        roles: setup.program.roles.clone(),
        initial,
        terms: setup.terms,
    })
}

struct SetUp {
    program: RulesProgram,
    terms: Terms,
    stores: Stores,
    limits: InterpreterLimits,
    /// Work spent on storing.
    spent: u64,
}

impl SetUp {
    /// Stores the relations that depend on nothing but the rules.
    fn store(&mut self, check_time: &dyn Fn() -> Result<(), Failure>) -> Result<(), Failure> {
        for relation in self.program.in_order() {
            check_time()?;
            let info = self.program.relation(relation);
            let fixed = info.kind == TupleSource::Derived && info.level == Level::Fixed;
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
    fn facts_of(&self, relation: RelationId) -> Option<TupleStore> {
        let arity = self.program.relation(relation).arity;
        let mut store = TupleStore { arity, ..TupleStore::default() };
        let mut seen = rustc_hash::FxHashSet::default();
        for &clause in &self.program.relation(relation).clauses {
            let clause = &self.program.clauses[clause];
            let ground = |pattern: &RulesPattern| {
                if let RulesPattern::Ground(term) = pattern { Some(*term) } else { None }
            };
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
    fn answer(&mut self, relation: RelationId) -> Option<TupleStore> {
        let arity = self.program.relation(relation).arity;
        let work = STORE_WORK.min(STORE_ALL_WORK.saturating_sub(self.spent));
        let terms = (self.terms.len() + STORE_TERMS).min(self.limits.terms);
        let atoms = STORE_TUPLES.min(self.limits.atoms);
        let limits = InterpreterLimits { terms, work, atoms, ..self.limits };
        let (experience, choice) = (PlayStatistics::default(), PlanOptions::default());
        let mut compiler = Compiler::new(&self.program, &self.terms, &mut self.stores, &experience, &choice);
        let plan = compiler.plan(relation, vec![Mode::Asked; arity]);
        let code = compiler.finish().ok()?;
        let mut machine = PlanInterpreter::new(Arc::new(code), std::mem::take(&mut self.terms), limits);
        let mut values = Vec::new();
        let count = match arity {
            0 => machine.holds(plan, &[]).map(usize::from),
            _ => machine.answers(plan, &[], &mut values).map(|()| values.len() / arity),
        };
        self.spent += machine.work();
        self.terms = machine.terms;
        let count = count.ok()?;
        Some(TupleStore { arity, count, values })
    }

    fn first_state(&mut self, init: RelationId) -> Result<Vec<TermId>, Failure> {
        if let Some(store) = &self.stores.by_relation[init] {
            return Ok(store.values.clone());
        }
        let (experience, choice) = (PlayStatistics::default(), PlanOptions::default());
        let mut compiler = Compiler::new(&self.program, &self.terms, &mut self.stores, &experience, &choice);
        let plan = compiler.plan(init, vec![Mode::Asked]);
        let code = compiler.finish()?;
        let mut machine = PlanInterpreter::new(Arc::new(code), std::mem::take(&mut self.terms), self.limits);
        let mut facts = Vec::new();
        let result = machine.answers(plan, &[], &mut facts);
        self.terms = machine.terms;
        result.map(|()| facts)
    }
}

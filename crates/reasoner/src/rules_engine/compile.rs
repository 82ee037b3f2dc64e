//! Compiling: from clauses to plans.
//!
//! A plan is made for each way in which a relation is called. The conditions of a clause are put in
//! the order that [`super::order`] finds best; what is left here is to say it in steps. Where a
//! step fails, the machine goes back to the last step that gave a value the failing one looked at,
//! not merely to the last one that has more values.

use std::sync::Arc;

use ludex_game::Failure;
use rustc_hash::{FxHashMap, FxHashSet};

use super::clause_code::ClauseCompiler;
use super::code::{CallPlan, Mode, PlanCode, PlanId, PlanStep, Through};
use super::components::components;
use super::estimate::{CostEstimate, PlayStatistics};
use super::program::{RelationId, RulesProgram};
use super::shape::{Shape, StoredIndex, TupleStore};
use crate::term::{TermId, Terms};

/// Relations whose tuples are stored, and indexes of them.
#[derive(Debug, Default)]
pub(super) struct Stores {
    /// By relation.
    pub by_relation: Vec<Option<TupleStore>>,
    indexes: FxHashMap<(RelationId, Shape), Arc<StoredIndex>>,
}

impl Stores {
    /// Nothing stored yet, for this many relations.
    pub(super) fn new(relations: usize) -> Self {
        Self { by_relation: (0..relations).map(|_| None).collect(), indexes: FxHashMap::default() }
    }

    /// The index of a stored relation for a shape.
    pub(super) fn index(&mut self, relation: RelationId, shape: &Shape, terms: &Terms) -> Arc<StoredIndex> {
        let key = (relation, shape.clone());
        if let Some(known) = self.indexes.get(&key) {
            return Arc::clone(known);
        }
        let empty = TupleStore::default();
        let store = self.by_relation.get(relation).and_then(Option::as_ref).unwrap_or(&empty);
        let index = Arc::new(StoredIndex::new(store, shape, terms));
        self.indexes.insert(key, Arc::clone(&index));
        index
    }

    /// Whether the tuples of a relation are stored.
    pub(super) fn has(&self, relation: RelationId) -> bool {
        self.by_relation.get(relation).is_some_and(Option::is_some)
    }
}

/// Options that tuning chooses between.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanOptions {
    /// Kinds of calls that are looked up among all tuples of their relation, found once a state,
    /// instead of being answered one by one.
    pub tables: FxHashSet<(RelationId, Vec<Mode>)>,
    /// Conditions are ordered one at a time.
    pub greedy: bool,
}

/// Makes plans.
pub(super) struct Compiler<'a> {
    /// What to compile.
    pub program: &'a RulesProgram,
    /// All terms of the program.
    pub terms: &'a Terms,
    /// What is stored.
    pub stores: &'a mut Stores,
    /// Statistics from play.
    pub experience: &'a PlayStatistics,
    /// What has been made.
    pub code: PlanCode,
    /// What calls would cost that have not been made yet.
    pub estimates: FxHashMap<(RelationId, Vec<Mode>), CostEstimate>,
    /// How many of those are being worked out.
    pub depth: usize,
    /// How to do what can be done in several ways.
    pub choice: &'a PlanOptions,
    plans: FxHashMap<(RelationId, Vec<Mode>), PlanId>,
    table_plans: FxHashMap<(RelationId, Vec<Mode>), PlanId>,
    fact_shapes: FxHashMap<Shape, u32>,
    stored: FxHashMap<(RelationId, Shape), u32>,
}

impl<'a> Compiler<'a> {
    /// Nothing made yet.
    pub(super) fn new(
        program: &'a RulesProgram,
        terms: &'a Terms,
        stores: &'a mut Stores,
        experience: &'a PlayStatistics,
        choice: &'a PlanOptions,
    ) -> Self {
        let code = PlanCode { roles: program.roles.clone(), ..PlanCode::default() };
        Self {
            program,
            terms,
            stores,
            experience,
            code,
            estimates: FxHashMap::default(),
            depth: 0,
            choice,
            plans: FxHashMap::default(),
            table_plans: FxHashMap::default(),
            fact_shapes: FxHashMap::default(),
            stored: FxHashMap::default(),
        }
    }

    /// The plan for a call from a clause of another relation, made later if it is new.
    pub(super) fn plan_for(&mut self, caller: RelationId, relation: RelationId, modes: Vec<Mode>) -> PlanId {
        let key = (relation, modes);
        // Within a cycle of relations the table would have to be complete before it can be.
        let apart = self.program.components[caller] != self.program.components[relation];
        if !apart || !self.choice.tables.contains(&key) {
            return self.plan(relation, key.1);
        }
        if let Some(&known) = self.table_plans.get(&key) {
            return known;
        }
        let open = |mode: &Mode| if *mode == Mode::Given { Mode::Asked } else { *mode };
        let table = self.plan(relation, key.1.iter().map(open).collect());
        let columns = |wanted: Mode| {
            let used = key.1.iter().filter(|mode| **mode != Mode::Ignored).enumerate();
            used.filter(|(_, mode)| **mode == wanted).map(|(column, _)| column).collect()
        };
        let through = Through { plan: table, given: columns(Mode::Given), asked: columns(Mode::Asked) };
        let id = self.add(relation, key.1.clone(), Some(through));
        self.table_plans.insert(key, id);
        id
    }

    /// The plan for a call, made later if it is new.
    pub(super) fn plan(&mut self, relation: RelationId, modes: Vec<Mode>) -> PlanId {
        if let Some(&known) = self.plans.get(&(relation, modes.clone())) {
            return known;
        }
        let id = self.add(relation, modes.clone(), None);
        self.plans.insert((relation, modes), id);
        id
    }

    fn add(&mut self, relation: RelationId, modes: Vec<Mode>, through: Option<Through>) -> PlanId {
        let id = u32::try_from(self.code.plans.len()).unwrap_or(u32::MAX);
        let count = |mode: Mode| modes.iter().filter(|m| **m == mode).count();
        self.code.plans.push(CallPlan {
            relation,
            level: self.program.relation(relation).level,
            recursive: false,
            given: count(Mode::Given),
            asked: count(Mode::Asked),
            registers: 0,
            clauses: Vec::new(),
            modes,
            through,
        });
        id
    }

    /// The number of a shape of facts.
    pub(super) fn fact_shape(&mut self, shape: &Shape) -> u32 {
        if let Some(&known) = self.fact_shapes.get(shape) {
            return known;
        }
        let id = u32::try_from(self.code.fact_shapes.len()).unwrap_or(u32::MAX);
        self.code.fact_shapes.push(shape.clone());
        self.fact_shapes.insert(shape.clone(), id);
        id
    }

    /// The number of an index of a stored relation.
    pub(super) fn stored_index(&mut self, relation: RelationId, shape: &Shape) -> u32 {
        let key = (relation, shape.clone());
        if let Some(&known) = self.stored.get(&key) {
            return known;
        }
        let id = u32::try_from(self.code.stored.len()).unwrap_or(u32::MAX);
        self.code.stored.push(self.stores.index(relation, shape, self.terms));
        self.stored.insert(key, id);
        id
    }

    /// Makes all plans that have been asked for, and those they ask for.
    pub(super) fn finish(mut self) -> Result<PlanCode, Failure> {
        let mut done = 0;
        while done < self.code.plans.len() {
            let relation = self.code.plans[done].relation;
            let modes = self.code.plans[done].modes.clone();
            let mut registers = 0;
            let mut codes = Vec::new();
            let direct = self.code.plans[done].through.is_none();
            for &clause in self.program.relation(relation).clauses.iter().filter(|_| direct) {
                let clause = &self.program.clauses[clause];
                let (code, used) = ClauseCompiler::new(&mut self, clause, &modes).compile()?;
                registers = registers.max(used);
                codes.push(code);
            }
            self.code.plans[done].registers = registers;
            self.code.plans[done].clauses = codes;
            done += 1;
        }
        mark_recursive(&mut self.code.plans);
        Ok(self.code)
    }
}

/// Marks the plans that can lead to a call of themselves.
fn mark_recursive(plans: &mut [CallPlan]) {
    let called = |step: &PlanStep| match step {
        PlanStep::Test { plan, .. } | PlanStep::Answers { plan, .. } => Some(*plan as usize),
        _ => None,
    };
    let calls: Vec<Vec<usize>> = plans
        .iter()
        .map(|plan| {
            let steps = plan.clauses.iter().flat_map(|clause| &clause.steps);
            steps.filter_map(called).chain(plan.through.iter().map(|t| t.plan as usize)).collect()
        })
        .collect();
    let component = components(&calls);
    let mut sizes = vec![0; plans.len()];
    component.iter().for_each(|&c| sizes[c] += 1);
    for (number, plan) in plans.iter_mut().enumerate() {
        plan.recursive = sizes[component[number]] > 1 || calls[number].contains(&number);
    }
}

/// A term that no rule has, for values that cannot be.
pub(super) const NO_TERM: TermId = TermId(u32::MAX >> 1);

//! Compiling: from clauses to plans.
//!
//! A plan is made for each way in which a relation is called. The conditions of a clause are put in the
//! order that [`super::order`] finds best; what is left here is to say it in steps. Where a step fails, the machine goes
//! back to the last step that gave a value the failing one looked at, not merely to the last one that
//! has more values.

use std::sync::Arc;

use ludex_game::Failure;
use rustc_hash::FxHashMap;

use super::clause_code::ClauseCompiler;
use super::code::{Code, Mode, Plan, PlanId, Step};
use super::estimate::{Estimate, Experience};
use super::program::{Program, RelationId};
use super::shape::{Shape, Store, StoredIndex};
use crate::term::{TermId, Terms};

/// Relations whose tuples are stored, and indexes of them.
#[derive(Debug, Default)]
pub(super) struct Stores {
    /// By relation.
    pub by_relation: Vec<Option<Store>>,
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
        let empty = Store::default();
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

/// Makes plans.
pub(super) struct Compiler<'a> {
    /// What to compile.
    pub program: &'a Program,
    /// All terms of the program.
    pub terms: &'a Terms,
    /// What is stored.
    pub stores: &'a mut Stores,
    /// What is known from play.
    pub experience: &'a Experience,
    /// What has been made.
    pub code: Code,
    /// What calls would cost that have not been made yet.
    pub estimates: FxHashMap<(RelationId, Vec<Mode>), Estimate>,
    /// How many of those are being worked out.
    pub depth: usize,
    plans: FxHashMap<(RelationId, Vec<Mode>), PlanId>,
    fact_shapes: FxHashMap<Shape, u32>,
    stored: FxHashMap<(RelationId, Shape), u32>,
}

impl<'a> Compiler<'a> {
    /// Nothing made yet.
    pub(super) fn new(
        program: &'a Program,
        terms: &'a Terms,
        stores: &'a mut Stores,
        experience: &'a Experience,
    ) -> Self {
        let code = Code { roles: program.roles.clone(), ..Code::default() };
        Self {
            program,
            terms,
            stores,
            experience,
            code,
            estimates: FxHashMap::default(),
            depth: 0,
            plans: FxHashMap::default(),
            fact_shapes: FxHashMap::default(),
            stored: FxHashMap::default(),
        }
    }

    /// The plan for a call, made later if it is new.
    pub(super) fn plan(&mut self, relation: RelationId, modes: Vec<Mode>) -> PlanId {
        if let Some(&known) = self.plans.get(&(relation, modes.clone())) {
            return known;
        }
        let id = u32::try_from(self.code.plans.len()).unwrap_or(u32::MAX);
        let count = |mode: Mode| modes.iter().filter(|m| **m == mode).count();
        self.code.plans.push(Plan {
            relation,
            level: self.program.relation(relation).level,
            recursive: false,
            given: count(Mode::Given),
            asked: count(Mode::Asked),
            registers: 0,
            clauses: Vec::new(),
            modes: modes.clone(),
        });
        self.plans.insert((relation, modes), id);
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
    pub(super) fn finish(mut self) -> Result<Code, Failure> {
        let mut done = 0;
        while done < self.code.plans.len() {
            let relation = self.code.plans[done].relation;
            let modes = self.code.plans[done].modes.clone();
            let mut registers = 0;
            let mut codes = Vec::new();
            for &clause in &self.program.relation(relation).clauses {
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

/// Marks the plans that can lead to a call of themselves: those in a cycle (Tarjan 1972, with a stack
/// of our own).
fn mark_recursive(plans: &mut [Plan]) {
    let calls: Vec<Vec<usize>> = plans
        .iter()
        .map(|plan| {
            let steps = plan.clauses.iter().flat_map(|clause| &clause.steps);
            steps
                .filter_map(|step| match step {
                    Step::Test { plan, .. } | Step::Answers { plan, .. } => Some(*plan as usize),
                    _ => None,
                })
                .collect()
        })
        .collect();
    const NEW: usize = usize::MAX;
    let mut number = vec![NEW; plans.len()];
    let mut low = vec![NEW; plans.len()];
    let mut on_stack = vec![false; plans.len()];
    let (mut stack, mut count) = (Vec::new(), 0);
    for start in 0..plans.len() {
        if number[start] != NEW {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some(&mut (plan, ref mut at)) = path.last_mut() {
            if *at == 0 && number[plan] == NEW {
                number[plan] = count;
                low[plan] = count;
                count += 1;
                stack.push(plan);
                on_stack[plan] = true;
            }
            if let Some(&called) = calls[plan].get(*at) {
                *at += 1;
                if number[called] == NEW {
                    path.push((called, 0));
                } else if on_stack[called] {
                    low[plan] = low[plan].min(number[called]);
                }
                continue;
            }
            path.pop();
            if let Some(&(below, _)) = path.last() {
                low[below] = low[below].min(low[plan]);
            }
            if low[plan] == number[plan] {
                let from = stack.iter().rposition(|&p| p == plan).unwrap_or(0);
                let cycle = stack.split_off(from);
                let recursive = cycle.len() > 1 || calls[plan].contains(&plan);
                for member in cycle {
                    on_stack[member] = false;
                    plans[member].recursive = recursive;
                }
            }
        }
    }
}

/// A term that no rule has, for values that cannot be.
pub(super) const NO_TERM: TermId = TermId(u32::MAX >> 1);

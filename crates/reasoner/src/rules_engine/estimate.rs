//! Estimates: how many tuples a condition will give, and what it costs to find out.
//!
//! Stored relations are counted. For the facts of states a few states are counted that have
//! occurred in play; what calls cost and give is taken from the same play once there is some, and
//! worked out from their clauses until then.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Mode;
use super::compile::Compiler;
use super::order::{VariableUses, best, modes};
use super::program::{BodyGoal, Clause, RelationId, RulesLiteral, RulesPattern, TupleSource};
use super::shape::{Reading, Shape, Standing};
use super::tabling::Cost;
use crate::term::{TermId, Terms};

/// Expected rows and cost of a condition per match of the conditions before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostEstimate {
    /// Tuples; below 1 for a test that fails now and then.
    pub rows: f64,
    /// Steps of the machine.
    pub cost: f64,
}

/// Statistics from play.
#[derive(Debug, Default)]
pub(super) struct PlayStatistics {
    /// Some states.
    pub states: Vec<Vec<TermId>>,
    /// What calls cost.
    pub calls: FxHashMap<(RelationId, Vec<Mode>), Cost>,
    counted: RefCell<FxHashMap<Shape, (f64, f64)>>,
}

impl PlayStatistics {
    /// Facts of a shape for a key that some fact has.
    pub(super) fn facts(&self, shape: &Shape, terms: &Terms) -> CostEstimate {
        let (rows, keys) = self.count(shape, terms);
        if rows == 0.0 {
            return CostEstimate { rows: 0.5, cost: 2.0 };
        }
        CostEstimate { rows: rows / keys.max(1.0), cost: 2.0 }
    }

    /// Mean number of facts that fit and of different keys among them.
    fn count(&self, shape: &Shape, terms: &Terms) -> (f64, f64) {
        if let Some(&known) = self.counted.borrow().get(shape) {
            return known;
        }
        let (mut rows, mut keys) = (0usize, 0usize);
        let mut row = Vec::new();
        for state in &self.states {
            let mut seen = FxHashSet::default();
            for &fact in state {
                if shape.extract(terms, &[fact], &mut row) {
                    rows += 1;
                    seen.insert(row[..shape.keys.len()].to_vec());
                }
            }
            keys += seen.len();
        }
        let states = self.states.len().max(1);
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let counted = (rows as f64 / states as f64, keys as f64 / states as f64);
        self.counted.borrow_mut().insert(shape.clone(), counted);
        counted
    }

    /// A call of a kind that has been made before.
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) fn call(&self, relation: RelationId, modes: &[Mode]) -> Option<CostEstimate> {
        let cost = self.calls.get(&(relation, modes.to_vec())).filter(|cost| cost.calls > 0)?;
        let calls = cost.calls as f64;
        let rows = cost.answers as f64 / calls;
        // Calls that were answered before cost no more than looking them up.
        let share = calls / (cost.uses.max(cost.calls)) as f64;
        Some(CostEstimate { rows, cost: 4.0 + share * cost.work as f64 / calls })
    }
}

/// What a condition gives and costs, if it can come now.
pub(super) fn estimate(
    compiler: &mut Compiler<'_>,
    knowledge: &VariableUses,
    goal: &BodyGoal,
    bound: &[bool],
) -> Option<CostEstimate> {
    let known = |pattern: &RulesPattern| {
        let mut known = true;
        pattern.variables(&mut |v| known &= bound[v]);
        known
    };
    match goal {
        BodyGoal::Differ(a, b) => (known(a) && known(b)).then_some(CostEstimate { rows: 0.5, cost: 1.0 }),
        BodyGoal::Same(a, b) => (known(a) || known(b)).then_some(CostEstimate { rows: 0.3, cost: 1.0 }),
        BodyGoal::Any(branches) => {
            let mut all = true;
            goal.variables(&mut |v| all &= bound[v]);
            if !all {
                return None;
            }
            let mut cost = 0.0;
            for goal in branches.iter().flatten() {
                cost += estimate(compiler, knowledge, goal, bound)?.cost;
            }
            Some(CostEstimate { rows: 0.7, cost: cost.max(1.0) })
        }
        BodyGoal::Fails(literal) => {
            let mut ready = true;
            literal.variables(&mut |v| ready &= bound[v] || !knowledge.can_have_value[v]);
            if !ready {
                return None;
            }
            let found = of_literal(compiler, knowledge, literal, bound, true)?;
            Some(CostEstimate { rows: (1.0 - found.rows).clamp(0.1, 0.9), cost: found.cost })
        }
        BodyGoal::Holds(literal) => of_literal(compiler, knowledge, literal, bound, false),
    }
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn of_literal(
    compiler: &mut Compiler<'_>,
    knowledge: &VariableUses,
    literal: &RulesLiteral,
    bound: &[bool],
    negated: bool,
) -> Option<CostEstimate> {
    let standing = |v: usize| match bound[v] {
        true => Standing::Bound,
        false if negated || !knowledge.matters(v) => Standing::Ignored,
        false => Standing::Open,
    };
    let relation = compiler.program.relation(literal.relation);
    match relation.kind {
        TupleSource::True => {
            let reading = Reading::new(&literal.arguments, &standing);
            let found = compiler.experience.facts(&reading.shape, compiler.terms);
            Some(match reading.out_variables.is_empty() {
                true => CostEstimate { rows: 0.5, cost: 2.0 },
                false => found,
            })
        }
        TupleSource::Derived if compiler.stores.has(literal.relation) => {
            let reading = Reading::new(&literal.arguments, &standing);
            let index = compiler.stores.index(literal.relation, &reading.shape, compiler.terms);
            let (rows, keys) = index.counts();
            Some(match reading.out_variables.is_empty() {
                true => CostEstimate { rows: 0.5, cost: 2.0 },
                false => CostEstimate { rows: rows as f64 / keys.max(1) as f64, cost: 2.0 },
            })
        }
        TupleSource::Does => {
            let mut role_known = true;
            literal.arguments[0].variables(&mut |v| role_known &= bound[v]);
            let roles = compiler.program.roles.len() as f64;
            Some(match role_known {
                true => CostEstimate { rows: 0.6, cost: 1.5 },
                false => CostEstimate { rows: 0.3 * roles, cost: 2.0 },
            })
        }
        TupleSource::Derived => {
            for (argument, required) in literal.arguments.iter().zip(&relation.required) {
                if *required {
                    let mut known = true;
                    argument.variables(&mut |v| known &= bound[v]);
                    if !known {
                        return None;
                    }
                }
            }
            let modes = modes(literal, knowledge, bound, negated);
            Some(match compiler.experience.call(literal.relation, &modes) {
                Some(estimate) => estimate,
                None => of_call(compiler, literal.relation, &modes),
            })
        }
    }
}

/// Relations within relations that are looked into to estimate a call.
const MAX_DEPTH: usize = 24;
/// Numbers above this are all the same to us.
const VERY_MANY: f64 = 1e12;

/// What a call that has never been made would give and cost, if all goes as estimated.
fn of_call(compiler: &mut Compiler<'_>, relation: RelationId, modes: &[Mode]) -> CostEstimate {
    let key = (relation, modes.to_vec());
    if let Some(&known) = compiler.estimates.get(&key) {
        return known;
    }
    let asked = modes.contains(&Mode::Asked);
    let unknown = match asked {
        true => CostEstimate { rows: 3.0, cost: 50.0 },
        false => CostEstimate { rows: 0.5, cost: 30.0 },
    };
    // Also what a call within the same call gets.
    compiler.estimates.insert(key.clone(), unknown);
    if compiler.depth >= MAX_DEPTH {
        return unknown;
    }
    compiler.depth += 1;
    let program = compiler.program;
    let mut sum = CostEstimate { rows: 0.0, cost: 4.0 };
    for &clause in &program.relation(relation).clauses {
        let one = of_clause(compiler, &program.clauses[clause], modes);
        sum.rows += one.rows;
        sum.cost += one.cost;
    }
    compiler.depth -= 1;
    if !asked {
        // The first answer is enough.
        sum = CostEstimate { rows: sum.rows.clamp(0.1, 0.9), cost: sum.cost / 2.0 };
    }
    sum = CostEstimate { rows: sum.rows.min(VERY_MANY), cost: sum.cost.clamp(4.0, VERY_MANY) };
    compiler.estimates.insert(key, sum);
    sum
}

fn of_clause(compiler: &mut Compiler<'_>, clause: &Clause, modes: &[Mode]) -> CostEstimate {
    let knowledge = VariableUses::new(clause, modes);
    let mut bound = vec![false; clause.variables];
    let mut sum = CostEstimate { rows: 1.0, cost: 1.0 };
    for (argument, mode) in clause.head.arguments.iter().zip(modes) {
        if *mode == Mode::Given {
            argument.variables(&mut |v| bound[v] = true);
            if !matches!(argument, RulesPattern::Variable(_)) {
                sum.rows *= 0.5;
            }
        }
    }
    let mut left: Vec<&BodyGoal> = clause.body.iter().collect();
    while let Some((at, one)) = best(compiler, &knowledge, &left, &bound) {
        let goal = left.remove(at);
        sum.cost += sum.rows * one.cost;
        sum.rows *= one.rows;
        if let BodyGoal::Holds(_) | BodyGoal::Same(..) = goal {
            goal.variables(&mut |v| bound[v] = true);
        }
    }
    sum
}

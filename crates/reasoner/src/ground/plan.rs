//! Join plans: in which order the conditions of a rule are matched, and through which index.
//!
//! Starting from what is bound, the condition with the smallest expected number of matches comes
//! next; comparisons and negations come as soon as their variables have values. The expectation of
//! a table with n rows of which k of c columns are bound is n^((c-k)/c): exact for products of
//! equal domains, and good enough to put joins that share variables before those that do not.

use rustc_hash::FxHashSet;

use super::program::{NormalLiteral, NormalPattern, NormalRule, Rel, variables_of};
use super::table::{GroundTable, IndexKey, Path};
use crate::term::Terms;

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(crate) enum JoinPlace {
    /// Matched with a pattern whose variables all have values.
    Key(Path, NormalPattern),
    /// Gives a variable its value.
    Bind(Path, u32),
    /// Must equal a variable that got its value in the same condition.
    Check(Path, u32),
}

/// One step of a plan.
#[derive(Clone, Debug)]
pub(crate) enum JoinStep {
    /// Go through the rows of a table that fit.
    Match { literal: usize, relation: Rel, index: usize, places: Vec<JoinPlace> },
    /// A row must be there (or not): all its values are known.
    Look { literal: usize, relation: Rel, holds: bool },
    /// Terms must differ.
    Differ(NormalPattern, NormalPattern),
    /// Names a row for a negation that is decided in play.
    Mention { literal: usize, relation: Rel },
}

/// The order in which a rule is matched.
#[derive(Clone, Debug)]
pub(crate) struct JoinPlan {
    pub steps: Vec<JoinStep>,
}

/// What planning needs to know about a rule.
pub(crate) struct JoinContext<'a> {
    pub rule: &'a NormalRule,
    /// Whether a relation changes in play.
    pub is_dynamic: &'a dyn Fn(Rel) -> bool,
}

/// Makes the plan for a rule whose condition `first` (if any) has been matched already, binding
/// its variables.
pub(crate) fn plan(
    context: &JoinContext<'_>,
    first: Option<usize>,
    tables: &mut [GroundTable],
    terms: &Terms,
) -> JoinPlan {
    let rule = context.rule;
    let mut bound: FxHashSet<u32> = first.map(|at| rule.body[at].variables()).unwrap_or_default();
    let mut todo: Vec<usize> = (0..rule.body.len()).filter(|&at| Some(at) != first).collect();
    let mut steps = Vec::new();
    while !todo.is_empty() {
        let ready = |&at: &usize| {
            let literal = &rule.body[at];
            let open = literal.variables().iter().any(|v| !bound.contains(v));
            !open && !matches!(literal, NormalLiteral::Fails(r, _) if (context.is_dynamic)(*r))
        };
        let next = match todo.iter().position(ready) {
            Some(at) => at,
            None => {
                let cost = |&at: &usize| expected(context, &rule.body[at], &bound, tables);
                let best = (0..todo.len()).min_by(|&a, &b| cost(&todo[a]).total_cmp(&cost(&todo[b])));
                best.unwrap_or(0)
            }
        };
        let at = todo.swap_remove(next);
        steps.push(step(context, at, &bound, tables, terms));
        bound.extend(rule.body[at].variables());
    }
    // Negations decided in play cost nothing, but name a row: do that for full matches only.
    steps.sort_by_key(|step| matches!(step, JoinStep::Mention { .. }));
    JoinPlan { steps }
}

/// Number of rows that a table is expected to get at least, if it is still being filled.
const GROWING: usize = 512;

/// Expected number of matches.
fn expected(
    context: &JoinContext<'_>,
    literal: &NormalLiteral,
    bound: &FxHashSet<u32>,
    tables: &[GroundTable],
) -> f64 {
    match literal {
        NormalLiteral::Holds(relation, arguments) => {
            // Tables that are being filled will grow: do not be misled by their first rows.
            let least = if (context.is_dynamic)(*relation) { GROWING } else { 1 };
            let rows = tables[*relation as usize].active_count().max(least) as f64;
            expected_matches(rows, arguments, bound)
        }
        // Comparisons and negations wait for their variables.
        _ => f64::INFINITY,
    }
}

/// Expected number of matches of a condition on a table with so many rows.
pub(crate) fn expected_matches(rows: f64, arguments: &[NormalPattern], bound: &FxHashSet<u32>) -> f64 {
    let (mut columns, mut open) = (0u32, 0u32);
    arguments.iter().for_each(|a| weigh(a, bound, &mut columns, &mut open));
    rows.powf(f64::from(open) / f64::from(columns.max(1)))
}

/// Counts the places of a pattern, and those without a value.
fn weigh(pattern: &NormalPattern, bound: &FxHashSet<u32>, columns: &mut u32, open: &mut u32) {
    match pattern {
        NormalPattern::Ground(_) => *columns += 1,
        NormalPattern::Variable(v) => {
            *columns += 1;
            *open += u32::from(!bound.contains(v));
        }
        NormalPattern::Apply(_, arguments) => arguments.iter().for_each(|a| weigh(a, bound, columns, open)),
    }
}

fn step(
    context: &JoinContext<'_>,
    at: usize,
    bound: &FxHashSet<u32>,
    tables: &mut [GroundTable],
    terms: &Terms,
) -> JoinStep {
    match &context.rule.body[at] {
        NormalLiteral::Differ(a, b) => JoinStep::Differ(a.clone(), b.clone()),
        NormalLiteral::Fails(relation, _) if (context.is_dynamic)(*relation) => {
            JoinStep::Mention { literal: at, relation: *relation }
        }
        NormalLiteral::Fails(relation, _) => {
            JoinStep::Look { literal: at, relation: *relation, holds: false }
        }
        literal @ NormalLiteral::Holds(relation, arguments) => {
            if literal.variables().iter().all(|v| bound.contains(v)) {
                return JoinStep::Look { literal: at, relation: *relation, holds: true };
            }
            let mut key = IndexKey::default();
            let mut places = Vec::new();
            let mut fresh = FxHashSet::default();
            for (column, argument) in arguments.iter().enumerate() {
                let path = vec![u16::try_from(column).unwrap_or(u16::MAX)];
                place(argument, path, bound, &mut fresh, &mut key, &mut places);
            }
            let index = tables[*relation as usize].index(&key, terms);
            JoinStep::Match { literal: at, relation: *relation, index, places }
        }
    }
}

/// Decides for an argument whether it is part of the key or binds variables.
pub(crate) fn place(
    pattern: &NormalPattern,
    path: Vec<u16>,
    bound: &FxHashSet<u32>,
    fresh: &mut FxHashSet<u32>,
    key: &mut IndexKey,
    places: &mut Vec<JoinPlace>,
) {
    let mut own = FxHashSet::default();
    variables_of(pattern, &mut own);
    if own.iter().all(|v| bound.contains(v)) {
        key.values.push(path.clone().into());
        places.push(JoinPlace::Key(path.into(), pattern.clone()));
        return;
    }
    match pattern {
        NormalPattern::Ground(_) => {}
        NormalPattern::Variable(v) if fresh.insert(*v) => places.push(JoinPlace::Bind(path.into(), *v)),
        NormalPattern::Variable(v) => places.push(JoinPlace::Check(path.into(), *v)),
        NormalPattern::Apply(symbol, arguments) => {
            key.functions.push((path.clone().into(), *symbol, arguments.len()));
            for (position, argument) in arguments.iter().enumerate() {
                let mut inner = path.clone();
                inner.push(u16::try_from(position).unwrap_or(u16::MAX));
                place(argument, inner, bound, fresh, key, places);
            }
        }
    }
}

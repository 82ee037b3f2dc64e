//! Splitting rules with many variables into rules with few.
//!
//! A variable that the head does not need is eliminated: the conditions that mention it become the
//! body of a helper relation over their other variables. The rule then joins the helper instead,
//! and has far fewer instances: three nested loops of length n become two of length n². Which
//! variable goes first, and whether splitting pays at all, is decided by the expected sizes of the
//! joins; before any sizes are known, by the number of variables alone.
//!
//! A helper that takes a negation or a comparison along needs positive conditions for all of its
//! variables: those of the rule that give them values are repeated there as guards, which changes
//! nothing in what the rule derives.
//!
//! Variable elimination: Dechter, Bucket elimination, Artificial Intelligence 1999.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::normal::{Literal, NormalRule, Pattern, Program, Rel, variables_of};
use super::reach::Reached;
use super::table::at;

/// Sizes of tables, from an earlier grounding.
pub(crate) struct Sizes {
    rows: Vec<f64>,
    /// Number of different values at a place of a relation, by relation and place.
    distinct: FxHashMap<(Rel, Vec<u16>), f64>,
}

impl Sizes {
    /// Measures the tables that the conditions of a program look at.
    pub(crate) fn measure(program: &Program, reached: &Reached) -> Self {
        let rows = reached.tables.iter().map(|t| t.active_count() as f64).collect();
        let mut distinct = FxHashMap::default();
        for literal in program.rules.iter().flat_map(|r| &r.body) {
            if let Literal::Holds(relation, arguments) = literal {
                visit_variables(arguments, &mut |_, path| {
                    distinct.entry((*relation, path.to_vec())).or_insert_with(|| {
                        let table = &reached.tables[*relation as usize];
                        let mut seen = FxHashSet::default();
                        for row in (0..table.len()).filter_map(|row| u32::try_from(row).ok()) {
                            if table.is_active(row) {
                                seen.extend(at(table.row(row), path, &reached.terms));
                            }
                        }
                        seen.len() as f64
                    });
                });
            }
        }
        Self { rows, distinct }
    }

    /// Expected number of rows of the join of some conditions: the product of their sizes, divided
    /// for each variable by the number of its values once for every condition but the most selective.
    fn join(&self, literals: &[&Literal]) -> f64 {
        let mut product = 1.0;
        let mut values: FxHashMap<u32, Vec<f64>> = FxHashMap::default();
        for literal in literals {
            let Literal::Holds(relation, arguments) = literal else { continue };
            product *= self.rows.get(*relation as usize).copied().unwrap_or(1.0).max(1.0);
            let mut own: BTreeMap<u32, f64> = BTreeMap::new();
            visit_variables(arguments, &mut |v, path| {
                let count = self.distinct.get(&(*relation, path.to_vec())).copied().unwrap_or(1.0).max(1.0);
                own.insert(v, count);
            });
            // Constants in the condition select; assume each value of the place equally often.
            product /= self.selected(*relation, arguments);
            for (v, count) in own {
                values.entry(v).or_default().push(count);
            }
        }
        let mut all: Vec<(u32, Vec<f64>)> = values.into_iter().collect();
        all.sort_by_key(|&(v, _)| v);
        for (_, mut counts) in all {
            counts.sort_by(f64::total_cmp);
            product /= counts.iter().skip(1).product::<f64>();
        }
        product.max(1.0)
    }

    /// By how much the constants of a condition reduce its rows.
    fn selected(&self, relation: Rel, arguments: &[Pattern]) -> f64 {
        let mut open = 0u32;
        let mut places = 0u32;
        count_places(arguments, &mut places, &mut open);
        let rows = self.rows.get(relation as usize).copied().unwrap_or(1.0).max(1.0);
        rows.powf(f64::from(places - open) / f64::from(places.max(1)))
    }
}

fn count_places(patterns: &[Pattern], places: &mut u32, open: &mut u32) {
    for pattern in patterns {
        match pattern {
            Pattern::Ground(_) => *places += 1,
            Pattern::Variable(_) => {
                *places += 1;
                *open += 1;
            }
            Pattern::Apply(_, arguments) => count_places(arguments, places, open),
        }
    }
}

fn visit_variables(arguments: &[Pattern], visit: &mut impl FnMut(u32, &[u16])) {
    fn inner(pattern: &Pattern, path: &mut Vec<u16>, visit: &mut impl FnMut(u32, &[u16])) {
        match pattern {
            Pattern::Ground(_) => {}
            Pattern::Variable(v) => visit(*v, path),
            Pattern::Apply(_, arguments) => {
                for (position, argument) in arguments.iter().enumerate() {
                    path.push(u16::try_from(position).unwrap_or(u16::MAX));
                    inner(argument, path, visit);
                    path.pop();
                }
            }
        }
    }
    for (column, argument) in arguments.iter().enumerate() {
        inner(argument, &mut vec![u16::try_from(column).unwrap_or(u16::MAX)], visit);
    }
}

/// Splits the rules of a program where that pays; with sizes from an earlier grounding of it.
pub(crate) fn split(program: &mut Program, sizes: Option<&Sizes>) {
    let rules = std::mem::take(&mut program.rules);
    for rule in rules {
        let parts = match sizes {
            None => eliminate(program, &rule, None).map(|(parts, _)| parts),
            Some(sizes) => {
                let all: Vec<&Literal> = rule.body.iter().collect();
                let whole = sizes.join(&all);
                let relations = program.relations.len();
                let split = eliminate(program, &rule, Some(sizes)).filter(|(_, cost)| *cost < whole * 0.6);
                if split.is_none() {
                    program.relations.truncate(relations);
                }
                split.map(|(parts, _)| parts)
            }
        };
        match parts {
            Some(parts) => program.rules.extend(parts),
            None => program.rules.push(rule),
        }
    }
}

/// Eliminates variables one after the other while that makes joins smaller. Gives the parts and
/// their expected number of instances, if there was anything to eliminate.
fn eliminate(
    program: &mut Program,
    rule: &NormalRule,
    sizes: Option<&Sizes>,
) -> Option<(Vec<NormalRule>, f64)> {
    let mut head_variables = FxHashSet::default();
    rule.head.1.iter().for_each(|p| variables_of(p, &mut head_variables));
    let mut body = rule.body.clone();
    let mut helpers = Vec::new();
    // Helpers have no measured size: what was expected when they were made stands for it.
    let mut expected: FxHashMap<Rel, f64> = FxHashMap::default();
    let mut cost = 0.0;
    loop {
        let all: FxHashSet<u32> = body.iter().flat_map(Literal::variables).collect();
        let mut best: Option<(f64, u32, Vec<usize>)> = None;
        let mut candidates: Vec<u32> = all.iter().copied().filter(|v| !head_variables.contains(v)).collect();
        candidates.sort_unstable();
        for variable in candidates {
            let mut bucket: Vec<usize> =
                (0..body.len()).filter(|&at| body[at].variables().contains(&variable)).collect();
            if !add_guards(&body, &mut bucket) {
                continue;
            }
            let inside: FxHashSet<u32> = bucket.iter().flat_map(|&at| body[at].variables()).collect();
            // Eliminating pays only if something stays outside.
            if inside.len() == all.len() || bucket.len() < 2 && inside.len() > 1 && bucket.len() == body.len()
            {
                continue;
            }
            let weight = match sizes {
                None => inside.len() as f64,
                Some(sizes) => join_with(sizes, &expected, bucket.iter().map(|&at| &body[at])),
            };
            if best.as_ref().is_none_or(|(w, ..)| weight < *w) {
                best = Some((weight, variable, bucket));
            }
        }
        let Some((weight, variable, bucket)) = best else { break };
        if let Some(sizes) = sizes {
            let whole = join_with(sizes, &expected, body.iter());
            if weight > whole {
                break;
            }
        }
        let mut shared: FxHashSet<u32> = bucket.iter().flat_map(|&at| body[at].variables()).collect();
        shared.remove(&variable);
        let mut shared: Vec<u32> = shared.into_iter().collect();
        shared.sort_unstable();
        let arguments: Vec<Pattern> = shared.iter().map(|&v| Pattern::Variable(v)).collect();
        let helper = program.add_relation(shared.len());
        expected.insert(helper, weight);
        cost += weight;
        let taken: Vec<Literal> = bucket.iter().map(|&at| body[at].clone()).collect();
        // Conditions with the variable move to the helper; guards stay here too.
        body.retain(|literal| !literal.variables().contains(&variable));
        body.push(Literal::Holds(helper, arguments.clone()));
        helpers.push(NormalRule { head: (helper, arguments), body: taken, variables: rule.variables });
    }
    if helpers.is_empty() {
        return None;
    }
    if let Some(sizes) = sizes {
        cost += join_with(sizes, &expected, body.iter());
    }
    helpers.push(NormalRule { head: rule.head.clone(), body, variables: rule.variables });
    Some((helpers, cost))
}

fn join_with<'a>(
    sizes: &Sizes,
    expected: &FxHashMap<Rel, f64>,
    literals: impl Iterator<Item = &'a Literal>,
) -> f64 {
    let literals: Vec<&Literal> = literals.collect();
    // A helper joins on all of its variables, so it only ever selects: leave it out unless it is
    // the only one to have some variable.
    let (helpers, known): (Vec<&Literal>, Vec<&Literal>) =
        literals.into_iter().partition(|l| matches!(l, Literal::Holds(r, _) if expected.contains_key(r)));
    let mut covered: FxHashSet<u32> = known.iter().flat_map(|l| l.variables()).collect();
    let mut product = sizes.join(&known);
    for helper in helpers {
        let variables = helper.variables();
        if variables.iter().any(|v| !covered.contains(v)) {
            if let Literal::Holds(r, _) = helper {
                let open = variables.iter().filter(|v| !covered.contains(v)).count() as f64;
                product *= expected[r].powf(open / variables.len().max(1) as f64);
            }
            covered.extend(variables);
        }
    }
    product
}

/// Adds the positive conditions that negations and comparisons of the bucket need for their values;
/// false if there are none.
fn add_guards(body: &[Literal], bucket: &mut Vec<usize>) -> bool {
    let mut given: FxHashSet<u32> = FxHashSet::default();
    let mut needed: FxHashSet<u32> = FxHashSet::default();
    for &at in bucket.iter() {
        match &body[at] {
            literal @ Literal::Holds(..) => given.extend(literal.variables()),
            literal => needed.extend(literal.variables()),
        }
    }
    let mut missing: Vec<u32> = needed.into_iter().filter(|v| !given.contains(v)).collect();
    missing.sort_unstable();
    for variable in missing {
        if given.contains(&variable) {
            continue;
        }
        // The guard with the fewest other variables.
        let guard = (0..body.len())
            .filter(|&at| matches!(&body[at], Literal::Holds(..)) && body[at].variables().contains(&variable))
            .min_by_key(|&at| body[at].variables().len());
        let Some(guard) = guard else { return false };
        given.extend(body[guard].variables());
        bucket.push(guard);
    }
    bucket.sort_unstable();
    bucket.dedup();
    true
}

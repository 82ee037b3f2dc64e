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

use rustc_hash::{FxHashMap, FxHashSet};

use super::merge::merge_helpers;
use super::program::{NormalLiteral, NormalPattern, NormalProgram, NormalRule, Rel, variables_of};
use super::sizes::Sizes;

/// Splits the rules of a program where that pays; with sizes from an earlier grounding of it.
pub(crate) fn split(program: &mut NormalProgram, sizes: Option<&Sizes>) {
    let mut rules = std::mem::take(&mut program.rules);
    if let Some(sizes) = sizes {
        rules = rules.into_iter().flat_map(|rule| set_apart(program, rule, sizes)).collect();
    }
    for rule in rules {
        let parts = match sizes {
            None => eliminate(program, &rule, None).map(|(parts, _)| parts),
            Some(sizes) => {
                let all: Vec<&NormalLiteral> = rule.body.iter().collect();
                let whole = sizes.join(&all);
                let relations = program.relations.len();
                let split = eliminate(program, &rule, Some(sizes)).filter(|(_, cost)| *cost < whole * 0.7);
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
    merge_helpers(program);
}

/// How often the same conditions must be matched again for other reasons to be set apart.
const REPEATED: f64 = 4.0;

/// Sets conditions apart that have nothing to do with the others, and variables that the head does
/// not need. Joined with the others they would be matched again for every match of those.
fn set_apart(program: &mut NormalProgram, mut rule: NormalRule, sizes: &Sizes) -> Vec<NormalRule> {
    let mut head_variables = FxHashSet::default();
    rule.head.1.iter().for_each(|p| variables_of(p, &mut head_variables));
    let mut parts = Vec::new();
    for (part, variables) in components(&rule.body) {
        let is_part = |at: &usize| part.contains(at);
        let rest: Vec<&NormalLiteral> =
            (0..rule.body.len()).filter(|at| !is_part(at)).map(|at| &rule.body[at]).collect();
        let positive = part.iter().filter(|&&at| matches!(rule.body[at], NormalLiteral::Holds(..))).count();
        if positive < 2 || variables.is_subset(&head_variables) || sizes.join(&rest) < REPEATED {
            continue;
        }
        let mut shared: Vec<u32> = variables.intersection(&head_variables).copied().collect();
        shared.sort_unstable();
        let arguments: Vec<NormalPattern> = shared.iter().map(|&v| NormalPattern::Variable(v)).collect();
        let helper = program.add_relation(shared.len());
        let body = part.iter().map(|&at| rule.body[at].clone()).collect();
        parts.push(NormalRule { head: (helper, arguments.clone()), body, variables: rule.variables });
        // One is enough: what is left is joined with it by head variables at most.
        let mut left: Vec<NormalLiteral> = rest.into_iter().cloned().collect();
        left.push(NormalLiteral::Holds(helper, arguments));
        rule.body = left;
        break;
    }
    parts.push(rule);
    parts
}

/// Conditions that are connected by variables, with these variables.
fn components(body: &[NormalLiteral]) -> Vec<(Vec<usize>, FxHashSet<u32>)> {
    let mut components: Vec<(Vec<usize>, FxHashSet<u32>)> = Vec::new();
    for (at, literal) in body.iter().enumerate() {
        let mut joined = (vec![at], literal.variables());
        components.retain_mut(|(part, variables)| {
            let apart = variables.is_disjoint(&joined.1);
            if !apart {
                joined.0.append(part);
                joined.1.extend(variables.drain());
            }
            apart
        });
        joined.0.sort_unstable();
        components.push(joined);
    }
    components
}

/// Eliminates variables one after the other while that makes joins smaller. Gives the parts and
/// their expected number of instances, if there was anything to eliminate.
fn eliminate(
    program: &mut NormalProgram,
    rule: &NormalRule,
    sizes: Option<&Sizes>,
) -> Option<(Vec<NormalRule>, f64)> {
    let mut head_variables = FxHashSet::default();
    rule.head.1.iter().for_each(|p| variables_of(p, &mut head_variables));
    let mut body = rule.body.clone();
    let mut helpers = Vec::new();
    // Helpers have no measured size: what was expected when they were made stands for it.
    let mut expected: FxHashMap<Rel, f64> = FxHashMap::default();
    let domains = sizes.map(|sizes| sizes.domains(rule.body.iter())).unwrap_or_default();
    let mut cost = 0.0;
    loop {
        let all: FxHashSet<u32> = body.iter().flat_map(NormalLiteral::variables).collect();
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
                Some(sizes) => join_with(sizes, &expected, &domains, bucket.iter().map(|&at| &body[at])),
            };
            if best.as_ref().is_none_or(|(w, ..)| weight < *w) {
                best = Some((weight, variable, bucket));
            }
        }
        let Some((weight, variable, bucket)) = best else { break };
        if let Some(sizes) = sizes {
            let whole = join_with(sizes, &expected, &domains, body.iter());
            if weight > whole {
                break;
            }
        }
        let mut shared: FxHashSet<u32> = bucket.iter().flat_map(|&at| body[at].variables()).collect();
        shared.remove(&variable);
        let mut shared: Vec<u32> = shared.into_iter().collect();
        shared.sort_unstable();
        let arguments: Vec<NormalPattern> = shared.iter().map(|&v| NormalPattern::Variable(v)).collect();
        let helper = program.add_relation(shared.len());
        // What is left when the variable is gone is no more than the values of the others allow.
        let most: f64 = shared.iter().map(|v| domains.get(v).copied().unwrap_or(1.0)).product();
        expected.insert(helper, if sizes.is_some() { weight.min(most) } else { weight });
        cost += weight;
        let taken: Vec<NormalLiteral> = bucket.iter().map(|&at| body[at].clone()).collect();
        // Conditions with the variable move to the helper; guards stay here too.
        body.retain(|literal| !literal.variables().contains(&variable));
        body.push(NormalLiteral::Holds(helper, arguments.clone()));
        helpers.push(NormalRule { head: (helper, arguments), body: taken, variables: rule.variables });
    }
    if helpers.is_empty() {
        return None;
    }
    if let Some(sizes) = sizes {
        cost += join_with(sizes, &expected, &domains, body.iter());
    }
    helpers.push(NormalRule { head: rule.head.clone(), body, variables: rule.variables });
    Some((helpers, cost))
}

fn join_with<'a>(
    sizes: &Sizes,
    expected: &FxHashMap<Rel, f64>,
    domains: &FxHashMap<u32, f64>,
    literals: impl Iterator<Item = &'a NormalLiteral>,
) -> f64 {
    let literals: Vec<&NormalLiteral> = literals.collect();
    // A helper joins on all of its variables, so it only ever selects: leave it out unless it is
    // the only one to have some variable.
    let (helpers, known): (Vec<&NormalLiteral>, Vec<&NormalLiteral>) = literals
        .into_iter()
        .partition(|l| matches!(l, NormalLiteral::Holds(r, _) if expected.contains_key(r)));
    let mut product = sizes.join(&known);
    // By variable: how many values the conditions so far leave it.
    let mut values = sizes.domains(known.iter().copied());
    for helper in helpers {
        let NormalLiteral::Holds(relation, _) = helper else { continue };
        let mut variables: Vec<u32> = helper.variables().into_iter().collect();
        variables.sort_unstable();
        if variables.iter().all(|v| values.contains_key(v)) {
            continue;
        }
        // Of its rows, those whose values fit; each variable by the larger number of values.
        let domain = |v: &u32| domains.get(v).copied().unwrap_or(1.0);
        let fit: f64 = variables.iter().filter_map(|v| values.get(v).map(|n| n.max(domain(v)))).product();
        product = (product * expected[relation] / fit).max(1.0);
        for variable in variables {
            let least = values.entry(variable).or_insert(domain(&variable));
            *least = least.min(domain(&variable));
        }
    }
    product
}

/// Adds the positive conditions that negations and comparisons of the bucket need for their values;
/// false if there are none.
fn add_guards(body: &[NormalLiteral], bucket: &mut Vec<usize>) -> bool {
    let mut given: FxHashSet<u32> = FxHashSet::default();
    let mut needed: FxHashSet<u32> = FxHashSet::default();
    for &at in bucket.iter() {
        match &body[at] {
            literal @ NormalLiteral::Holds(..) => given.extend(literal.variables()),
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
            .filter(|&at| {
                matches!(&body[at], NormalLiteral::Holds(..)) && body[at].variables().contains(&variable)
            })
            .min_by_key(|&at| body[at].variables().len());
        let Some(guard) = guard else { return false };
        given.extend(body[guard].variables());
        bucket.push(guard);
    }
    bucket.sort_unstable();
    bucket.dedup();
    true
}

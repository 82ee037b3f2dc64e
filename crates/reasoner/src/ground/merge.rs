//! Merging of helpers that do the same for the same rule.
//!
//! A relation with a rule for rooks, one for bishops and one for queens, each split the same way,
//! has three helpers and three rules that differ in nothing but the helper. One helper with the
//! rules of all three will do: two of the three rules become superfluous, and so does what they are
//! instances of. Helpers of the helpers are then in the same situation, and are merged in turn.

use rustc_hash::FxHashMap;

use super::program::{NormalLiteral, NormalPattern, NormalProgram, NormalRule, Rel};

/// Stands for the helper in question when rules are compared.
const ANY: Rel = Rel::MAX;

/// Merges helpers as long as there are any to merge.
pub(crate) fn merge_helpers(program: &mut NormalProgram) {
    loop {
        let mut uses = vec![0usize; program.relations.len()];
        for relation in program.rules.iter().flat_map(|rule| &rule.body).filter_map(NormalLiteral::relation) {
            uses[relation as usize] += 1;
        }
        let is_helper = |r: Rel| program.relations[r as usize].symbol.is_none() && uses[r as usize] == 1;
        // By rule without its helper: the helper that the first such rule has.
        let mut known: FxHashMap<NormalRule, Rel> = FxHashMap::default();
        let mut becomes: Vec<Option<Rel>> = vec![None; program.relations.len()];
        let mut superfluous = vec![false; program.rules.len()];
        for (at, rule) in program.rules.iter().enumerate() {
            for literal in &rule.body {
                let NormalLiteral::Holds(helper, _) = literal else { continue };
                if !is_helper(*helper) || becomes[*helper as usize].is_some() {
                    continue;
                }
                let first = *known.entry(without(rule, *helper)).or_insert(*helper);
                // A helper that takes others in must stay what it is for now.
                if first != *helper && becomes[first as usize].is_none() && !becomes.contains(&Some(*helper))
                {
                    becomes[*helper as usize] = Some(first);
                    superfluous[at] = true;
                    break;
                }
            }
        }
        if !superfluous.contains(&true) {
            return;
        }
        let mut at = 0;
        program.rules.retain(|_| {
            at += 1;
            !superfluous[at - 1]
        });
        for rule in &mut program.rules {
            if let Some(first) = becomes[rule.head.0 as usize] {
                rule.head.0 = first;
            }
        }
    }
}

/// A rule with a mark in place of a helper, and with variables numbered as they come: those of the
/// head first, then the others, with the conditions in an order that does not depend on them.
fn without(rule: &NormalRule, helper: Rel) -> NormalRule {
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let head = rule.head.1.iter().map(|p| renamed(p, &mut numbers, true)).collect();
    let marked = rule.body.iter().map(|literal| match literal {
        NormalLiteral::Holds(relation, arguments) if *relation == helper => {
            NormalLiteral::Holds(ANY, arguments.clone())
        }
        other => other.clone(),
    });
    let mut body: Vec<NormalLiteral> = marked.collect();
    body.sort_by_cached_key(|literal| {
        format!("{:?}", each(literal, &mut |p| renamed(p, &mut numbers, false)))
    });
    let body: Vec<NormalLiteral> =
        body.iter().map(|literal| each(literal, &mut |p| renamed(p, &mut numbers, true))).collect();
    NormalRule { head: (rule.head.0, head), body, variables: 0 }
}

fn each(literal: &NormalLiteral, change: &mut impl FnMut(&NormalPattern) -> NormalPattern) -> NormalLiteral {
    match literal {
        NormalLiteral::Holds(relation, arguments) => {
            NormalLiteral::Holds(*relation, arguments.iter().map(change).collect())
        }
        NormalLiteral::Fails(relation, arguments) => {
            NormalLiteral::Fails(*relation, arguments.iter().map(change).collect())
        }
        NormalLiteral::Differ(a, b) => NormalLiteral::Differ(change(a), change(b)),
    }
}

/// A pattern with its variables numbered anew; those without a number get one, or all the same.
fn renamed(pattern: &NormalPattern, numbers: &mut FxHashMap<u32, u32>, number: bool) -> NormalPattern {
    match pattern {
        NormalPattern::Ground(term) => NormalPattern::Ground(*term),
        NormalPattern::Variable(v) => {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            NormalPattern::Variable(match number {
                true => *numbers.entry(*v).or_insert(next),
                false => numbers.get(v).copied().unwrap_or(u32::MAX),
            })
        }
        NormalPattern::Apply(symbol, arguments) => {
            NormalPattern::Apply(*symbol, arguments.iter().map(|a| renamed(a, numbers, number)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::program::NormalRelation;
    use ludex_gdl::keyword;

    #[test]
    fn rules_that_differ_in_their_helper_only_become_one() {
        let mut program = NormalProgram::default();
        let named = NormalRelation { symbol: Some(keyword::ROLE), arity: 1, given: 0, is_demand: false };
        program.relations = vec![named.clone(), named];
        let (head, condition) = (0, 1);
        let (f, g, used_twice) = (program.add_relation(1), program.add_relation(1), program.add_relation(1));
        let x = |v: u32| vec![NormalPattern::Variable(v)];
        let mut add = |head: (Rel, Vec<NormalPattern>), body: Vec<NormalLiteral>| {
            program.rules.push(NormalRule { head, body, variables: 8 });
        };
        add((head, x(0)), vec![NormalLiteral::Holds(condition, x(0)), NormalLiteral::Holds(f, x(0))]);
        add((head, x(5)), vec![NormalLiteral::Holds(g, x(5)), NormalLiteral::Holds(condition, x(5))]);
        add(
            (head, x(5)),
            vec![NormalLiteral::Holds(condition, x(6)), NormalLiteral::Holds(used_twice, x(5))],
        );
        add(
            (head, x(5)),
            vec![NormalLiteral::Fails(condition, x(5)), NormalLiteral::Holds(used_twice, x(5))],
        );
        add((f, x(1)), vec![NormalLiteral::Holds(condition, x(1))]);
        add((g, x(2)), vec![NormalLiteral::Fails(condition, x(2)), NormalLiteral::Holds(condition, x(2))]);
        merge_helpers(&mut program);
        let heads: Vec<Rel> = program.rules.iter().map(|rule| rule.head.0).collect();
        assert_eq!(heads, [head, head, head, f, f], "the rule with g is the one with f");
    }
}

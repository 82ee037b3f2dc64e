//! Unfolding of relations that only compare.
//!
//! `different(A, B, C, D)`, which holds if A is not C or B is not D, ties four variables together.
//! A rule that uses it cannot be split: eliminating one of the variables drags the others along.
//! With the two alternatives as rules of their own, each compares two variables only, and splits.

use rustc_hash::FxHashSet;

use super::program::{NormalLiteral, NormalPattern, NormalProgram, NormalRule, is_keyword};

/// A relation with more rules is not unfolded.
const MAX_ALTERNATIVES: usize = 4;
/// A rule is not unfolded into more rules.
const MAX_RULES: usize = 16;

/// Replaces conditions on relations that only compare by what they compare.
pub(crate) fn unfold_comparisons(program: &mut NormalProgram) {
    let definitions = definitions(program);
    let rules = std::mem::take(&mut program.rules);
    for rule in rules {
        let uses = |literal: &NormalLiteral| match literal {
            NormalLiteral::Holds(relation, _) => definitions[*relation as usize].len().max(1),
            _ => 1,
        };
        if rule.body.iter().map(uses).product::<usize>() > MAX_RULES {
            program.rules.push(rule);
            continue;
        }
        let mut bodies: Vec<Vec<NormalLiteral>> = vec![Vec::new()];
        for literal in &rule.body {
            bodies = match literal {
                NormalLiteral::Holds(relation, arguments) if !definitions[*relation as usize].is_empty() => {
                    let alternatives = &definitions[*relation as usize];
                    let with = |body: &Vec<NormalLiteral>, alternative: &NormalRule| {
                        let added = alternative.body.iter().map(|l| substituted(l, alternative, arguments));
                        body.iter().cloned().chain(added).collect()
                    };
                    let mut all = Vec::new();
                    for body in &bodies {
                        all.extend(alternatives.iter().map(|alternative| with(body, alternative)));
                    }
                    all
                }
                other => {
                    bodies.iter_mut().for_each(|body| body.push(other.clone()));
                    bodies
                }
            };
        }
        for mut body in bodies {
            let mut seen = FxHashSet::default();
            body.retain(|literal| seen.insert(literal.clone()));
            program.rules.push(NormalRule { body, ..rule.clone() });
        }
    }
}

/// By relation: its rules if it is one that only compares, or else none.
fn definitions(program: &NormalProgram) -> Vec<Vec<NormalRule>> {
    let mut definitions: Vec<Vec<NormalRule>> = vec![Vec::new(); program.relations.len()];
    for rule in &program.rules {
        definitions[rule.head.0 as usize].push(rule.clone());
    }
    for (relation, rules) in definitions.iter_mut().enumerate() {
        let is_named = program.relations[relation].symbol.is_some_and(is_keyword);
        if is_named || rules.len() > MAX_ALTERNATIVES || !rules.iter().all(only_compares) {
            rules.clear();
        }
    }
    definitions
}

/// Whether a rule compares the places of its head with each other, and does nothing else but say
/// what values they may have.
fn only_compares(rule: &NormalRule) -> bool {
    let mut places = FxHashSet::default();
    let all_different = rule
        .head
        .1
        .iter()
        .all(|argument| matches!(argument, NormalPattern::Variable(v) if places.insert(*v)));
    let is_simple = |literal: &NormalLiteral| match literal {
        NormalLiteral::Holds(_, arguments) => matches!(arguments.as_slice(), [NormalPattern::Variable(_)]),
        NormalLiteral::Fails(..) => false,
        NormalLiteral::Differ(a, b) => {
            !matches!(a, NormalPattern::Apply(..)) && !matches!(b, NormalPattern::Apply(..))
        }
    };
    all_different
        && rule.body.iter().any(|literal| matches!(literal, NormalLiteral::Differ(..)))
        && rule.body.iter().all(|literal| is_simple(literal) && literal.variables().is_subset(&places))
}

/// A condition of a definition, about the arguments of a use.
fn substituted(
    literal: &NormalLiteral,
    definition: &NormalRule,
    arguments: &[NormalPattern],
) -> NormalLiteral {
    let replace = |pattern: &NormalPattern| {
        let place = definition.head.1.iter().position(|own| own == pattern);
        place.map_or(pattern, |place| &arguments[place]).clone()
    };
    match literal {
        NormalLiteral::Holds(relation, own) => {
            NormalLiteral::Holds(*relation, own.iter().map(replace).collect())
        }
        NormalLiteral::Fails(relation, own) => {
            NormalLiteral::Fails(*relation, own.iter().map(replace).collect())
        }
        NormalLiteral::Differ(a, b) => NormalLiteral::Differ(replace(a), replace(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::normal::{Callers, normal_form};
    use ludex_testkit::rules;

    #[test]
    fn a_comparison_of_four_places_becomes_two_of_two() {
        let text =
            "(role a) (num 1) (num 2) (init (at 1 2)) (legal a go) (<= terminal (true (at 2 1))) (goal a 0)
            (<= (other ?a ?b ?c ?d) (num ?a) (num ?b) (num ?c) (num ?d) (distinct ?a ?c))
            (<= (other ?a ?b ?c ?d) (num ?a) (num ?b) (num ?c) (num ?d) (distinct ?b ?d))
            (<= (next (at ?x ?y)) (true (at ?x ?y)) (other ?x ?y 1 2))";
        let rules = rules(text);
        let mut program = normal_form(&rules, Callers::Copied).expect("a program");
        let next = program.find(ludex_gdl::keyword::NEXT, 1).expect("it is there");
        let count = |program: &NormalProgram| program.rules.iter().filter(|rule| rule.head.0 == next).count();
        assert_eq!(count(&program), 1);
        unfold_comparisons(&mut program);
        assert_eq!(count(&program), 2);
        for rule in program.rules.iter().filter(|rule| rule.head.0 == next) {
            let differ = rule.body.iter().filter(|l| matches!(l, NormalLiteral::Differ(..))).count();
            assert_eq!(differ, 1, "{rule:?}");
        }
    }
}

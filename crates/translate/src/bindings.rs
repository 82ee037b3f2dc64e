//! Conditions in an order that binds variables before they are tested.
//!
//! GDL has no order. Prolog does: `\+` and `\=` mean what GDL means only when their variables have
//! values, and some relations leave positions open, whose values must come from the caller.

use ludex_gdl::{Atom, Condition, Rules, Term};
use rustc_hash::FxHashSet;

type Variables = FxHashSet<u32>;

/// The conditions in an order to prove them in. `bound` has the variables with values before, and
/// afterwards also those that the conditions bind.
pub(crate) fn ordered<'a>(
    rules: &Rules,
    conditions: &'a [Condition],
    bound: &mut Variables,
) -> Vec<&'a Condition> {
    let mut left: Vec<&Condition> = conditions.iter().collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let ready = |at: &usize| is_ready(rules, &left, *at, bound);
        let tests = |at: &usize| matches!(left[*at], Condition::Fails(_) | Condition::Differ(..));
        let places = 0..left.len();
        let next = places.clone().find(|at| tests(at) && ready(at)).or_else(|| places.clone().find(ready));
        let condition = left.remove(next.unwrap_or(0));
        bind(condition, bound);
        order.push(condition);
    }
    order
}

/// Whether no other condition has to bind a variable first.
fn is_ready(rules: &Rules, left: &[&Condition], at: usize, bound: &Variables) -> bool {
    let mut needs = Variables::default();
    needed(rules, left[at], &mut needs);
    needs.retain(|variable| !bound.contains(variable));
    if needs.is_empty() {
        return true;
    }
    let mut others = Variables::default();
    for (_, condition) in left.iter().enumerate().filter(|(other, _)| *other != at) {
        bind(condition, &mut others);
    }
    needs.is_disjoint(&others)
}

/// Variables that must have values before the condition is proved, if anything gives them values.
fn needed(rules: &Rules, condition: &Condition, needs: &mut Variables) {
    match condition {
        Condition::Holds(atom) => {
            for &open in &rules.info(atom.relation).given_by_caller {
                variables(&atom.arguments[open], needs);
            }
        }
        Condition::Fails(atom) => atom_variables(atom, needs),
        Condition::Differ(a, b) => {
            variables(a, needs);
            variables(b, needs);
        }
        Condition::Same(..) => {}
        Condition::Any(branches) => {
            for branch in branches {
                let (mut inside, mut bound) = (Variables::default(), Variables::default());
                for condition in branch {
                    needed(rules, condition, &mut inside);
                    bind(condition, &mut bound);
                }
                needs.extend(inside.difference(&bound));
            }
        }
    }
}

/// Adds the variables that have values once the condition is proved.
fn bind(condition: &Condition, bound: &mut Variables) {
    match condition {
        Condition::Holds(atom) => atom_variables(atom, bound),
        Condition::Fails(_) | Condition::Differ(..) => {}
        Condition::Same(a, b) => {
            variables(a, bound);
            variables(b, bound);
        }
        Condition::Any(branches) => {
            let mut of_branches = branches.iter().map(|branch| {
                let mut inside = Variables::default();
                branch.iter().for_each(|condition| bind(condition, &mut inside));
                inside
            });
            let first = of_branches.next().unwrap_or_default();
            bound.extend(of_branches.fold(first, |all, one| all.intersection(&one).copied().collect()));
        }
    }
}

/// Adds the variables of the atom.
pub(crate) fn atom_variables(atom: &Atom, all: &mut Variables) {
    atom.arguments.iter().for_each(|term| variables(term, all));
}

/// Adds the variables of the term.
pub(crate) fn variables(term: &Term, all: &mut Variables) {
    match term {
        Term::Constant(_) => {}
        Term::Variable(variable) => {
            all.insert(*variable);
        }
        Term::Compound(_, arguments) => arguments.iter().for_each(|term| variables(term, all)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex_gdl::{Source, load};

    fn order_of_last(text: &str) -> Vec<String> {
        let rules = load(&Source::new("test.kif", text)).rules;
        let rule = rules.rules.last().expect("a rule");
        let order = ordered(&rules, &rule.body, &mut Variables::default());
        let text = rules.display(rule).to_string();
        let body = text.split_once(" if ").expect("conditions").1;
        let words: Vec<_> = body.split(" and ").collect();
        let place = |c: &Condition| rule.body.iter().position(|other| std::ptr::eq(other, c));
        order.into_iter().map(|c| words[place(c).expect("of the rule")].to_string()).collect()
    }

    #[test]
    fn tests_come_when_their_variables_have_values() {
        let order =
            order_of_last("(p 1) (q 1 2) (<= (r ?x ?y) (not (p ?y)) (distinct ?x ?y) (p ?x) (q ?x ?y))");
        assert_eq!(order, ["p(?x)", "q(?x, ?y)", "not p(?y)", "?x != ?y"]);
    }

    #[test]
    fn variables_that_nothing_binds_hold_nothing_up() {
        let order = order_of_last("(p 1) (q 1 2) (<= (r ?x) (not (q ?x ?nobody)) (p ?x))");
        assert_eq!(order, ["p(?x)", "not q(?x, ?nobody)"]);
    }
}

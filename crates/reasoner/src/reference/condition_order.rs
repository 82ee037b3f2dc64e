//! The order in which the conditions of a rule are tried.
//!
//! The order does not change what a rule says, but a comparison needs the values of its variables,
//! a negated condition means something else before they are known, and some relations must be given
//! values by whoever uses them. So: whatever has all its values is tested at once; otherwise the
//! conditions that find values go in the order of the sheet; negated conditions whose variables get
//! no value from anywhere come last, and mean "for no value".

use std::collections::BTreeSet;

use super::pattern::ReferencePattern;
use super::program::{ReferenceCondition, ReferenceProgram};

/// The order for a rule whose head has values at certain positions.
#[derive(Debug)]
pub(super) struct ConditionOrder {
    pub(super) rule: usize,
    /// Conditions by number.
    pub(super) order: Vec<usize>,
    /// After these conditions the rule cannot be gone on with, because this variable has no value.
    pub(super) lacks: Option<u32>,
}

/// Plans a rule for questions that have values at the positions of `bound`.
pub(super) fn plan(program: &ReferenceProgram, rule: usize, bound: &[bool]) -> ConditionOrder {
    let body = &program.rules[rule].body;
    let mut planner = Planner {
        known: vec![false; program.rules[rule].variables],
        conditions: Vec::with_capacity(body.len()),
        uses: vec![Vec::new(); program.rules[rule].variables],
        tests: BTreeSet::new(),
        sources: BTreeSet::new(),
    };
    for (at, condition) in body.iter().enumerate() {
        planner.add(program, at, condition);
    }
    let head = &program.rules[rule].head.arguments;
    let mut given = Vec::new();
    for (argument, _) in head.iter().zip(bound).filter(|(_, bound)| **bound) {
        argument.variables(&mut given);
    }
    given.into_iter().for_each(|variable| planner.learn(variable));
    let mut order = Vec::with_capacity(body.len());
    let mut done = vec![false; body.len()];
    while let Some(at) = planner.choose() {
        done[at] = true;
        order.push(at);
        planner.finish(at, &body[at]);
    }
    // Equality comes first among what is left: one side may still give the other its values.
    let left = |is_same: bool| {
        (0..body.len()).filter(move |&at| matches!(body[at], ReferenceCondition::Same(..)) == is_same)
    };
    let mut lacks = None;
    for at in left(true).chain(left(false)).filter(|&at| !done[at]) {
        let missing = match &body[at] {
            ReferenceCondition::Same(..) => None,
            ReferenceCondition::Fails(atom) => planner.missing(program, atom.relation, &atom.arguments),
            condition => condition.variables().into_iter().find(|&v| !planner.known(v)),
        };
        match missing {
            None => order.push(at),
            missing => lacks = lacks.or(missing),
        }
    }
    ConditionOrder { rule, order, lacks }
}

struct Planner {
    known: Vec<bool>,
    conditions: Vec<Needs>,
    /// By variable: the conditions that have it.
    uses: Vec<Vec<usize>>,
    /// Conditions not yet taken whose variables all have values.
    tests: BTreeSet<usize>,
    /// Conditions not yet taken that can find values.
    sources: BTreeSet<usize>,
}

/// What a condition waits for.
struct Needs {
    /// Variables without values.
    open: usize,
    /// Variables that must have values before the condition can find others; none if it cannot.
    demanded: Option<Vec<u32>>,
}

impl Planner {
    fn known(&self, variable: u32) -> bool {
        self.known.get(variable as usize).copied().unwrap_or(true)
    }

    fn add(&mut self, program: &ReferenceProgram, at: usize, condition: &ReferenceCondition) {
        let mut variables = condition.variables();
        variables.sort_unstable();
        variables.dedup();
        for &variable in &variables {
            if let Some(uses) = self.uses.get_mut(variable as usize) {
                uses.push(at);
            }
        }
        let demanded = match condition {
            ReferenceCondition::Holds(atom) => {
                let mut demanded = Vec::new();
                for &position in &program.relations[atom.relation].demanded {
                    if let Some(argument) = atom.arguments.get(position) {
                        argument.variables(&mut demanded);
                    }
                }
                Some(demanded)
            }
            _ => None,
        };
        self.conditions.push(Needs { open: variables.len(), demanded });
        self.consider(at);
    }

    /// Puts a condition where it belongs by what is known now.
    fn consider(&mut self, at: usize) {
        let needs = &self.conditions[at];
        if needs.open == 0 {
            self.sources.remove(&at);
            self.tests.insert(at);
        } else if needs.demanded.as_ref().is_some_and(|d| d.iter().all(|&v| self.known(v))) {
            self.sources.insert(at);
        }
    }

    fn learn(&mut self, variable: u32) {
        let Some(known) = self.known.get_mut(variable as usize) else { return };
        if std::mem::replace(known, true) {
            return;
        }
        for at in std::mem::take(&mut self.uses[variable as usize]) {
            self.conditions[at].open -= 1;
            self.consider(at);
        }
    }

    fn choose(&mut self) -> Option<usize> {
        self.tests.pop_first().or_else(|| self.sources.pop_first())
    }

    fn finish(&mut self, at: usize, condition: &ReferenceCondition) {
        if let ReferenceCondition::Holds(_) = condition {
            condition.variables().into_iter().for_each(|variable| self.learn(variable));
            // Learning its own variables has made the condition look like a test.
            self.tests.remove(&at);
        }
    }

    /// A variable that a relation demands and that has no value.
    fn missing(
        &self,
        program: &ReferenceProgram,
        relation: usize,
        arguments: &[ReferencePattern],
    ) -> Option<u32> {
        let mut variables = Vec::new();
        for &position in &program.relations[relation].demanded {
            if let Some(argument) = arguments.get(position) {
                argument.variables(&mut variables);
            }
        }
        variables.into_iter().find(|&v| !self.known(v))
    }
}

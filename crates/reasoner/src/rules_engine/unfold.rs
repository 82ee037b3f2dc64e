//! Unfolding: conditions on a relation with a single clause become the conditions of that clause.
//!
//! It saves calls and lets the planner order everything together, but what was found once for a
//! call is found again wherever the clause now stands. Trial play decides how much of it is good.

use super::compile::Stores;
use super::program::{BodyGoal, Clause, RelationId, RulesLiteral, RulesPattern, RulesProgram, TupleSource};

/// How much is unfolded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Unfolding {
    /// Nothing.
    Nothing,
    /// Short clauses without variables of their own: nothing is found twice.
    #[default]
    Careful,
    /// Short clauses.
    Bold,
}

/// Longest body that is unfolded.
const SHORT: usize = 4;
/// Clauses do not grow beyond this.
const LONG: usize = 24;

/// The program with conditions unfolded.
pub(super) fn unfold(program: &RulesProgram, stores: &Stores, how: Unfolding) -> RulesProgram {
    let mut unfolded = program.clone();
    if how == Unfolding::Nothing {
        return unfolded;
    }
    let mut order: Vec<RelationId> = (0..program.relations.len()).collect();
    order.sort_by_key(|&relation| program.components[relation]);
    for relation in order {
        for &number in &program.relations[relation].clauses {
            let clause = unfolded.clauses[number].clone();
            unfolded.clauses[number] = Unfolder { program: &unfolded, stores, how }.clause(clause);
        }
    }
    unfolded
}

struct Unfolder<'a> {
    program: &'a RulesProgram,
    stores: &'a Stores,
    how: Unfolding,
}

impl Unfolder<'_> {
    fn clause(&self, mut clause: Clause) -> Clause {
        let body = std::mem::take(&mut clause.body);
        let mut left = body.len();
        for goal in body {
            left -= 1;
            let room = LONG.saturating_sub(clause.body.len() + left);
            self.goal(goal, room, &mut clause.variables, &mut clause.body);
        }
        clause
    }

    fn goal(&self, goal: BodyGoal, room: usize, variables: &mut usize, into: &mut Vec<BodyGoal>) {
        match goal {
            BodyGoal::Holds(literal) => match self.single(literal.relation) {
                Some(found) if found.body.len() <= room.min(SHORT) && self.allowed(found, &literal) => {
                    into.extend(instance(found, &literal, variables));
                }
                _ => into.push(BodyGoal::Holds(literal)),
            },
            BodyGoal::Fails(literal) => into.push(BodyGoal::Fails(match self.single(literal.relation) {
                Some(found) => self.negated(found, &literal, variables).unwrap_or(literal),
                None => literal,
            })),
            BodyGoal::Any(branches) => {
                let branch = |branch: Vec<BodyGoal>| {
                    let mut goals = Vec::new();
                    for goal in branch {
                        self.test(goal, variables, &mut goals);
                    }
                    goals
                };
                into.push(BodyGoal::Any(branches.into_iter().map(branch).collect()));
            }
            other => into.push(other),
        }
    }

    /// Within a disjunction conditions are mere tests and stay so.
    fn test(&self, goal: BodyGoal, variables: &mut usize, into: &mut Vec<BodyGoal>) {
        let tests = |goal: &BodyGoal| !matches!(goal, BodyGoal::Any(_));
        if let BodyGoal::Holds(literal) = &goal
            && let Some(found) = self.single(literal.relation)
            && found.body.len() <= SHORT
            && !has_own(found)
            && found.body.iter().all(tests)
        {
            into.extend(instance(found, literal, variables));
            return;
        }
        into.push(goal);
    }

    /// The only clause of a relation that can be unfolded.
    fn single(&self, relation: RelationId) -> Option<&Clause> {
        let info = self.program.relation(relation);
        let [only] = info.clauses.as_slice() else { return None };
        if info.kind != TupleSource::Derived || self.stores.has(relation) {
            return None;
        }
        let clause = &self.program.clauses[*only];
        let mut plain = true;
        for goal in &clause.body {
            let component = self.program.components[relation];
            RulesProgram::uses(goal, &mut |used| plain &= self.program.components[used] != component);
        }
        // Heads with terms would need conditions to take the arguments apart.
        let mut seen = Vec::new();
        for argument in &clause.head.arguments {
            match argument {
                RulesPattern::Variable(v) if !seen.contains(v) => seen.push(*v),
                _ => return None,
            }
        }
        plain.then_some(clause)
    }

    fn allowed(&self, found: &Clause, literal: &RulesLiteral) -> bool {
        let required = &self.program.relation(literal.relation).required;
        self.how == Unfolding::Bold || !has_own(found) || required.contains(&true)
    }

    /// The literal whose negation is that of the relation, if its clause is nothing but that.
    fn negated(&self, found: &Clause, literal: &RulesLiteral, variables: &mut usize) -> Option<RulesLiteral> {
        let [BodyGoal::Holds(inside)] = found.body.as_slice() else { return None };
        // Variables of its own must be such that a test can ignore them: in one place each, and not
        // within a term unless the test looks into terms.
        let mut counts = vec![0; found.variables];
        inside.variables(&mut |v| counts[v] += 1);
        found.head.variables(&mut |v| counts[v] = 0);
        let plain = inside.arguments.iter().all(|a| !matches!(a, RulesPattern::Compound(..)));
        let good = match self.program.relation(inside.relation).kind {
            TupleSource::True => true,
            TupleSource::Derived => {
                plain && literal.arguments.iter().all(|a| !matches!(a, RulesPattern::Compound(..)))
            }
            TupleSource::Does => false,
        };
        if !good || counts.iter().any(|&count| count > 1) {
            return None;
        }
        let map = mapping(found, literal, variables);
        Some(replace_literal(inside, &map))
    }
}

/// Whether a clause has variables that its head does not have.
fn has_own(clause: &Clause) -> bool {
    clause.variables > clause.head.arguments.len()
}

/// The body of a clause for the arguments of a condition; variables of its own get new numbers.
fn instance(found: &Clause, literal: &RulesLiteral, variables: &mut usize) -> Vec<BodyGoal> {
    let map = mapping(found, literal, variables);
    found.body.iter().map(|goal| replace_goal(goal, &map)).collect()
}

/// By variable of a clause: what stands for it.
fn mapping(found: &Clause, literal: &RulesLiteral, variables: &mut usize) -> Vec<RulesPattern> {
    let mut map: Vec<Option<RulesPattern>> = vec![None; found.variables];
    for (parameter, argument) in found.head.arguments.iter().zip(&literal.arguments) {
        if let RulesPattern::Variable(v) = parameter {
            map[*v] = Some(argument.clone());
        }
    }
    let mut new = || {
        *variables += 1;
        RulesPattern::Variable(*variables - 1)
    };
    map.into_iter().map(|pattern| pattern.unwrap_or_else(&mut new)).collect()
}

fn replace(pattern: &RulesPattern, map: &[RulesPattern]) -> RulesPattern {
    match pattern {
        RulesPattern::Variable(v) => map[*v].clone(),
        RulesPattern::Ground(term) => RulesPattern::Ground(*term),
        // It may have become ground; the compiler builds it once more where it is needed.
        RulesPattern::Compound(symbol, arguments) => {
            RulesPattern::Compound(*symbol, arguments.iter().map(|a| replace(a, map)).collect())
        }
    }
}

fn replace_literal(literal: &RulesLiteral, map: &[RulesPattern]) -> RulesLiteral {
    let arguments = literal.arguments.iter().map(|a| replace(a, map)).collect();
    RulesLiteral { relation: literal.relation, arguments }
}

fn replace_goal(goal: &BodyGoal, map: &[RulesPattern]) -> BodyGoal {
    match goal {
        BodyGoal::Holds(literal) => BodyGoal::Holds(replace_literal(literal, map)),
        BodyGoal::Fails(literal) => BodyGoal::Fails(replace_literal(literal, map)),
        BodyGoal::Differ(a, b) => BodyGoal::Differ(replace(a, map), replace(b, map)),
        BodyGoal::Same(a, b) => BodyGoal::Same(replace(a, map), replace(b, map)),
        BodyGoal::Any(branches) => {
            let branch = |goals: &Vec<BodyGoal>| goals.iter().map(|goal| replace_goal(goal, map)).collect();
            BodyGoal::Any(branches.iter().map(branch).collect())
        }
    }
}

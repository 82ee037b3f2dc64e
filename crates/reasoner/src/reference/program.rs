//! The rules in the form in which they are proved: without alternatives, ground facts apart.
//!
//! - An `or` becomes a relation of its own over the variables that it shares with the rest of its
//!   rule, with one rule for each alternative.
//! - A rule for `legal` or `goal` that gives the player no value gets the condition `(role ?player)`.

use std::sync::Arc;

use ludex_game::Failure;
use ludex_gdl::{Atom as SheetAtom, Condition as SheetCondition, Rules, Term, keyword};

use super::pattern::{ReferencePattern, TermStore};
use super::rows::RelationRows;
use crate::term::TermId;

/// A relation with patterns for its arguments.
#[derive(Clone, Debug)]
pub(super) struct ReferenceAtom {
    pub(super) relation: usize,
    pub(super) arguments: Box<[ReferencePattern]>,
}

impl ReferenceAtom {
    /// All variables, with repetitions.
    pub(super) fn variables(&self) -> Vec<u32> {
        let mut variables = Vec::new();
        self.arguments.iter().for_each(|a| a.variables(&mut variables));
        variables
    }
}

/// What must be the case for a rule to fire.
#[derive(Clone, Debug)]
pub(super) enum ReferenceCondition {
    Holds(ReferenceAtom),
    Fails(ReferenceAtom),
    Differ(ReferencePattern, ReferencePattern),
    Same(ReferencePattern, ReferencePattern),
}

impl ReferenceCondition {
    /// All variables, with repetitions.
    pub(super) fn variables(&self) -> Vec<u32> {
        match self {
            ReferenceCondition::Holds(atom) | ReferenceCondition::Fails(atom) => atom.variables(),
            ReferenceCondition::Differ(a, b) | ReferenceCondition::Same(a, b) => {
                let mut variables = Vec::new();
                a.variables(&mut variables);
                b.variables(&mut variables);
                variables
            }
        }
    }
}

/// A rule without alternatives.
#[derive(Debug)]
pub(super) struct ReferenceRule {
    pub(super) head: ReferenceAtom,
    pub(super) body: Vec<ReferenceCondition>,
    /// Number of variables.
    pub(super) variables: usize,
    /// The rule of the sheet that it comes from.
    pub(super) origin: usize,
}

/// What the sentences of a relation depend on; each kind includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// The rules alone: true once, true always.
    Always,
    /// The state.
    State,
    /// The moves that are made in a state.
    Moves,
}

/// Where the sentences of a relation come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// `true`: the facts of the state.
    State,
    /// `does`: the moves.
    Moves,
    /// Ground facts of the sheet, and nothing else.
    Facts,
    /// Rules, and perhaps ground facts too.
    Rules,
}

/// A relation of the sheet, or one that stands for an `or`.
#[derive(Debug)]
pub(super) struct ReferenceRelation {
    pub(super) origin: Origin,
    pub(super) scope: Scope,
    pub(super) facts: RelationRows,
    pub(super) rules: Vec<usize>,
    /// Positions that must have a value where the relation is used.
    pub(super) demanded: Vec<usize>,
}

/// All rules of a sheet, ready to be proved.
#[derive(Debug)]
pub(super) struct ReferenceProgram {
    pub(super) sheet: Arc<Rules>,
    /// Those of the sheet come first, with the same numbers.
    pub(super) relations: Vec<ReferenceRelation>,
    pub(super) rules: Vec<ReferenceRule>,
}

impl ReferenceProgram {
    pub(super) fn new(sheet: Arc<Rules>, store: &mut TermStore) -> Result<Self, Failure> {
        let mut builder = ProgramBuilder {
            program: ReferenceProgram { sheet: sheet.clone(), relations: Vec::new(), rules: Vec::new() },
            store,
        };
        for info in &sheet.relations {
            let players = info.arity == 2 && matches!(info.symbol, keyword::LEGAL | keyword::GOAL);
            let demanded = info.given_by_caller.iter().copied().filter(|&at| !(players && at == 0));
            let origin = match (info.symbol, info.arity) {
                (keyword::TRUE, 1) => Origin::State,
                (keyword::DOES, 2) => Origin::Moves,
                _ => Origin::Facts, // unless there are rules
            };
            builder.relation(origin, demanded.collect());
        }
        for at in 0..sheet.rules.len() {
            builder.rule(at)?;
        }
        let mut program = builder.program;
        program.relations.iter_mut().for_each(|relation| relation.facts.finish());
        program.find_scopes();
        Ok(program)
    }

    /// Spreads from `true` and `does` to everything that depends on them.
    fn find_scopes(&mut self) {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.relations.len()];
        for rule in &self.rules {
            for condition in &rule.body {
                if let ReferenceCondition::Holds(atom) | ReferenceCondition::Fails(atom) = condition {
                    users[atom.relation].push(rule.head.relation);
                }
            }
        }
        for (origin, scope) in [(Origin::State, Scope::State), (Origin::Moves, Scope::Moves)] {
            let starts = (0..self.relations.len()).filter(|&r| self.relations[r].origin == origin);
            let mut open: Vec<usize> = starts.collect();
            while let Some(relation) = open.pop() {
                let known = &mut self.relations[relation].scope;
                if *known < scope {
                    *known = scope;
                    open.extend(&users[relation]);
                }
            }
        }
    }

    /// The variables that have values when all conditions hold, as far as they get them there.
    fn given(&self, body: &[ReferenceCondition]) -> Vec<u32> {
        let mut given = Vec::new();
        for condition in body {
            if let ReferenceCondition::Holds(atom) = condition {
                let demanded = &self.relations[atom.relation].demanded;
                for (position, argument) in atom.arguments.iter().enumerate() {
                    if !demanded.contains(&position) {
                        argument.variables(&mut given);
                    }
                }
            }
        }
        given.sort_unstable();
        given.dedup();
        given
    }
}

struct ProgramBuilder<'a> {
    program: ReferenceProgram,
    store: &'a mut TermStore,
}

impl ProgramBuilder<'_> {
    fn relation(&mut self, origin: Origin, demanded: Vec<usize>) -> usize {
        let facts = RelationRows::default();
        self.program.relations.push(ReferenceRelation {
            origin,
            scope: Scope::Always,
            facts,
            rules: Vec::new(),
            demanded,
        });
        self.program.relations.len() - 1
    }

    fn add(&mut self, rule: ReferenceRule) {
        let relation = &mut self.program.relations[rule.head.relation];
        // Nothing but the state and the moves decides what `true` and `does` say.
        if !matches!(relation.origin, Origin::State | Origin::Moves) {
            relation.origin = Origin::Rules;
            relation.rules.push(self.program.rules.len());
            self.program.rules.push(rule);
        }
    }

    fn rule(&mut self, origin: usize) -> Result<(), Failure> {
        let sheet = self.program.sheet.clone();
        let rule = &sheet.rules[origin];
        let head = self.atom(&rule.head)?;
        if let Some(row) = ground(&head).filter(|_| rule.body.is_empty()) {
            self.program.relations[head.relation].facts.insert(&row);
            return Ok(());
        }
        let mut uses = vec![0; rule.variables.len()];
        rule.head.arguments.iter().for_each(|term| count_term(term, &mut uses));
        count(&rule.body, &mut uses);
        let scope = InRule { origin, uses: &uses };
        let mut body = Vec::new();
        self.conditions(&rule.body, scope, &mut body)?;
        let symbol = sheet.info(rule.head.relation).symbol;
        if matches!(symbol, keyword::LEGAL | keyword::GOAL)
            && let [ReferencePattern::Variable(player), _] = &*head.arguments
            && self.program.given(&body).binary_search(player).is_err()
        {
            let Some(role) = sheet.relation(keyword::ROLE, 1) else { return Ok(()) };
            let arguments = Box::new([ReferencePattern::Variable(*player)]);
            body.push(ReferenceCondition::Holds(ReferenceAtom { relation: role.index(), arguments }));
        }
        self.add(ReferenceRule { head, body, variables: uses.len(), origin });
        Ok(())
    }

    fn atom(&mut self, atom: &SheetAtom) -> Result<ReferenceAtom, Failure> {
        let arguments: Result<_, Failure> = atom.arguments.iter().map(|t| self.store.pattern(t)).collect();
        Ok(ReferenceAtom { relation: atom.relation.index(), arguments: arguments? })
    }

    fn conditions(
        &mut self,
        conditions: &[SheetCondition],
        rule: InRule<'_>,
        into: &mut Vec<ReferenceCondition>,
    ) -> Result<(), Failure> {
        for condition in conditions {
            into.push(match condition {
                SheetCondition::Holds(atom) => ReferenceCondition::Holds(self.atom(atom)?),
                SheetCondition::Fails(atom) => ReferenceCondition::Fails(self.atom(atom)?),
                SheetCondition::Differ(a, b) => {
                    ReferenceCondition::Differ(self.store.pattern(a)?, self.store.pattern(b)?)
                }
                SheetCondition::Same(a, b) => {
                    ReferenceCondition::Same(self.store.pattern(a)?, self.store.pattern(b)?)
                }
                SheetCondition::Any(branches) => match branches.as_slice() {
                    [only] => {
                        self.conditions(only, rule, into)?;
                        continue;
                    }
                    _ => ReferenceCondition::Holds(self.any(branches, rule)?),
                },
            });
        }
        Ok(())
    }

    /// A relation that holds when one of the branches does.
    fn any(&mut self, branches: &[Vec<SheetCondition>], rule: InRule<'_>) -> Result<ReferenceAtom, Failure> {
        let mut inside = vec![0; rule.uses.len()];
        branches.iter().for_each(|branch| count(branch, &mut inside));
        let shared = (0u32..).zip(&inside).zip(rule.uses);
        let shared: Vec<u32> =
            shared.filter(|((_, inside), all)| **inside > 0 && *inside < *all).map(|((v, _), _)| v).collect();
        let mut bodies = Vec::new();
        let mut demanded = vec![false; shared.len()];
        for branch in branches {
            let mut body = Vec::new();
            self.conditions(branch, rule, &mut body)?;
            let given = self.program.given(&body);
            for (variable, demanded) in shared.iter().zip(&mut demanded) {
                *demanded |= given.binary_search(variable).is_err();
            }
            bodies.push(body);
        }
        let demanded = (0..shared.len()).filter(|&at| demanded[at]).collect();
        let relation = self.relation(Origin::Rules, demanded);
        let head = ReferenceAtom {
            relation,
            arguments: shared.into_iter().map(ReferencePattern::Variable).collect(),
        };
        for body in bodies {
            self.add(ReferenceRule {
                head: head.clone(),
                body,
                variables: rule.uses.len(),
                origin: rule.origin,
            });
        }
        Ok(head)
    }
}

/// Where alternatives stand: the rule of the sheet, and how often it has each of its variables.
#[derive(Clone, Copy)]
struct InRule<'a> {
    origin: usize,
    uses: &'a [usize],
}

fn ground(atom: &ReferenceAtom) -> Option<Vec<TermId>> {
    let term = |pattern: &ReferencePattern| match pattern {
        ReferencePattern::Ground(term) => Some(*term),
        _ => None,
    };
    atom.arguments.iter().map(term).collect()
}

fn count_term(term: &Term, uses: &mut [usize]) {
    match term {
        Term::Constant(_) => {}
        Term::Variable(variable) => {
            if let Some(count) = uses.get_mut(*variable as usize) {
                *count += 1;
            }
        }
        Term::Compound(_, arguments) => arguments.iter().for_each(|a| count_term(a, uses)),
    }
}

fn count(conditions: &[SheetCondition], uses: &mut [usize]) {
    for condition in conditions {
        match condition {
            SheetCondition::Holds(atom) | SheetCondition::Fails(atom) => {
                atom.arguments.iter().for_each(|term| count_term(term, uses));
            }
            SheetCondition::Differ(a, b) | SheetCondition::Same(a, b) => {
                count_term(a, uses);
                count_term(b, uses);
            }
            SheetCondition::Any(branches) => branches.iter().for_each(|branch| count(branch, uses)),
        }
    }
}

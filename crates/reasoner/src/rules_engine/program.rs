//! The program: the rules of a sheet in the form that plans are made from.
//!
//! Ground terms are numbers, disjunctions are either tests of values that other conditions give or
//! relations of their own, negations with variables of their own inside terms are relations of
//! their own too. What is left of a body is a flat list of conditions that a planner can put in any
//! order.

use ludex_gdl::{Symbol, keyword};

use super::components::components;
use crate::term::TermId;

/// Number of a relation in its [`RulesProgram`].
pub(super) type RelationId = usize;

/// A term of a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RulesPattern {
    /// A variable of the clause.
    Variable(usize),
    /// A term without variables.
    Ground(TermId),
    /// A name with arguments, variables somewhere inside.
    Compound(Symbol, Box<[RulesPattern]>),
}

impl RulesPattern {
    /// Calls `visit` with every variable, as often as it occurs.
    pub(super) fn variables(&self, visit: &mut impl FnMut(usize)) {
        match self {
            RulesPattern::Variable(variable) => visit(*variable),
            RulesPattern::Ground(_) => {}
            RulesPattern::Compound(_, arguments) => arguments.iter().for_each(|a| a.variables(visit)),
        }
    }
}

/// A relation with arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RulesLiteral {
    /// Which relation.
    pub relation: RelationId,
    /// As many as it takes.
    pub arguments: Vec<RulesPattern>,
}

impl RulesLiteral {
    /// Calls `visit` with every variable, as often as it occurs.
    pub(super) fn variables(&self, visit: &mut impl FnMut(usize)) {
        self.arguments.iter().for_each(|a| a.variables(visit));
    }
}

/// A condition of a clause.
#[derive(Clone, Debug)]
pub(super) enum BodyGoal {
    /// The literal holds.
    Holds(RulesLiteral),
    /// It does not, for any value of variables without one.
    Fails(RulesLiteral),
    /// The terms differ.
    Differ(RulesPattern, RulesPattern),
    /// The terms are the same.
    Same(RulesPattern, RulesPattern),
    /// One of the lists of tests passes; all variables get their values elsewhere.
    Any(Vec<Vec<BodyGoal>>),
}

impl BodyGoal {
    /// Calls `visit` with every variable, as often as it occurs.
    pub(super) fn variables(&self, visit: &mut impl FnMut(usize)) {
        match self {
            BodyGoal::Holds(literal) | BodyGoal::Fails(literal) => literal.variables(visit),
            BodyGoal::Differ(a, b) | BodyGoal::Same(a, b) => {
                a.variables(visit);
                b.variables(visit);
            }
            BodyGoal::Any(branches) => branches.iter().flatten().for_each(|goal| goal.variables(visit)),
        }
    }
}

/// A rule or a fact.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    /// What it derives.
    pub head: RulesLiteral,
    /// All must be the case.
    pub body: Vec<BodyGoal>,
    /// Number of variables.
    pub variables: usize,
}

/// What the truth of a relation depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Level {
    /// Nothing but the rules.
    Fixed,
    /// The state.
    State,
    /// The state and the moves.
    Moves,
}

/// Where the tuples of a relation come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TupleSource {
    /// The facts of the state.
    True,
    /// The moves.
    Does,
    /// Its clauses.
    Derived,
}

/// A relation.
#[derive(Clone, Debug)]
pub(super) struct RulesRelation {
    /// For messages.
    pub name: String,
    /// Number of arguments.
    pub arity: usize,
    /// Where its tuples come from.
    pub kind: TupleSource,
    /// What it depends on.
    pub level: Level,
    /// Its clauses, by number.
    pub clauses: Vec<usize>,
    /// By position: must have a value where the relation is used.
    pub required: Vec<bool>,
}

/// The rules of a sheet.
#[derive(Clone, Debug, Default)]
pub(super) struct RulesProgram {
    /// By number.
    pub relations: Vec<RulesRelation>,
    /// By number.
    pub clauses: Vec<Clause>,
    /// By relation: the component of the graph of uses that it belongs to.
    pub components: Vec<usize>,
    /// The roles.
    pub roles: Vec<TermId>,
    /// The relations that play asks for, if the sheet has them.
    pub init: Option<RelationId>,
    /// See `init`.
    pub terminal: Option<RelationId>,
    /// See `init`.
    pub legal: Option<RelationId>,
    /// See `init`.
    pub next: Option<RelationId>,
    /// See `init`.
    pub goal: Option<RelationId>,
}

impl RulesProgram {
    /// Which relation has this number.
    pub(super) fn relation(&self, id: RelationId) -> &RulesRelation {
        &self.relations[id]
    }

    /// The relations that play asks for.
    pub(super) fn asked(&self) -> impl Iterator<Item = RelationId> {
        [self.init, self.terminal, self.legal, self.next, self.goal].into_iter().flatten()
    }

    /// Calls `visit` with every relation that a goal uses.
    pub(super) fn uses(goal: &BodyGoal, visit: &mut impl FnMut(RelationId)) {
        match goal {
            BodyGoal::Holds(literal) | BodyGoal::Fails(literal) => visit(literal.relation),
            BodyGoal::Differ(..) | BodyGoal::Same(..) => {}
            BodyGoal::Any(branches) => branches.iter().flatten().for_each(|goal| Self::uses(goal, visit)),
        }
    }

    /// Finds out which relations use each other.
    pub(super) fn set_components(&mut self) {
        let uses: Vec<Vec<usize>> = (0..self.relations.len()).map(|r| self.used_by(r)).collect();
        self.components = components(&uses);
    }

    /// Relations that `asked` ones lead to, each after all those it uses that do not use it.
    pub(super) fn in_order(&self) -> Vec<RelationId> {
        let mut found: Vec<RelationId> = self.asked().collect();
        let mut seen = vec![false; self.relations.len()];
        found.iter().for_each(|&relation| seen[relation] = true);
        let mut at = 0;
        while at < found.len() {
            for used in self.used_by(found[at]) {
                if !std::mem::replace(&mut seen[used], true) {
                    found.push(used);
                }
            }
            at += 1;
        }
        found.sort_by_key(|&relation| (self.components[relation], relation));
        found
    }

    fn used_by(&self, relation: RelationId) -> Vec<RelationId> {
        let mut used = Vec::new();
        for &clause in &self.relations[relation].clauses {
            for goal in &self.clauses[clause].body {
                Self::uses(goal, &mut |relation| used.push(relation));
            }
        }
        used.sort_unstable();
        used.dedup();
        used
    }

    /// Finds out what each relation depends on.
    pub(super) fn set_levels(&mut self) {
        loop {
            let mut changed = false;
            for clause in &self.clauses {
                let mut level = self.relations[clause.head.relation].level;
                for goal in &clause.body {
                    Self::uses(goal, &mut |used| level = level.max(self.relations[used].level));
                }
                let known = &mut self.relations[clause.head.relation].level;
                changed |= *known != level;
                *known = level;
            }
            if !changed {
                return;
            }
        }
    }
}

/// Where the tuples of a relation of a sheet come from.
pub(super) fn kind(symbol: Symbol, arity: usize) -> TupleSource {
    match (symbol, arity) {
        (keyword::TRUE, 1) => TupleSource::True,
        (keyword::DOES, 2) => TupleSource::Does,
        _ => TupleSource::Derived,
    }
}

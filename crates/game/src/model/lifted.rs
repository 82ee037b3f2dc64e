//! Lifted rules: heads, bodies and variables as written, in types of this crate's own.

use std::sync::Arc;

use super::term::{SymbolId, Symbols};
use crate::conversion::number;
use crate::signature::Fnv;

/// Number of a relation in [`LiftedRules::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId(pub u32);

/// A relation: two arities of one name are two relations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Its name; `true`, `does`, `legal` and so on are relations like others.
    pub name: SymbolId,
    /// Number of arguments.
    pub arity: usize,
    /// Argument places that its rules leave open: they have values only where the relation is used.
    pub given_by_caller: Vec<usize>,
}

/// A term that may have variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pattern {
    /// A variable, by its number in [`Rule::variables`].
    Variable(u32),
    /// A name with arguments; a constant has none.
    Apply(SymbolId, Vec<Pattern>),
}

/// A relation with arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    /// Which relation.
    pub relation: RelationId,
    /// As many as the relation takes.
    pub arguments: Vec<Pattern>,
}

/// A condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Condition {
    /// The atom holds.
    Holds(Atom),
    /// The atom does not hold, for any value of variables that have none.
    Fails(Atom),
    /// The terms are different.
    Differ(Pattern, Pattern),
    /// The terms are the same.
    Same(Pattern, Pattern),
    /// All conditions of at least one of the lists hold.
    Any(Vec<Vec<Condition>>),
}

/// A rule; a fact of the rule sheet is a rule without conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What the rule derives.
    pub head: Atom,
    /// All must hold.
    pub body: Vec<Condition>,
    /// Names of the variables, by number, with their question marks.
    pub variables: Vec<String>,
}

/// Where a variable occurs in a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The relation of the atom.
    pub relation: RelationId,
    /// Whether the atom is the head.
    pub in_head: bool,
    /// Whether the atom is negated.
    pub negated: bool,
    /// The argument position, then the positions inside nested terms.
    pub path: Vec<usize>,
}

/// The rules of a game as written, without syntax.
#[derive(Clone, Debug)]
pub struct LiftedRules {
    /// The names; ground terms of the same model use the same.
    pub symbols: Arc<Symbols>,
    /// By number.
    pub relations: Vec<Relation>,
    /// In the order of the rule sheet.
    pub rules: Vec<Rule>,
    /// The roles in their order; without variables.
    pub roles: Vec<Pattern>,
    hash: u64,
}

impl LiftedRules {
    /// These rules; computes their hash.
    pub fn new(
        symbols: Arc<Symbols>,
        relations: Vec<Relation>,
        rules: Vec<Rule>,
        roles: Vec<Pattern>,
    ) -> Self {
        let mut lifted = Self { symbols, relations, rules, roles, hash: 0 };
        lifted.hash = lifted.compute_hash();
        lifted
    }

    /// FNV-1a over the roles in their order and the rules as text, sorted, each once.
    ///
    /// Variables count by number and names in lower case. So the hash is the same on every machine,
    /// and layout, comments, letter case, names of variables and the order of rules do not matter.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The relation with this name and arity.
    pub fn relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        let is_it = |r: &Relation| r.arity == arity && self.symbols.text(r.name) == name;
        self.relations.iter().position(is_it).map(|at| RelationId(number(at)))
    }

    /// Name and arity of a relation.
    pub fn info(&self, relation: RelationId) -> Option<&Relation> {
        self.relations.get(relation.0 as usize)
    }

    /// A rule in prefix form with variables by number: `(<= (next (p ?0)) (true (p ?0)))`.
    pub fn text(&self, rule: &Rule) -> String {
        let mut text = String::new();
        if rule.body.is_empty() {
            self.write_atom(&rule.head, &mut text);
            return text;
        }
        text.push_str("(<= ");
        self.write_atom(&rule.head, &mut text);
        self.write_all(&rule.body, &mut text);
        text.push(')');
        text
    }

    fn compute_hash(&self) -> u64 {
        let mut hash = Fnv::default();
        for role in &self.roles {
            let mut text = String::new();
            self.write_pattern(role, &mut text);
            hash.add(&text);
        }
        let mut texts: Vec<String> = self.rules.iter().map(|rule| self.text(rule)).collect();
        texts.sort_unstable();
        texts.dedup();
        hash.add("rules");
        texts.iter().for_each(|text| hash.add(text));
        hash.value()
    }

    fn write_all(&self, conditions: &[Condition], out: &mut String) {
        for condition in conditions {
            out.push(' ');
            self.write_condition(condition, out);
        }
    }

    fn write_condition(&self, condition: &Condition, out: &mut String) {
        match condition {
            Condition::Holds(atom) => self.write_atom(atom, out),
            Condition::Fails(atom) => {
                out.push_str("(not ");
                self.write_atom(atom, out);
                out.push(')');
            }
            Condition::Differ(a, b) | Condition::Same(a, b) => {
                let differ = matches!(condition, Condition::Differ(..));
                out.push_str(if differ { "(distinct " } else { "(same " });
                self.write_pattern(a, out);
                out.push(' ');
                self.write_pattern(b, out);
                out.push(')');
            }
            Condition::Any(branches) => {
                out.push_str("(or");
                for branch in branches {
                    out.push_str(" (and");
                    self.write_all(branch, out);
                    out.push(')');
                }
                out.push(')');
            }
        }
    }

    fn write_atom(&self, atom: &Atom, out: &mut String) {
        let name = self.info(atom.relation).map_or("", |info| self.symbols.text(info.name));
        self.write_applied(name, &atom.arguments, out);
    }

    fn write_pattern(&self, pattern: &Pattern, out: &mut String) {
        match pattern {
            Pattern::Variable(variable) => {
                out.push('?');
                out.push_str(&variable.to_string());
            }
            Pattern::Apply(symbol, arguments) => {
                self.write_applied(self.symbols.text(*symbol), arguments, out);
            }
        }
    }

    fn write_applied(&self, name: &str, arguments: &[Pattern], out: &mut String) {
        if arguments.is_empty() {
            out.push_str(name);
            return;
        }
        out.push('(');
        out.push_str(name);
        for argument in arguments {
            out.push(' ');
            self.write_pattern(argument, out);
        }
        out.push(')');
    }
}

impl Rule {
    /// All argument places where a variable occurs; comparisons have none.
    pub fn places(&self, variable: u32) -> Vec<Place> {
        let mut places = Vec::new();
        places_in_atom(&self.head, variable, (true, false), &mut places);
        places_in_body(&self.body, variable, &mut places);
        places
    }
}

fn places_in_body(body: &[Condition], variable: u32, found: &mut Vec<Place>) {
    for condition in body {
        match condition {
            Condition::Holds(atom) => places_in_atom(atom, variable, (false, false), found),
            Condition::Fails(atom) => places_in_atom(atom, variable, (false, true), found),
            Condition::Differ(..) | Condition::Same(..) => {}
            Condition::Any(branches) => {
                branches.iter().for_each(|branch| places_in_body(branch, variable, found));
            }
        }
    }
}

fn places_in_atom(atom: &Atom, variable: u32, (in_head, negated): (bool, bool), found: &mut Vec<Place>) {
    let mut path = Vec::new();
    paths(&atom.arguments, variable, &mut path, &mut |path| {
        found.push(Place { relation: atom.relation, in_head, negated, path: path.to_vec() });
    });
}

fn paths(patterns: &[Pattern], variable: u32, path: &mut Vec<usize>, found: &mut dyn FnMut(&[usize])) {
    for (at, pattern) in patterns.iter().enumerate() {
        path.push(at);
        match pattern {
            Pattern::Variable(other) if *other == variable => found(path),
            Pattern::Variable(_) => {}
            Pattern::Apply(_, arguments) => paths(arguments, variable, path, found),
        }
        path.pop();
    }
}

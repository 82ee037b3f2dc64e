//! Rules: what a checked sheet means, without syntax.
//!
//! Names are symbols of the sheet's own table, variables are numbered within each rule, facts are
//! rules without conditions, `(p)` is `p`. Disjunctions stay where they are, as alternatives of
//! lists of conditions: multiplying them out can blow a rule up, and a circuit wants them as they are.

use std::fmt;

use crate::name::{Names, Symbol};
use crate::source::Span;

/// Number of a relation in its [`Rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relation(pub(crate) u32);

impl Relation {
    /// Small dense number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term: a constant, a variable of its rule, or a function with arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A name without arguments.
    Constant(Symbol),
    /// A variable, by its number in [`Rule::variables`].
    Variable(u32),
    /// A name with arguments.
    Compound(Symbol, Box<[Term]>),
}

/// A sentence: a relation with arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    /// Which relation.
    pub relation: Relation,
    /// As many as the relation takes.
    pub arguments: Box<[Term]>,
}

/// What must be the case for a rule to fire.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Condition {
    /// The sentence holds.
    Holds(Atom),
    /// The sentence does not hold, for any value of variables that have none.
    Fails(Atom),
    /// The terms are different.
    Differ(Term, Term),
    /// The terms are the same.
    Same(Term, Term),
    /// All conditions of at least one of the lists hold.
    Any(Vec<Vec<Condition>>),
}

/// A rule; a fact is a rule without conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What the rule derives.
    pub head: Atom,
    /// All must be the case.
    pub body: Vec<Condition>,
    /// Names of the variables, by number, with their question marks.
    pub variables: Vec<Symbol>,
    /// Where the rule stands in the sheet.
    pub span: Span,
}

/// Name and arity of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationInfo {
    /// Its name; keywords have the symbols of [`crate::keyword`].
    pub symbol: Symbol,
    /// Number of arguments. Two arities of one name are two relations.
    pub arity: usize,
    /// Positions that its rules leave open: they have values only where the relation is used.
    pub given_by_caller: Vec<usize>,
}

/// The meaning of a sheet.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The table behind all symbols.
    pub names: Names,
    /// By number.
    pub relations: Vec<RelationInfo>,
    /// Facts and rules in the order of the sheet.
    pub rules: Vec<Rule>,
    /// The roles in order, without repetitions; ground terms.
    pub roles: Vec<Term>,
    /// How many errors the sheet has. Only the reference interpreter plays rules with errors: the
    /// guarantees that other engines rely on (safety, stratification, finiteness) may not hold.
    pub errors: usize,
}

impl Rules {
    /// The relation with this name and arity, if the sheet has it.
    pub fn relation(&self, symbol: Symbol, arity: usize) -> Option<Relation> {
        let found = self.relations.iter().position(|r| r.symbol == symbol && r.arity == arity)?;
        Some(Relation(u32::try_from(found).ok()?))
    }

    /// Name and arity of a relation.
    pub fn info(&self, relation: Relation) -> &RelationInfo {
        &self.relations[relation.index()]
    }

    /// A rule in words: `terminal if true(count(6))`.
    pub fn display<'a>(&'a self, rule: &'a Rule) -> impl fmt::Display + 'a {
        InWords { rules: self, rule }
    }
}

struct InWords<'a> {
    rules: &'a Rules,
    rule: &'a Rule,
}

impl fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.atom(f, &self.rule.head)?;
        if !self.rule.body.is_empty() {
            f.write_str(" if ")?;
            self.conditions(f, &self.rule.body)?;
        }
        Ok(())
    }
}

impl InWords<'_> {
    fn atom(&self, f: &mut fmt::Formatter<'_>, atom: &Atom) -> fmt::Result {
        self.applied(f, self.rules.info(atom.relation).symbol, &atom.arguments)
    }

    fn applied(&self, f: &mut fmt::Formatter<'_>, symbol: Symbol, arguments: &[Term]) -> fmt::Result {
        f.write_str(self.rules.names.text(symbol))?;
        if arguments.is_empty() {
            return Ok(());
        }
        for (at, argument) in arguments.iter().enumerate() {
            f.write_str(if at == 0 { "(" } else { ", " })?;
            self.term(f, argument)?;
        }
        f.write_str(")")
    }

    fn term(&self, f: &mut fmt::Formatter<'_>, term: &Term) -> fmt::Result {
        match term {
            Term::Constant(symbol) => f.write_str(self.rules.names.text(*symbol)),
            Term::Variable(v) => f.write_str(self.rules.names.text(self.rule.variables[*v as usize])),
            Term::Compound(symbol, arguments) => self.applied(f, *symbol, arguments),
        }
    }

    fn conditions(&self, f: &mut fmt::Formatter<'_>, conditions: &[Condition]) -> fmt::Result {
        if conditions.is_empty() {
            return f.write_str("always");
        }
        for (at, condition) in conditions.iter().enumerate() {
            if at > 0 {
                f.write_str(" and ")?;
            }
            self.condition(f, condition)?;
        }
        Ok(())
    }

    fn condition(&self, f: &mut fmt::Formatter<'_>, condition: &Condition) -> fmt::Result {
        match condition {
            Condition::Holds(atom) => self.atom(f, atom),
            Condition::Fails(atom) => {
                f.write_str("not ")?;
                self.atom(f, atom)
            }
            Condition::Differ(a, b) | Condition::Same(a, b) => {
                self.term(f, a)?;
                f.write_str(if matches!(condition, Condition::Same(..)) { " = " } else { " != " })?;
                self.term(f, b)
            }
            Condition::Any(branches) if branches.is_empty() => f.write_str("never"),
            Condition::Any(branches) => {
                for (at, branch) in branches.iter().enumerate() {
                    f.write_str(if at == 0 { "(" } else { " or " })?;
                    self.conditions(f, branch)?;
                }
                f.write_str(")")
            }
        }
    }
}

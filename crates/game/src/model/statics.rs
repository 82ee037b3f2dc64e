//! Relations that never change: boards, successors, who is next to whom.

use super::term::{SymbolId, TermRef, Terms};

/// A relation with all its tuples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticRelation {
    /// Its name.
    pub name: SymbolId,
    /// Number of arguments.
    pub arity: usize,
    /// How many tuples hold.
    pub count: usize,
    /// The tuples one after the other, `arity` terms each.
    pub tuples: Vec<TermRef>,
}

impl StaticRelation {
    /// The tuples; for a relation without arguments that holds, one that is empty.
    pub fn rows(&self) -> impl Iterator<Item = &[TermRef]> {
        (0..self.count).map(|at| self.tuples.get(at * self.arity..(at + 1) * self.arity).unwrap_or(&[]))
    }
}

/// All relations of the rules that depend neither on the state nor on moves, complete.
///
/// Relations whose rules leave argument places to the caller have no tuples of their own and are
/// left out; so are `init` and relations that only `base` and `input` need.
#[derive(Clone, Debug, Default)]
pub struct Statics {
    /// The terms in the tuples; a table of their own, with the names of the rules.
    pub terms: Terms,
    /// In the order in which the rules have them.
    pub relations: Vec<StaticRelation>,
}

impl Statics {
    /// The relation with this name and arity.
    pub fn relation(&self, name: &str, arity: usize) -> Option<&StaticRelation> {
        let is_it = |r: &&StaticRelation| r.arity == arity && self.terms.symbols().text(r.name) == name;
        self.relations.iter().find(is_it)
    }
}

//! Programs: rules in normal form, and the relations they are about.

use ludex_gdl::graph::Graph;
use ludex_gdl::{Symbol, keyword};
use rustc_hash::FxHashSet;

use crate::term::{TermId, Terms};

/// A relation of the normal form.
pub(crate) type Rel = u32;

/// A term with variables of its rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NormalPattern {
    Ground(TermId),
    Variable(u32),
    Apply(Symbol, Vec<NormalPattern>),
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NormalLiteral {
    Holds(Rel, Vec<NormalPattern>),
    Fails(Rel, Vec<NormalPattern>),
    Differ(NormalPattern, NormalPattern),
}

/// A rule in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NormalRule {
    pub head: (Rel, Vec<NormalPattern>),
    pub body: Vec<NormalLiteral>,
    /// Number of variables.
    pub variables: u32,
}

/// Name and arity of a relation; helpers have made-up names.
#[derive(Clone, Debug)]
pub(crate) struct NormalRelation {
    pub symbol: Option<Symbol>,
    pub arity: usize,
    /// Places, as bits, that have values only where the relation is used. Such a relation can only
    /// be computed on demand.
    pub given: u64,
    /// Whether it holds demands for another relation: part of grounding, not of the game.
    pub is_demand: bool,
}

/// The whole sheet in normal form.
#[derive(Debug, Default)]
pub(crate) struct NormalProgram {
    pub relations: Vec<NormalRelation>,
    pub rules: Vec<NormalRule>,
    pub terms: Terms,
}

impl NormalProgram {
    /// The relation with this name and arity.
    pub(crate) fn find(&self, symbol: Symbol, arity: usize) -> Option<Rel> {
        let found = self.relations.iter().position(|r| r.symbol == Some(symbol) && r.arity == arity);
        found.map(number)
    }

    /// A new relation.
    pub(crate) fn add_relation(&mut self, arity: usize) -> Rel {
        self.relations.push(NormalRelation { symbol: None, arity, given: 0, is_demand: false });
        number(self.relations.len() - 1)
    }

    /// The tables that feed each other must be there even if the sheet does not mention them.
    pub(crate) fn ensure_keywords(&mut self) {
        use keyword as k;
        for (symbol, arity) in
            [(k::TRUE, 1), (k::DOES, 2), (k::INIT, 1), (k::NEXT, 1), (k::LEGAL, 2), (k::ROLE, 1)]
        {
            if self.find(symbol, arity).is_none() {
                self.relations.push(NormalRelation {
                    symbol: Some(symbol),
                    arity,
                    given: 0,
                    is_demand: false,
                });
            }
        }
    }

    /// Leaves out rules that no question about a game depends on: `base`, `input`, and what only
    /// they use.
    pub(crate) fn keep_relevant(&mut self) {
        use keyword as k;
        let needed = self.needed_by(&[k::ROLE, k::INIT, k::NEXT, k::LEGAL, k::GOAL, k::TERMINAL]);
        self.rules.retain(|rule| needed[rule.head.0 as usize]);
    }

    /// By relation: whether the first state or the roles depend on it.
    pub(crate) fn needed_by_first_state(&self) -> Vec<bool> {
        self.needed_by(&[keyword::ROLE, keyword::INIT])
    }

    /// By relation: whether one of the relations with these names depends on it.
    fn needed_by(&self, names: &[Symbol]) -> Vec<bool> {
        let mut edges = Vec::new();
        for rule in &self.rules {
            edges.extend(rule.body.iter().filter_map(NormalLiteral::relation).map(|r| (rule.head.0, r)));
        }
        let is_root = |r: &usize| self.relations[*r].symbol.is_some_and(|s| names.contains(&s));
        let roots: Vec<Rel> = (0..self.relations.len()).filter(is_root).map(number).collect();
        Graph::new(self.relations.len(), &edges).reach(&roots).iter().map(Option::is_some).collect()
    }
}

/// Whether this is a GDL keyword, whose relations are never left out.
pub(crate) fn is_keyword(symbol: Symbol) -> bool {
    use keyword as k;
    let words = [k::ROLE, k::INIT, k::TRUE, k::DOES, k::NEXT, k::LEGAL, k::GOAL, k::TERMINAL, k::SEES];
    words.contains(&symbol)
}

pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Adds the variables of a pattern to a set.
pub(crate) fn variables_of(pattern: &NormalPattern, into: &mut FxHashSet<u32>) {
    match pattern {
        NormalPattern::Ground(_) => {}
        NormalPattern::Variable(v) => {
            into.insert(*v);
        }
        NormalPattern::Apply(_, arguments) => arguments.iter().for_each(|a| variables_of(a, into)),
    }
}

impl NormalLiteral {
    /// The relation that a condition is about.
    pub(crate) fn relation(&self) -> Option<Rel> {
        match self {
            NormalLiteral::Holds(relation, _) | NormalLiteral::Fails(relation, _) => Some(*relation),
            NormalLiteral::Differ(..) => None,
        }
    }

    /// The variables of a condition.
    pub(crate) fn variables(&self) -> FxHashSet<u32> {
        let mut set = FxHashSet::default();
        match self {
            NormalLiteral::Holds(_, arguments) | NormalLiteral::Fails(_, arguments) => {
                arguments.iter().for_each(|a| variables_of(a, &mut set));
            }
            NormalLiteral::Differ(a, b) => [a, b].into_iter().for_each(|p| variables_of(p, &mut set)),
        }
        set
    }
}

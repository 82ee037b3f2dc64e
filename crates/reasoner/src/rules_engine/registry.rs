//! The registry: the numbers of facts and moves that the outside knows.
//!
//! Machines number terms for themselves. What crosses the border of the engine has a number from
//! here, given out when it is first met.

use ludex_gdl::{Names, NodeId, Source, Tree, parse};
use rustc_hash::FxHashMap;

use super::program::RulesPattern;
use crate::term::{TermId, Terms};

/// Numbers for terms of one kind.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    terms: Vec<TermId>,
    of_term: FxHashMap<TermId, u32>,
}

impl Numbers {
    /// The number of a term, given out if it is new.
    pub(super) fn of(&mut self, term: TermId) -> u32 {
        if let Some(&known) = self.of_term.get(&term) {
            return known;
        }
        let number = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        self.terms.push(term);
        self.of_term.insert(term, number);
        number
    }

    /// The term with a number.
    pub(super) fn term(&self, number: u32) -> Option<TermId> {
        self.terms.get(number as usize).copied()
    }
}

/// Facts and moves with numbers.
#[derive(Debug)]
pub(super) struct Registry {
    /// All terms that have crossed the border, and their parts.
    pub terms: Terms,
    /// Facts.
    pub facts: Numbers,
    /// Moves.
    pub moves: Numbers,
    names: Names,
}

impl Registry {
    /// With the terms of the sheet.
    pub(super) fn new(names: Names, terms: Terms) -> Self {
        Self { names, terms, facts: Numbers::default(), moves: Numbers::default() }
    }

    /// A term as text.
    pub(super) fn text(&self, term: TermId) -> String {
        self.terms.text(&self.names, term)
    }

    /// The term with this text, if its names occur in the sheet.
    pub(super) fn read(&mut self, text: &str) -> Option<TermId> {
        let (tree, report) = parse(&Source::new("term", text));
        let mut roots = tree.roots();
        let root = roots.next().filter(|_| !report.has_errors())?;
        if roots.next().is_some() {
            return None;
        }
        self.enter(&tree, root)
    }

    /// Terms that are read are nested no deeper than the parser allows.
    fn enter(&mut self, tree: &Tree, node: NodeId) -> Option<TermId> {
        let symbol = self.names.find(tree.names.text(tree.functor(node)?))?;
        let arguments: Option<Vec<TermId>> = tree.arguments(node).map(|a| self.enter(tree, a)).collect();
        Some(self.terms.intern(symbol, &arguments?))
    }

    /// Whether a term fits a pattern of the program, whose ground terms have the same numbers here.
    /// Variables fit anything; that two places have the same value is not asked.
    pub(super) fn fits(&self, term: TermId, pattern: &RulesPattern) -> bool {
        match pattern {
            RulesPattern::Variable(_) => true,
            RulesPattern::Ground(ground) => term == *ground,
            RulesPattern::Compound(symbol, patterns) => {
                let arguments = self.terms.arguments(term);
                self.terms.symbol(term) == *symbol
                    && arguments.len() == patterns.len()
                    && arguments.iter().zip(patterns).all(|(&a, p)| self.fits(a, p))
            }
        }
    }
}

/// The same term in another table. Terms are nested no deeper than the machine allows.
pub(super) fn copy(from: &Terms, term: TermId, to: &mut Terms) -> TermId {
    let arguments: Vec<TermId> = from.arguments(term).iter().map(|&a| copy(from, a, to)).collect();
    to.intern(from.symbol(term), &arguments)
}

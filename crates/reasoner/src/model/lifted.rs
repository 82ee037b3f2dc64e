//! Rules in the types of the model, and terms in its tables.

use std::sync::Arc;

use ludex_game::model::{
    Atom, Condition, LiftedRules, Pattern, Relation, RelationId, Rule, SymbolId, Symbols, TermRef, Terms,
};
use ludex_gdl::{Names, Rules, Symbol};
use rustc_hash::FxHashMap;

use crate::ground::number;
use crate::term::{self, TermId};

/// Lifted rules, with the numbers that names have in them.
#[derive(Debug)]
pub(super) struct Lifted {
    pub rules: LiftedRules,
    /// By symbol of the sheet.
    symbols: FxHashMap<Symbol, SymbolId>,
}

impl Lifted {
    pub(super) fn new(sheet: &Rules) -> Self {
        let mut lifter = Lifter { names: &sheet.names, symbols: FxHashMap::default(), texts: Vec::new() };
        let relation = |info: &ludex_gdl::RelationInfo, lifter: &mut Lifter<'_>| Relation {
            name: lifter.symbol(info.symbol),
            arity: info.arity,
            given_by_caller: info.given_by_caller.clone(),
        };
        let relations = sheet.relations.iter().map(|info| relation(info, &mut lifter)).collect();
        let rules = sheet.rules.iter().map(|rule| lifter.rule(rule)).collect();
        let roles = sheet.roles.iter().map(|role| lifter.pattern(role)).collect();
        let Lifter { symbols, texts, .. } = lifter;
        let rules = LiftedRules::new(Arc::new(Symbols::new(texts)), relations, rules, roles);
        Self { rules, symbols }
    }

    /// An empty table for copies of terms.
    pub(super) fn copies<'a>(&'a self, from: &'a term::Terms) -> Copies<'a> {
        let terms = Terms::new(Arc::clone(&self.rules.symbols));
        Copies { lifted: self, from, terms, copied: FxHashMap::default() }
    }

    /// What a name is called here.
    pub(super) fn symbol(&self, symbol: Symbol) -> Option<SymbolId> {
        self.symbols.get(&symbol).copied()
    }
}

/// Ground terms that are copied into a table of the model, each once.
pub(super) struct Copies<'a> {
    lifted: &'a Lifted,
    from: &'a term::Terms,
    pub terms: Terms,
    copied: FxHashMap<TermId, TermRef>,
}

impl Copies<'_> {
    /// The copy of a term; none if the rules do not have one of its names.
    pub(super) fn copy(&mut self, term: TermId) -> Option<TermRef> {
        if let Some(&known) = self.copied.get(&term) {
            return Some(known);
        }
        let from = self.from;
        let symbol = self.lifted.symbol(from.symbol(term))?;
        let arguments: Option<Vec<TermRef>> =
            from.arguments(term).iter().map(|&argument| self.copy(argument)).collect();
        let copy = self.terms.add(symbol, &arguments?);
        self.copied.insert(term, copy);
        Some(copy)
    }
}

struct Lifter<'a> {
    names: &'a Names,
    symbols: FxHashMap<Symbol, SymbolId>,
    texts: Vec<String>,
}

impl Lifter<'_> {
    fn symbol(&mut self, symbol: Symbol) -> SymbolId {
        *self.symbols.entry(symbol).or_insert_with(|| {
            self.texts.push(self.names.text(symbol).to_lowercase());
            SymbolId(number(self.texts.len() - 1))
        })
    }

    fn rule(&mut self, rule: &ludex_gdl::Rule) -> Rule {
        let name = |&variable: &Symbol| self.names.text(variable).to_lowercase();
        let variables = rule.variables.iter().map(name).collect();
        Rule { head: self.atom(&rule.head), body: self.conditions(&rule.body), variables }
    }

    fn conditions(&mut self, conditions: &[ludex_gdl::Condition]) -> Vec<Condition> {
        conditions.iter().map(|condition| self.condition(condition)).collect()
    }

    fn condition(&mut self, condition: &ludex_gdl::Condition) -> Condition {
        use ludex_gdl::Condition as From;
        match condition {
            From::Holds(atom) => Condition::Holds(self.atom(atom)),
            From::Fails(atom) => Condition::Fails(self.atom(atom)),
            From::Differ(a, b) => Condition::Differ(self.pattern(a), self.pattern(b)),
            From::Same(a, b) => Condition::Same(self.pattern(a), self.pattern(b)),
            From::Any(branches) => {
                Condition::Any(branches.iter().map(|branch| self.conditions(branch)).collect())
            }
        }
    }

    fn atom(&mut self, atom: &ludex_gdl::Atom) -> Atom {
        let arguments = atom.arguments.iter().map(|argument| self.pattern(argument)).collect();
        Atom { relation: RelationId(number(atom.relation.index())), arguments }
    }

    fn pattern(&mut self, term: &ludex_gdl::Term) -> Pattern {
        match term {
            ludex_gdl::Term::Variable(variable) => Pattern::Variable(*variable),
            ludex_gdl::Term::Constant(symbol) => Pattern::Apply(self.symbol(*symbol), Vec::new()),
            ludex_gdl::Term::Compound(symbol, arguments) => {
                let symbol = self.symbol(*symbol);
                Pattern::Apply(symbol, arguments.iter().map(|argument| self.pattern(argument)).collect())
            }
        }
    }
}

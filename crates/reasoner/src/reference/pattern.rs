//! Terms with variables, matched against ground terms.

use ludex_game::Failure;
use ludex_gdl::{MAX_DEPTH, Names, Symbol, Term};

use crate::term::{TermId, Terms};

/// Stands where a variable has no value, or an argument of a question is left open.
pub(super) const OPEN: TermId = TermId(u32::MAX);

/// A term of a rule, with its ground parts looked up once.
#[derive(Clone, Debug)]
pub(super) enum ReferencePattern {
    Ground(TermId),
    Variable(u32),
    Compound(Symbol, Box<[ReferencePattern]>),
}

impl ReferencePattern {
    /// Adds the variables, with repetitions. Patterns are nested at most as deep as the text was.
    pub(super) fn variables(&self, into: &mut Vec<u32>) {
        match self {
            ReferencePattern::Ground(_) => {}
            ReferencePattern::Variable(variable) => into.push(*variable),
            ReferencePattern::Compound(_, arguments) => arguments.iter().for_each(|a| a.variables(into)),
        }
    }

    /// Makes the pattern equal to a ground term by giving variables values, if that is possible.
    /// When it is not, some values may have been set all the same.
    pub(super) fn matches(&self, term: TermId, values: &mut [TermId], terms: &Terms) -> bool {
        match self {
            ReferencePattern::Ground(known) => *known == term,
            ReferencePattern::Variable(variable) => {
                let value = &mut values[*variable as usize];
                if *value == OPEN {
                    *value = term;
                }
                *value == term
            }
            ReferencePattern::Compound(symbol, arguments) => {
                let parts = terms.arguments(term);
                terms.symbol(term) == *symbol
                    && parts.len() == arguments.len()
                    && arguments.iter().zip(parts).all(|(a, &part)| a.matches(part, values, terms))
            }
        }
    }

    /// What the pattern is with these values.
    pub(super) fn value(&self, values: &[TermId], terms: &Terms) -> PatternValue {
        match self {
            ReferencePattern::Ground(term) => PatternValue::Known(*term),
            ReferencePattern::Variable(variable) => match values[*variable as usize] {
                OPEN => PatternValue::Open,
                term => PatternValue::Known(term),
            },
            ReferencePattern::Compound(symbol, arguments) => {
                let mut parts = Vec::with_capacity(arguments.len());
                let mut unheard_of = false;
                for argument in arguments {
                    match argument.value(values, terms) {
                        PatternValue::Known(part) => parts.push(part),
                        PatternValue::Open => return PatternValue::Open,
                        PatternValue::UnheardOf => unheard_of = true,
                    }
                }
                match terms.find(*symbol, &parts) {
                    Some(term) if !unheard_of => PatternValue::Known(term),
                    _ => PatternValue::UnheardOf,
                }
            }
        }
    }
}

/// What a pattern is for given values of its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternValue {
    /// A ground term that has been met.
    Known(TermId),
    /// A ground term that is not interned yet.
    UnheardOf,
    /// Not ground: some variable has no value.
    Open,
}

/// All ground terms met so far. There are limits, so that rules which build ever larger terms end.
#[derive(Debug)]
pub(super) struct TermStore {
    pub(super) terms: Terms,
    /// By term: how deep it is nested.
    depths: Vec<u16>,
    limit: usize,
}

impl TermStore {
    /// No terms yet, and never more than this many.
    pub(super) fn new(limit: usize) -> Self {
        Self { terms: Terms::default(), depths: Vec::new(), limit: limit.min(OPEN.index()) }
    }

    /// The term with this name and these arguments, added if new.
    pub(super) fn intern(&mut self, symbol: Symbol, arguments: &[TermId]) -> Result<TermId, Failure> {
        if let Some(known) = self.terms.find(symbol, arguments) {
            return Ok(known);
        }
        let depth = arguments.iter().map(|a| self.depths[a.index()] + 1).max().unwrap_or(0);
        // What is nested deeper could be printed, but not read back.
        if usize::from(depth) >= MAX_DEPTH {
            let reason =
                format!("terms are nested more than {MAX_DEPTH} deep: the rules build ever larger ones");
            return Err(Failure::Limit(reason));
        }
        if self.terms.len() >= self.limit {
            let reason =
                format!("more than {} different terms: do the rules build ever new ones?", self.limit);
            return Err(Failure::Limit(reason));
        }
        self.depths.push(depth);
        Ok(self.terms.intern(symbol, arguments))
    }

    /// The ground term that a pattern is with these values, added if new; [`OPEN`] if it is not
    /// ground.
    pub(super) fn fill(&mut self, pattern: &ReferencePattern, values: &[TermId]) -> Result<TermId, Failure> {
        match pattern {
            ReferencePattern::Ground(term) => Ok(*term),
            ReferencePattern::Variable(variable) => Ok(values[*variable as usize]),
            ReferencePattern::Compound(symbol, arguments) => {
                let mut parts = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let part = self.fill(argument, values)?;
                    if part == OPEN {
                        return Ok(OPEN);
                    }
                    parts.push(part);
                }
                self.intern(*symbol, &parts)
            }
        }
    }

    /// A term of the rules as a pattern.
    pub(super) fn pattern(&mut self, term: &Term) -> Result<ReferencePattern, Failure> {
        Ok(match term {
            Term::Constant(symbol) => ReferencePattern::Ground(self.intern(*symbol, &[])?),
            Term::Variable(variable) => ReferencePattern::Variable(*variable),
            Term::Compound(symbol, arguments) => {
                let arguments: Result<Box<[ReferencePattern]>, Failure> =
                    arguments.iter().map(|a| self.pattern(a)).collect();
                let arguments = arguments?;
                let ground = |argument: &ReferencePattern| match argument {
                    ReferencePattern::Ground(term) => Some(*term),
                    _ => None,
                };
                match arguments.iter().map(ground).collect::<Option<Vec<TermId>>>() {
                    Some(parts) => ReferencePattern::Ground(self.intern(*symbol, &parts)?),
                    None => ReferencePattern::Compound(*symbol, arguments),
                }
            }
        })
    }

    /// The term with this text, added if new; none if it is not a term made of words of the sheet.
    pub(super) fn read(&mut self, names: &Names, text: &str) -> Option<TermId> {
        let source = ludex_gdl::Source::new("term", text);
        let (tree, report) = ludex_gdl::parse(&source);
        let mut roots = tree.roots();
        let root = roots.next().filter(|_| !report.has_errors())?;
        if roots.next().is_some() {
            return None;
        }
        self.read_node(names, &tree, root)
    }

    fn read_node(
        &mut self,
        names: &Names,
        tree: &ludex_gdl::Tree,
        node: ludex_gdl::NodeId,
    ) -> Option<TermId> {
        if tree.variable(node).is_some() {
            return None;
        }
        let symbol = names.find(tree.names.text(tree.functor(node)?))?;
        let arguments: Option<Vec<TermId>> =
            tree.arguments(node).map(|argument| self.read_node(names, tree, argument)).collect();
        self.intern(symbol, &arguments?).ok()
    }
}

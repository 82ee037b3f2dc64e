//! Ground terms as a flat, shared table: name and arguments, not only text.

use std::sync::Arc;

use crate::conversion::number;

/// A name: of a constant, a function or a relation. An index into [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// A ground term of a [`Terms`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermRef(pub u32);

/// The names of a model, lower-case. Rules and terms of one model share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(Vec<String>);

impl Symbols {
    /// These names, each once, in lower case. Their numbers are their places.
    pub fn new(names: Vec<String>) -> Self {
        Self(names)
    }

    /// The text of a name; empty for a number that is not one of this model's.
    pub fn text(&self, symbol: SymbolId) -> &str {
        self.0.get(symbol.0 as usize).map_or("", |text| text)
    }

    /// The name with this lower-case text.
    pub fn find(&self, text: &str) -> Option<SymbolId> {
        self.0.iter().position(|name| name == text).map(|at| SymbolId(number(at)))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A table of ground terms, hash-consed by whoever fills it: equal terms have equal numbers.
///
/// Arguments come before the terms that have them.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    symbols: Arc<Symbols>,
    /// Name, and where the arguments lie.
    entries: Vec<(SymbolId, u32, u32)>,
    arguments: Vec<TermRef>,
}

impl Terms {
    /// A table without terms.
    pub fn new(symbols: Arc<Symbols>) -> Self {
        Self { symbols, ..Self::default() }
    }

    /// Adds a term that is not there yet. Arguments that are not in the table are left out.
    pub fn add(&mut self, symbol: SymbolId, arguments: &[TermRef]) -> TermRef {
        let (id, start) = (number(self.entries.len()), number(self.arguments.len()));
        self.arguments.extend(arguments.iter().filter(|argument| argument.0 < id));
        self.entries.push((symbol, start, number(self.arguments.len()) - start));
        TermRef(id)
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The name in front of a term.
    pub fn symbol(&self, term: TermRef) -> Option<SymbolId> {
        self.entries.get(term.0 as usize).map(|entry| entry.0)
    }

    /// The text of the name in front of a term: `cell` for `(cell 1 2 b)`.
    pub fn name(&self, term: TermRef) -> &str {
        self.symbol(term).map_or("", |symbol| self.symbols.text(symbol))
    }

    /// The arguments of a term; none for a constant.
    pub fn arguments(&self, term: TermRef) -> &[TermRef] {
        let Some(&(_, start, count)) = self.entries.get(term.0 as usize) else { return &[] };
        self.arguments.get(start as usize..(start + count) as usize).unwrap_or(&[])
    }

    /// A term in prefix form with single blanks, as games name facts and moves: `(cell 1 2 b)`.
    pub fn text(&self, term: TermRef) -> String {
        let mut text = String::new();
        self.write(term, &mut text);
        text
    }

    fn write(&self, term: TermRef, out: &mut String) {
        let arguments = self.arguments(term);
        if arguments.is_empty() {
            out.push_str(self.name(term));
            return;
        }
        out.push('(');
        out.push_str(self.name(term));
        for &argument in arguments {
            out.push(' ');
            self.write(argument, out);
        }
        out.push(')');
    }
}

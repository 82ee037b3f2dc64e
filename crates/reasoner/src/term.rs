//! Ground terms, hash-consed: equal terms have equal numbers, so comparing terms compares numbers.

use std::fmt::Write;

use ludex_gdl::{Names, NodeId, Source, Symbol, Tree, parse};
use rustc_hash::FxHashMap;

/// A ground term of a [`Terms`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

impl TermId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A table of ground terms. It only grows.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Symbol, and start and length of the arguments in `arguments`.
    entries: Vec<(Symbol, u32, u32)>,
    arguments: Vec<TermId>,
    /// Constants by symbol.
    constants: FxHashMap<Symbol, TermId>,
    /// Open-addressing hash table of compound terms: their numbers, or [`FREE`]. Its length is a
    /// power of two and at most half of it is taken. The terms themselves serve as keys.
    slots: Vec<u32>,
    /// Number of compound terms, that is, of taken slots.
    compounds: usize,
}

/// An empty slot.
const FREE: u32 = u32::MAX;

impl Terms {
    /// Number of terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The term with this symbol and these arguments, added if new.
    pub fn intern(&mut self, symbol: Symbol, arguments: &[TermId]) -> TermId {
        if let Some(known) = self.find(symbol, arguments) {
            return known;
        }
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let id = TermId(number(self.entries.len()));
        self.entries.push((symbol, number(self.arguments.len()), number(arguments.len())));
        self.arguments.extend_from_slice(arguments);
        match arguments.is_empty() {
            true => drop(self.constants.insert(symbol, id)),
            false => self.enter(id),
        }
        id
    }

    /// Adds a compound to the hash table, which doubles when it is half full.
    fn enter(&mut self, id: TermId) {
        self.compounds += 1;
        if self.compounds * 2 > self.slots.len() {
            self.slots = vec![FREE; (self.slots.len() * 2).max(64)];
            for index in 0..self.entries.len() {
                if self.entries[index].2 > 0 {
                    self.place(TermId(u32::try_from(index).unwrap_or(FREE)));
                }
            }
        } else {
            self.place(id);
        }
    }

    fn place(&mut self, id: TermId) {
        let mut at = self.start(self.symbol(id), self.arguments(id));
        while self.slots[at] != FREE {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = id.0;
    }

    /// The slot where probing for a compound starts.
    fn start(&self, symbol: Symbol, arguments: &[TermId]) -> usize {
        let mut hash = symbol.index() as u64;
        for argument in arguments {
            hash = (hash.rotate_left(5) ^ u64::from(argument.0)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        // The high bits of a product are the well mixed ones.
        usize::try_from(hash >> 32).unwrap_or(0) & self.slots.len().wrapping_sub(1)
    }

    /// The term with this symbol and these arguments, if it is in the table.
    pub fn find(&self, symbol: Symbol, arguments: &[TermId]) -> Option<TermId> {
        if arguments.is_empty() {
            return self.constants.get(&symbol).copied();
        }
        let mut at = self.start(symbol, arguments);
        loop {
            let id = TermId(*self.slots.get(at).filter(|&&slot| slot != FREE)?);
            if self.symbol(id) == symbol && self.arguments(id) == arguments {
                return Some(id);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Estimate of the bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * 12 + self.arguments.len() * 4 + self.slots.len() * 4
    }

    /// The functor of a term, or the constant itself.
    pub fn symbol(&self, term: TermId) -> Symbol {
        self.entries[term.index()].0
    }

    /// The arguments of a term; none for a constant.
    pub fn arguments(&self, term: TermId) -> &[TermId] {
        let (_, start, count) = self.entries[term.index()];
        &self.arguments[start as usize..(start + count) as usize]
    }

    /// A term in prefix form, lower-case, with single blanks: `(cell 1 2 b)`.
    pub fn text(&self, names: &Names, term: TermId) -> String {
        let mut text = String::new();
        self.write(names, term, &mut text);
        text
    }

    fn write(&self, names: &Names, term: TermId, out: &mut String) {
        let arguments = self.arguments(term);
        if !arguments.is_empty() {
            out.push('(');
        }
        // Writing to a string does not fail.
        let _ = write!(out, "{}", names.text(self.symbol(term)).to_lowercase());
        for &argument in arguments {
            out.push(' ');
            self.write(names, argument, out);
        }
        if !arguments.is_empty() {
            out.push(')');
        }
    }

    /// The term with this text, if it is in the table. Letter case and extra blanks do not matter.
    pub fn read(&self, names: &Names, text: &str) -> Option<TermId> {
        let (tree, report) = parse(&Source::new("term", text));
        let mut roots = tree.roots();
        let root = roots.next().filter(|_| !report.has_errors())?;
        if roots.next().is_some() {
            return None;
        }
        self.find_node(names, &tree, root)
    }

    fn find_node(&self, names: &Names, tree: &Tree, node: NodeId) -> Option<TermId> {
        let symbol = names.find(tree.names.text(tree.functor(node)?))?;
        let arguments: Option<Vec<TermId>> =
            tree.arguments(node).map(|argument| self.find_node(names, tree, argument)).collect();
        self.find(symbol, &arguments?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_numbers_and_read_back() {
        let mut names = Names::default();
        let mut symbol = |text: &str| {
            let name = names.intern(text);
            names.symbol(name)
        };
        let (cell, one, blank) = (symbol("Cell"), symbol("1"), symbol("b"));
        let mut terms = Terms::default();
        let (one, blank) = (terms.intern(one, &[]), terms.intern(blank, &[]));
        let term = terms.intern(cell, &[one, one, blank]);
        assert_eq!(terms.intern(cell, &[one, one, blank]), term);
        assert_eq!(terms.text(&names, term), "(cell 1 1 b)");
        assert_eq!(terms.read(&names, " ( CELL 1 1 b ) "), Some(term));
        assert_eq!(terms.read(&names, "(cell 1 b b)"), None);
        assert_eq!(terms.read(&names, "b) c"), None);
    }
}

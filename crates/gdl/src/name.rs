//! Names: the interner of one sheet. Case does not matter for meaning, but spelling is kept.
//!
//! Every distinct spelling is a [`Name`]; all spellings that differ only by letter case share one
//! [`Symbol`]. The words of the language come first and have fixed symbols (see [`keyword`]).

use rustc_hash::FxHashMap;

/// One spelling of a word, for printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub(crate) u32);

/// A word regardless of letter case, for meaning. Its number is that of its first spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// Small dense number, usable as an index below [`Names::len`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! keywords {
    ($($constant:ident = $text:literal),* $(,)?) => {
        /// The words of the language: fixed symbols of every [`Names`] table.
        pub mod keyword {
            use super::Symbol;
            keywords!(@constants 0u32; $($constant = $text),*);
            /// Spellings in the order of their symbols.
            pub(crate) const TEXTS: &[&str] = &[$($text),*];
        }
    };
    (@constants $n:expr; $constant:ident = $text:literal $(, $rest:ident = $rest_text:literal)*) => {
        #[doc = concat!("The word `", $text, "`.")]
        pub const $constant: Symbol = Symbol($n);
        keywords!(@constants $n + 1; $($rest = $rest_text),*);
    };
    (@constants $n:expr;) => {};
}

keywords! {
    ARROW = "<=", NOT = "not", OR = "or", AND = "and", DISTINCT = "distinct",
    ROLE = "role", INIT = "init", TRUE = "true", NEXT = "next", LEGAL = "legal", DOES = "does",
    GOAL = "goal", TERMINAL = "terminal", SEES = "sees", RANDOM = "random",
    BASE = "base", INPUT = "input",
}

/// Table of all names of one sheet.
#[derive(Clone, Debug)]
pub struct Names {
    /// Spelling and the symbol it stands for, by name.
    entries: Vec<(Box<str>, Symbol)>,
    by_spelling: FxHashMap<Box<str>, Name>,
    /// Lower-case text to symbol; consulted only when a spelling is new.
    by_folded: FxHashMap<Box<str>, Symbol>,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Self {
            entries: Vec::with_capacity(256),
            by_spelling: FxHashMap::default(),
            by_folded: FxHashMap::default(),
        };
        for text in keyword::TEXTS {
            names.intern(text);
        }
        names
    }
}

impl Names {
    /// The name with this spelling, entered if new.
    pub fn intern(&mut self, spelling: &str) -> Name {
        if let Some(&name) = self.by_spelling.get(spelling) {
            return name;
        }
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let folded = spelling.to_lowercase().into_boxed_str();
        let symbol = *self.by_folded.entry(folded).or_insert(Symbol(number));
        self.entries.push((spelling.into(), symbol));
        self.by_spelling.insert(spelling.into(), Name(number));
        Name(number)
    }

    /// The symbol of a word in any letter case, if the sheet has it.
    pub fn find(&self, word: &str) -> Option<Symbol> {
        self.by_folded.get(word.to_lowercase().as_str()).copied()
    }

    /// How a name is spelled.
    pub fn spelling(&self, name: Name) -> &str {
        &self.entries[name.0 as usize].0
    }

    /// What a name means.
    pub fn symbol(&self, name: Name) -> Symbol {
        self.entries[name.0 as usize].1
    }

    /// The first spelling that was seen of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.spelling(Name(symbol.0))
    }

    /// Number of spellings; all names and symbols are below it.
    #[allow(clippy::len_without_is_empty, reason = "never empty: the keywords are always there")]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// All names, keywords first.
    pub fn iter(&self) -> impl Iterator<Item = Name> + use<> {
        (0..u32::try_from(self.entries.len()).unwrap_or(u32::MAX)).map(Name)
    }
}

/// Whether the word is one of the language's connectives rather than a relation.
pub(crate) fn is_connective(symbol: Symbol) -> bool {
    matches!(symbol, keyword::NOT | keyword::OR | keyword::AND | keyword::DISTINCT)
}

/// Relations with a meaning to the language, and their number of arguments.
pub(crate) fn relation_keyword_arity(symbol: Symbol) -> Option<usize> {
    Some(match symbol {
        keyword::TERMINAL => 0,
        keyword::ROLE | keyword::INIT | keyword::TRUE | keyword::NEXT => 1,
        keyword::LEGAL | keyword::DOES | keyword::GOAL | keyword::SEES => 2,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_share_a_symbol_and_keep_their_text() {
        let mut names = Names::default();
        let (a, b) = (names.intern("Cell"), names.intern("cell"));
        assert_ne!(a, b);
        assert_eq!(names.symbol(a), names.symbol(b));
        assert_eq!((names.spelling(a), names.spelling(b)), ("Cell", "cell"));
        assert_eq!(names.text(names.symbol(b)), "Cell");
        assert_eq!(names.find("CELL"), Some(names.symbol(a)));
    }

    #[test]
    fn keywords_have_fixed_symbols_in_any_case() {
        let mut names = Names::default();
        let upper = names.intern("TERMINAL");
        assert_eq!(names.symbol(upper), keyword::TERMINAL);
        assert_eq!(names.text(keyword::INPUT), "input");
        assert_eq!(names.text(keyword::ARROW), "<=");
    }
}

//! Names of a sheet as names of another language.
//!
//! Letter case has no meaning in GDL, so names are written in lower case. A name of another shape is
//! quoted in Prolog; answer-set programs have no quoted names, so it gets another spelling there.

use ludex_gdl::{Names, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// Words with a meaning to clingo.
const RESERVED: [&str; 1] = ["not"];

/// How symbols are written.
#[derive(Debug)]
pub(crate) struct Spelling {
    names: FxHashMap<Symbol, String>,
    /// What a used name was and what it is now, in the order of the sheet.
    pub(crate) renamed: Vec<(String, String)>,
}

impl Spelling {
    /// Prolog: atoms, quoted where their shape asks for it.
    pub(crate) fn prolog(names: &Names) -> Self {
        let names = symbols(names).map(|(symbol, text)| (symbol, quoted(&text))).collect();
        Self { names, renamed: Vec::new() }
    }

    /// Answer-set programs: identifiers, all different.
    pub(crate) fn asp(names: &Names, is_used: impl Fn(Symbol) -> bool) -> Self {
        let mut taken: FxHashSet<String> =
            symbols(names).map(|(_, text)| text).filter(|text| is_identifier(text)).collect();
        let mut spelling = Self { names: FxHashMap::default(), renamed: Vec::new() };
        for (symbol, text) in symbols(names) {
            let mut name = text.clone();
            if !is_identifier(&text) {
                name = identifier(&text);
                while !taken.insert(name.clone()) {
                    name.push('_');
                }
                if !is_number(&text) && is_used(symbol) {
                    spelling.renamed.push((text, name.clone()));
                }
            }
            spelling.names.insert(symbol, name);
        }
        spelling
    }

    /// A name in front of arguments, or of a relation.
    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        self.names.get(&symbol).map_or("", String::as_str)
    }
}

/// A number as both languages read it: without leading zeros, and not too large for clingo.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits && text.len() <= 9 && (text == "0" || !text.starts_with('0'))
}

/// All symbols, each once, in lower case.
fn symbols(names: &Names) -> impl Iterator<Item = (Symbol, String)> + '_ {
    let mut seen = FxHashSet::default();
    names
        .iter()
        .map(|name| names.symbol(name))
        .filter(move |symbol| seen.insert(*symbol))
        .map(|symbol| (symbol, names.text(symbol).to_lowercase()))
}

/// Whether both languages read this as a name: a small letter, then letters, digits and `_`.
fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_lowercase())
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !RESERVED.contains(&text)
}

fn quoted(text: &str) -> String {
    if is_identifier(text) {
        return text.into();
    }
    let mut name = String::from("'");
    for c in text.chars() {
        if matches!(c, '\'' | '\\') {
            name.push('\\');
        }
        name.push(c);
    }
    name.push('\'');
    name
}

/// An identifier that looks like the text: other characters become `_`.
fn identifier(text: &str) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || RESERVED.contains(&name.as_str()) {
        name.insert_str(0, "n_");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> (Names, Vec<Symbol>) {
        let mut names = Names::default();
        let symbols = words.iter().map(|word| names.intern(word)).collect::<Vec<_>>();
        let symbols = symbols.into_iter().map(|name| names.symbol(name)).collect();
        (names, symbols)
    }

    #[test]
    fn prolog_quotes_what_is_no_identifier() {
        let (names, words) = names(&["Cell", "x-o", "it's", "a\\b", "1st", "état"]);
        let spelling = Spelling::prolog(&names);
        let all: Vec<_> = words.iter().map(|&word| spelling.name(word)).collect();
        assert_eq!(all, ["cell", "'x-o'", "'it\\'s'", "'a\\\\b'", "'1st'", "'état'"]);
    }

    #[test]
    fn identifiers_of_answer_set_programs_stay_different() {
        let (names, words) = names(&["x-o", "x_o", "x+o", "not", "1st", "Cell"]);
        let spelling = Spelling::asp(&names, |_| true);
        let all: Vec<_> = words.iter().map(|&word| spelling.name(word)).collect();
        assert_eq!(all, ["x_o_", "x_o", "x_o__", "n_not", "n_1st", "cell"]);
        let different: FxHashSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        assert!(spelling.renamed.contains(&("x-o".into(), "x_o_".into())), "{:?}", spelling.renamed);
    }

    #[test]
    fn numbers_with_leading_zeros_are_names() {
        assert!(is_number("0") && is_number("100") && is_number("123456789"));
        assert!(!is_number("007") && !is_number("") && !is_number("1a") && !is_number("1234567890"));
    }
}

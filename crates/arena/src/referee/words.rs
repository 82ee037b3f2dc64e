//! The words that players behind HTTP see: the sheet on one line in lower-case, as the game spells
//! moves; other words if the match is scrambled.

use std::collections::BTreeMap;

use ludex_gdl::{Source, parse, scramble};

use crate::record::terms::replaced;

/// Between the words of the game and those of players.
pub(crate) struct Words {
    /// The rules as players get them.
    pub(crate) rules: String,
    /// New and old words, in the order of the sheet.
    pub(crate) map: Vec<(String, String)>,
    there: BTreeMap<String, String>,
    back: BTreeMap<String, String>,
}

impl Words {
    /// For a sheet; scrambled by a seed, if there is one.
    pub(crate) fn new(name: &str, text: &str, seed: Option<u64>) -> Self {
        let (tree, _) = parse(&Source::new(name, text));
        let (text, map) = match seed {
            None => (tree.to_string(), Vec::new()),
            Some(seed) => {
                let scrambled = scramble(&tree, seed);
                (scrambled.text, scrambled.map)
            }
        };
        let lower = |word: &String| word.to_lowercase();
        let there = map.iter().map(|(new, old)| (lower(old), lower(new))).collect();
        let back = map.iter().map(|(new, old)| (lower(new), lower(old))).collect();
        let rules = text.to_lowercase().replace('\n', " ").trim_end().to_owned();
        Self { rules, map, there, back }
    }

    /// A term of the game, for players.
    pub(crate) fn told(&self, term: &str) -> String {
        replaced(term, |word| self.there.get(word).map(String::as_str))
    }

    /// A term of a player, for the game.
    pub(crate) fn heard(&self, term: &str) -> String {
        let term = term.to_lowercase();
        replaced(&term, |word| self.back.get(word).map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: &str = "; a game\n(role White)\n(<= (legal white (Mark ?x))\n    (true (cell ?x)))\n";

    #[test]
    fn plain_rules_are_one_line_in_lower_case() {
        let words = Words::new("a", SHEET, None);
        assert_eq!(words.rules, "(role white) (<= (legal white (mark ?x)) (true (cell ?x)))");
        assert_eq!(words.told("(mark 1)"), "(mark 1)");
    }

    #[test]
    fn scrambled_words_go_there_and_back() {
        let words = Words::new("a", SHEET, Some(3));
        let told = words.told("(mark 1)");
        assert!(!told.contains("mark") && !words.rules.contains("mark"), "{told}");
        assert!(words.rules.contains(told.split(' ').next().unwrap()), "{told} in {}", words.rules);
        assert_eq!(words.heard(&told.to_uppercase()), "(mark 1)");
    }
}

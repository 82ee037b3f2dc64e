//! Scrambling: other words for everything that has no meaning to the language.
//!
//! Game managers do this so that players cannot guess a game from its names. Keywords stay, and so
//! do the numbers that are goal values: those in the head of a `goal` rule, or, when a sheet
//! computes its goals, every whole number from 0 to 100. The role `random` of GDL-II stays too.
//! Comments are left out.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::is_goal_value;
use crate::name::{Name, keyword};
use crate::print::write_node;
use crate::tree::Tree;

/// A scrambled sheet and the way back.
#[derive(Clone, Debug)]
pub struct Scrambled {
    /// The rules, a clause a line.
    pub text: String,
    /// New word and original word of every name that was changed, in the order of the sheet;
    /// variables with their question marks.
    pub map: Vec<(String, String)>,
}

/// Replaces the words of a sheet; the same seed gives the same words.
pub fn scramble(tree: &Tree, seed: u64) -> Scrambled {
    let kept = kept_names(tree);
    let mut words = Words { random: fastrand::Rng::with_seed(seed), used: FxHashSet::default() };
    words.used.extend(keyword::TEXTS.iter().map(|&text| text.to_owned()));
    words.used.extend(kept.iter().map(|&name| tree.names.spelling(name).to_lowercase()));
    let mut new_words: Vec<String> = Vec::with_capacity(tree.names.len());
    let mut map = Vec::new();
    for name in tree.names.iter() {
        let symbol = tree.names.symbol(name);
        let old = tree.names.spelling(name);
        let word = if symbol.0 != name.0 {
            new_words[symbol.index()].clone() // another spelling of a word that is done
        } else if symbol.index() < keyword::TEXTS.len() || kept.contains(&name) {
            old.to_owned()
        } else {
            let prefix = if old.starts_with('?') && old.len() > 1 { "?" } else { "" };
            let new = format!("{prefix}{}", words.next());
            map.push((new.clone(), old.to_owned()));
            new
        };
        new_words.push(word);
    }
    let text = spelled(tree, |name| &new_words[name.0 as usize]);
    Scrambled { text, map }
}

/// Puts other words into a sheet, those behind the first of each pair: the way back from
/// [`Scrambled::map`]. Words without a pair stay. Letter case does not matter.
pub fn rename(tree: &Tree, map: &[(String, String)]) -> String {
    let pairs: FxHashMap<String, &str> =
        map.iter().map(|(new, old)| (new.to_lowercase(), old.as_str())).collect();
    let new_words: Vec<&str> = tree
        .names
        .iter()
        .map(|name| {
            let word = tree.names.spelling(name);
            pairs.get(word.to_lowercase().as_str()).copied().unwrap_or(word)
        })
        .collect();
    spelled(tree, |name| new_words[name.0 as usize])
}

/// The clauses, one a line, each name as `spell` gives it.
fn spelled<'a>(tree: &Tree, spell: impl Fn(Name) -> &'a str) -> String {
    let mut text = String::new();
    for root in tree.roots() {
        // Writing to a string does not fail.
        let _ = write_node(tree, root, &mut text, &spell);
        text.push('\n');
    }
    text
}

/// Names that must stay although they are not keywords.
fn kept_names(tree: &Tree) -> FxHashSet<Name> {
    let mut computed = false;
    let mut values = FxHashSet::default();
    for clause in tree.roots() {
        let head = match tree.functor(clause) {
            Some(keyword::ARROW) => tree.arguments(clause).next(),
            _ => Some(clause),
        };
        if let Some(head) = head.filter(|&h| tree.functor(h) == Some(keyword::GOAL)) {
            match tree.arguments(head).nth(1) {
                Some(value) if tree.word(value).is_some() => values.extend(tree.word(value)),
                _ => computed = true,
            }
        }
    }
    let is_kept = |name: &Name| {
        let value = is_goal_value(tree.names.spelling(*name)) && computed;
        value || values.contains(&tree.names.symbol(*name))
    };
    tree.names.iter().filter(is_kept).collect()
}

/// Invents words that can be spoken and that are not used yet.
struct Words {
    random: fastrand::Rng,
    used: FxHashSet<String>,
}

impl Words {
    fn next(&mut self) -> String {
        const CONSONANTS: &[u8] = b"bcdfghjklmnprstvwz";
        const VOWELS: &[u8] = b"aeiou";
        let mut syllables = 2;
        loop {
            let mut word = String::new();
            for _ in 0..syllables {
                for letters in [CONSONANTS, VOWELS] {
                    word.push(letters[self.random.usize(..letters.len())] as char);
                }
            }
            if self.random.bool() {
                word.push(CONSONANTS[self.random.usize(..CONSONANTS.len())] as char);
            }
            if self.used.insert(word.clone()) {
                return word;
            }
            // Longer words once the short ones run out.
            syllables += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, parse};

    fn tree(text: &str) -> Tree {
        parse(&Source::new("test", text)).0
    }

    #[test]
    fn keywords_and_goal_values_stay_and_everything_else_goes() {
        let tree =
            tree("(role White) (<= (GOAL white 100) (true (cell 1 100 ?Row)) (not (distinct ?row b)))");
        let scrambled = scramble(&tree, 1);
        for word in ["White", "white", "cell", " 1 ", "?Row", "?row", " b)"] {
            assert!(!scrambled.text.contains(word), "{word} in {}", scrambled.text);
        }
        for word in ["(role ", "(goal ", " 100)", "(true (", " 100 ?", "(not (distinct ?"] {
            assert!(scrambled.text.contains(word), "{word} not in {}", scrambled.text);
        }
        assert_eq!(scrambled.map.len(), 5);
    }

    #[test]
    fn computed_goals_keep_every_number_that_can_be_one() {
        let scrambled = scramble(&tree("(<= (goal x ?n) (true (points ?n 7 101)))"), 1);
        assert!(scrambled.text.contains(" 7 ") && !scrambled.text.contains("101"));
    }

    #[test]
    fn the_seed_decides_and_the_map_leads_back() {
        let tree = tree("(role a)(ROLE b)\n (init (cell 1 2 ?x))");
        let one = scramble(&tree, 7);
        assert_eq!(one.text, scramble(&tree, 7).text);
        assert_ne!(one.text, scramble(&tree, 8).text);
        let scrambled = parse(&Source::new("test", one.text)).0;
        assert_eq!(rename(&scrambled, &one.map), "(role a)\n(role b)\n(init (cell 1 2 ?x))\n");
    }
}

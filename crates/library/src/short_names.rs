//! One or two letters for each of some names, all different.

use std::collections::{BTreeMap, BTreeSet};

/// Short forms in the order of the names: as short as they can be while all are different, and made
/// alike, so that they can be read.
pub(crate) fn short_names(names: &[&str]) -> Vec<String> {
    let plain: Vec<String> =
        names.iter().map(|name| name.replace(['(', ')'], "").replace(' ', "_")).collect();
    if plain.iter().all(|name| name.chars().count() <= 2) {
        return plain;
    }
    let initials = |name: &String| -> String {
        name.split('_').filter_map(|word| word.chars().next()).chain(digits(name)).collect()
    };
    let start = |length: usize| move |name: &String| name.chars().take(length).collect::<String>();
    let ways = std::iter::once(plain.iter().map(start(1)).collect::<Vec<_>>())
        .chain([plain.iter().map(initials).collect()])
        .chain(lettered(&plain))
        .chain((2..8).map(|length| plain.iter().map(start(length)).collect()));
    ways.into_iter().find(|short| all_different(short)).unwrap_or(plain)
}

/// Initials, but of the last word a letter of its own: `white_king` and `white_knight` are `wk` and
/// `wn`. None for names of
/// one word, and if a word has no letter left.
fn lettered(names: &[String]) -> Option<Vec<String>> {
    if !names.iter().all(|name| name.contains('_')) {
        return None;
    }
    let last = |name: &String| name.rsplit('_').next().unwrap_or("").to_owned();
    let mut letters = BTreeMap::<String, char>::new();
    let mut words: Vec<String> = names.iter().map(last).collect();
    words.sort();
    words.dedup();
    for word in words {
        let letter = word.chars().find(|c| !letters.values().any(|taken| taken == c))?;
        letters.insert(word, letter);
    }
    let short = |name: &String| {
        let before = name.rsplit_once('_').map_or("", |(before, _)| before);
        let initials = before.split('_').filter_map(|word| word.chars().next());
        initials.chain(letters.get(&last(name)).copied()).collect::<String>()
    };
    Some(names.iter().map(short).collect())
}

/// The number at the end of a name, unless the whole word is the number.
fn digits(name: &str) -> impl Iterator<Item = char> {
    let word = name.rsplit('_').next().unwrap_or("");
    let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    let skip = usize::from(number.len() == word.len());
    number.chars().skip(skip).collect::<Vec<_>>().into_iter()
}

fn all_different(names: &[String]) -> bool {
    let different: BTreeSet<&String> = names.iter().collect();
    different.len() == names.len() && !names.iter().any(String::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_different() {
        assert_eq!(short_names(&["x", "o", "b1"]), ["x", "o", "b1"]);
        assert_eq!(short_names(&["white", "black"]), ["w", "b"]);
        assert_eq!(short_names(&["white_pawn", "white_king", "black_pawn"]), ["wp", "wk", "bp"]);
        let chess = ["white_king", "white_knight", "black_king", "black_rook"];
        assert_eq!(short_names(&chess), ["wk", "wn", "bk", "br"]);
        assert_eq!(short_names(&["gun_1", "gun_2", "flag"]), ["g1", "g2", "f"]);
        assert_eq!(short_names(&["block", "blank"]), ["blo", "bla"]);
        assert_eq!(short_names(&["(pawn white)", "(pawn black)"]), ["pw", "pb"]);
        assert_eq!(short_names(&["same", "same"]), ["same", "same"]);
    }
}

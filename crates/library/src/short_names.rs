//! One or two letters for each of some names, all different.

use std::collections::BTreeSet;

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
        .chain((2..8).map(|length| plain.iter().map(start(length)).collect()));
    ways.into_iter().find(|short| all_different(short)).unwrap_or(plain)
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
        assert_eq!(short_names(&["gun_1", "gun_2", "flag"]), ["g1", "g2", "f"]);
        assert_eq!(short_names(&["block", "blank"]), ["blo", "bla"]);
        assert_eq!(short_names(&["(pawn white)", "(pawn black)"]), ["pw", "pb"]);
        assert_eq!(short_names(&["same", "same"]), ["same", "same"]);
    }
}

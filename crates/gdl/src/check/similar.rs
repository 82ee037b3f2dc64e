//! Names that were perhaps meant: small edit distance.

/// The candidate nearest to `word`, if it is near enough to be a slip of the keyboard.
pub fn closest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_LENGTH {
        return None;
    }
    let word = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len() > MAX_LENGTH {
            continue;
        }
        let other = candidate.to_lowercase();
        // Insertions, deletions, replacements, and swaps of neighbours.
        let distance = strsim::osa_distance(&word, &other);
        let allowed = match word.chars().count().min(other.chars().count()) {
            0..=2 => 0,
            3..=5 => 1,
            _ => 2,
        };
        if distance > 0 && distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The candidate that is one slip away: one letter more, less or other, or two swapped.
pub(super) fn slip<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    closest(word, candidates).filter(|c| strsim::osa_distance(&word.to_lowercase(), &c.to_lowercase()) == 1)
}

/// Whether two neighbouring letters of one word are exchanged in the other. Digits do not count:
/// `a12` and `a21` are two cells.
pub(super) fn swapped(one: &str, other: &str) -> bool {
    if one.len() != other.len() || one.len() > MAX_LENGTH {
        return false;
    }
    let pairs = one.chars().zip(other.chars()).enumerate();
    let mut different = pairs.filter(|(_, (a, b))| !a.eq_ignore_ascii_case(b));
    match (different.next(), different.next(), different.next()) {
        (Some((i, (a, b))), Some((j, (c, d))), None) => {
            j == i + 1
                && a.eq_ignore_ascii_case(&d)
                && b.eq_ignore_ascii_case(&c)
                && a.is_alphabetic()
                && b.is_alphabetic()
        }
        _ => false,
    }
}

/// Longer names are not compared: the cost is quadratic.
const MAX_LENGTH: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_are_of_two_neighbouring_letters() {
        assert!(swapped("rihgt", "right"));
        assert!(swapped("Rihgt", "right"));
        assert!(!swapped("right", "right"));
        assert!(!swapped("thgir", "right"));
        assert!(!swapped("a12", "a21"), "two cells");
        assert!(!swapped("rightt", "right"));
    }

    #[test]
    fn finds_slips_and_leaves_other_words_alone() {
        let known = ["cell", "control", "adjacent"];
        let meant = |word| closest(word, known.into_iter());
        assert_eq!(meant("cel"), Some("cell"));
        assert_eq!(meant("clel"), Some("cell"));
        assert_eq!(meant("contorl"), Some("control"));
        assert_eq!(meant("adjacnet"), Some("adjacent"));
        assert_eq!(meant("cell"), None, "the word itself is not a suggestion");
        assert_eq!(meant("row"), None);
        assert_eq!(meant("xx"), None, "short words are too near to everything");
    }
}

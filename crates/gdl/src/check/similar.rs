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

/// Longer names are not compared: the cost is quadratic.
const MAX_LENGTH: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

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

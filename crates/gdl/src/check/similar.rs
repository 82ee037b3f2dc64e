//! Names that were perhaps meant: small edit distance.

/// The candidate nearest to `word`, if it is near enough to be a slip of the keyboard.
pub fn closest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(MAX_LENGTH + 1).collect();
    if word.len() > MAX_LENGTH {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len() > MAX_LENGTH {
            continue;
        }
        let other: Vec<char> = candidate.to_lowercase().chars().collect();
        let distance = edit_distance(&word, &other);
        let allowed = match word.len().min(other.len()) {
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

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other
/// (optimal string alignment).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = replace.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

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

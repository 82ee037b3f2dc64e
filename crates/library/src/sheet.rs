//! The rule sheets in the binary, by name.

use crate::about::{About, AboutError};

/// A built-in rule sheet.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    /// Name of the file, without its extension.
    pub name: &'static str,
    /// The sheet as written.
    pub text: &'static str,
    /// The description as written; empty if there is none.
    about: &'static str,
}

static SHEETS: &[Sheet] = include!(concat!(env!("OUT_DIR"), "/sheets.rs"));

impl Sheet {
    /// The description of the game.
    pub fn about(&self) -> Result<About, AboutError> {
        if self.about.trim().is_empty() {
            return Err(AboutError::Missing { name: self.name.to_owned() });
        }
        About::read(self.name, self.about)
    }

    /// The header comment before the first clause, without the comment marks.
    pub fn head(&self) -> String {
        let lines = self.text.lines().take_while(|line| line.starts_with(';'));
        let text = |line: &str| line.trim_start_matches(';').trim_end().to_owned();
        let lines: Vec<String> = lines
            .map(|line| text(line).strip_prefix(' ').map_or_else(|| text(line), str::to_owned))
            .collect();
        lines.join("\n").trim_end().to_owned()
    }
}

/// All sheets, sorted by name.
pub fn sheets() -> &'static [Sheet] {
    SHEETS
}

/// The sheet with this name; ignores case and treats `-` as `_`.
pub fn find(name: &str) -> Option<&'static Sheet> {
    let name = normal(name);
    SHEETS.binary_search_by(|sheet| sheet.name.cmp(&name)).ok().map(|at| &SHEETS[at])
}

fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// Longest name for which similar ones are searched: the cost grows with its length.
const MAX_LENGTH: usize = 60;

/// Names that may have been meant, the most similar first.
pub fn similar(name: &str) -> Vec<&'static str> {
    let name: String = normal(name).chars().filter(char::is_ascii_alphanumeric).collect();
    if name.is_empty() || name.len() > MAX_LENGTH {
        return Vec::new();
    }
    let mut found: Vec<(usize, &'static str)> = Vec::new();
    for sheet in SHEETS {
        let known = sheet.name.replace('_', "");
        let distance = strsim::levenshtein(&name, &known);
        let contained = name.len() >= 3 && (known.contains(&name) || name.contains(&known));
        if contained || distance <= 1 + name.len() / 4 {
            // A name with this prefix comes before one that merely contains it.
            let rank = if known.starts_with(&name) { 0 } else { 1 };
            found.push((if contained { rank } else { 1 + distance }, sheet.name));
        }
    }
    found.sort();
    found.into_iter().map(|(_, name)| name).take(5).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_are_found_by_name() {
        assert!(SHEETS.is_sorted_by(|a, b| a.name < b.name));
        assert_eq!(find("Tic-Tac-Toe").map(|s| s.name), Some("tic_tac_toe"));
        assert!(find("tic_tac").is_none() && find("").is_none());
    }

    #[test]
    fn a_slip_leads_to_the_name() {
        assert_eq!(similar("conect_four").first(), Some(&"connect_four"));
        assert_eq!(similar("tictactoe").first(), Some(&"tic_tac_toe"));
        assert!(similar("checkers").contains(&"chinese_checkers_2"));
        assert!(similar("").is_empty() && similar("zzzzzzzzz").is_empty());
        assert!(similar(&"x".repeat(100_000)).is_empty());
    }

    #[test]
    fn the_head_is_what_stands_before_the_rules() {
        let head = find("tic_tac_toe").map(Sheet::head).unwrap_or_default();
        assert!(head.starts_with("Tic-tac-toe\n\nPlayers: x and o"), "{head}");
        assert!(!head.contains("\n;") && !head.contains("(role"), "{head}");
    }
}

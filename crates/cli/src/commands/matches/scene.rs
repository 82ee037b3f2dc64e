//! The view of a match at a state: the board, the moves.

use ludex_arena::MatchRecord;
use ludex_library::{About, Look, Picture};

use crate::output::terminal_width;

/// How the states of a game are drawn.
pub(crate) struct Scene {
    about: Option<About>,
    ascii: bool,
}

impl Scene {
    /// By the description of the game, if there is one.
    pub(crate) fn new(about: Option<About>, ascii: bool) -> Self {
        Self { about, ascii }
    }

    /// Whether only ASCII is wanted.
    pub(crate) fn ascii(&self) -> bool {
        self.ascii
    }

    /// The name of the game.
    pub(crate) fn title(&self, record: &MatchRecord) -> String {
        let details = record.ludex.as_ref();
        match &self.about {
            Some(about) => about.title.clone(),
            None => details.map_or_else(|| record.match_id.clone(), |details| details.game.clone()),
        }
    }

    /// Whether the game is a puzzle: one role, and nobody to play against.
    pub(crate) fn is_puzzle(&self, record: &MatchRecord) -> bool {
        record.role_names().len() == 1
    }

    /// The fewest moves that solve a puzzle, if the description says it.
    pub(crate) fn solution_length(&self) -> Option<u32> {
        self.about.as_ref().and_then(|about| about.solution_length)
    }

    /// The picture of a state. When the match is over nobody is to move.
    pub(crate) fn picture(&self, record: &MatchRecord, state: usize) -> Picture {
        let facts = record.facts(state).unwrap_or_default();
        let picture = Picture::new(self.about.as_ref(), &record.role_names(), &facts);
        let last = !record.goal_values.is_empty() && state == record.steps();
        if last { picture.finished() } else { picture }
    }

    /// The board of a state, as lines of text.
    pub(crate) fn board(&self, record: &MatchRecord, state: usize) -> String {
        let picture = self.picture(record, state);
        picture.text(&Look { ascii: self.ascii, colours: true, width: terminal_width() })
    }
}

/// Whether a move is the usual name of a no-op.
pub(crate) fn is_idle(name: &str) -> bool {
    let names = ["noop", "wait", "pass", "nil", "skip"];
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// A text in lines of at most so many characters, broken at blanks; longer words are cut in two.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let indent: String = paragraph.chars().take_while(|c| *c == ' ').take(width / 2).collect();
        let mut line = indent.clone();
        let mut blank = true;
        for word in paragraph.split_whitespace() {
            let mut word: Vec<char> = word.chars().collect();
            let used = line.chars().count();
            if !blank && used + 1 + word.len() > width {
                lines.push(std::mem::replace(&mut line, indent.clone()));
                blank = true;
            }
            while line.chars().count() + usize::from(!blank) + word.len() > width.max(1) {
                let room = width.saturating_sub(line.chars().count()).max(1);
                line.extend(word.drain(..room.min(word.len())));
                lines.push(std::mem::replace(&mut line, indent.clone()));
                blank = true;
            }
            if !blank {
                line.push(' ');
            }
            line.extend(word);
            blank = false;
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// The moves of a step in a few words; forced moves are omitted.
pub(crate) fn moves(record: &MatchRecord, step: usize) -> String {
    let Some(joint) = step.checked_sub(1).and_then(|at| record.moves.get(at)) else { return String::new() };
    let roles = record.role_names();
    let all = joint.iter().all(|name| is_idle(name));
    let told: Vec<String> = joint
        .iter()
        .zip(&roles)
        .filter(|(name, _)| all || !is_idle(name))
        .map(|(name, role)| format!("{role} {name}"))
        .collect();
    told.join(", ")
}

/// A number in a few digits: `950`, `12.3k`, `4.5M`.
pub(crate) fn short(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.1}G", n / 1e9),
        n if n >= 1e6 => format!("{:.1}M", n / 1e6),
        n if n >= 1e4 => format!("{:.1}k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{short, wrapped};

    #[test]
    fn texts_are_wrapped() {
        assert_eq!(wrapped("a bc def", 4), "a bc\ndef");
        assert_eq!(wrapped("  ab cd efghijk\n\nx", 6), "  ab\n  cd\n  efgh\n  ijk\n\nx");
        assert_eq!(wrapped("", 40), "");
    }

    #[test]
    fn numbers_are_short() {
        let written: Vec<String> =
            [0.4, 950.0, 9999.0, 12_345.0, 4_500_000.0, 2e9].into_iter().map(short).collect();
        assert_eq!(written, ["0", "950", "9999", "12.3k", "4.5M", "2.0G"]);
    }
}

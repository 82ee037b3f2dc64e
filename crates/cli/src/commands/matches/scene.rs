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

    /// The board of a state, as lines of text.
    pub(crate) fn board(&self, record: &MatchRecord, state: usize) -> String {
        let facts = record.facts(state).unwrap_or_default();
        let picture = Picture::new(self.about.as_ref(), &record.role_names(), &facts);
        picture.text(&Look { ascii: self.ascii, colours: true, width: terminal_width() })
    }
}

/// Whether a move is the usual name of a no-op.
pub(crate) fn is_idle(name: &str) -> bool {
    let names = ["noop", "wait", "pass", "nil", "skip"];
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
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
    use super::short;

    #[test]
    fn numbers_are_short() {
        let written: Vec<String> =
            [0.4, 950.0, 9999.0, 12_345.0, 4_500_000.0, 2e9].into_iter().map(short).collect();
        assert_eq!(written, ["0", "950", "9999", "12.3k", "4.5M", "2.0G"]);
    }
}

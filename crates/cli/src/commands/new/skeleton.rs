//! The games that `ludex new` writes: rules from templates, and their descriptions.

use std::fmt::Write;

use anyhow::{Result, anyhow};
use ludex_gdl::{Source, format};

/// Names of the players, in order.
pub(super) const ROLES: [&str; 6] = ["red", "blue", "green", "yellow", "white", "black"];
/// How their stones are drawn.
const GLYPHS: [&str; 6] = ["●", "○", "▲", "△", "■", "□"];

/// Two and more players place stones.
const PLACE: &str = include_str!("place.kif");
/// One player walks.
const WALK: &str = include_str!("walk.kif");

/// A game to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skeleton<'a> {
    pub(super) name: &'a str,
    pub(super) players: usize,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Skeleton<'_> {
    fn roles(&self) -> &'static [&'static str] {
        if self.players == 1 { &["you"] } else { &ROLES[..self.players] }
    }

    /// For people: `my_game` is "My game".
    fn title(&self) -> String {
        let words = self.name.replace('_', " ");
        let mut letters = words.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    }

    /// The rules, in canonical layout.
    pub(super) fn sheet(&self) -> Result<Vec<u8>> {
        let roles = self.roles();
        let template = if self.players == 1 { WALK } else { PLACE };
        let mut text = String::new();
        for line in template.lines() {
            match line {
                "@roles" => lines(&mut text, roles.iter().map(|role| format!("(role {role})"))),
                "@after" => {
                    let next = roles.iter().cycle().skip(1);
                    lines(
                        &mut text,
                        roles.iter().zip(next).map(|(role, next)| format!("(after {role} {next})")),
                    );
                }
                "@columns" => lines(&mut text, numbers("column", self.columns)),
                "@rows" => lines(&mut text, numbers("row", self.rows)),
                "@steps" => lines(&mut text, steps(self.columns.max(self.rows))),
                "@cells" => {
                    let cells = (1..=self.columns).flat_map(|c| (1..=self.rows).map(move |r| (c, r)));
                    let cells = cells.skip(1).map(|(c, r)| format!("(init (cell {c} {r} free))"));
                    lines(&mut text, cells);
                }
                _ => lines(
                    &mut text,
                    [line
                        .replace("@title", &self.title())
                        .replace("@first", roles[0])
                        .replace("@board", &format!("{}x{}", self.columns, self.rows))
                        .replace("@players", &roles.join(", "))],
                ),
            }
        }
        format(&Source::new(self.name, text))
            .map_err(|_| anyhow!("internal error: the template of a new game is not a rule sheet"))
    }

    /// The description.
    pub(super) fn description(&self) -> String {
        let quoted = |words: Vec<String>| {
            words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
        };
        let roles = quoted(self.roles().iter().map(|&role| role.to_owned()).collect());
        let columns = quoted((1..=self.columns).map(|column| column.to_string()).collect());
        let rows = quoted((1..=self.rows).rev().map(|row| row.to_string()).collect());
        let kind = if self.players == 1 { "single-player" } else { "turn-taking" };
        let mut text = format!(
            "# For people: rules never read this file. Every line may be left out.\n\
             title = \"{}\"\nkind = \"{kind}\"\nroles = [{roles}]\n\n\
             # Which facts are cells, from left to right and from top to bottom.\n\
             [board]\ncells = \"(cell ?column ?row ?content)\"\ncolumns = [{columns}]\nrows = [{rows}]\n\n\
             # How contents are drawn.\n[board.glyphs]\nfree = \"·\"\n",
            self.title()
        );
        if self.players == 1 {
            text.push_str("trail = \"○\"\nwalker = \"●\"\n");
            return text;
        }
        for (role, glyph) in self.roles().iter().zip(GLYPHS) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{role} = \"{glyph}\"");
        }
        text.push_str("\n# What is shown beside the board.\n[[beside]]\nlabel = \"to move\"\nfact = \"(control ?who)\"\n");
        text
    }
}

fn lines(text: &mut String, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
}

/// `(column 1)`, `(column 2)`, ...
fn numbers(relation: &str, last: usize) -> impl Iterator<Item = String> {
    (1..=last).map(move |number| format!("({relation} {number})"))
}

/// `(step 1 2)`, `(step 2 3)`, ...
fn steps(last: usize) -> impl Iterator<Item = String> {
    (1..last).map(|number| format!("(step {number} {})", number + 1))
}

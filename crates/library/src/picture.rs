//! A drawn state, independent of the output: grids of cells, and lines next to them. `draw` writes it
//! as text for terminals.

use crate::about::{About, Shape};
use crate::draw::Place;
use crate::{board, detect};

/// A drawn state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Names of the roles, in their order: pieces belong to roles.
    pub roles: Vec<String>,
    /// Boards; most games have one or none.
    pub grids: Vec<Grid>,
    /// Hands, counters, who is to move.
    pub lines: Vec<Line>,
}

/// A board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// How rows lie to each other.
    pub shape: Shape,
    /// From left to right.
    pub columns: Vec<Axis>,
    /// From top to bottom.
    pub rows: Vec<Axis>,
    /// By row and column; at lines there are cells without text.
    pub cells: Vec<Vec<Cell>>,
}

/// A column or a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Cells with this coordinate.
    Label(String),
    /// A line that parts what stands on both sides.
    Line,
}

/// The content of a cell of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// A sign, or several if several things are there.
    pub text: String,
    /// The same in ASCII.
    pub ascii: String,
    /// What the rules call it: `white_pawn`. Empty where nothing is.
    pub content: String,
    /// Whose it is, as an index of a role.
    pub role: Option<usize>,
}

/// A line next to a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub label: String,
    /// What is the case; empty if nothing is.
    pub values: Vec<Value>,
}

/// Something in a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// As shown.
    pub text: String,
    /// The same in ASCII.
    pub ascii: String,
    /// Whose it is, as an index of a role.
    pub role: Option<usize>,
}

impl Picture {
    /// The picture of a state: by the hints of a description, or, if it has none, by what the facts
    /// look like. Roles and facts are texts as games spell them.
    pub fn new(about: Option<&About>, roles: &[String], facts: &[String]) -> Self {
        match about {
            Some(about) if about.board.is_some() || !about.beside.is_empty() => {
                board::picture(about, roles, facts)
            }
            _ => detect::picture(roles, facts),
        }
    }
}

impl Picture {
    /// The picture of a state in which the game is over: nobody is to move any more.
    pub fn finished(mut self) -> Self {
        const TURNS: [&str; 4] = ["to move", "turn", "control", "whose turn"];
        self.lines.retain(|line| !TURNS.contains(&line.label.as_str()));
        self
    }
}

impl Picture {
    /// The cells that look different from before; none if most of the board does.
    pub fn changes(&self, before: &Self) -> Vec<Place> {
        let mut changed = Vec::new();
        let mut cells = 0;
        for (grid, (old, new)) in before.grids.iter().zip(&self.grids).enumerate() {
            if (&old.columns, &old.rows) != (&new.columns, &new.rows) {
                return Vec::new();
            }
            for (row, (old, new)) in old.cells.iter().zip(&new.cells).enumerate() {
                cells += new.len();
                let differ = old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new);
                changed.extend(differ.map(|(column, _)| Place { grid, row, column }));
            }
        }
        if changed.len() * 2 > cells { Vec::new() } else { changed }
    }
}

/// The owner of a piece: the role whose name equals or is part of its name, as in `white_pawn`.
pub(crate) fn owner(roles: &[String], thing: &str) -> Option<usize> {
    let words = || thing.split(|c: char| !c.is_alphanumeric());
    let named = roles.iter().position(|role| role == thing);
    named.or_else(|| roles.iter().position(|role| words().any(|word| word == role)))
}

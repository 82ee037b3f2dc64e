//! Pictures and moves as the page gets them.

use ludex_library::{Axis, Grid, Picture, Place, Shape, Spot, spots};
use serde::Serialize;

/// A cell of a board that a move names: board, column, and row unless it is the whole column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Named(pub(crate) usize, pub(crate) usize, pub(crate) Option<usize>);

/// A move that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Choice {
    /// As the game spells it.
    pub(crate) name: String,
    /// What it names on the board, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) spots: Vec<Named>,
}

/// The moves with what they name: cells, columns, or pieces by their names.
pub(crate) fn choices(legal: &[String], picture: &Picture) -> Vec<Choice> {
    let named = |name: &String| Choice { name: name.clone(), spots: named(name, picture) };
    legal.iter().map(named).collect()
}

/// What a move names: on the first board where it names anything.
fn named(name: &str, picture: &Picture) -> Vec<Named> {
    let boards = || picture.grids.iter().enumerate();
    let mut found = boards().map(|(at, grid)| (at, spots(name, grid))).find(|(_, spots)| !spots.is_empty());
    if found.is_none() {
        found = boards()
            .map(|(at, grid)| (at, pieces(name, grid).unwrap_or_default()))
            .find(|(_, spots)| !spots.is_empty());
    }
    let Some((board, spots)) = found else { return Vec::new() };
    spots.iter().map(|spot| Named(board, spot.column, spot.row)).collect()
}

/// The cells of a move that names pieces, or columns of stacks: `(move 3 left)`. None if an argument
/// is neither.
fn pieces(name: &str, grid: &Grid) -> Option<Vec<Spot>> {
    let mut words = name.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|w| !w.is_empty());
    words.next()?; // the name of the move
    let holding = |word: &str| {
        let mut cells = grid.cells.iter().enumerate().flat_map(|(row, cells)| {
            let here = cells.iter().enumerate().filter(|(_, cell)| cell.content == word);
            here.map(move |(column, _)| Spot { column, row: Some(row) })
        });
        let first = cells.next();
        first.filter(|_| cells.next().is_none())
    };
    let column = |word: &str| {
        let at = grid.columns.iter().position(|axis| matches!(axis, Axis::Label(label) if label == word));
        at.map(|column| Spot { column, row: None })
    };
    words.map(|word| holding(word).or_else(|| column(word))).collect()
}

/// A picture as the page gets it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ShownPicture {
    grids: Vec<ShownGrid>,
    lines: Vec<ShownLine>,
}

#[derive(Clone, Debug, Serialize)]
struct ShownGrid {
    hex: bool,
    /// Labels; null for lines.
    columns: Vec<Option<String>>,
    rows: Vec<Option<String>>,
    cells: Vec<Vec<ShownCell>>,
}

#[derive(Clone, Debug, Serialize)]
struct ShownCell {
    #[serde(rename = "t", skip_serializing_if = "String::is_empty")]
    text: String,
    #[serde(rename = "c", skip_serializing_if = "String::is_empty")]
    content: String,
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    role: Option<usize>,
}

#[derive(Clone, Debug, Serialize)]
struct ShownLine {
    label: String,
    values: Vec<ShownCell>,
}

impl From<&Picture> for ShownPicture {
    fn from(picture: &Picture) -> Self {
        let axes = |axes: &[Axis]| -> Vec<Option<String>> {
            let label = |axis: &Axis| match axis {
                Axis::Label(label) => Some(label.clone()),
                Axis::Line => None,
            };
            axes.iter().map(label).collect()
        };
        let cells = |row: &Vec<ludex_library::Cell>| -> Vec<ShownCell> {
            let cell = |cell: &ludex_library::Cell| ShownCell {
                text: cell.text.clone(),
                content: cell.content.clone(),
                role: cell.role,
            };
            row.iter().map(cell).collect()
        };
        let grid = |grid: &Grid| ShownGrid {
            hex: grid.shape == Shape::Hex,
            columns: axes(&grid.columns),
            rows: axes(&grid.rows),
            cells: grid.cells.iter().map(cells).collect(),
        };
        let line = |line: &ludex_library::Line| {
            let value = |value: &ludex_library::Value| ShownCell {
                text: value.text.clone(),
                content: String::new(),
                role: value.role,
            };
            ShownLine { label: line.label.clone(), values: line.values.iter().map(value).collect() }
        };
        Self {
            grids: picture.grids.iter().map(grid).collect(),
            lines: picture.lines.iter().map(line).collect(),
        }
    }
}

/// Cells as board, column and row.
pub(crate) fn places(places: &[Place]) -> Vec<(usize, usize, usize)> {
    places.iter().map(|place| (place.grid, place.column, place.row)).collect()
}

//! What kind of board a game has, so that the page draws it as people know it.
//!
//! Descriptions say which facts are cells. The rest shows in what lies on the board and what moves
//! name: discs that are dropped into columns, pegs, stones, chess pieces, numbers.

use ludex_library::{Axis, Grid, Picture, Shape};
use serde::Serialize;

use crate::shown::Choice;

/// The look of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Style {
    /// Squares with lines between them.
    #[default]
    Plain,
    /// Light and dark squares.
    Checkered,
    /// Light and dark squares, and kings are crowned discs.
    Draughts,
    /// Squares with stones.
    Stones,
    /// Hexagons.
    Hex,
    /// Discs on three rods, and the like.
    Stack,
    /// Columns that discs are dropped into.
    Rack,
    /// Round holes in a lattice, as on a star.
    Lattice,
    /// Numbers on tiles.
    Tiles,
    /// Numbers in boxes.
    Boxes,
}

const CHESS: [&str; 6] = ["king", "queen", "rook", "bishop", "knight", "pawn"];

impl Style {
    /// The style of a game: from its first picture, what contents its description names, and the
    /// moves of the first position.
    pub(crate) fn of(picture: &Picture, contents: &[&str], moves: &[Choice]) -> Self {
        let Some(grid) = picture.grids.first() else { return Style::Plain };
        let named = |word: &str| {
            let has = |content: &&str| content.split('_').any(|part| part == word);
            contents.iter().any(has)
        };
        if grid.shape == Shape::Hex {
            return Style::Hex;
        }
        if is_stacked(grid) {
            return Style::Stack;
        }
        if named("man") && named("king") {
            return Style::Draughts;
        }
        let glyph = |at: (usize, usize)| grid.cells[at.0][at.1].text.as_str();
        let chess = cells(grid).any(|at| glyph(at).chars().any(|c| ('♔'..='♟').contains(&c)));
        if chess || CHESS.iter().filter(|piece| named(piece)).count() > 1 {
            return Style::Checkered;
        }
        let whole_columns = moves.iter().flat_map(|choice| &choice.spots).any(|spot| spot.2.is_none());
        if whole_columns {
            return Style::Rack;
        }
        if is_lattice(grid) {
            return Style::Lattice;
        }
        let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        let numbers = cells(grid).filter(|&at| digits(&grid.cells[at.0][at.1].content)).count();
        if numbers * 5 >= cells(grid).count() {
            let lined = grid.columns.contains(&Axis::Line);
            return if lined { Style::Boxes } else { Style::Tiles };
        }
        let stone = |at: &(usize, usize)| matches!(glyph(*at), "●" | "○");
        if picture.roles.len() > 1 && (cells(grid).any(|at| stone(&at)) || contents == ["black", "white"]) {
            return Style::Stones;
        }
        Style::Plain
    }
}

/// Cells that are none of the lines.
fn cells(grid: &Grid) -> impl Iterator<Item = (usize, usize)> + Clone {
    let label = |axis: &Axis| matches!(axis, Axis::Label(_));
    let rows = (0..grid.rows.len()).filter(move |&row| label(&grid.rows[row]));
    rows.flat_map(move |row| {
        (0..grid.columns.len())
            .filter(move |&column| label(&grid.columns[column]))
            .map(move |column| (row, column))
    })
}

/// Whether pieces lie on each other: rows have no labels then.
pub(crate) fn is_stacked(grid: &Grid) -> bool {
    grid.rows.iter().all(|row| matches!(row, Axis::Label(label) if label.is_empty()))
}

/// Whether places lie as on a star: there are gaps, and no two places are next to each other in a
/// row.
fn is_lattice(grid: &Grid) -> bool {
    let is_place =
        |at: (usize, usize)| grid.cells[at.0].get(at.1).is_some_and(|cell| !cell.content.is_empty());
    let places = cells(grid).filter(|&at| is_place(at)).count();
    let side_by_side = cells(grid).any(|at| is_place(at) && is_place((at.0, at.1 + 1)));
    places > 8 && !side_by_side && grid.rows.len() > 2
}

//! The cells of a board that a move names: `(move e 2 e 4)` names two, `(drop 4)` a column.
//!
//! Rules do not say what a move means; that arguments in a row are labels of a column and a row of
//! the board is a good sign. Where it is none, people choose the move from a list.

use crate::draw::Place;
use crate::picture::{Axis, Grid};

/// A cell, or all cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Index of the column.
    pub column: usize,
    /// Index of the row; none: the whole column.
    pub row: Option<usize>,
}

impl Spot {
    /// Whether a cell is this one, or one of this column.
    pub fn is(&self, place: Place) -> bool {
        self.column == place.column && self.row.is_none_or(|row| row == place.row)
    }
}

/// What a move names on a board, in the order of its arguments.
pub fn spots(name: &str, grid: &Grid) -> Vec<Spot> {
    let words: Vec<&str> = name
        .split(|c: char| c.is_whitespace() || c == '(' || c == ')')
        .filter(|word| !word.is_empty())
        .collect();
    let at = |axes: &[Axis], word: &str| {
        axes.iter().position(|axis| matches!(axis, Axis::Label(label) if label.eq_ignore_ascii_case(word)))
    };
    let mut found = Vec::new();
    let mut next = 1; // the first word is the name of the move
    while next + 1 < words.len() {
        match (at(&grid.columns, words[next]), at(&grid.rows, words[next + 1])) {
            (Some(column), Some(row)) => {
                found.push(Spot { column, row: Some(row) });
                next += 2;
            }
            _ => next += 1,
        }
    }
    if let ([], [_, columns @ ..]) = (&found[..], &words[..]) {
        let columns: Option<Vec<usize>> = columns.iter().map(|word| at(&grid.columns, word)).collect();
        let columns = columns.filter(|columns| columns.len() == 1);
        found.extend(columns.into_iter().flatten().map(|column| Spot { column, row: None }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Cell;

    #[test]
    fn moves_name_cells_or_columns() {
        let axis = |labels: &[&str]| -> Vec<Axis> {
            let axis = |label: &&str| if *label == "|" { Axis::Line } else { Axis::Label((*label).into()) };
            labels.iter().map(axis).collect()
        };
        let cells = vec![vec![Cell::default(); 4]; 2];
        let grid =
            Grid { columns: axis(&["a", "b", "|", "c"]), rows: axis(&["2", "1"]), cells, ..Grid::default() };
        let spot = |column, row| Spot { column, row };
        let named = |name: &str| spots(name, &grid);
        assert_eq!(named("(move b 1 c 2)"), [spot(1, Some(1)), spot(3, Some(0))]);
        assert_eq!(named("(promote queen (cell A 1))"), [spot(0, Some(1))]);
        assert_eq!(named("(drop c)"), [spot(3, None)]);
        assert!(named("noop").is_empty() && named("(bid 7)").is_empty());
        assert!(named("(swap a b)").is_empty(), "which cell of a column cannot be known");
        assert!(spot(1, None).is(Place { grid: 0, row: 1, column: 1 }));
    }
}

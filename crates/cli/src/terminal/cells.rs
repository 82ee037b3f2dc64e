//! The cells of a board that a move names: `(move e 2 e 4)` names two, `(drop 4)` a column.
//!
//! Rules do not say what a move means; that arguments in a row are labels of a column and a row of
//! the board is a good sign. Where it is none, moves are typed.

use ludex_library::{Axis, Grid, Picture, Place, Spot, spots};

use super::entry::Choice;

/// The boards on which some of these moves name cells.
pub(super) fn boards(picture: &Picture, choices: &[Choice]) -> Vec<usize> {
    let named = |grid: &Grid| choices.iter().any(|choice| !spots(&choice.name, grid).is_empty());
    (0..picture.grids.len()).filter(|&at| named(&picture.grids[at])).collect()
}

/// The moves that begin with these cells.
pub(super) fn fitting<'a>(picture: &Picture, choices: &'a [Choice], picks: &[Place]) -> Vec<&'a Choice> {
    choices.iter().filter(|choice| fits(picture, choice, picks).is_some()).collect()
}

/// What a move names after these cells; none if it does not begin with them.
fn fits(picture: &Picture, choice: &Choice, picks: &[Place]) -> Option<Vec<Spot>> {
    let Some(first) = picks.first() else { return Some(Vec::new()) };
    let mut spots = spots(&choice.name, picture.grids.get(first.grid)?);
    let begins = spots.len() >= picks.len() && spots.iter().zip(picks).all(|(spot, pick)| spot.is(*pick));
    begins.then(|| spots.split_off(picks.len()))
}

/// Whether a move names no more cells than these.
pub(super) fn complete(picture: &Picture, choice: &Choice, picks: &[Place]) -> bool {
    fits(picture, choice, picks).is_some_and(|rest| rest.is_empty())
}

/// The cells that may be picked next.
pub(super) fn targets(picture: &Picture, choices: &[Choice], picks: &[Place]) -> Vec<Place> {
    let Some(first) = picks.first() else { return Vec::new() };
    let next = choices.iter().filter_map(|choice| fits(picture, choice, picks)?.first().copied());
    next.filter_map(|spot| Some(Place { grid: first.grid, row: spot.row?, column: spot.column })).collect()
}

/// Where the cursor begins: at the first cell that a move names.
pub(super) fn first(picture: &Picture, choices: &[Choice], grid: usize) -> Option<Place> {
    let board = picture.grids.get(grid)?;
    let spot = choices.iter().find_map(|choice| spots(&choice.name, board).first().copied())?;
    let top = board.rows.iter().position(|axis| matches!(axis, Axis::Label(_)))?;
    Some(Place { grid, row: spot.row.unwrap_or(top), column: spot.column })
}

/// The next cell in a direction; lines are skipped, and the edge is an edge.
pub(super) fn step(picture: &Picture, from: Place, right: isize, down: isize) -> Place {
    let Some(grid) = picture.grids.get(from.grid) else { return from };
    let walk = |axes: &[Axis], at: usize, by: isize| {
        let mut next = at;
        loop {
            match next.checked_add_signed(by) {
                Some(further) if by != 0 && further < axes.len() => next = further,
                _ => return at,
            }
            if matches!(axes[next], Axis::Label(_)) {
                return next;
            }
        }
    };
    let (column, row) = (walk(&grid.columns, from.column, right), walk(&grid.rows, from.row, down));
    Place { column, row, ..from }
}

#[cfg(test)]
mod tests {
    use ludex_library::Cell;

    use super::super::entry::Choices;
    use super::*;

    fn picture(columns: &[&str], rows: &[&str]) -> Picture {
        let axis = |labels: &[&str]| -> Vec<Axis> {
            let label =
                |label: &&str| if *label == "|" { Axis::Line } else { Axis::Label((*label).to_owned()) };
            labels.iter().map(label).collect()
        };
        let cells = vec![vec![Cell::default(); columns.len()]; rows.len()];
        let grid = Grid { columns: axis(columns), rows: axis(rows), cells, ..Grid::default() };
        Picture { grids: vec![grid], ..Picture::default() }
    }

    #[test]
    fn the_cursor_goes_over_lines_and_stops_at_the_edge() {
        let board = picture(&["a", "b", "|", "c"], &["2", "1"]);
        let at = |row, column| Place { grid: 0, row, column };
        assert_eq!(step(&board, at(0, 1), 1, 0), at(0, 3));
        assert_eq!(step(&board, at(0, 3), 1, -1), at(0, 3));
    }

    #[test]
    fn cells_are_picked_one_after_the_other() {
        let board = picture(&["a", "b"], &["2", "1"]);
        let names = ["(move a 1 a 2)", "(move a 1 b 2)", "(stay b 1)"].map(str::to_owned);
        let choices = Choices::new(&names);
        let place = |row, column| Place { grid: 0, row, column };
        let (a1, b1, b2) = (place(1, 0), place(1, 1), place(0, 1));
        assert_eq!(fitting(&board, choices.all(), &[a1]).len(), 2);
        assert_eq!(targets(&board, choices.all(), &[a1]), [place(0, 0), b2]);
        let one = fitting(&board, choices.all(), &[a1, b2]);
        assert!(one.len() == 1 && complete(&board, one[0], &[a1, b2]));
        assert!(complete(&board, fitting(&board, choices.all(), &[b1])[0], &[b1]));
        assert!(fitting(&board, choices.all(), &[b2]).is_empty());
        assert_eq!((boards(&board, choices.all()), first(&board, choices.all(), 0)), (vec![0], Some(a1)));
    }
}

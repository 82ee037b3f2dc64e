//! The picture of a state by the hints of a description.

use std::collections::BTreeMap;

use crate::about::{About, Beside, Board};
use crate::picture::{Axis, Cell, Grid, Line, Picture, Value, owner};
use crate::short_names::short_names;

/// The board with its layers, and the lines beside it.
pub(crate) fn picture(about: &About, roles: &[String], facts: &[String]) -> Picture {
    let signs = about.board.as_ref().map(signs).unwrap_or_default();
    Picture {
        roles: roles.to_vec(),
        grids: about.board.iter().map(|board| grid(board, roles, facts)).collect(),
        lines: about.beside.iter().map(|beside| line(beside, roles, facts, &signs)).collect(),
    }
}

fn grid(board: &Board, roles: &[String], facts: &[String]) -> Grid {
    let axis = |line: &'static str| {
        move |value: &String| if value == line { Axis::Line } else { Axis::Label(value.clone()) }
    };
    let (columns, rows) =
        (board.columns.iter().map(axis("|")).collect(), board.rows.iter().map(axis("-")).collect());
    let places = |values: &[String]| -> BTreeMap<String, usize> {
        values.iter().cloned().enumerate().map(|(at, value)| (value, at)).collect()
    };
    let (column_places, row_places) = (places(&board.columns), places(&board.rows));
    let empty = Cell {
        text: board.empty.clone(),
        ascii: ascii(&board.empty).unwrap_or(" ").into(),
        ..Cell::default()
    };
    let mut cells = vec![vec![empty.clone(); board.columns.len()]; board.rows.len()];
    let in_ascii = ascii_signs(board);
    for (layer, looks) in board.layers().enumerate() {
        let mut drawn = BTreeMap::<(usize, usize), Cell>::new();
        for values in facts.iter().filter_map(|fact| looks.cells.matches(fact)) {
            let value = |variable: &str| looks.cells.place(variable).and_then(|at| values.get(at)).copied();
            let (Some(column), Some(row)) = (value("column"), value("row")) else { continue };
            let (Some(&x), Some(&y)) = (column_places.get(column), row_places.get(row)) else { continue };
            let (text, role) = match value("content") {
                None if board.stacked => (row, None),
                None => (looks.glyph.unwrap_or("?"), owner(roles, column).or_else(|| owner(roles, row))),
                Some(content) => match looks.glyphs.get(content) {
                    Some(glyph) => (glyph.as_str(), owner(roles, content)),
                    None => (content, owner(roles, content)),
                },
            };
            let sign = in_ascii
                .get(&(layer, value("content").unwrap_or("").to_owned()))
                .filter(|_| !board.stacked || value("content").is_some());
            // Several things of one layer in a place are all shown.
            let cell = drawn.entry((y, x)).or_default();
            cell.text.push_str(text);
            cell.ascii.push_str(sign.map_or(text, String::as_str));
            let content = value("content").or(board.stacked.then_some(row)).unwrap_or(looks.name);
            if !cell.content.is_empty() {
                cell.content.push(' ');
            }
            cell.content.push_str(content);
            cell.role = role;
        }
        for ((y, x), cell) in drawn {
            cells[y][x] = cell;
        }
    }
    let mut grid = Grid { shape: board.shape, columns, rows, cells };
    if board.stacked {
        stack(&mut grid, &empty);
    }
    grid
}

/// Lets the pieces of each column fall to the bottom.
fn stack(grid: &mut Grid, empty: &Cell) {
    let height = grid.rows.len();
    for column in 0..grid.columns.len() {
        let mut pieces: Vec<Cell> = grid.cells.iter().map(|row| row[column].clone()).collect();
        pieces.retain(|cell| cell != empty);
        let gap = height - pieces.len();
        for (row, cells) in grid.cells.iter_mut().enumerate() {
            cells[column] = row.checked_sub(gap).map_or_else(|| empty.clone(), |at| pieces[at].clone());
        }
    }
    grid.rows.fill(Axis::Label(String::new()));
}

/// By layer and content: a sign in ASCII for each glyph. Signs stay different: what would become equal
/// gets the first letters of its content.
fn ascii_signs(board: &Board) -> BTreeMap<(usize, String), String> {
    let mut all: Vec<(usize, &str, &str)> = Vec::new();
    for (layer, looks) in board.layers().enumerate() {
        all.extend(looks.glyph.map(|glyph| (layer, "", glyph)));
        all.extend(looks.glyphs.iter().map(|(content, glyph)| (layer, content.as_str(), glyph.as_str())));
    }
    let mut contents: Vec<&str> = all.iter().map(|&(_, content, _)| content).collect();
    contents.retain(|content| !content.is_empty());
    contents.sort_unstable();
    contents.dedup();
    let short: BTreeMap<&str, String> = contents.iter().copied().zip(short_names(&contents)).collect();
    // Glyphs that are ASCII already keep their signs, so they come first.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| !all[at].2.is_ascii());
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    let mut signs = BTreeMap::new();
    for at in order {
        let (layer, content, glyph) = all[at];
        let sign = match ascii(glyph) {
            Some(sign) if glyph.is_ascii() || taken.get(sign).is_none_or(|other| *other == glyph) => sign,
            _ => match short.get(content) {
                Some(short) if !taken.contains_key(short) => short,
                Some(_) => content,
                None => "#",
            },
        };
        taken.entry(sign.to_owned()).or_insert(glyph);
        signs.insert((layer, content.to_owned()), sign.to_owned());
    }
    signs
}

/// What comes nearest to a glyph in ASCII; itself if it is.
pub(crate) fn ascii(glyph: &str) -> Option<&str> {
    Some(match glyph {
        _ if glyph.is_ascii() => glyph,
        "·" => ".",
        "○" => "o",
        "●" => "*",
        "■" | "█" => "#",
        "×" => "x",
        "✶" => "+",
        "♔" => "K",
        "♕" => "Q",
        "♖" => "R",
        "♗" => "B",
        "♘" => "N",
        "♙" => "P",
        "♚" => "k",
        "♛" => "q",
        "♜" => "r",
        "♝" => "b",
        "♞" => "n",
        "♟" => "p",
        _ => return None,
    })
}

/// By content: how it looks, and how in ASCII.
pub(crate) type Signs = BTreeMap<String, (String, String)>;

fn signs(board: &Board) -> Signs {
    let mut in_ascii = ascii_signs(board);
    let mut signs = Signs::new();
    for (layer, looks) in board.layers().enumerate() {
        for (content, glyph) in looks.glyphs {
            let ascii = in_ascii.remove(&(layer, content.clone())).unwrap_or_else(|| glyph.clone());
            signs.insert(content.clone(), (glyph.clone(), ascii));
        }
    }
    signs
}

fn line(beside: &Beside, roles: &[String], facts: &[String], signs: &Signs) -> Line {
    let found: Vec<Vec<&str>> = facts.iter().filter_map(|fact| beside.fact.matches(fact)).collect();
    let values = if beside.fact.is_fact() {
        let text = if found.is_empty() { "no" } else { "yes" }.to_owned();
        vec![Value { ascii: text.clone(), text, role: None }]
    } else {
        in_order(found, roles, signs)
    };
    Line { label: beside.label.clone(), values }
}

/// Values as texts: those of roles in the order of the roles, numbers as numbers. What has a sign on the
/// board is shown with it, so that the lines explain the board.
pub(crate) fn in_order(mut found: Vec<Vec<&str>>, roles: &[String], signs: &Signs) -> Vec<Value> {
    let rank = |text: &str| {
        let number = text.parse::<i64>().unwrap_or(i64::MAX);
        (roles.iter().position(|role| role == text).unwrap_or(usize::MAX), number, text.to_owned())
    };
    found.sort_by_cached_key(|values| values.iter().map(|text| rank(text)).collect::<Vec<_>>());
    let with_sign = |text: &str, pick: fn(&(String, String)) -> &String| match signs.get(text).map(pick) {
        Some(sign) if sign != text && text.parse::<i64>().is_err() => format!("{sign} {text}"),
        _ => text.to_owned(),
    };
    let value = |values: &Vec<&str>| {
        let all = |pick| values.iter().map(|text| with_sign(text, pick)).collect::<Vec<_>>().join(" ");
        let role = values.iter().find_map(|text| owner(roles, text));
        Value { text: all(|sign| &sign.0), ascii: all(|sign| &sign.1), role }
    };
    found.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: &str = r#"
        title = "A"
        kind = "turn-taking"
        roles = ["white", "black"]
        [board]
        shape = "grid"
        cells = "(cell ?column ?row ?content)"
        columns = ["a", "|", "b"]
        rows = ["2", "1"]
        empty = "·"
        [board.glyphs]
        white_pawn = "♟"
        black_pawn = "p"
        [[board.also]]
        cells = "(mark ?row ?column)"
        glyph = "!"
        [[beside]]
        label = "taken"
        fact = "(taken ?who ?n)"
        [[beside]]
        label = "passed"
        fact = "passed"
    "#;

    #[test]
    fn layers_lie_over_each_other_and_signs_stay_different() {
        let about = About::read("a", ABOUT).unwrap();
        let facts = ["(cell a 1 white_pawn)", "(cell b 1 black_pawn)", "(cell b 1 ghost)", "(cell z 9 x)"];
        let more = ["(cell a 2 white_pawn)", "(mark 2 a)", "(taken black 10)", "(taken white 2)"];
        let facts: Vec<String> = facts.iter().chain(&more).map(|&f| f.to_owned()).collect();
        let picture = picture(&about, &about.roles, &facts);
        let text = |x: usize, y: usize| {
            let cell = &picture.grids[0].cells[y][x];
            (cell.text.as_str(), cell.ascii.as_str(), cell.role)
        };
        assert_eq!(text(0, 0), ("!", "!", None));
        assert_eq!(text(0, 1), ("♟", "w", Some(0)));
        assert_eq!(text(2, 1), ("pghost", "pghost", None));
        assert_eq!(text(2, 0), ("·", ".", None));
        let lines: Vec<(&str, Vec<&str>)> = picture
            .lines
            .iter()
            .map(|line| (line.label.as_str(), line.values.iter().map(|v| v.text.as_str()).collect()))
            .collect();
        assert_eq!(lines, [("taken", vec!["white 2", "black 10"]), ("passed", vec!["no"])]);
    }
}

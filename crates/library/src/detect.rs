//! The picture of a state without hints: facts that look like cells become boards, the others lists.
//!
//! Facts of one name are cells if two of their arguments look like coordinates (numbers, letters, or a
//! common word with numbers: 1 2 3, a b c, x1 x2) and no pair of them occurs twice: what else the facts
//! say is then the content of the cell. Of several such pairs the one that fills its rectangle best is
//! used.

use std::collections::{BTreeMap, BTreeSet};

use crate::about::Shape;
use crate::board::{Signs, in_order};
use crate::pattern::parts;
use crate::picture::{Axis, Cell, Grid, Line, Picture, Value, owner};
use crate::short_names::short_names;

/// Longest side of a board.
const MAX_SIDE: usize = 30;
/// Facts with more arguments are never cells: every pair of arguments is tried, which is quadratic.
const MAX_ARGUMENTS: usize = 6;
/// Fewer facts are not a board.
const MIN_CELLS: usize = 4;
/// A rectangle that is filled less, in percent, is not a board.
const MIN_FILLED: usize = 20;

/// Boards where facts look like cells, lists of the others.
pub(crate) fn picture(roles: &[String], facts: &[String]) -> Picture {
    let mut groups = BTreeMap::<(&str, usize), Vec<Vec<&str>>>::new();
    for fact in facts {
        let mut arguments = parts(fact);
        if !arguments.is_empty() {
            let name = arguments.remove(0);
            groups.entry((name, arguments.len())).or_default().push(arguments);
        }
    }
    let mut picture = Picture { roles: roles.to_vec(), ..Picture::default() };
    for ((name, _), group) in groups {
        match coordinates(&group) {
            Some(found) => {
                let (grid, signs) = grid(&group, &found, name, roles);
                picture.grids.push(grid);
                picture.lines.extend(signs);
            }
            None if group.iter().all(Vec::is_empty) => {
                picture.lines.push(Line { label: name.to_owned(), values: vec![value("yes", None)] });
            }
            None => {
                picture
                    .lines
                    .push(Line { label: name.to_owned(), values: in_order(group, roles, &Signs::default()) });
            }
        }
    }
    picture
}

/// Which arguments are coordinates, and their values in order.
struct Coordinates {
    column: usize,
    row: usize,
    columns: Vec<String>,
    rows: Vec<String>,
}

fn coordinates(group: &[Vec<&str>]) -> Option<Coordinates> {
    let count = group.first().map_or(0, Vec::len);
    if group.len() < MIN_CELLS || count > MAX_ARGUMENTS {
        return None;
    }
    let axes: Vec<Option<Side>> = (0..count)
        .map(|at| side(&group.iter().map(|arguments| arguments[at]).collect::<BTreeSet<_>>()))
        .collect();
    let mut best: Option<(usize, Coordinates)> = None;
    for (i, first) in axes.iter().enumerate() {
        for (j, second) in axes.iter().enumerate().skip(i + 1) {
            let (Some(first), Some(second)) = (first, second) else { continue };
            let pairs: BTreeSet<(&str, &str)> = group.iter().map(|a| (a[i], a[j])).collect();
            let filled = 100 * pairs.len() / (first.values.len() * second.values.len());
            if pairs.len() < group.len() || filled < MIN_FILLED {
                continue;
            }
            if best.as_ref().is_none_or(|(most, _)| filled > *most) {
                // Letters go from left to right; otherwise the first coordinate does.
                let (column, row) = if second.letters && !first.letters { (j, i) } else { (i, j) };
                let values = |at: usize| if at == i { &first.values } else { &second.values };
                let rows = values(row).iter().rev().cloned().collect();
                best = Some((filled, Coordinates { column, row, columns: values(column).clone(), rows }));
            }
        }
    }
    best.map(|(_, found)| found)
}

/// Values of a coordinate in order, without gaps.
struct Side {
    values: Vec<String>,
    letters: bool,
}

fn side(values: &BTreeSet<&str>) -> Option<Side> {
    let letter = |value: &&str| match value.as_bytes() {
        [byte @ b'a'..=b'z'] => Some(u32::from(*byte)),
        _ => None,
    };
    if let Some(letters) = values.iter().map(letter).collect::<Option<Vec<_>>>() {
        let name = |at| char::from_u32(at).map_or_else(String::new, String::from);
        return range(&letters, name).map(|values| Side { values, letters: true });
    }
    let word = |value: &&str| value.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let words: BTreeSet<String> = values.iter().map(word).collect();
    let [word] = words.iter().collect::<Vec<_>>()[..] else { return None };
    let number = |value: &&str| value[word.len()..].parse::<u32>().ok();
    let numbers = values.iter().map(number).collect::<Option<Vec<_>>>()?;
    range(&numbers, |at| format!("{word}{at}")).map(|values| Side { values, letters: false })
}

fn range(values: &[u32], name: impl Fn(u32) -> String) -> Option<Vec<String>> {
    let (&first, &last) = (values.iter().min()?, values.iter().max()?);
    let length = (last - first) as usize + 1;
    (2..=MAX_SIDE).contains(&length).then(|| (first..=last).map(name).collect())
}

/// The board, and what its signs mean where they are not the contents themselves.
fn grid(group: &[Vec<&str>], found: &Coordinates, name: &str, roles: &[String]) -> (Grid, Option<Line>) {
    let content = |arguments: &Vec<&str>| -> String {
        let others = arguments.iter().enumerate().filter(|(at, _)| *at != found.column && *at != found.row);
        let others: Vec<&str> = others.map(|(_, text)| *text).collect();
        // A fact without content is there or not.
        if others.is_empty() { name.to_owned() } else { others.join(" ") }
    };
    let contents: BTreeSet<String> = group.iter().map(content).collect();
    let blank = |content: &str| {
        matches!(content, "blank" | "empty" | "none") || (content == "b" && !contents.contains("w"))
    };
    let shown: Vec<&str> = contents.iter().map(String::as_str).filter(|content| !blank(content)).collect();
    let short = short_names(&shown);
    let sign = |content: &str| {
        let at = shown.iter().position(|known| *known == content);
        at.map_or((".".to_owned(), "·".to_owned()), |at| (short[at].clone(), short[at].clone()))
    };
    let outside = Cell { text: " ".into(), ascii: " ".into(), ..Cell::default() };
    let mut cells = vec![vec![outside; found.columns.len()]; found.rows.len()];
    for arguments in group {
        let place = |values: &[String], text: &str| values.iter().position(|value| value == text);
        let x = place(&found.columns, arguments[found.column]);
        let y = place(&found.rows, arguments[found.row]);
        if let (Some(x), Some(y)) = (x, y) {
            let content = content(arguments);
            let (ascii, text) = sign(&content);
            let role = owner(roles, &content);
            cells[y][x] = Cell { text, ascii, content, role };
        }
    }
    let changed = shown.iter().zip(&short).filter(|(content, short)| *content != short);
    let values: Vec<Value> = changed
        .map(|(content, short)| value(&format!("{short} = {content}"), owner(roles, content)))
        .collect();
    let signs = (!values.is_empty()).then(|| Line { label: name.to_owned(), values });
    let label = |values: &[String]| values.iter().cloned().map(Axis::Label).collect();
    let (columns, rows) = (label(&found.columns), label(&found.rows));
    (Grid { shape: Shape::Grid, columns, rows, cells }, signs)
}

fn value(text: &str, role: Option<usize>) -> Value {
    Value { text: text.to_owned(), ascii: text.to_owned(), role }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(facts: &[&str]) -> (Vec<Vec<String>>, Vec<String>) {
        let facts: Vec<String> = facts.iter().map(|&f| f.to_owned()).collect();
        let found = picture(&["white".to_owned(), "black".to_owned()], &facts);
        let grid = found.grids.iter().flat_map(|grid| &grid.cells);
        let texts = grid.map(|row| vec![row.iter().map(|c| c.text.as_str()).collect::<String>()]).collect();
        (texts, found.lines.into_iter().map(|line| line.label).collect())
    }

    #[test]
    fn cells_are_found_among_the_facts() {
        let (rows, lines) = rows(&[
            "(cell 1 a white)",
            "(cell 1 b blank)",
            "(cell 3 a blank)",
            "(cell 3 c black)",
            "(control white)",
            "(captured white 3)",
            "over",
        ]);
        assert_eq!(rows, [["· b"], ["   "], ["w· "]]);
        assert_eq!(lines, ["captured", "cell", "control", "over"]);
    }

    #[test]
    fn what_is_no_board_becomes_a_list() {
        for facts in [
            vec!["(at 1 1 x)", "(at 1 1 y)", "(at 2 2 x)", "(at 1 2 x)"],
            vec!["(on a b)", "(on b table)", "(on c d)", "(on d table)"],
            vec!["(far 1 1)", "(far 900 1)", "(far 1 900)", "(far 900 900)"],
            vec!["(n 1 1)"],
        ] {
            assert_eq!(rows(&facts).0, Vec::<Vec<String>>::new(), "{facts:?}");
        }
    }

    #[test]
    fn marks_without_content_are_cells_too() {
        let (rows, _) = rows(&["(lit x1 y1)", "(lit x2 y1)", "(lit x1 y2)", "(lit x3 y3)"]);
        assert_eq!(rows, [["  l"], ["l  "], ["ll "]]);
    }
}

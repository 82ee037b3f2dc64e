//! Pictures as text for terminals: boards with their coordinates, lines beside them or below.

use anstyle::{Effects, Style};

use crate::about::Shape;
use crate::colours::styles;
use crate::picture::{Axis, Cell, Grid, Line, Picture};

/// How a picture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Only ASCII.
    pub ascii: bool,
    /// With escape sequences for colours; only for terminals.
    pub colours: bool,
    /// Columns of the terminal: what does not fit next to a board is written below it.
    pub width: usize,
}

impl Default for Look {
    fn default() -> Self {
        Self { ascii: false, colours: false, width: 80 }
    }
}

/// A part of a line of text in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The text, without a line end.
    pub text: String,
    /// Its colours.
    pub style: Style,
    /// The cell that it shows.
    pub place: Option<Place>,
}

/// A cell of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the grid.
    pub grid: usize,
    /// Index of the row, from the top.
    pub row: usize,
    /// Index of the column, from the left.
    pub column: usize,
}

/// A line of text.
#[derive(Clone, Debug, Default)]
struct Row(Vec<Piece>);

impl Row {
    fn push(&mut self, text: impl Into<String>, style: Style) {
        self.0.push(Piece { text: text.into(), style, place: None });
    }

    fn pad(&mut self, count: usize) {
        self.push(" ".repeat(count), Style::new());
    }

    fn width(&self) -> usize {
        self.0.iter().map(|piece| piece.text.chars().count()).sum()
    }

    fn write(&self, look: &Look) -> String {
        let plain: String = self.0.iter().map(|piece| piece.text.as_str()).collect();
        let mut left = plain.trim_end().chars().count();
        let mut written = String::new();
        for Piece { text, style, .. } in &self.0 {
            let text: String = text.chars().take(left).collect();
            left -= text.chars().count();
            if look.colours && *style != Style::new() && !text.trim().is_empty() {
                written.push_str(&format!("{style}{text}{style:#}"));
            } else {
                written.push_str(&text);
            }
        }
        written
    }
}

impl Picture {
    /// The picture as lines of text, each ended.
    pub fn text(&self, look: &Look) -> String {
        self.rows(look).iter().map(|row| row.write(look) + "\n").collect()
    }

    /// The picture as lines of pieces, for those who draw with styles of their own: each says which
    /// cell it shows. Colours are there in any case.
    pub fn pieces(&self, look: &Look) -> Vec<Vec<Piece>> {
        self.rows(look).into_iter().map(|row| row.0).collect()
    }

    fn rows(&self, look: &Look) -> Vec<Row> {
        let pen = Pen { look, roles: styles(&self.roles) };
        let boards: Vec<Vec<Row>> =
            self.grids.iter().enumerate().map(|(at, grid)| pen.grid(at, grid)).collect();
        let width = boards.iter().flatten().map(Row::width).max().unwrap_or(0);
        let label = self.lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
        let short: Vec<Row> = self.lines.iter().map(|line| pen.line(line, label)).collect();
        let room = look.width.saturating_sub(width + GAP);
        let beside = boards.len() == 1
            && short.len() <= boards[0].len()
            && short.iter().all(|line| line.width() <= room);
        let mut rows: Vec<Row> = Vec::new();
        for board in boards {
            if !rows.is_empty() {
                rows.push(Row::default());
            }
            rows.extend(board);
        }
        if beside {
            for (row, line) in rows.iter_mut().zip(&short) {
                row.pad(width + GAP - row.width());
                row.0.extend(line.0.clone());
            }
        } else {
            if !rows.is_empty() && !short.is_empty() {
                rows.push(Row::default());
            }
            rows.extend(short.into_iter().flat_map(|line| pen.folded(line, label)));
        }
        rows
    }
}

/// Gap between a board and the lines next to it.
const GAP: usize = 4;

struct Pen<'a> {
    look: &'a Look,
    roles: Vec<Style>,
}

impl Pen<'_> {
    fn style(&self, role: Option<usize>) -> Style {
        role.and_then(|role| self.roles.get(role)).copied().unwrap_or_default()
    }

    fn sign<'a>(&self, cell: &'a Cell) -> &'a str {
        if self.look.ascii { &cell.ascii } else { &cell.text }
    }

    fn grid(&self, number: usize, grid: &Grid) -> Vec<Row> {
        let faint = Style::new().effects(Effects::DIMMED);
        let (bar, dash, cross) = if self.look.ascii { ("|", "-", "+") } else { ("│", "─", "┼") };
        let label = |axis: &Axis| match axis {
            Axis::Label(text) => text.clone(),
            Axis::Line => String::new(),
        };
        let length = |text: &str| text.chars().count();
        let signs = grid.cells.iter().flatten().map(|cell| length(self.sign(cell))).max().unwrap_or(1);
        let labels = grid.columns.iter().map(|axis| length(&label(axis))).max().unwrap_or(1);
        // Numbers stand to the right, words in the middle; numbers that are too wide stand upright.
        let numbers = grid.columns.iter().all(|axis| label(axis).chars().all(|c| c.is_ascii_digit()));
        let upright = numbers && labels > signs;
        let wide = if upright { signs } else { signs.max(labels) };
        let side = grid.rows.iter().map(|axis| length(&label(axis))).max().unwrap_or(0);
        let place = |row: &mut Row, text: &str, style: Style| {
            let free = wide.saturating_sub(length(text));
            let before = if numbers { free } else { free / 2 };
            row.pad(before);
            row.push(text, style);
            row.pad(free - before + 1);
        };
        let shift = |at: usize| if grid.shape == Shape::Hex { at * (wide + 1) / 2 } else { 0 };
        let mut rows = Vec::new();
        for (y, (axis, cells)) in grid.rows.iter().zip(&grid.cells).enumerate() {
            let mut row = Row::default();
            row.pad(shift(y));
            let name = label(axis);
            row.pad(side - length(&name));
            row.push(name, faint);
            row.pad(2);
            for (x, (column, cell)) in grid.columns.iter().zip(cells).enumerate() {
                let after = usize::from(x + 1 < grid.columns.len());
                let begun = row.0.len();
                match (axis, column) {
                    (Axis::Line, Axis::Line) => {
                        row.push(format!("{cross}{}", dash.repeat(wide - 1 + after)), faint)
                    }
                    (Axis::Line, _) => row.push(dash.repeat(wide + after), faint),
                    (_, Axis::Line) => place(&mut row, bar, faint),
                    _ if cell.role.is_none() && matches!(self.sign(cell), "·" | ".") => {
                        place(&mut row, self.sign(cell), faint);
                    }
                    _ => place(&mut row, self.sign(cell), self.style(cell.role)),
                }
                // Between the pads is the sign.
                if matches!((axis, column), (Axis::Label(_), Axis::Label(_)))
                    && let Some(sign) = row.0.get_mut(begun + 1)
                {
                    sign.place = Some(Place { grid: number, row: y, column: x });
                }
            }
            rows.push(row);
        }
        let mut foot = |part: &dyn Fn(&str) -> String| {
            let mut row = Row::default();
            row.pad(shift(grid.rows.len()) + side + 2);
            for column in &grid.columns {
                place(&mut row, &part(&label(column)), faint);
            }
            rows.push(row);
        };
        if upright {
            for line in 0..labels {
                let digit = |label: &str| format!("{label:>labels$}").chars().nth(line).map(String::from);
                foot(&|label| digit(label).unwrap_or_default());
            }
        } else {
            foot(&str::to_owned);
        }
        rows
    }

    fn line(&self, line: &Line, width: usize) -> Row {
        let mut row = Row::default();
        row.push(line.label.clone(), Style::new().effects(Effects::DIMMED));
        row.pad(width - line.label.chars().count() + 2);
        if line.values.is_empty() {
            row.push("-", Style::new());
        }
        for (at, value) in line.values.iter().enumerate() {
            if at > 0 {
                row.push(", ", Style::new());
            }
            let text = if self.look.ascii { &value.ascii } else { &value.text };
            row.push(text.as_str(), self.style(value.role));
        }
        row
    }

    /// A line, wrapped where it is too long.
    fn folded(&self, line: Row, label: usize) -> Vec<Row> {
        let mut rows = vec![Row::default()];
        let mut used = 0;
        for Piece { text, style, .. } in line.0 {
            let length = text.chars().count();
            // A comma stays where it is, even if only the blank behind it does not fit.
            if used + length > self.look.width && used > label + 2 && text != ", " {
                let mut next = Row::default();
                next.pad(label + 2);
                rows.push(next);
                used = label + 2;
            }
            used += length;
            if let Some(row) = rows.last_mut() {
                row.push(text, style);
            }
        }
        rows
    }
}

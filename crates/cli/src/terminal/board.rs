//! The board on the full screen: the picture of a state with highlights, and the part that fits.

use anstyle::{AnsiColor, Effects};
use ludex_library::{Look, Picture, Place};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// Which cells stand out.
#[derive(Clone, Debug, Default)]
pub(super) struct Highlights {
    /// What the last move changed.
    pub(super) changed: Vec<Place>,
    /// Picked for a move.
    pub(super) picks: Vec<Place>,
    /// May be picked next.
    pub(super) targets: Vec<Place>,
    /// Under the cursor.
    pub(super) cursor: Option<Place>,
}

/// A board as lines, and the part that must be seen.
pub(super) struct Board {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) width: usize,
    /// How many lines from the top are grids.
    pub(super) grids: usize,
    /// Line and column of the cursor, or else of the last change.
    focus: Option<(usize, usize)>,
}

impl Board {
    /// The board for a pane of some width.
    pub(super) fn new(
        picture: &Picture,
        ascii: bool,
        colours: bool,
        room: usize,
        marks: &Highlights,
    ) -> Self {
        let look = Look { ascii, colours: true, width: room };
        let focus_cell = marks.cursor.or_else(|| marks.changed.first().copied());
        let mut board = Board { lines: Vec::new(), width: 0, grids: 0, focus: None };
        for (at, row) in picture.pieces(&look).into_iter().enumerate() {
            let mut spans = Vec::new();
            let mut column = 0;
            for piece in row {
                let mut style = style(piece.style, colours);
                let length = piece.text.chars().count();
                if let Some(place) = piece.place {
                    style = marks.apply(place, style);
                    if Some(place) == focus_cell {
                        board.focus = Some((at, column));
                    }
                }
                column += length;
                spans.push(Span::styled(piece.text, style));
            }
            board.width = board.width.max(column);
            board.lines.push(Line::from(spans));
        }
        board
    }

    /// The same, knowing how many lines are grids.
    pub(super) fn with_grids(self, grids: usize) -> Self {
        Self { grids, ..self }
    }

    /// How far to scroll, down and to the right, for the focus to be seen in a pane.
    pub(super) fn scroll(&self, height: usize, width: usize) -> (u16, u16) {
        let (line, column) = self.focus.unwrap_or((0, 0));
        let by = |all: usize, room: usize, at: usize| {
            let most = all.saturating_sub(room);
            u16::try_from((at + 2).saturating_sub(room).min(most)).unwrap_or(u16::MAX)
        };
        (by(self.lines.len(), height, line), by(self.width, width, column))
    }
}

impl Highlights {
    fn apply(&self, place: Place, style: Style) -> Style {
        let mut style = style;
        if self.changed.contains(&place) {
            style = style.remove_modifier(Modifier::DIM).add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
        }
        if self.targets.contains(&place) {
            style = style.bg(Color::DarkGray);
        }
        if self.picks.contains(&place) {
            style = style.bg(Color::Blue);
        }
        if self.cursor == Some(place) {
            style = style.add_modifier(Modifier::REVERSED);
        }
        style
    }
}

/// A style of the library as one of the screen.
pub(super) fn style(from: anstyle::Style, colours: bool) -> Style {
    let mut style = Style::new();
    if let Some(anstyle::Color::Ansi(colour)) = from.get_fg_color().filter(|_| colours) {
        style = style.fg(self::colour(colour));
    }
    let effects = from.get_effects();
    for (effect, modifier) in [(Effects::BOLD, Modifier::BOLD), (Effects::DIMMED, Modifier::DIM)] {
        if effects.contains(effect) {
            style = style.add_modifier(modifier);
        }
    }
    style
}

fn colour(colour: AnsiColor) -> Color {
    match colour {
        AnsiColor::Black => Color::Black,
        AnsiColor::Red => Color::Red,
        AnsiColor::Green => Color::Green,
        AnsiColor::Yellow => Color::Yellow,
        AnsiColor::Blue => Color::Blue,
        AnsiColor::Magenta => Color::Magenta,
        AnsiColor::Cyan => Color::Cyan,
        AnsiColor::White => Color::Gray,
        AnsiColor::BrightBlack => Color::DarkGray,
        AnsiColor::BrightRed => Color::LightRed,
        AnsiColor::BrightGreen => Color::LightGreen,
        AnsiColor::BrightYellow => Color::LightYellow,
        AnsiColor::BrightBlue => Color::LightBlue,
        AnsiColor::BrightMagenta => Color::LightMagenta,
        AnsiColor::BrightCyan => Color::LightCyan,
        AnsiColor::BrightWhite => Color::White,
    }
}

//! Draws the app: title, players, board, moves, log, messages, input, keys. Side by side where the
//! terminal is wide, one below the other where it is not; what does not fit is shortened or scrolled.

use ludex_arena::MatchRecord;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Paragraph;

use super::app::{App, Mode};
use super::board::{Board, Highlights};
use super::cells;
use super::entry::Choice;
use super::help::{draw_help, keys_line};
use super::line_mode::log_line;
use super::players::players;
use crate::commands::matches::result::result;
use crate::commands::matches::scene::wrapped;

/// From this width on the board and the rest are side by side.
const WIDE: u16 = 64;
/// What the players and moves need beside a board.
const SIDE: usize = 34;

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App<'_>) {
    let area = frame.area();
    let Some(record) = &app.story.record else {
        frame.render_widget(Paragraph::new("The match begins …"), area);
        return;
    };
    let width = usize::from(area.width);
    let message = lines_of(&message(app, record), width);
    // The title and the line of keys are always there; messages leave the board most of the room.
    let most = usize::from(area.height.saturating_sub(4) / 3).max(usize::from(area.height > 3));
    let below = message.len().min(most);
    let [title, main, said, prompt, keys] = rows(area, below);
    frame.render_widget(Paragraph::new(title_line(app, record, width)), title);
    let text: Vec<Line<'_>> = message.into_iter().take(below).map(Line::from).collect();
    frame.render_widget(Paragraph::new(text), said);
    frame.render_widget(Paragraph::new(shortened(&prompt_line(app), width)), prompt);
    let keys_line = Span::styled(keys_line(app, width), Style::new().add_modifier(Modifier::DIM));
    frame.render_widget(Paragraph::new(Line::from(keys_line)), keys);
    if app.help {
        draw_help(frame, app, main);
    } else if area.width >= WIDE {
        side_by_side(frame, app, record, main);
    } else {
        stacked(frame, app, record, main);
    }
}

/// Title, main part, messages, prompt, keys.
fn rows(area: Rect, below: usize) -> [Rect; 5] {
    let below = u16::try_from(below).unwrap_or(1);
    let last = area.height.saturating_sub(1);
    let prompt = last.saturating_sub(1);
    let said = prompt.saturating_sub(below);
    let row = |y: u16, height: u16| {
        let (y, height) = (y.min(area.height), height.min(area.height.saturating_sub(y)));
        Rect { x: area.x, y: area.y + y, width: area.width, height }
    };
    [
        row(0, 1),
        row(1, said.saturating_sub(1)),
        row(said, prompt.saturating_sub(said)),
        row(prompt, 1),
        row(last, 1),
    ]
}

/// A part of an area: from a line on, so many lines.
fn part(area: Rect, from: usize, height: usize) -> Rect {
    let from = u16::try_from(from).unwrap_or(u16::MAX).min(area.height);
    let height = u16::try_from(height).unwrap_or(u16::MAX).min(area.height - from);
    Rect { y: area.y + from, height, ..area }
}

fn side_by_side(frame: &mut Frame<'_>, app: &App<'_>, record: &MatchRecord, main: Rect) {
    let width = usize::from(main.width);
    // Lines beside the board go below it: the players are beside it.
    let board = board(app, record, width.saturating_sub(SIDE + 2), true);
    let left = board.width.min(width.saturating_sub(SIDE + 2)).max(10);
    let gap = left + 3;
    let main = part(main, 1, usize::MAX);
    let to = |at: usize, width: usize| Rect {
        x: main.x + u16::try_from(at).unwrap_or(u16::MAX).min(main.width),
        width: u16::try_from(width)
            .unwrap_or(u16::MAX)
            .min(main.width.saturating_sub(u16::try_from(at).unwrap_or(u16::MAX))),
        ..main
    };
    draw_board(frame, &board, to(0, left));
    let side = to(gap, width.saturating_sub(gap));
    let players = players(app, record, usize::from(side.width));
    let used = players.len() + 1;
    frame.render_widget(Paragraph::new(Text::from(players)), side);
    let rest = part(side, used, usize::MAX);
    let room = usize::from(rest.height);
    let moves = moves(&app.listed(), usize::from(rest.width), room.saturating_sub(4).max(1));
    let used = if moves.is_empty() { 0 } else { moves.len() + 1 };
    frame.render_widget(Paragraph::new(Text::from(moves)), rest);
    let rest = part(rest, used, usize::MAX);
    frame.render_widget(Paragraph::new(Text::from(log(app, record, rest))), rest);
}

fn stacked(frame: &mut Frame<'_>, app: &App<'_>, record: &MatchRecord, main: Rect) {
    let (width, height) = (usize::from(main.width), usize::from(main.height));
    let players = players(app, record, width);
    let used = players.len();
    frame.render_widget(Paragraph::new(Text::from(players)), main);
    let rest = part(main, used, usize::MAX);
    let listed = app.listed();
    let few = if listed.is_empty() { 0 } else { 5 };
    let whole = board(app, record, width, false);
    let room = height.saturating_sub(used);
    // The moves and the log need some lines; what is below the grids gives way to them.
    let high = whole.lines.len().min(room.saturating_sub(few).max(whole.grids).max(1)).min(room);
    draw_board(frame, &whole, part(rest, 0, high));
    let rest = part(rest, high, usize::MAX);
    let moves = moves(&listed, width, usize::from(rest.height).saturating_sub(1).max(1));
    let used = moves.len();
    frame.render_widget(Paragraph::new(Text::from(moves)), rest);
    let rest = part(rest, used, usize::MAX);
    frame.render_widget(Paragraph::new(Text::from(log(app, record, rest))), rest);
}

fn draw_board(frame: &mut Frame<'_>, board: &Board, area: Rect) {
    let scroll = board.scroll(usize::from(area.height), usize::from(area.width));
    frame.render_widget(Paragraph::new(Text::from(board.lines.clone())).scroll(scroll), area);
}

/// The board at the position that is shown, with the last move.
fn board(app: &App<'_>, record: &MatchRecord, room: usize, narrow: bool) -> Board {
    let mut picture = app.scene.picture(record, app.at);
    if app.story.thinking.contains(&true) && app.at == app.story.steps() {
        // The lines of the players say whose turn it is.
        picture = picture.finished();
    }
    let mut marks = Highlights::default();
    if let Some(before) = app.at.checked_sub(1) {
        marks.changed = picture.changes(&app.scene.picture(record, before));
    }
    if app.choosing() {
        marks.cursor = app.cursor;
        marks.picks.clone_from(&app.picks);
        marks.targets = cells::targets(&picture, app.choices.all(), &app.picks);
    }
    let ascii = app.scene.ascii();
    let whole = Board::new(&picture, ascii, app.colours, room, &marks);
    // Below the board lines take no room from the players.
    let boards_only = ludex_library::Picture { lines: Vec::new(), ..picture.clone() };
    let alone = Board::new(&boards_only, ascii, app.colours, room, &marks);
    let grids = alone.lines.len();
    if narrow && !picture.grids.is_empty() && alone.width + 2 < whole.width {
        let room = alone.width.max(24).min(room);
        return Board::new(&picture, ascii, app.colours, room, &marks).with_grids(grids);
    }
    whole.with_grids(grids)
}

/// The game, the position, and in a puzzle how many steps it can take.
fn title_line(app: &App<'_>, record: &MatchRecord, width: usize) -> Line<'static> {
    let of = match app.mode {
        Mode::Play if !app.story.over => String::new(),
        _ => format!(" of {}", app.story.steps()),
    };
    let fewest = match app.scene.solution_length().filter(|_| app.scene.is_puzzle(record)) {
        Some(steps) => format!(", {steps} needed"),
        None => String::new(),
    };
    let state = match (app.mode, app.playing, app.story.over) {
        (Mode::Play, ..) => String::new(),
        (_, true, _) if app.at < app.story.steps() || !app.story.over => format!(", {}", app.speed()),
        (_, _, true) => String::new(),
        _ => ", paused".to_owned(),
    };
    let step = format!(", step {}{of}{fewest}{state}", app.at);
    let room = width.saturating_sub(step.chars().count());
    let title = shortened(&app.scene.title(record), room.max(8));
    Line::from(vec![
        Span::styled(title, Style::new().add_modifier(Modifier::BOLD)),
        Span::raw(shortened(&step, width)),
    ])
}

/// The moves in columns, in so many lines at most.
fn moves(listed: &[&Choice], width: usize, most: usize) -> Vec<Line<'static>> {
    if listed.is_empty() || width == 0 {
        return Vec::new();
    }
    let texts: Vec<String> = listed.iter().map(|choice| choice.line()).collect();
    let wide = texts.iter().map(|text| text.chars().count()).max().unwrap_or(1).min(width) + 2;
    let columns = ((width + 2) / wide).max(1);
    let needed = texts.len().div_ceil(columns);
    let shown = if needed <= most { texts.len() } else { columns * most.saturating_sub(1) };
    let mut lines: Vec<Line<'static>> = texts[..shown]
        .chunks(columns)
        .map(|row| {
            let row: String =
                row.iter().map(|text| format!("{:<wide$}", shortened(text, wide - 2))).collect();
            Line::from(shortened(row.trim_end(), width))
        })
        .collect();
    if shown < texts.len() {
        let more = format!("… {} more moves: type a part", texts.len() - shown);
        lines.push(Line::from(shortened(&more, width)));
    }
    lines
}

/// The last moves before the position that is shown, as many as fit.
fn log(app: &App<'_>, record: &MatchRecord, area: Rect) -> Vec<Line<'static>> {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let first = (app.at + 1).saturating_sub(height).max(1);
    let line = |step: usize| {
        let text = shortened(&log_line(record, step), width);
        let last = step == app.at;
        let modifier = if last { Modifier::BOLD } else { Modifier::DIM };
        Line::from(Span::styled(text, Style::new().add_modifier(modifier)))
    };
    (first..=app.at).map(line).collect()
}

/// What there is to say: the answer to the last command, errors at this step, the result.
fn message(app: &App<'_>, record: &MatchRecord) -> String {
    if !app.message.is_empty() {
        return app.message.clone();
    }
    let mut text = String::new();
    let errors = record.errors.get(app.at).into_iter().flatten();
    for (role, error) in record.role_names().iter().zip(errors).filter(|(_, error)| !error.is_empty()) {
        text += &format!("{role}: {error}\n");
    }
    if app.story.over && app.at == app.story.steps() {
        text += &result(record);
    }
    text
}

/// What is being typed, or who is waited for.
fn prompt_line(app: &App<'_>) -> String {
    if app.browsing() {
        return if app.input.is_empty() { String::new() } else { format!("Go to step {}_", app.input) };
    }
    let roles = app.story.roles();
    if app.at < app.story.steps() {
        return "Looking back: PgDn goes on, End returns.".to_owned();
    }
    match app.story.request() {
        Some(request) => format!("{}> {}_", roles.get(request.role).map_or("", String::as_str), app.input),
        None => {
            let waiting: Vec<&str> = roles
                .iter()
                .zip(&app.story.thinking)
                .filter(|(_, thinking)| **thinking)
                .map(|(role, _)| role.as_str())
                .collect();
            match waiting[..] {
                [] => app.input.clone(),
                [one] => format!("{one} thinks … {}", app.input),
                _ => format!("{} think … {}", waiting.join(", "), app.input),
            }
        }
    }
}

/// A text in lines that fit.
pub(super) fn lines_of(text: &str, width: usize) -> Vec<String> {
    wrapped(text.trim_end(), width).lines().map(str::to_owned).collect()
}

/// A text that fits on a line; what is cut off is marked.
pub(super) fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    if width == 0 { kept } else { kept + "…" }
}

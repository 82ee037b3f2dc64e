//! Draws the app: title, players, board, moves, log, messages, input, keys. Side by side where the
//! terminal is wide, one below the other where it is not; what does not fit is shortened or scrolled.

use ludex_arena::MatchRecord;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Clear, Paragraph};

use super::app::{App, Mode};
use super::board::{Board, Highlights};
use super::cells;
use super::entry::{Choice, HELP};
use super::line_mode::log_line;
use crate::commands::matches::plain::speed;
use crate::commands::matches::result::result;
use crate::commands::matches::scene::wrapped;
use crate::output::count;

/// From this width on the board and the rest are side by side.
const WIDE: u16 = 64;
/// What the players and moves need beside a board.
const SIDE: usize = 34;
/// Cells of a bar.
const BAR: usize = 10;

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
        marks.changed = cells::changed(&app.scene.picture(record, before), &picture);
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

/// A line for each role: who plays it, what they expect, what they do.
fn players(app: &App<'_>, record: &MatchRecord, width: usize) -> Vec<Line<'static>> {
    let roles = record.role_names();
    let styles = ludex_library::styles(&roles);
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let role_width = longest(&mut roles.iter().map(|role| role.chars().count())).min(width / 4);
    let player_width =
        longest(&mut (0..roles.len()).map(|role| app.story.player(role).chars().count())).min(width / 3);
    let live = app.at == app.story.steps();
    let goals = &record.goal_values;
    let ended = live && !goals.is_empty();
    let line = |(role, name): (usize, &String)| {
        let thinking = live && app.story.thinking.get(role).copied().unwrap_or(false);
        let mark = match (thinking, app.scene.ascii()) {
            (true, false) => "▸ ",
            (true, true) => "> ",
            _ => "  ",
        };
        let style = styles.get(role).copied().unwrap_or_default();
        let value = match goals.get(role).filter(|_| ended) {
            Some(goal) => Some(f64::from(*goal)),
            None => expected(app, role),
        };
        let bar = if width >= 60 { bar(value, app.scene.ascii()) + " " } else { String::new() };
        let number = value.map_or_else(|| "   ".to_owned(), |value| format!("{value:>3.0}"));
        let errors = match app.story.errors(role, app.at) {
            0 => String::new(),
            1 => ", 1 error".to_owned(),
            n => format!(", {n} errors"),
        };
        let text = format!(
            "  {:<player_width$}  {bar}{number}  {}{errors}",
            shortened(app.story.player(role), player_width),
            doing(app, role, thinking, ended, live)
        );
        let role_text = format!("{mark}{:<role_width$}", shortened(name, role_width));
        let room = width.saturating_sub(role_text.chars().count());
        Line::from(vec![
            Span::styled(role_text, super::board::style(style, app.colours)),
            Span::raw(shortened(text.trim_end(), room)),
        ])
    };
    roles.iter().enumerate().map(line).collect()
}

/// What a player is doing: the clock, or how long the last move took.
fn doing(app: &App<'_>, role: usize, thinking: bool, ended: bool, live: bool) -> String {
    if ended {
        return "goal".to_owned();
    }
    let human = app.story.record.as_ref().and_then(|record| record.is_player_human.get(role)) == Some(&true);
    if thinking {
        let elapsed = app.story.asked.map_or(0.0, |asked| asked.elapsed().as_secs_f64());
        let clock = if human { app.human_clock } else { app.story.clock };
        return match clock {
            Some(clock) => format!("{elapsed:.1} of {} s", clock.as_secs_f64()),
            None if human => "to move".to_owned(),
            None => "thinks".to_owned(),
        };
    }
    match app.story.report(role, app.at) {
        // Without a clock the time says little, and would not be the same again.
        Some(report) if playouts_count(app) => {
            let playouts = usize::try_from(report.playouts).unwrap_or(usize::MAX);
            count(playouts, "playout")
        }
        Some(report) if !live || !human => {
            let speed = speed(report);
            let comma = if speed.is_empty() { "" } else { ", " };
            format!("{:.2} s{comma}{speed}", report.seconds)
        }
        _ => String::new(),
    }
}

/// Whether players in this process have playouts instead of clocks.
fn playouts_count(app: &App<'_>) -> bool {
    let details = app.story.record.as_ref().and_then(|record| record.ludex.as_ref());
    details.is_some_and(|details| details.playouts.is_some())
}

/// The expected goal of a role: its own, or else what another player last expected for it.
fn expected(app: &App<'_>, role: usize) -> Option<f64> {
    let own = app.story.report(role, app.at).and_then(|report| report.value);
    own.or_else(|| {
        let others = (0..app.story.roles().len()).filter_map(|other| app.story.report(other, app.at));
        others.filter_map(|report| report.values.get(role).copied()).next_back()
    })
}

/// An expected goal as a bar, of 100.
fn bar(value: Option<f64>, ascii: bool) -> String {
    let (full, empty) = if ascii { ("#", ".") } else { ("█", "░") };
    let Some(value) = value else { return " ".repeat(BAR) };
    let share = (value / 100.0).clamp(0.0, 1.0) * BAR as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to BAR")]
    let cells = share.round() as usize;
    format!("{}{}", full.repeat(cells), empty.repeat(BAR - cells))
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

/// The most important keys, as many as fit.
fn keys_line(app: &App<'_>, width: usize) -> String {
    let keys: &[&str] = match (app.browsing(), app.playing) {
        _ if app.mode == Mode::Play && app.story.over => {
            &["? help", "q quit", "u undo", "←→ step", "s save", "Home End"]
        }
        (true, true) => &["? help", "q quit", "space pause", "←→ step", "+- speed", "Home End", "s save"],
        (true, false) => {
            &["? help", "q quit", "←→ step", "space play", "number Enter: go", "Home End", "s save"]
        }
        _ => &["? help", "hint", "undo", "quit", "arrows Enter: cells", "PgUp look back", "save", "resign"],
    };
    let mut line = String::new();
    for key in keys {
        let key = if app.scene.ascii() { key.replace("←→", "<- ->") } else { (*key).to_owned() };
        let gap = if line.is_empty() { "" } else { "  " };
        if line.chars().count() + gap.len() + key.chars().count() > width {
            break;
        }
        line = line + gap + &key;
    }
    line
}

/// All keys.
fn draw_help(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    const BROWSE: &[(&str, &str)] = &[
        ("left, right", "one step back or on"),
        ("up, down", "ten steps back or on"),
        ("Home, End", "the first or the last position"),
        ("17 Enter", "the position after 17 steps"),
        ("space", "pause, or play on"),
        ("+, -", "faster, slower"),
        ("s", "save the record to a file"),
        ("u", "a match that you played: take your last move back"),
        ("q", "quit"),
    ];
    const CURSOR: &[(&str, &str)] = &[
        ("arrows, Enter", "move the cursor, pick the cell under it"),
        ("Tab", "the next board, if there are several"),
        ("PgUp, PgDn", "look at earlier positions"),
        ("Esc", "forget what was typed and picked"),
        ("Ctrl-C", "leave at once"),
    ];
    let mut rows: Vec<&(&str, &str)> = Vec::new();
    if app.browsing() {
        rows.extend(BROWSE);
    } else {
        rows.extend(HELP.iter().chain(CURSOR));
    }
    let width = usize::from(area.width);
    let text: Vec<String> = rows
        .iter()
        .flat_map(|(keys, meaning)| lines_of(&format!("{keys:<13} {meaning}"), width))
        .chain([String::new(), "Any key goes back.".to_owned()])
        .collect();
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(Text::from(text.join("\n"))), area);
}

/// A text in lines that fit.
fn lines_of(text: &str, width: usize) -> Vec<String> {
    wrapped(text.trim_end(), width).lines().map(str::to_owned).collect()
}

/// A text that fits on a line; what is cut off is marked.
fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    if width == 0 { kept } else { kept + "…" }
}

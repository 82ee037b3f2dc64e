//! The keys: the most important ones on the last line, all of them after `?`.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::{Clear, Paragraph};

use super::app::{App, Mode};
use super::entry::HELP;
use super::view::lines_of;

/// The most important keys, as many as fit.
pub(super) fn keys_line(app: &App<'_>, width: usize) -> String {
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
pub(super) fn draw_help(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
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

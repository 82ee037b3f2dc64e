//! The lines of the players: who plays a role, what they expect, what they are doing.

use ludex_arena::MatchRecord;
use ratatui::text::{Line, Span};

use super::app::App;
use super::view::shortened;
use crate::commands::matches::plain::speed;
use crate::output::count;

/// Cells of a bar.
const BAR: usize = 10;

/// A line for each role: who plays it, what they expect, what they do.
pub(super) fn players(app: &App<'_>, record: &MatchRecord, width: usize) -> Vec<Line<'static>> {
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

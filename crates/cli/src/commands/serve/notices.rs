//! What a serving player prints: one line for each start, move, end and surprise.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use ludex_arena::player::{Listener, Notice};

use crate::commands::matches::scene::short;
use crate::output::{count, stdout};

/// Lines that wait for a terminal that is slow; further ones are dropped.
const WAITING: usize = 1000;

/// A listener that prints. Lines are written on a thread of their own: a terminal that is stopped,
/// or a pipe that nobody reads, must not cost a deadline.
pub(super) fn printer() -> std::io::Result<Listener> {
    let (sender, lines) = sync_channel::<String>(WAITING);
    let print = move || {
        for line in lines {
            let mut out = stdout();
            if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                return; // nobody reads any more: the matches go on
            }
        }
    };
    std::thread::Builder::new().name("notices".to_owned()).spawn(print)?;
    Ok(Arc::new(move |notice: &Notice<'_>| {
        if let Some(line) = line(notice) {
            let _ = sender.try_send(line);
        }
    }))
}

fn line(notice: &Notice<'_>) -> Option<String> {
    Some(match notice {
        // The move that follows says more.
        Notice::Position { .. } => return None,
        Notice::Started { id, role, roles, start_clock, play_clock, .. } => {
            let (start, play) = (start_clock.as_secs_f64(), play_clock.as_secs_f64());
            format!(
                "{id}: starts, as {role} of {}; start clock {start} s, play clock {play} s",
                roles.join(", ")
            )
        }
        Notice::Moved { id, step, chosen, value, playouts, took } => {
            let chosen = chosen.unwrap_or("no move");
            let value = value.map_or_else(String::new, |value| format!(", expects {value:.0}"));
            let playouts = match playouts {
                0 => String::new(),
                n => format!(", {} playouts", short(*n as f64)),
            };
            format!("{id}: {step}. {chosen}{value}{playouts}, {:.2} s", took.as_secs_f64())
        }
        Notice::Ended { id, steps, aborted: true, .. } => {
            format!("{id}: aborted after {}", count(*steps, "step"))
        }
        Notice::Ended { id, steps, goals, .. } => {
            let goal = |goal: &Option<u8>| goal.map_or_else(|| "unknown".to_owned(), |goal| goal.to_string());
            let goals: Vec<String> =
                goals.iter().map(|(role, value)| format!("{role} {}", goal(value))).collect();
            format!("{id}: over after {}; goals: {}", count(*steps, "step"), goals.join(", "))
        }
        Notice::Note { id, text } => format!("{id}: {text}"),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn lines_say_match_move_value_and_time() {
        let moved = Notice::Moved {
            id: "m.1",
            step: 3,
            chosen: Some("(drop 4)"),
            value: Some(61.2),
            playouts: 123_456,
            took: Duration::from_millis(2870),
        };
        assert_eq!(line(&moved).unwrap(), "m.1: 3. (drop 4), expects 61, 123.5k playouts, 2.87 s");
        let goals = vec![("red", Some(100)), ("yellow", None)];
        let ended = Notice::Ended { id: "m.1", steps: 9, goals, aborted: false };
        assert_eq!(line(&ended).unwrap(), "m.1: over after 9 steps; goals: red 100, yellow unknown");
    }
}

//! What is sent to players behind HTTP.

use std::time::Duration;

use super::words::Words;

/// Get ready.
pub(super) fn start(id: &str, role: &str, rules: &str, start: Duration, play: Duration) -> String {
    format!("( START {id} {role} ( {rules} ) {} {})", clock(start), clock(play))
}

/// What was done; what do you do?
pub(super) fn play(id: &str, moves: Option<&Vec<String>>, words: &Words) -> String {
    format!("( PLAY {id} {} )", joint(moves, words))
}

/// It is over.
pub(super) fn stop(id: &str, moves: Option<&Vec<String>>, words: &Words) -> String {
    format!("( STOP {id} {} )", joint(moves, words))
}

/// It is given up.
pub(super) fn abort(id: &str) -> String {
    format!("( ABORT {id} )")
}

fn joint(moves: Option<&Vec<String>>, words: &Words) -> String {
    match moves {
        None => "NIL".to_owned(),
        Some(moves) => {
            let told: Vec<String> = moves.iter().map(|name| words.told(name)).collect();
            format!("({} )", told.join(" "))
        }
    }
}

/// Players read whole seconds.
fn clock(clock: Duration) -> u64 {
    clock.as_secs_f64().ceil() as u64
}

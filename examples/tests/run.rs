//! Runs the examples.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::process::Command;

fn run(program: &str) -> String {
    let output = Command::new(program).output().expect("the example runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_random_game_ends_with_goals() {
    let text = run(env!("CARGO_BIN_EXE_random_game"));
    assert!(text.lines().count() >= 7 && text.contains("noop"), "{text}");
    assert!(text.contains("x: ") && text.contains("o: "), "{text}");
}

#[test]
fn a_player_is_asked_for_a_move() {
    let text = run(env!("CARGO_BIN_EXE_best_move"));
    assert!(text.contains("best: (drop 4)"), "the middle is the best first move: {text}");
}

#[test]
fn a_match_is_refereed() {
    let text = run(env!("CARGO_BIN_EXE_referee"));
    assert!(text.contains("goals: [100, 0]"), "{text}");
}

#[test]
fn a_player_of_ones_own_beats_random() {
    let text = run(env!("CARGO_BIN_EXE_own_player"));
    let points: u32 = text.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("points");
    assert!(points > 60, "{text}");
}

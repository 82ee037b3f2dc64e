//! `ludex explain`: words for people, JSON for programs.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::process::Command;

fn explain(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .arg("explain")
        .args(arguments)
        .output()
        .expect("ludex runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_game_is_explained_in_words() {
    let text = explain(&["breakthrough", "--games", "5"]);
    for part in [
        "2 players: white, black.",
        "They move in turn: white, black.",
        "what one wins, the other loses (proved)",
        "8x8, coordinates in the order of `right` and `up`",
        "white: white's marker, moves",
        "`up`, successor relation: 1 2 3 4 5 6 7 8",
        "each ?player gets 100 if (through ?player)",
        "from 5 random games",
        "Player: `",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn small_games_are_for_alpha_beta() {
    assert!(explain(&["tic_tac_toe"]).contains("Player: `alphabeta`"));
}

#[test]
fn programs_get_json() {
    let text = explain(&["checkers", "--json", "--games", "3"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let shapes = value["shapes"].as_array().expect("a list");
    assert!(
        shapes.iter().any(|shape| shape["role"] == "board" && shape["size"] == serde_json::json!([8, 8]))
    );
    assert!(shapes.iter().any(|shape| shape["role"] == "step_counter"));
    assert_eq!(value["constant_sum"], 100);
    assert_eq!(text, explain(&["checkers", "--json", "--games", "3"]), "the same seed, the same result");
}

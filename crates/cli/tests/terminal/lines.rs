//! Line mode: what scripts and screen readers use.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `ludex` with lines on standard input.
fn ludex(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ludex runs");
    // A program that has ended reads no more.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("an end")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn two_people_play_by_pipe() {
    let moves = "1 1\n2 1\nundo\n3 3\n1 2\n3 2\n1 3\n";
    let output = ludex(&["play", "tic_tac_toe", "--as", "all"], moves);
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    for line in ["Back to step 1.", "   2 o (mark 3 3)", "x (human) wins: x 100, o 0."] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let end = text.rfind("x wins").or(text.rfind("x (human) wins")).expect("a result");
    let board = &text[text[..end].rfind("\n\n").map_or(0, |at| at.saturating_sub(80))..end];
    assert!(!board.contains("to move"), "nobody is to move at the end:\n{board}");
}

/// A puzzle is played to its end by the plan; with several roles there is none.
#[test]
fn the_machine_shows_its_plan() {
    let output = ludex(&["play", "hanoi", "--playouts", "20000", "--seed", "1"], "show me\n");
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("Hint: ") && shown.contains("gets 100. 31 moves"), "{shown}");
    let output = ludex(&["play", "tic_tac_toe", "--as", "all"], "show me\nquit\n");
    assert!(text(&output).contains("Others have a say here"), "{}", text(&output));
}

#[test]
fn commands_and_slips_are_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved.json");
    let file = path.to_str().expect("a name");
    let input = format!("hint\n(drop 9)\ndrop\nDROP 4\nundo\nhelp\n4\nsave {file}\nresign\n");
    let arguments = ["match", "connect_four", "human", "mc:each=8", "--playouts", "60", "--seed", "1"];
    let output = ludex(&arguments, &input);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let expected = [
        "Hint: drop ",
        "`(drop 9)` is not a legal move. Legal: 1 drop 1, 2 drop 2,",
        "`drop` fits several moves",
        "   1 red (drop 4)",
        "Back to step 0.",
        "take your last move back",
        "Saved: ",
        "red resigns.",
    ];
    for line in expected {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let replayed = ludex(&["replay", file], "");
    assert!(replayed.status.success(), "{}", self::text(&replayed));
    assert!(self::text(&replayed).contains("step 2 of 2") && self::text(&replayed).contains("Verified"));
}

#[test]
fn a_saved_match_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved.json");
    let file = path.to_str().expect("a name");
    let output = ludex(&["play", "tic_tac_toe", "--as", "all"], &format!("1 1\n3 3\nsave {file}\nquit\n"));
    assert!(output.status.success(), "{}", text(&output));
    let output = ludex(&["play", "tic_tac_toe", "--as", "all", "--resume", file], "1 2\n3 2\n1 3\n");
    let text = text(&output);
    assert!(
        text.contains("   2 o (mark 3 3)") && text.contains("x (human) wins: x 100, o 0. 5 moves"),
        "{text}"
    );
    let other = ludex(&["play", "connect_four", "--resume", file], "");
    assert!(String::from_utf8_lossy(&other.stderr).contains("is a record of another game, tic_tac_toe"));
}

#[test]
fn the_end_of_the_input_ends_the_match() {
    let output = ludex(&["play", "connect_four", "--playouts", "20", "--seed", "1"], "4\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("The input has ended: the match is aborted."), "{}", text(&output));
    let output = ludex(&["play", "connect_four", "--playouts", "20"], "quit\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn people_are_refused_where_only_programs_can_play() {
    let error = |arguments: &[&str]| {
        let output = ludex(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("people.toml");
    let experiment = include_str!("people.toml");
    std::fs::write(&path, experiment).expect("written");
    let errors = [
        error(&["serve", "--player", "human"]),
        error(&["move", "tic_tac_toe", "--player", "human"]),
        error(&["lab", "run", path.to_str().expect("a name")]),
    ];
    for message in errors {
        assert!(message.contains("`human` cannot play here"), "{message}");
    }
    let message = error(&["match", "tic_tac_toe", "human", "mc", "--json"]);
    assert!(message.contains("--record"), "{message}");
    let message = error(&["play", "tic_tac_toe", "--as", "y"]);
    assert!(message.contains("the roles are x, o"), "{message}");
    let message = error(&["play", "tic_tac_toe", "--as", "all", "--against", "mc"]);
    assert!(message.contains("0 roles are free"), "{message}");
}

#[test]
fn three_people_and_a_late_one() {
    // Roles without people get the player that is named.
    let output = ludex(&["play", "connect_four_3p", "--against", "random", "--seed", "1"], "1\n1\nquit\n");
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(text(&output).lines().filter(|line| line.contains(" red (drop 1)")).count(), 2);
    // A person with a clock who says nothing is late.
    let arguments = ["play", "tic_tac_toe", "--human-clock", "0", "--as", "all", "--seed", "1", "--plain"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("ludex runs");
    let open = child.stdin.take();
    let output = child.wait_with_output().expect("an end");
    drop(open);
    assert!(text(&output).contains("error: TO"), "{}", text(&output));
}

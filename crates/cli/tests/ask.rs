//! `ludex ask`: answers, and what it says of questions that cannot be answered.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::process::{Command, Output};

use ludex_game::Game;
use ludex_gdl::{Source, load};
use ludex_reasoner::Reference;

fn ask(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.arg("ask").args(arguments).env_remove("CLICOLOR_FORCE").output().expect("ludex runs")
}

fn answers(arguments: &[&str]) -> String {
    let output = ask(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert_eq!(error, "", "{arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// What it says on standard error when it ends with code 2.
fn refused(arguments: &[&str]) -> String {
    let output = ask(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty());
    error
}

const LINE: &str = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 x)";

#[test]
fn positions_are_the_first_one_a_history_or_any_facts() {
    assert_eq!(answers(&["tic_tac_toe", "(line ?who)"]), "no answers\n");
    assert_eq!(answers(&["tic_tac_toe", "(line ?who)", "--state", LINE]), "?who\nx\n1 answer\n");
    assert_eq!(answers(&["tic_tac_toe", "line x", "--state", LINE]), "yes\n");
    let history = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2) (mark 1 3)";
    assert_eq!(answers(&["tic_tac_toe", "terminal", "--history", history]), "yes\n");
    assert_eq!(answers(&["tic_tac_toe", "(goal ?r 100)", "--history", history]), "?r\nx\n1 answer\n");
}

#[test]
fn conditions_combine() {
    let marked = "(mark 2 2) (mark 1 1)";
    let marks = "(true (cell ?x ?y ?m)) (distinct ?m blank)";
    assert_eq!(
        answers(&["tic_tac_toe", marks, "--history", marked]),
        "?x  ?y  ?m\n1   1   o\n2   2   x\n2 answers\n"
    );
    let free = "(and (true (cell ?x ?x ?m)) (not (true (cell ?x ?x x))) (not (true (cell ?x ?x o))))";
    assert_eq!(answers(&["tic_tac_toe", free, "--history", marked]), "?x  ?m\n3   blank\n1 answer\n");
    let either = "(or (true (cell ?x ?y x)) (true (cell ?x ?y o)))";
    assert!(answers(&["tic_tac_toe", either, "--history", marked]).ends_with("2 answers\n"));
    assert_eq!(answers(&["tic_tac_toe", "not open"]), "no\n");
}

#[test]
fn moves_are_needed_for_what_depends_on_them() {
    let next = "(next (cell ?x ?y x))";
    let made = answers(&["tic_tac_toe", next, "--moves", "(mark 2 3)"]);
    assert_eq!(made, "?x  ?y\n2   3\n1 answer\n");
    let does = answers(&["tic_tac_toe", "(does ?who ?what)", "--moves", "((mark 1 1) noop)"]);
    assert_eq!(does, "?who  ?what\no     noop\nx     (mark 1 1)\n2 answers\n");
    assert!(refused(&["tic_tac_toe", next]).contains("--moves"));
    assert!(refused(&["tic_tac_toe", next, "--moves", "(mark 7 7)"]).contains("legal moves"));
    assert!(refused(&["tic_tac_toe", next, "--moves", "(mark 1 1) noop"]).contains("one step"));
    assert!(answers(&["tic_tac_toe", "(init (control ?r))"]).contains("x\n"));
}

#[test]
fn answers_are_counted_limited_and_machine_readable() {
    let cut = answers(&["tic_tac_toe", "(true (cell ?x ?y blank))", "--limit", "2"]);
    assert_eq!(cut, "?x  ?y\n1   1\n1   2\n9 answers, 7 not shown\n");
    let text = answers(&["tic_tac_toe", "(legal ?r ?m)", "--json", "--limit", "1"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((value["count"].as_u64(), value["holds"].as_bool()), (Some(10), Some(true)));
    assert_eq!(value["answers"], serde_json::json!([{"?m": "noop", "?r": "o"}]));
}

/// The question's rule changes nothing about the game: legal moves are those of the engine.
#[test]
fn answers_agree_with_the_engine() {
    let sheet = ludex_library::find("breakthrough_tiny").expect("built in");
    let rules = load(&Source::new(sheet.name, sheet.text)).playable().expect("no errors");
    let reference = Reference::new(rules).expect("a game");
    let mut state = reference.initial();
    for _ in 0..6 {
        let view = reference.view(&state).expect("a view");
        let asked = reference.ask(&state, None, "legal", 2).expect("answers");
        let listed: usize = view.legal.iter().map(Vec::len).sum();
        assert_eq!(asked.len(), listed);
        let joint: Vec<_> = view.legal.iter().map(|moves| moves[0]).collect();
        let next = reference.ask(&state, Some(&joint), "next", 1).expect("answers");
        state = reference.next(&state, &joint).expect("a state");
        assert_eq!(next.into_iter().flatten().collect::<Vec<_>>(), reference.describe(&state));
    }
    assert!(reference.ask(&state, None, "no_such_relation", 3).expect("none").is_empty());
    assert!(reference.ask(&state, None, "next", 1).is_err());
}

#[test]
fn wrong_questions_are_explained() {
    for (question, says) in [
        ("(lin ?x)", "did you mean `line`?"),
        ("(line ?x ?y)", "defined with 1 argument"),
        ("(cell ?x ?y x)", "(true (cell ...))"),
        ("(not (line ?x))", "nothing gives the variable `?x` a value"),
        ("(or (line ?x) open)", "nothing gives the variable `?x` a value"),
        ("(distinct ?x b) (true (cell 1 1 b))", "value"),
        ("(line x", "missing"),
        ("line x)", "too many"),
        ("", "empty"),
        ("(true)", "true"),
    ] {
        let said = refused(&["tic_tac_toe", question]);
        assert!(said.contains(says), "{question}: {said}");
    }
    let doubtful = ask(&["tic_tac_toe", "(true (cell ?x ?y zebra))"]);
    assert_eq!(doubtful.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&doubtful.stderr).contains("can never hold"));
    let state = refused(&["tic_tac_toe", "open", "--state", "(cell 1 1 zebra)"]);
    assert!(state.contains("words that the rules do not have"), "{state}");
    assert!(refused(&["tic_tac_toe", "open", "--state", "(cell ?x 1 b)"]).contains("variable"));
}

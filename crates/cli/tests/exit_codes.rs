//! One table of exit codes for all commands: 0 success, 1 errors in the input, 2 cannot read.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::process::{Command, Output};

/// A variable in the head of a rule that no condition binds.
const BAD: &str = "(role you)\n(init (left 1))\n(legal you take)\n(<= (next (left ?n)) (true (left 1)))\n(<= terminal (true (left 1)))\n(goal you 100)\n";

fn ludex(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ludex")).args(arguments).output().expect("ludex runs")
}

/// Every command that takes a game, with the game as `GAME`; files that it writes go to `OUT`.
const COMMANDS: &[&str] = &[
    "bench deadlines GAME --start-clock 0.1 --play-clock 0.1",
    "bench gdl-perf GAME OUT 0.1",
    "bench reasoner GAME --seconds 0.01",
    "bench search GAME --seconds 0.01",
    "bench signature GAME",
    "bench thoughts GAME --play-clock 0.01 --thoughts 1 --grace 60",
    "check GAME",
    "fmt GAME --stdout",
    "match GAME",
    "move GAME",
    "perft GAME 1",
    "scramble GAME --seed 1",
    "show ast GAME",
    "show circuit GAME",
    "show ground GAME",
    "show rules GAME",
    "show state GAME",
    "show stats GAME",
    "tournament GAME --players mc,random",
    "trace record GAME",
    "trace verify GAME TRACE",
];

fn run(command: &str, game: &str, folder: &std::path::Path) -> Output {
    let place = |name: &str| folder.join(name).display().to_string();
    let word = |word: &str| match word {
        "GAME" => game.to_owned(),
        "OUT" => place("out.txt"),
        "TRACE" => place("trace.jsonl"),
        other => other.to_owned(),
    };
    let words: Vec<String> = command.split(' ').map(word).collect();
    ludex(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_game_that_is_not_there_is_code_2_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.kif").display().to_string();
    for command in COMMANDS {
        for game in ["nogame", &missing] {
            let output = run(command, game, folder.path());
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} with {game}: {error}");
            assert!(error.contains(game), "{command}: {error}");
        }
    }
    for command in ["games nogame", "lab run nogame", "lab report nogame", "replay nogame"] {
        assert_eq!(run(command, "", folder.path()).status.code(), Some(2), "{command}");
    }
}

#[test]
fn a_sheet_with_errors_is_code_1_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bad.kif");
    std::fs::write(&path, BAD).expect("written");
    let trace = folder.path().join("trace.jsonl");
    let recorded = ludex(&["trace", "record", "tic_tac_toe", "--output", &trace.display().to_string()]);
    assert_eq!(recorded.status.code(), Some(0));
    // These only look at the syntax, which is good.
    let syntax = ["fmt", "scramble", "show ast"];
    for command in COMMANDS.iter().filter(|command| !syntax.iter().any(|known| command.starts_with(known))) {
        let output = run(command, &path.display().to_string(), folder.path());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command}: {error}");
    }
}

#[test]
fn errors_say_everything_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("README.md");
    std::fs::write(&text, "# Not a record\n").expect("written");
    let text = text.display().to_string();
    let store = folder.path().join("missing/results.db").display().to_string();
    for (arguments, said) in [
        (vec!["replay", &text], "not a match record"),
        (vec!["match", "tic_tac_toe", "--store", &store], "there is no folder"),
        (vec!["match", "tic_tac_toe", "--store", &text], "not a store of matches"),
    ] {
        let output = ludex(&arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(said) && error.lines().count() == 1, "{error}");
        let parts: Vec<&str> = error.trim().split(": ").collect();
        let once = parts.iter().all(|part| parts.iter().filter(|other| other == &part).count() == 1);
        assert!(once, "{error}");
    }
    let output = ludex(&["move", "connect_four", "--history", "(drop 9)"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("legal moves of red are (drop 1), (drop 2)"), "{error}");
    let output = ludex(&["move", "connect_four", "--memory", "1kB"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("the minimum is 1MB"));
}

/// Help at 60 columns: no short line in the middle of a paragraph.
#[test]
fn help_is_wrapped_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["match", "--help"])
        .env("COLUMNS", "60")
        .output()
        .expect("ludex runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let prose: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Clocks may"))
        .take_while(|line| !line.is_empty())
        .collect();
    assert!(!prose.is_empty(), "{text}");
    for pair in prose.windows(2).filter(|pair| !pair[1].starts_with("Exit codes:")) {
        let next = pair[1].split(' ').next().unwrap_or("").chars().count();
        let width = pair[0].chars().count();
        assert!(width + 1 + next > 60 || width > 90, "wrapped too early: {pair:?}");
    }
}

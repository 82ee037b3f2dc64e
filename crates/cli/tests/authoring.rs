//! The commands for people who write games: `new`, `check --explain`, `check --watch`.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ludex_gdl::Code;

const GOOD: &str = "(role you)\n(init (left 1))\n(legal you take)\n(<= (next (left 0)) (true (left 1)))\n(<= terminal (true (left 0)))\n(goal you 100)\n";

fn ludex(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(arguments).current_dir(folder).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::null()).output().expect("ludex runs")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

#[test]
fn new_games_are_clean_drawn_and_played_to_their_end() {
    let folder = tempfile::tempdir().expect("a folder");
    for players in ["1", "2", "3", "4", "6"] {
        for board in ["3x3", "4x4", "5x3", "3x7"] {
            let name = format!("game_{players}_{board}");
            let made = ludex(folder.path(), &["new", &name, "--players", players, "--board", board]);
            assert!(made.status.success(), "{name}: {}", err(&made));
            let sheet = format!("{name}.kif");
            let checked = ludex(folder.path(), &["check", &sheet]);
            assert_eq!(out(&checked), "1 sheet checked: no errors, no warnings\n", "{name}");
            let formatted = ludex(folder.path(), &["fmt", "--check", &sheet]);
            assert!(formatted.status.success(), "{name}: {}", out(&formatted));
            // As wide and as high as it was asked for, with its title.
            let drawn = out(&ludex(folder.path(), &["show", "state", &sheet]));
            let (columns, rows) = board.split_once('x').expect("a size");
            let bottom: Vec<String> =
                (1..=columns.parse().expect("a number")).map(|c: u8| c.to_string()).collect();
            assert!(drawn.starts_with(&format!("Game {players} {board}, the initial state")), "{drawn}");
            assert!(drawn.lines().any(|line| line.trim() == bottom.join(" ")), "{drawn}");
            assert!(drawn.contains(&format!("\n{rows}  ")), "{drawn}");
            // Two engines agree on random games, which end.
            let traced = ludex(folder.path(), &["trace", "record", &sheet, "--playouts", "3", "--seed", "4"]);
            let trace = out(&traced);
            assert!(traced.status.success(), "{name}: {}", err(&traced));
            let ends = trace.lines().filter(|line| line.contains("\"terminal\":true")).count();
            assert_eq!(ends, 3, "{name}: {trace}");
            std::fs::write(folder.path().join("trace.jsonl"), &trace).expect("written");
            let verified =
                ludex(folder.path(), &["trace", "verify", &sheet, "trace.jsonl", "--engine", "batch"]);
            assert!(verified.status.success(), "{name}: {}{}", out(&verified), err(&verified));
        }
    }
    let played = ludex(folder.path(), &["match", "game_2_4x4.kif", "--playouts", "20", "--seed", "1"]);
    assert!(
        played.status.success() && out(&played).contains("Game 2 4x4"),
        "{}{}",
        out(&played),
        err(&played)
    );
    let puzzle = ludex(folder.path(), &["match", "game_1_3x3.kif", "--playouts", "200", "--seed", "1"]);
    assert!(puzzle.status.success(), "{}{}", out(&puzzle), err(&puzzle));
}

#[test]
fn new_never_overwrites_and_says_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mine.toml"), "title = \"Mine\"\n").expect("written");
    for (arguments, needle) in [
        (vec!["new", "mine"], "mine.toml is there already"),
        (vec!["new", "chess"], "built-in game"),
        (vec!["new", "Mine"], "lower-case letters"),
        (vec!["new", "../mine"], "lower-case letters"),
        (vec!["new", ""], "lower-case letters"),
        (vec!["new", "mine.kif"], "without an ending"),
        (vec!["new", "other", "--board", "2x2"], "each from 3 to 16"),
        (vec!["new", "other", "--board", "4"], "each from 3 to 16"),
        (vec!["new", "other", "--board", "99999999999999999999x4"], "each from 3 to 16"),
        (vec!["new", "other", "--players", "0"], "is not in 1..=6"),
    ] {
        let output = ludex(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(needle), "{arguments:?}: {}", err(&output));
    }
    let files: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(files.len(), 1, "nothing was written");
}

#[test]
fn a_description_with_only_a_title_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("small.kif"), GOOD).expect("written");
    let title = |description: &str| {
        std::fs::write(folder.path().join("small.toml"), description).expect("written");
        let shown = ludex(folder.path(), &["show", "state", "small.kif"]);
        assert!(shown.status.success() && err(&shown).is_empty(), "{}", err(&shown));
        out(&shown).lines().next().unwrap_or("").to_owned()
    };
    assert_eq!(title("title = \"A small game\"\n"), "A small game, the initial state");
    assert_eq!(title("# no title either\n"), "Small, the initial state");
    assert_eq!(title(""), "Small, the initial state");
    let played = ludex(folder.path(), &["match", "small.kif", "random", "--playouts", "1", "--seed", "1"]);
    assert!(played.status.success(), "{}", err(&played));
}

#[test]
fn every_code_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    for code in Code::ALL.iter().filter(|code| **code != Code::TooLarge) {
        let output = ludex(folder.path(), &["check", "--explain", &code.as_str().to_lowercase()]);
        let text = out(&output);
        assert!(output.status.success(), "{}", err(&output));
        for needle in [code.as_str(), code.summary(), "Wrong\n", "Corrected\n", "docs/guide/3-reference.md#"]
        {
            assert!(text.contains(needle), "{} lacks {needle}:\n{text}", code.as_str());
        }
        let said = format!("[{}]", code.as_str());
        assert!(text.contains(&said), "{} is not shown:\n{text}", code.as_str());
    }
    let bytes = out(&ludex(folder.path(), &["check", "--explain", "E105"]));
    assert!(bytes.contains("`\\x00` is one byte, `\\repeat{N}{text}` is N times the text"), "{bytes}");
    let unknown = ludex(folder.path(), &["check", "--explain", "E608"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(err(&unknown).contains("did you mean W608?"), "{}", err(&unknown));
}

#[cfg(unix)]
#[test]
fn watch_checks_again_after_a_change_and_ends_with_ctrl_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let sheet = folder.path().join("game.kif");
    std::fs::write(&sheet, GOOD).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["check", "--watch", "game.kif"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ludex runs");
    let text = Arc::new(Mutex::new(String::new()));
    let (shared, mut pipe) = (Arc::clone(&text), child.stdout.take().expect("a pipe"));
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = pipe.read(&mut buffer) {
            shared.lock().expect("no panic").push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
    });
    let wait_for = |rounds: usize, needle: &str| {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let text = text.lock().expect("no panic").clone();
            if text.matches("Waiting for changes").count() >= rounds && text.contains(needle) {
                return text;
            }
            assert!(Instant::now() < end, "round {rounds} with {needle} does not come:\n{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for(1, "no errors, no warnings");
    std::fs::write(&sheet, GOOD.replace("(true (left 0))", "(true (lfet 0))")).expect("written");
    wait_for(2, "did you mean `left`?");
    // Gone for a moment, as with editors that replace files.
    std::fs::remove_file(&sheet).expect("removed");
    wait_for(3, "");
    std::fs::write(&sheet, GOOD).expect("written");
    let text = wait_for(4, "");
    assert!(!text.contains('\x1b'), "not a terminal, so no control characters:\n{text}");
    let interrupted =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(interrupted.success());
    let status = child.wait().expect("ludex ends");
    reader.join().expect("no panic");
    assert_eq!(status.code(), Some(0));
    let refused = ludex(folder.path(), &["check", "--watch", "-"]);
    assert!(err(&refused).contains("cannot be watched"), "{}", err(&refused));
}

//! Reports as a user meets them: `ludex lab run`, then `ludex lab report`.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const GRID: &str = r#"title = "Tiny grid"
games = ["tic_tac_toe"]
players = [{ name = "a", spec = "cadia-uct" }, { name = "b", spec = "random" }]
[quick]
matches = 6
settings = [{ name = "few", playouts = 64, threads = 2 }]
"#;

const CROSS: &str = r#"title = "Tiny cross"
games = ["tic_tac_toe"]
layout = "cross"
players = [
    { name = "a", spec = "cadia-uct" }, { name = "b", spec = "mc" }, { name = "c", spec = "random" },
]
[quick]
matches = 2
settings = [{ name = "few", playouts = 64 }]
"#;

const ENGINES: &str = r#"title = "Tiny engines"
measure = "reasoners"
games = ["tic_tac_toe"]
engines = ["rules", "reference"]
[quick]
matches = 1
settings = [{ name = "short", play = 0.01 }]
"#;

const SCORES: &str = r#"title = "Tiny scores"
measure = "scores"
games = ["eight_puzzle"]
players = [{ name = "a", spec = "cadia-uct" }]
[quick]
matches = 2
settings = [{ name = "few", playouts = 128 }]
"#;

/// A folder with an experiment in `experiments`, under a name with a dot.
fn place(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let experiments = folder.path().join("experiments");
    std::fs::create_dir(&experiments).expect("a folder");
    std::fs::write(experiments.join("tiny-1.1.toml"), text).expect("a file");
    folder
}

fn ludex(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    let Output { status, stdout, stderr } =
        command.arg("lab").args(arguments).current_dir(folder).output().expect("ludex runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code().expect("not killed"), text(stdout), text(stderr))
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_grid_has_published_figures_and_says_where_it_comes_from() {
    let folder = place(GRID);
    let folder = folder.path();
    let figures = "setting,game,player,opponent,value,margin\nfew,tic_tac_toe,a,b,87.5,2.5\n";
    std::fs::write(folder.join("experiments/tiny-1.1.csv"), figures).expect("a file");
    let (code, _, err) = ludex(folder, &["run", "tiny-1.1"]);
    assert_eq!((code, err.contains("ludex lab report lab/tiny-1.1-quick")), (0, true), "{err}");
    std::fs::write(folder.join("experiments/tiny-1.1.md"), "Use `uct`:\n\n- it wins\n").expect("a file");
    let (code, out, err) = ludex(folder, &["report", "tiny-1.1"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("# Tiny grid") && out.contains("| game | a against b | matches |"), "{out}");
    assert!(out.contains("*87.5 ± 2.50*") && !out.contains(".svg"), "{out}");
    let results = folder.join("lab/tiny-1.1-quick");
    let markdown = read(&results, "report.md");
    assert!(markdown.contains("- command: `ludex lab run experiments/tiny-1.1.toml`"), "{markdown}");
    assert!(markdown.contains(concat!("- version: ", env!("CARGO_PKG_VERSION"))), "{markdown}");
    assert!(markdown.contains("- date: 20") && markdown.contains("core"), "{markdown}");
    assert!(!markdown.contains(&*folder.to_string_lossy()), "{markdown}");
    assert!(markdown.contains("6 matches, no faults.") && !markdown.contains("Not finished"), "{markdown}");
    let html = read(&results, "report.html");
    assert!(html.contains("<p>Use <code>uct</code>:</p>\n<ul>\n<li>it wins</li>\n</ul>"), "{html}");
    assert!(read(&results, "cells.csv").contains("few,tic_tac_toe,a,b,6,"));
    assert_eq!(read(&results, "matches.csv").lines().count(), 7);
    assert!(read(&results, "points-few.svg").starts_with("<svg"));
    // The folder is enough, wherever it is.
    let moved = tempfile::tempdir().expect("a folder");
    std::fs::rename(&results, moved.path().join("r")).expect("moved");
    let (code, out, err) = ludex(moved.path(), &["report", "r", "--out", "new/place", "--json"]);
    assert_eq!(code, 0, "{err}");
    let cell: Value = serde_json::from_str(out.trim()).expect("one line of JSON");
    assert_eq!((&cell["matches"], &cell["published"]), (&Value::from(6), &Value::from(87.5)));
    assert!(cell["score"].is_number() && cell["low"].is_number() && cell["high"].is_number());
    assert!(read(moved.path(), "new/place/report.md").contains("*87.5 ± 2.50*"));
}

#[test]
fn a_cross_has_everybody_against_everybody() {
    let folder = place(CROSS);
    let (code, _, err) = ludex(folder.path(), &["run", "tiny-1.1"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = ludex(folder.path(), &["report", "lab/tiny-1.1-quick"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("| player | a | b | c | win ratio | matches |"), "{out}");
    assert!(out.contains("## Ratings") && out.contains("6 matches, no faults."), "{out}");
}

#[test]
fn engines_and_scores_have_reports_too() {
    let folder = place(ENGINES);
    assert_eq!(ludex(folder.path(), &["run", "tiny-1.1"]).0, 0);
    let (code, out, err) = ludex(folder.path(), &["report", "tiny-1.1"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("| game | rules | reference |") && out.contains("## Set-up: milliseconds"), "{out}");
    let results = folder.path().join("lab/tiny-1.1-quick");
    assert_eq!(read(&results, "reasoners.csv").lines().count(), 3);
    let (_, out, _) = ludex(folder.path(), &["report", "tiny-1.1", "--json"]);
    let first: Value = serde_json::from_str(out.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["engine"], "rules");

    let folder = place(SCORES);
    assert_eq!(ludex(folder.path(), &["run", "tiny-1.1"]).0, 0);
    let (code, out, err) = ludex(folder.path(), &["report", "tiny-1.1"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("| player | 64 | 128 | runs |") && !out.contains("64 s"), "{out}");
    let results = folder.path().join("lab/tiny-1.1-quick");
    assert_eq!(read(&results, "scores.csv").lines().filter(|line| line.contains(",playouts,")).count(), 4);
}

#[test]
fn what_is_not_finished_is_reported_as_far_as_it_is() {
    let folder = place(GRID);
    let folder = folder.path();
    assert_eq!(ludex(folder, &["run", "tiny-1.1", "--matches", "4", "--out", "part"]).0, 0);
    let (code, out, err) = ludex(folder, &["report", "part"]);
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains("Not finished") && out.contains("4 matches"), "as many as were asked for: {out}");
    let markdown = read(&folder.join("part"), "report.md");
    assert!(markdown.contains("`ludex lab run experiments/tiny-1.1.toml --matches 4`"), "{markdown}");
    // Nothing at all is there yet.
    std::fs::remove_file(folder.join("part/matches.db")).expect("a file");
    let (code, out, err) = ludex(folder, &["report", "part"]);
    assert_eq!((code, out.contains("Not finished: 4 matches are")), (0, true), "{out}{err}");
    assert!(err.contains("not finished: 4 still to come"), "{err}");
}

#[test]
fn mistakes_are_told() {
    let folder = place(GRID);
    let folder = folder.path();
    let (code, _, err) = ludex(folder, &["report", "lab/nothing"]);
    assert_eq!((code, err.contains("there is no folder lab/nothing")), (2, true), "{err}");
    let (code, _, err) = ludex(folder, &["report", "tiny-1.2"]);
    assert_eq!((code, err.contains("did you mean `tiny-1.1`?")), (2, true), "{err}");
    let (code, _, err) = ludex(folder, &["report", "tiny-1.1"]);
    assert_eq!((code, err.contains("`ludex lab run tiny-1.1` makes them")), (2, true), "{err}");
    let (code, _, err) = ludex(folder, &["report", "experiments"]);
    assert_eq!((code, err.contains("experiments holds no results of an experiment")), (2, true), "{err}");
    assert_eq!(ludex(folder, &["run", "tiny-1.1"]).0, 0);
    std::fs::write(folder.join("experiments/tiny-1.1.csv"), "a,b\n").expect("a file");
    let (code, _, err) = ludex(folder, &["report", "tiny-1.1"]);
    assert_eq!((code, err.contains("tiny-1.1.csv: line 1: the columns must be")), (2, true), "{err}");
}

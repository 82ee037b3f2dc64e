//! Experiments as a user meets them: `ludex lab run`, also one that is killed, and `ludex lab
//! report`.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ludex_arena::Store;
use serde_json::Value;

const TINY: &str = r#"title = "Tiny"
games = ["tic_tac_toe"]
players = [{ name = "a", spec = "cadia-uct" }, { name = "b", spec = "random" }]
[quick]
matches = 6
settings = [{ name = "few", playouts = 64 }]
"#;

/// A folder with an experiment in `experiments`.
fn place(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let experiments = folder.path().join("experiments");
    std::fs::create_dir(&experiments).expect("a folder");
    std::fs::write(experiments.join("tiny.toml"), text).expect("a file");
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.arg("lab").args(arguments).current_dir(folder);
    command
}

fn ludex(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command(folder, arguments).output().expect("ludex runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code().expect("not killed"), text(stdout), text(stderr))
}

/// Ids in the store of a run, sorted.
fn ids(folder: &Path, name: &str) -> Vec<String> {
    let store = Store::open(&folder.join(name).join("matches.db")).expect("a store");
    let mut ids: Vec<String> =
        store.list(None, 0, usize::MAX).expect("rows").into_iter().map(|row| row.id).collect();
    ids.sort();
    ids
}

#[test]
fn an_experiment_is_found_by_name_run_and_shown() {
    let folder = place(TINY);
    let folder = folder.path();
    let (code, out, _) = ludex(folder, &["list"]);
    assert_eq!((code, out.contains("tiny") && out.contains("Tiny")), (0, true), "{out}");
    let (code, out, err) = ludex(folder, &["run", "tiny"]);
    assert_eq!(code, 0, "{err}");
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["setting", "game", "player", "opponent", "matches", "score"]);
    assert_eq!(lines[1][..5], ["few", "tic_tac_toe", "a", "b", "6"]);
    assert!(err.contains("6 added") && err.contains("tiny-quick"), "{err}");
    // By its path, with JSON, and two more.
    let (code, out, err) = ludex(folder, &["run", "experiments/tiny.toml", "--matches", "8", "--json"]);
    assert_eq!(code, 0, "{err}");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let mut numbers: Vec<u64> = lines.iter().filter_map(|line| line["number"].as_u64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [6, 7]);
    assert!(lines.iter().all(|line| line["cell"]["player"] == "a" && line["score"].is_number()));
    assert_eq!(ids(folder, "lab/tiny-quick").len(), 8);
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let folder = place(TINY);
    let folder = folder.path();
    let (code, _, err) = ludex(folder, &["run", "tinny"]);
    assert_eq!((code, err.contains("did you mean `tiny`?")), (2, true), "{err}");
    let (code, _, err) = ludex(folder, &["run", "tiny", "--full"]);
    assert_eq!((code, err.contains("there is no full form")), (2, true), "{err}");
    let (code, _, err) = ludex(folder, &["run", "tiny", "--games", "nim"]);
    assert_eq!((code, err.contains("has no game `nim`")), (2, true), "{err}");
    assert_eq!(ludex(folder, &["run", "tiny", "--out", "results"]).0, 0);
    let changed = TINY.replace("playouts = 64", "playouts = 65");
    std::fs::write(folder.join("experiments/tiny.toml"), &changed).expect("a file");
    let (code, _, err) = ludex(folder, &["run", "tiny", "--out", "results"]);
    assert_eq!(code, 2);
    assert!(err.contains("was 64 playouts, is 65 playouts") && err.contains("--fresh"), "{err}");
    assert_eq!(ludex(folder, &["run", "tiny", "--out", "results", "--fresh"]).0, 0);
    std::fs::write(folder.join("experiments/tiny.toml"), TINY.replace("matches", "mathces")).expect("a file");
    let (code, _, err) = ludex(folder, &["run", "tiny"]);
    assert_eq!(code, 2);
    assert!(err.contains("tiny.toml:5: unknown key `mathces`; did you mean `matches`?"), "{err}");
}

#[test]
fn a_run_that_is_killed_loses_nothing_it_has_told() {
    let text = TINY.replace("matches = 6", "matches = 40").replace("playouts = 64", "playouts = 400");
    let folder = place(&text);
    let folder = folder.path();
    assert_eq!(ludex(folder, &["run", "tiny", "--out", "whole"]).0, 0);
    for after in [1, 5, 9] {
        let mut run = command(folder, &["run", "tiny", "--out", "cut", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ludex runs");
        let mut lines = BufReader::new(run.stdout.take().expect("a pipe")).lines();
        let told: Vec<Value> = lines
            .by_ref()
            .take(after)
            .map(|line| serde_json::from_str(&line.expect("a line")).expect("JSON"))
            .collect();
        run.kill().expect("killed");
        run.wait().expect("gone");
        let kept = ids(folder, "cut");
        for line in told {
            assert!(kept.iter().any(|id| line["id"] == id.as_str()), "{line}");
        }
    }
    assert_eq!(ludex(folder, &["run", "tiny", "--out", "cut"]).0, 0);
    assert_eq!(ids(folder, "cut"), ids(folder, "whole"));
    let table = |name: &str| ludex(folder, &["run", "tiny", "--out", name]).1;
    assert_eq!(table("cut"), table("whole"), "and what came out is the same");
}

#[test]
fn a_tournament_needs_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .args(["tournament", "tic_tac_toe", "connect_four_4x4", "--playouts", "50", "--matches", "4"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("ludex runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let players = ["--players", "random,cadia-uct:c=60,gamma=1", "--players", "legal"];
    let (code, out, err) = run(&players);
    assert_eq!(code, Some(0), "{err}");
    let rows: Vec<&str> = out.lines().collect();
    assert!(rows[0].starts_with("player ") && rows[0].contains("95 % interval"), "{out}");
    assert!(
        rows[1].starts_with("cadia-uct:c=60,gamma=1 ") && rows[1].contains(" 16 "),
        "the best first: {out}"
    );
    assert!(out.contains("24 matches of 2 games, 50 playouts per move, seed 1"), "{out}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left behind");
    // The same seed, the same results; kept in a folder that `lab report` reads.
    let (code, json, err) = run(&[&players[..], &["--json", "--out", "kept"]].concat());
    assert_eq!(code, Some(0), "{err}");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["players"][0]["player"], "cadia-uct:c=60,gamma=1");
    assert_eq!(
        (json["players"][0]["matches"].as_u64(), json["pairs"].as_array().map(Vec::len)),
        (Some(16), Some(3))
    );
    let points = format!("{:.1}", json["players"][0]["points"].as_f64().expect("points"));
    assert!(rows[1].contains(&points), "{points}: {out}");
    let (code, _, err) = ludex(folder.path(), &["report", "kept"]);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = run(&["hanoi", "--players", "mc,random"]);
    assert!(code == Some(2) && err.starts_with("error: the game `hanoi` has 1 seat"), "{err}");
    let (code, _, err) = run(&["--players", "mc,human"]);
    assert!(code == Some(2) && err.contains("`human` cannot"), "{err}");
}

#[test]
fn built_in_experiments_work_in_any_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (code, out, _) = ludex(folder, &["list"]);
    assert!(code == 0 && out.lines().any(|line| line.starts_with("ngram-01 ")), "{out}");
    // Two matches instead of the hundreds of the file, and of one game only.
    let (code, _, err) = ludex(folder, &["run", "equal", "--matches", "2", "--games", "pawn_whopping"]);
    assert!(code == 0 && err.contains("results go to lab/equal-quick"), "{code} {err}");
    assert!(folder.join("lab/equal-quick/reading.md").is_file(), "companion files come along");
}

#[test]
fn a_report_asks_for_no_more_than_the_run_was_asked_for() {
    let folder = place(TINY);
    let folder = folder.path();
    assert_eq!(ludex(folder, &["run", "tiny", "--matches", "2"]).0, 0);
    let (code, _, err) = ludex(folder, &["report", "tiny"]);
    assert!(code == 0 && !err.contains("still to come"), "{err}");
}

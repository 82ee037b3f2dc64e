//! Matches as a user meets them: `ludex match`, `ludex replay`, and a referee that is killed.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use ludex_arena::{MatchRecord, Rulebook, Store, Verdict, verify_record};
use ludex_engine::DEFAULT_PLAYER;

fn ludex(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ludex")).args(arguments).output().expect("ludex runs")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("not killed")
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A folder and a path in it.
fn place(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    (folder, path)
}

#[test]
fn a_match_without_players_named_is_played_and_shown() {
    let output = ludex(&["match", "connect_four", "--start", "0.05", "--play", "0.02", "--seed", "4"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let shown = out(&output);
    let heading = format!("Connect four: red {DEFAULT_PLAYER}, yellow mc; 0.02 s per move, seed 4\n");
    assert!(shown.starts_with(&heading), "{shown}");
    assert!(shown.contains("   1  red (drop "), "{shown}");
    assert!(shown.contains("1 2 3 4 5 6 7"), "the final board: {shown}");
    let last = shown.lines().last().expect("a result");
    assert!(last.contains(" moves in ") && (last.contains("wins") || last.contains("draw")), "{last}");
    assert!(!shown.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn counted_matches_can_be_repeated() {
    let play = || {
        let output = ludex(&[
            "match",
            "tic_tac_toe",
            "mc:each=4",
            "random",
            "--playouts",
            "64",
            "--seed",
            "9",
            "--json",
        ]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let lines = out(&output);
        let last = lines.lines().last().expect("a record");
        (lines.lines().count(), MatchRecord::read(last.as_bytes()).expect("a record"))
    };
    let ((lines, record), (_, again)) = (play(), play());
    assert_eq!(record.without_times(), again.without_times());
    assert_eq!(lines, 2 + 3 * record.steps() + 1, "an object for each event, then the record");
    let details = record.ludex.expect("ours");
    assert_eq!(
        (details.seed, details.playouts, details.version.as_str()),
        (9, Some(64), env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(details.players[0].spec, "mc:each=4");
    assert_eq!(details.players[0].settings["each"], "4");
}

#[test]
fn records_are_replayed_and_verified() {
    let (_folder, path) = place("match.json");
    let file = text(&path);
    let output = ludex(&[
        "match",
        "connect_four_4x4",
        "random",
        "random",
        "--playouts",
        "1",
        "--seed",
        "2",
        "--quiet",
        "--record",
        &file,
    ]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_eq!(out(&output).lines().count(), 1, "only the result: {}", out(&output));
    let replayed = ludex(&["replay", &file]);
    assert_eq!(code(&replayed), 0, "{}", err(&replayed));
    let shown = out(&replayed);
    assert!(shown.contains("Connect four, 4x4, step 0 of ") && shown.contains("step 1 of"), "{shown}");
    assert!(shown.ends_with("all moves and goals are as the rules say.\n"), "{shown}");
    let verified = ludex(&["replay", &file, "--verify"]);
    assert_eq!((code(&verified), out(&verified).lines().count()), (0, 1));
    // Somebody puts another disc on the board.
    let record = std::fs::read_to_string(&path).expect("read");
    let tampered = record.replacen("drop 1", "drop 2", 1);
    assert_ne!(record, tampered);
    std::fs::write(&path, tampered).expect("written");
    let output = ludex(&["replay", &file, "--verify"]);
    assert_eq!(code(&output), 1, "{}", out(&output));
    assert!(out(&output).starts_with("Not as the rules say: state "), "{}", out(&output));
    std::fs::write(&path, &record[..record.len() / 2]).expect("written");
    let output = ludex(&["replay", &file]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("not a match record"), "{}", err(&output));
}

#[test]
fn stores_are_listed_and_replayed() {
    let (_folder, path) = place("results.db");
    let file = text(&path);
    let output = ludex(&[
        "match",
        "tic_tac_toe",
        "legal",
        "random",
        "--playouts",
        "1",
        "--seed",
        "1",
        "--matches",
        "3",
        "--shuffle",
        "--quiet",
        "--store",
        &file,
    ]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let shown = out(&output);
    assert!(shown.contains("mean goal") && shown.contains("3 matches"), "{shown}");
    let listed = out(&ludex(&["replay", &file]));
    assert_eq!(listed.lines().filter(|line| line.contains("tic_tac_toe")).count(), 3, "{listed}");
    let output = ludex(&["replay", &file, "--number", "2", "--verify"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let output = ludex(&["replay", &file, "--number", "4"]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("no match with the number 4"), "{}", err(&output));
}

#[test]
fn what_cannot_be_played_is_said() {
    let said = |arguments: &[&str], expected: i32, words: &str| {
        let output = ludex(&[&["match"], arguments].concat());
        assert_eq!(code(&output), expected, "{}", err(&output));
        assert!(err(&output).contains(words), "{}", err(&output));
    };
    said(&["tic_tac_toe", "mc"], 2, "the game has 2 roles (x, o), but there is 1 player");
    said(&["tic_tac_toe", "mc", "nobody"], 2, "there is no player `nobody`");
    said(&["tic_tac_toe", "mc", "ftp://a:1"], 2, "only `http`");
    said(&["tic_tac_toe", "x=mc", "z=mc"], 2, "there is no role `z`; the roles are x, o");
    said(&["tic_tac_toe", "x=mc", "o=mc", "--shuffle"], 2, "do not name the roles");
    said(&["tic_tac_tow"], 2, "did you mean tic_tac_toe");
    said(&["tic_tac_toe", "--play", "soon"], 2, "a number of seconds");
    said(&["tic_tac_toe", "--play", "-1"], 2, "");
    said(&["tic_tac_toe", "--record", "a", "--matches", "2"], 2, "--store keeps many");
    said(&["tic_tac_toe", "--store", "/no/such/folder/a.db"], 2, "cannot open");
}

#[test]
fn a_match_that_cannot_go_on_is_kept_and_reported() {
    let (folder, path) = place("match.json");
    let sheet = folder.path().join("stuck.kif");
    let rules = "(role you) (init (left 1)) (<= (legal you go) (true (left 1)))
        (<= (next (left 0)) (true (left 1))) (<= terminal (true (left 7))) (goal you 0)";
    std::fs::write(&sheet, rules).expect("written");
    let output = ludex(&["match", &text(&sheet), "legal", "--playouts", "1", "--record", &text(&path)]);
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert!(out(&output).contains("has no legal move"), "{}", out(&output));
    let output = ludex(&["replay", &text(&path), "--verify"]);
    assert_eq!(code(&output), 0, "{}", out(&output));
}

#[test]
fn a_player_that_is_not_there_loses_by_random_moves_and_not_the_match() {
    let output = ludex(&[
        "match",
        "tic_tac_toe",
        "http://127.0.0.1:1",
        "legal",
        "--start",
        "0.2",
        "--play",
        "0.2",
        "--quiet",
        "--json",
    ]);
    assert_eq!(code(&output), 2, "--json and --quiet exclude each other");
    let clocks = ["--start-clock", "0.2", "--play-clock", "0.2"];
    let players = ["match", "tic_tac_toe", "o=legal", "x=http://127.0.0.1:1"];
    let output = ludex(&[players.as_slice(), &clocks].concat());
    assert_eq!(code(&output), 1, "{}", out(&output));
    assert!(
        err(&output).contains("no player answers: no connection to http://127.0.0.1:1:"),
        "{}",
        err(&output)
    );
    assert!(err(&output).contains("--keep-going") && out(&output).is_empty(), "{}", err(&output));
    let output = ludex(&[players.as_slice(), &clocks, &["--keep-going"]].concat());
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(out(&output).contains("x: ") && out(&output).contains("connection errors"), "{}", out(&output));
}

/// A player that answers everything with the same text, as many do INFO.
fn simple_player(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut request = [0; 65536];
            let _ = stream.read(&mut request);
            let _ = write!(stream, "HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
        }
    });
    address
}

#[test]
fn fractional_clocks_are_rounded_up_for_others() {
    let player = format!("o={}", simple_player("available"));
    let clocks = ["--start-clock", "0.2", "--play-clock", "0.3", "--max-steps", "1", "--quiet"];
    let output = ludex(&[&["match", "tic_tac_toe", "x=legal", &player], &clocks[..]].concat());
    assert!(err(&output).contains("clocks are rounded up to 1 s and 1 s"), "{}", err(&output));
    let whole = ["--start-clock", "1", "--play-clock", "1", "--max-steps", "1", "--quiet"];
    let output = ludex(&[&["match", "tic_tac_toe", "x=legal", &player], &whole[..]].concat());
    assert!(!err(&output).contains("rounded"), "{}", err(&output));
}

#[test]
fn a_sheet_with_percepts_is_warned_about() {
    let folder = tempfile::tempdir().expect("a folder");
    let sheet = folder.path().join("percepts.kif");
    let rules = "(role you) (init (left 1)) (legal you go) (<= (sees you nothing) (does you go))
        (<= (next (left 0)) (true (left 1))) (<= terminal (true (left 0))) (goal you 100)";
    std::fs::write(&sheet, rules).expect("written");
    let (_kept, record) = place("match.json");
    let play = |game: &str| ludex(&["match", game, "legal", "--playouts", "1", "--record", &text(&record)]);
    let output = play(&text(&sheet));
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(err(&output).contains("`sees` rules (GDL-II)"), "{}", err(&output));
    assert!(!err(&play("hanoi")).contains("sees"));
    let record = std::fs::read_to_string(&record).expect("a record");
    assert!(!record.contains("gameMetaURL"), "no address is not an empty address");
}

/// The referee is killed again and again: whatever it reported is in the store, whole.
#[test]
fn a_killed_referee_loses_nothing_that_it_reported() {
    let (_folder, path) = place("results.db");
    let rounds = std::env::var("LUDEX_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let mut random = fastrand::Rng::with_seed(11);
    let mut reported: Vec<String> = Vec::new();
    for round in 0..rounds {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .args([
                "match",
                "tic_tac_toe",
                "random",
                "legal",
                "--playouts",
                "1",
                "--matches",
                "1000000",
                "--json",
            ])
            .args(["--seed", &(round * 1_000_000).to_string(), "--store", &text(&path)])
            .stdout(Stdio::piped())
            .spawn()
            .expect("ludex runs");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let reader = std::thread::spawn(move || {
            let records = lines.map_while(Result::ok).filter(|line| line.starts_with("{\"matchId\""));
            // A line without its end was not reported: `lines` gives it too, but it is no record.
            let records = records.filter_map(|line| MatchRecord::read(line.as_bytes()).ok());
            records.map(|record| record.match_id).collect::<Vec<_>>()
        });
        // Once it is at work, at any moment.
        let begun = Instant::now();
        while !path.exists() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(random.u64(50..400)));
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        reported.extend(reader.join().expect("lines"));
    }
    assert!(reported.len() > 20, "only {} matches were reported", reported.len());
    let store = Store::open(&path).expect("the store is whole");
    assert_eq!(store.damage().expect("it can be checked"), None);
    let rows = store.list(None, 0, usize::MAX).expect("rows");
    let kept: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    for id in &reported {
        assert!(kept.contains(id.as_str()), "{id} was reported and is lost");
    }
    // At most the one that was being reported is kept without a report.
    assert!(rows.len() <= reported.len() + rounds as usize, "{} of {}", reported.len(), rows.len());
    let sheet = ludex_library::find("tic_tac_toe").expect("a game");
    let rulebook = Rulebook::new(sheet.name, sheet.text).expect("rules");
    for row in &rows {
        let record = store.record(row.number).expect("readable").expect("there");
        assert!(record.is_completed);
        assert_eq!(verify_record(&record, &**rulebook.reference()), Verdict::Agrees);
    }
    println!("{rounds} kills, {} matches reported, {} kept", reported.len(), rows.len());
}

/// Ctrl-C ends a match properly.
#[cfg(unix)]
#[test]
fn an_interrupted_match_is_kept() {
    let (_folder, path) = place("match.json");
    let child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["match", "tic_tac_toe", "mc", "mc", "--start", "30", "--play", "30", "--quiet"])
        .args(["--record", &text(&path)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ludex runs");
    std::thread::sleep(Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert!(out(&output).starts_with("Aborted."), "{}", out(&output));
    let record = MatchRecord::read(&std::fs::read(&path).expect("kept")).expect("a record");
    assert!(record.is_aborted && !record.is_completed);
}

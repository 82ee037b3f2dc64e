//! `ludex serve`, `ludex move` and `ludex players` as a user meets them.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn ludex(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ludex")).args(arguments).output().expect("ludex runs")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn json(arguments: &[&str]) -> Value {
    let output = ludex(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(out(&output).trim()).expect("one JSON object")
}

#[test]
fn players_are_listed() {
    let text = out(&ludex(&["players"]));
    assert!(
        text.contains("Monte Carlo\n  mc ") && !text.contains("each=0"),
        "a line each, by family: {text}"
    );
    assert_eq!(text.matches("(default)").count(), 1, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let text = out(&ludex(&["players", "mc"]));
    assert!(text.contains("MC_org") && text.contains("each=0"), "{text}");
    let text = out(&ludex(&["players", "cadia-mastg:c=60"]));
    for shown in ["c=60 ", "C_p: exploration constant", "epsilon=0.4 ", "ε: probability", "γ: discount"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    let output = ludex(&["players", "cadia"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean"), "names that are near");
    let lines = out(&ludex(&["players", "--json"]));
    let players: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let mc = players.iter().find(|player| player["player"] == "mc").expect("mc");
    assert_eq!(mc["options"][0]["name"], "each");
    assert_eq!(players.iter().filter(|player| player["default"] == true).count(), 1);
}

#[test]
fn move_answers_with_the_fields_of_the_contract() {
    // A win in one: everything else loses at once or later.
    let history = "(mark 1 1) (mark 3 3) (mark 1 2) (mark 3 2)";
    let ask = || {
        let position = ["move", "tic_tac_toe", "--history", history];
        json(&[&position[..], &["--player", "mc", "--playouts", "7000", "--json"]].concat())
    };
    let answer = ask();
    assert_eq!(answer["move"], "(mark 1 3)");
    assert_eq!(answer["role"], "x");
    assert_eq!(answer["value"], 100.0);
    assert!(answer["visits"].as_u64().expect("a number") >= 1000);
    assert_eq!(answer["candidates"].as_array().expect("a list").len(), 5);
    let mut again = ask();
    again["seconds"] = answer["seconds"].clone();
    assert_eq!(again, answer, "the same seed and playouts, the same answer");
}

#[test]
fn move_takes_facts_and_roles_and_says_what_is_wrong() {
    let facts = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 blank) (cell 2 1 o) (cell 2 2 o) (cell 2 3 blank) \
                 (cell 3 1 blank) (cell 3 2 blank) (cell 3 3 blank) (control o)";
    let arguments = ["move", "tic_tac_toe", "--state", facts, "--role", "O", "--playouts", "7000", "--json"];
    assert_eq!(json(&arguments)["move"], "(mark 2 3)");
    // With a clock, only a decided position has one right answer: all first moves lead to a draw.
    let history = "(mark 1 1) (mark 3 3) (mark 1 2) (mark 3 2)";
    let text = out(&ludex(&["move", "tic_tac_toe", "--history", history, "--play", "0.2"]));
    assert!(
        text.starts_with("(mark 1 3)\n") && text.contains(" visits") && text.contains("engine batch"),
        "{text}"
    );
    assert!(text.contains("playouts/s)") && text.contains("depth "), "{text}");
    let text = out(&ludex(&["analyse", "tic_tac_toe", "--playouts", "2000"]));
    assert!(text.contains("principal variation: (mark "), "{text}");
    let said = |arguments: &[&str]| {
        let output = ludex(arguments);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said(&["move", "tic_tac_toe", "--role", "z"]).contains("the roles are x, o"));
    assert!(said(&["move", "tic_tac_toe", "--state", "(cell 9 9 x)"]).contains("there is no fact"));
    assert!(said(&["move", "tic_tac_toe", "--player", "nobody"]).contains("`ludex players` lists them"));
    assert!(said(&["move", "tic_tac_toe", "--play", "soon"]).contains("not a number of seconds"));
}

/// A running `ludex serve`; killed if a test fails.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn new(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ludex runs");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Self { child, address }
    }

    fn ask(&self, message: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let head = format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n", message.len());
        stream.write_all(format!("{head}{message}").as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn serve_plays_and_ends_when_it_is_asked_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut serving =
        Serving::new(&["--player", "mc:each=8", "--name", "Tester", "--data", &data.display().to_string()]);
    assert_eq!(serving.ask("( INFO )"), "( ( name Tester ) ( status available ) )");
    let sheet = out(&ludex(&["games", "tic_tac_toe", "--sheet"]));
    assert_eq!(serving.ask(&format!("( START m x ({sheet}) 0.5 1)")), "ready");
    assert!(serving.ask("( PLAY m NIL )").starts_with("(mark "));
    assert_eq!(std::fs::read_dir(data.join("matches")).expect("records").count(), 1);
    // In the middle of a match and of its thinking.
    let id = serving.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("a signal").success());
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = serving.child.try_wait().expect("a process") {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn what_serve_keeps_can_be_replayed_and_what_it_does_is_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let mut serving = Serving::new(&["--player", "mc", "--data", &data]);
    let printed = BufReader::new(serving.child.stdout.take().expect("a pipe"));
    let sheet = out(&ludex(&["games", "tic_tac_toe", "--sheet"]));
    assert_eq!(serving.ask(&format!("( START m.7 o ({sheet}) 0.5 1)")), "ready");
    assert_eq!(serving.ask("( PLAY m.7 NIL )"), "noop");
    let square = serving.ask("( PLAY m.7 ((mark 1 1) noop) )");
    assert_eq!(serving.ask(&format!("( PLAY m.7 (noop {square}) )")), "noop");
    let file = std::fs::read_dir(folder.path().join("matches")).expect("logs").next().expect("a log");
    let file = file.expect("a log").path().display().to_string();
    let replayed = ludex(&["replay", &file]);
    let shown = out(&replayed);
    assert_eq!(replayed.status.code(), Some(0), "{}", String::from_utf8_lossy(&replayed.stderr));
    assert!(shown.contains("step 2 of 2") && shown.contains("o expects "), "{shown}");
    assert!(shown.ends_with("all moves and goals are as the rules say.\n"), "{shown}");
    assert_eq!(serving.ask("( ABORT m.7 )"), "aborted");
    let lines: Vec<String> =
        printed.lines().map_while(Result::ok).take_while(|line| !line.contains("abort")).collect();
    assert!(lines.iter().any(|line| line.starts_with("m.7: starts, as o of x, o")), "{lines:?}");
    let moved = format!("m.7: 2. {square}, expects ");
    assert!(lines.iter().any(|line| line.starts_with(&moved) && line.ends_with(" s")), "{lines:?}");
}

#[test]
fn serve_says_what_is_wrong() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    for (arguments, said) in [
        (&["--port", port.as_str()][..], "cannot listen on 127.0.0.1"),
        (&["--player", "nobody"], "there is no player `nobody`"),
        (&["--memory", "much"], "512MB"),
        (&["--name", "two words"], "a name is a word"),
    ] {
        let output = ludex(&[&["serve"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(said), "{text}");
    }
}

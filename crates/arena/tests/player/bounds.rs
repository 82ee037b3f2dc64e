//! No request can do harm: garbage, floods, slow senders, names that are paths.

use std::io::Write;
use std::time::{Duration, Instant};

use ludex_arena::player::HostOptions;

use crate::manager::{Manager, finish, ggp_base_head, rules, start};

#[test]
fn garbage_is_answered_and_forgotten() {
    let manager = Manager::new("mc");
    for message in
        ["", "hello", "(PLAY)", "(((((", ")", "(START m x", "(START m x (rules) 1)", "\0\u{1}\u{2}"]
    {
        let answer = manager.ggp_base(message);
        assert_eq!(answer.status, 400, "{message:?}: {answer:?}");
        assert!(!answer.body.is_empty());
    }
    // What is not HTTP is answered or hung up on, soon.
    let begun = Instant::now();
    let mut stream = manager.connect();
    stream.write_all(b"\x16\x03\x01 this is not HTTP\r\n\r\n").expect("sent");
    let mut rest = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut rest);
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(manager.ask("(INFO)"), "( ( name Ludex ) ( status available ) )");
}

#[test]
fn rules_that_cannot_be_played_are_refused() {
    let manager = Manager::new("mc");
    assert_eq!(manager.ask("( START m x ((role x)) 1 1)"), "busy");
    assert_eq!(manager.ask(&start("m", "nobody", "1", "1")), "busy");
    assert_eq!(manager.ask("( PLAY m NIL )"), "busy");
    assert_eq!(manager.ask(&format!("( PREVIEW ({}) 1 )", rules())), "ready");
}

#[test]
fn managers_that_die_do_not_leave_the_player_busy() {
    let overdue = Duration::from_millis(300);
    let manager = Manager::with(|options| HostOptions { most_matches: 2, overdue, ..options }, "legal");
    for id in ["a", "b"] {
        assert_eq!(manager.ask(&start(id, "x", "0.3", "0.3")), "ready");
    }
    assert_eq!(manager.ask(&start("c", "x", "0.3", "0.3")), "busy");
    assert_eq!(manager.ask("(INFO)"), "( ( name Ludex ) ( status busy ) )");
    // Nothing more is heard of `a`; `b` goes on.
    let waits = Instant::now();
    while waits.elapsed() < Duration::from_millis(1500) {
        assert_ne!(manager.ask("( PLAY b NIL )"), "busy");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(manager.ask("(INFO)"), "( ( name Ludex ) ( status available ) )");
    assert_eq!(manager.ask(&start("c", "x", "0.3", "0.3")), "ready");
    assert_eq!(manager.ask("( PLAY a NIL )"), "busy", "its place was given away");
    assert_ne!(manager.ask("( PLAY b NIL )"), "busy");
}

#[test]
fn bodies_that_are_too_long_are_refused() {
    let manager = Manager::new("mc");
    let body = " ".repeat(17 << 20);
    let answer = manager.ggp_base(&body);
    assert_eq!(answer.status, 413);
    // Endless headers too.
    let begun = Instant::now();
    let mut stream = manager.connect();
    let line = format!("X: {}\r\n", "y".repeat(8000));
    let mut sent = stream.write_all(b"POST / HTTP/1.0\r\n");
    while sent.is_ok() && begun.elapsed() < Duration::from_secs(10) {
        sent = stream.write_all(line.as_bytes());
    }
    assert!(sent.is_err(), "headers without end are cut off");
    assert_eq!(manager.ask("(INFO)"), "( ( name Ludex ) ( status available ) )");
}

#[test]
fn slow_senders_are_cut_off_and_keep_nobody_waiting() {
    let manager =
        Manager::with(|options| HostOptions { request_time: Duration::from_millis(700), ..options }, "mc");
    let begun = Instant::now();
    let mut headers = manager.connect();
    headers.write_all(b"POST / HTTP/1.0\r\nContent-").expect("sent");
    let mut body = manager.connect();
    body.write_all(format!("{}( INF", ggp_base_head(8, "\r\n")).as_bytes()).expect("sent");
    let info = manager.ggp_base("( INFO )");
    assert!(info.took < Duration::from_millis(600), "{:?}", info.took);
    assert_eq!(finish(body, begun).status, 408);
    assert!(begun.elapsed() < Duration::from_secs(5));
    let mut rest = Vec::new();
    let _ = std::io::Read::read_to_end(&mut headers, &mut rest);
    assert!(begun.elapsed() < Duration::from_secs(5), "a head that does not come is not waited for");
}

#[test]
fn names_of_matches_are_not_paths() {
    let manager = Manager::new("legal");
    for id in ["../x", "../../x", "/tmp/x", "..", "a/b"] {
        assert_eq!(manager.ask(&start(id, "x", "0.1", "0.5")), "ready");
        assert!(manager.ask(&format!("(PLAY {id} NIL)")).starts_with("(mark "));
        assert_eq!(manager.ask(&format!("(STOP {id} NIL)")), "done");
    }
    let inside = |folder: &std::path::Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(inside(manager.folder()), ["matches"]);
    let files = inside(&manager.folder().join("matches"));
    assert_eq!(files.len(), 5, "{files:?}");
    assert!(files.iter().all(|name| name.ends_with(".jsonl")), "{files:?}");
}

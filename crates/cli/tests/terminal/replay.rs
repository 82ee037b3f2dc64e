//! Records on the full screen: keys work without Enter.

use std::process::Command;

use crate::pseudo_terminal::{END, HOME, LEFT, RIGHT, Terminal};

#[test]
fn keys_step_through_a_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("match.json");
    let file = path.to_str().expect("a name");
    let arguments =
        ["match", "connect_four", "random", "random", "--playouts", "1", "--seed", "2", "--quiet"];
    let made = Command::new(env!("CARGO_BIN_EXE_ludex")).args(arguments).args(["--record", file]).output();
    assert!(made.expect("ludex runs").status.success());
    let record = ludex_arena::MatchRecord::read(&std::fs::read(&path).expect("a file")).expect("a record");
    let last = record.steps();
    let mut terminal = Terminal::start(&["replay", file], 80, 24);
    terminal.wait_for(&[&format!("step 0 of {last}"), "to move"]);
    let mut go = |keys: &str, step: usize| {
        terminal.press(keys);
        terminal.wait_for(&[&format!("step {step} of {last}")]);
        terminal.assert_fits("Connect four");
    };
    go(RIGHT, 1);
    go(RIGHT, 2);
    go(LEFT, 1);
    go("5\r", 5);
    go(END, last);
    go(HOME, 0);
    // Played back by itself, as fast as it goes.
    terminal.press("++++ ");
    let screen = terminal.wait_for(&[&format!("step {last} of {last}"), "moves in"]);
    assert!(!screen.contains("to move"), "nobody is to move at the end:\n{screen}");
    terminal.press("q");
    let (code, screen) = terminal.end();
    assert!(code == 0 && screen.contains("Verified: "), "{code}\n{screen}");
}

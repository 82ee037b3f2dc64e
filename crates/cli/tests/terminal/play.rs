//! Whole games on the full screen.

use crate::pseudo_terminal::{CTRL_C, RIGHT, Terminal, UP};

#[test]
fn two_people_play_tic_tac_toe_with_undo_and_hint() {
    let arguments = ["play", "tic_tac_toe", "--as", "all", "--playouts", "500", "--seed", "1"];
    let mut terminal = Terminal::start(&arguments, 80, 24);
    terminal.wait_for(&["Tic-tac-toe, step 0", "x> _", "1 mark 1 1"]);
    terminal.press("1 1\r");
    terminal.wait_for(&["Tic-tac-toe, step 1", "o> _", "1 x mark 1 1"]);
    terminal.press("2 1\r");
    terminal.wait_for(&["Tic-tac-toe, step 2", "x> _", "2 o mark 2 1"]);
    terminal.press("undo\r");
    terminal.wait("the move taken back", |screen| screen.contains("step 1") && !screen.contains("2 o mark"));
    terminal.press("hint\r");
    terminal.wait_for(&["Hint: mark", "500 playouts"]);
    terminal.press("mark 9 9\r");
    terminal.wait_for(&["`mark 9 9` is not a legal move. Legal: 1 mark 1 2"]);
    // By number: 8 is the last of the eight moves.
    terminal.press("8\r");
    terminal.wait_for(&["step 2", "x> _", "2 o mark 3 3"]);
    terminal.press("1 2\r");
    terminal.wait_for(&["step 3", "o> _"]);
    terminal.press("3 2\r");
    terminal.wait_for(&["step 4", "x> _"]);
    terminal.press("1 3\r");
    terminal.wait_for(&["step 5 of 5", "x (human) wins: x 100, o 0.", "5 x mark 1 3"]);
    terminal.assert_fits("Tic-tac-toe");
    // Even the last move can be taken back.
    terminal.press("u");
    terminal.wait_for(&["step 4", "x> _"]);
    terminal.press("undo\r");
    terminal.wait_for(&["step 3", "o> _"]);
    terminal.press("2 2\r");
    terminal.wait_for(&["step 4", "x> _"]);
    terminal.press("1 3\r");
    terminal.wait_for(&["step 5 of 5", "x (human) wins: x 100, o 0.", "4 o mark 2 2"]);
    // A match that is over can be looked at again.
    terminal.press("1\r");
    terminal.wait_for(&["step 1 of 5"]);
    terminal.press("q");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("x (human) wins: x 100, o 0.") && !screen.contains("to move"), "{screen}");
}

#[test]
fn a_person_plays_connect_four_with_mc() {
    let file = tempfile::tempdir().expect("a folder");
    let path = file.path().join("match.json");
    let record = path.to_str().expect("a name");
    let arguments = ["match", "connect_four", "human", "mc:each=8", "--playouts", "100", "--seed", "3"];
    let mut terminal = Terminal::start(&[&arguments[..], &["--record", record]].concat(), 80, 24);
    terminal.wait_for(&["Connect four, step 0", "red> _", "7 drop 7"]);
    // By cursor: it appears at the first column, goes one to the right and picks it.
    terminal.press(UP);
    terminal.press(RIGHT);
    terminal.press("\r");
    terminal.wait_for(&["Connect four, step 2", "red> _", "1 red drop 2"]);
    terminal.press("undo\r");
    terminal.wait_for(&["Connect four, step 0", "red> _"]);
    terminal.press("hint\r");
    terminal.wait_for(&["Hint: drop", "expected goals"]);
    let mut steps = 0;
    let over = |screen: &str| screen.contains(" wins: ") || screen.contains("A draw: ");
    loop {
        let screen = terminal.wait("red to move", |screen| {
            over(screen) || screen.contains(&format!("step {steps}\n")) && screen.contains("red> _")
        });
        if over(&screen) {
            break;
        }
        // The columns from the left, as long as there is room: the list says where.
        let legal = (1..=7).find(|column| screen.contains(&format!("{column} drop {column}")));
        terminal.press(&format!("drop {}\r", legal.expect("a legal move")));
        steps += 2;
    }
    terminal.press("q");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(over(&screen), "{screen}");
    let record = std::fs::read(&path).expect("a record");
    let record = ludex_arena::MatchRecord::read(&record).expect("a record");
    assert_eq!((record.is_completed, &record.is_player_human[..]), (true, &[true, false][..]));
    assert_eq!(record.moves[0][0], "(drop 1)");
}

#[test]
fn choices_at_the_same_time_stay_hidden() {
    let mut terminal = Terminal::start(&["play", "rock_paper_scissors", "--as", "all"], 60, 20);
    let screen = terminal.wait("the moves", |screen| screen.contains("> _") && screen.contains("1 "));
    let first = screen.lines().find_map(|line| line.split_once("> _")).expect("a prompt").0.to_owned();
    terminal.press("paper\r");
    let screen = terminal.wait_for(&[&format!("{first} has chosen."), "step 0"]);
    assert!(!screen.contains(&format!("{first}> ")), "{screen}");
    assert_eq!(screen.matches("paper").count(), 2, "only the title and the list name it:\n{screen}");
    terminal.press("rock\r");
    terminal.wait("both choices", |screen| screen.contains("step 1"));
    terminal.press("quit\r");
    let (code, screen) = terminal.end();
    assert!(code == 0 && screen.contains("Aborted"), "{code}\n{screen}");
}

#[test]
fn a_puzzle_counts_steps_and_a_person_can_resign() {
    let mut terminal = Terminal::start(&["play", "eight_puzzle"], 80, 24);
    terminal.wait_for(&["step 0", "needed", "> _"]);
    // Typed ahead: the second move waits for its turn.
    terminal.press("1\r1\r");
    terminal.wait_for(&["step 2"]);
    terminal.press("?");
    terminal.wait_for(&["what the machine would do", "Any key goes back."]);
    terminal.press(" ");
    terminal.wait("the board again", |screen| !screen.contains("Any key goes back."));
    terminal.press("resign\r");
    terminal.wait_for(&["resigns."]);
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn ctrl_c_and_signals_leave_a_clean_screen() {
    let mut terminal = Terminal::start(&["play", "chess"], 80, 24);
    terminal.wait_for(&["white> _"]);
    terminal.press("e2");
    terminal.wait_for(&["white> e2_"]);
    terminal.press(CTRL_C);
    let (code, screen) = terminal.end();
    assert_eq!(code, 1, "{screen}");
    assert_eq!(screen.matches("Chess").count(), 1, "{screen}");
    let terminal = Terminal::start(&["match", "connect_four", "mc", "mc", "--play", "60"], 80, 24);
    terminal.wait_for(&["of 60 s"]);
    let told = std::process::Command::new("kill").arg(terminal.process().to_string()).status();
    assert!(told.expect("kill runs").success());
    let (code, screen) = terminal.end();
    assert!(code == 1 && screen.contains("Aborted"), "{code}\n{screen}");
}

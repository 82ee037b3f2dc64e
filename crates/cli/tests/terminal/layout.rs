//! The screen at every width: nothing overflows, nothing repeats.

use crate::pseudo_terminal::{CTRL_C, END, HOME, LEFT, RIGHT, Terminal};

const GAMES: [(&str, &str); 3] = [
    ("connect_four", "Connect four"),
    ("chess_4p", "Chess for four"),
    ("chinese_checkers_6", "Chinese checkers"),
];
const WIDTHS: [u16; 4] = [40, 60, 80, 120];

/// Watches some moves of a match, looks back, leaves with Ctrl-C.
fn watch(game: &str, players: usize, title: &str, width: u16) {
    let mut arguments = vec!["match", game];
    arguments.extend(vec!["random"; players]);
    arguments.extend(["--playouts", "1", "--seed", "5", "--max-steps", "12", "--stay"]);
    let mut terminal = Terminal::start(&arguments, width, 24);
    // The last part of the result may be on the next line.
    terminal.wait_for(&[title, "Stopped at the"]);
    terminal.assert_fits(title);
    for (keys, step) in [(LEFT, 11), (LEFT, 10), (HOME, 0), (RIGHT, 1), ("7\r", 7), (END, 12)] {
        terminal.press(keys);
        terminal.wait_for(&[&format!("step {step} of 12")]);
        terminal.assert_fits(title);
    }
    terminal.press("?");
    terminal.wait_for(&["Any key goes back."]);
    terminal.assert_fits(title);
    terminal.press(CTRL_C);
    let (_, screen) = terminal.end();
    // What scrolled out of the top is gone: the last picture is there once at most.
    assert!(screen.matches(title).count() <= 1, "{width}:\n{screen}");
    assert!(screen.contains("Stopped at the"), "{width}:\n{screen}");
}

/// A person is asked, types, and leaves with Ctrl-C.
fn play(game: &str, title: &str, width: u16) {
    let mut terminal = Terminal::start(&["play", game, "--against", "random", "--ascii"], width, 24);
    terminal.wait_for(&[title, "> _"]);
    terminal.assert_fits(title);
    terminal.press("no such move, and a text that is longer than the narrowest of all screens");
    terminal.wait_for(&["no such move"]);
    terminal.assert_fits(title);
    terminal.press("\r");
    terminal.wait_for(&["is not a", "Legal:"]);
    terminal.assert_fits(title);
    terminal.press(RIGHT);
    terminal.press("1\r");
    terminal.wait("a move", |screen| !screen.contains("step 0"));
    terminal.assert_fits(title);
    terminal.press(CTRL_C);
    let (_, screen) = terminal.end();
    assert!(screen.matches(title).count() <= 1, "{width}:\n{screen}");
}

#[test]
fn a_tiny_terminal_shows_what_it_can() {
    for (width, height) in [(40, 8), (40, 3), (8, 4)] {
        let arguments = ["match", "chess_4p", "--playouts", "1", "--max-steps", "2", "--stay"];
        let mut terminal = Terminal::start(&[&arguments[..], &["random"; 4]].concat(), width, height);
        terminal.wait("the title", |screen| screen.contains("Chess"));
        terminal.press("q");
        // What is written at the end is made for 40 columns.
        if width == 40 {
            terminal.end();
        }
    }
}

#[test]
fn two_players() {
    for width in WIDTHS {
        watch(GAMES[0].0, 2, GAMES[0].1, width);
        play(GAMES[0].0, GAMES[0].1, width);
    }
}

#[test]
fn four_players() {
    for width in WIDTHS {
        watch(GAMES[1].0, 4, GAMES[1].1, width);
        play(GAMES[1].0, GAMES[1].1, width);
    }
}

#[test]
fn six_players() {
    for width in WIDTHS {
        watch(GAMES[2].0, 6, GAMES[2].1, width);
        play(GAMES[2].0, GAMES[2].1, width);
    }
}

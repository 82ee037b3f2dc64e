//! Positions with one right answer, in several games: a win in one, a threat that has to be met, a
//! trap.

#![allow(clippy::unwrap_used, reason = "tests end by panicking")]

mod thoughts;

use ludex_search::Budget;
use thoughts::{PRESETS, after};

/// A position, and what is right there.
struct Task {
    game: &'static str,
    /// By step: the moves of those who have a choice, in the order of roles.
    played: &'static [&'static [&'static str]],
    role: usize,
    right: &'static [&'static str],
    playouts: u64,
}

fn every_preset_finds(tasks: &[Task]) {
    for task in tasks {
        let game = thoughts::game(task.game, "batch");
        let state = after(&game, task.played);
        for spec in PRESETS.into_iter().chain(["cadia-uct:batch=1,playouts=1"]) {
            let mut search = thoughts::search(spec, &game, task.role, (3, 1));
            search.set_root(&state).unwrap();
            search.think(&Budget::playouts(task.playouts)).unwrap();
            let best = game.move_name(search.report().best.unwrap());
            assert!(
                task.right.contains(&best.as_str()),
                "{spec} in {}: {best}, not {:?}",
                task.game,
                task.right
            );
        }
    }
}

#[test]
fn a_win_in_one_is_taken() {
    every_preset_finds(&[
        Task {
            game: "tic_tac_toe",
            played: &[&["(mark 1 1)"], &["(mark 3 3)"], &["(mark 1 2)"], &["(mark 3 2)"]],
            role: 0,
            right: &["(mark 1 3)"],
            playouts: 4000,
        },
        Task {
            game: "connect_four",
            played: &[
                &["(drop 1)"],
                &["(drop 2)"],
                &["(drop 1)"],
                &["(drop 2)"],
                &["(drop 1)"],
                &["(drop 2)"],
            ],
            role: 0,
            right: &["(drop 1)"],
            playouts: 4000,
        },
        Task {
            game: "connect_four_3p",
            played: &[
                &["(drop 4)"],
                &["(drop 1)"],
                &["(drop 7)"],
                &["(drop 4)"],
                &["(drop 1)"],
                &["(drop 7)"],
                &["(drop 4)"],
                &["(drop 1)"],
                &["(drop 7)"],
            ],
            role: 0,
            right: &["(drop 4)"],
            playouts: 4000,
        },
        Task { game: "connect_five", played: FOUR, role: 0, right: &["(place e 1)"], playouts: 4000 },
        // A pawn on the row before the last: the enemy in front of it is in its way, the one beside
        // that can be taken.
        Task { game: "breakthrough", played: FAR, role: 0, right: &["(move a 7 b 8)"], playouts: 8000 },
        // Both move at once.
        Task {
            game: "pawn_whopping",
            played: &[
                &["(move a 2 a 4)", "(move h 7 h 6)"],
                &["(move a 4 a 5)", "(move h 6 h 5)"],
                &["(move a 5 a 6)", "(move h 5 h 4)"],
                &["(move a 6 b 7)", "(move g 7 g 6)"],
            ],
            role: 0,
            right: &["(move b 7 b 8)"],
            playouts: 4000,
        },
    ]);
}

/// Black has four in a row that end at the edge, white has stones without a plan.
const FOUR: &[&[&str]] = &[
    &["(place a 1)"],
    &["(place h 8)"],
    &["(place b 1)"],
    &["(place h 6)"],
    &["(place c 1)"],
    &["(place f 8)"],
    &["(place d 1)"],
    &["(place g 4)"],
];

/// A white pawn goes up the board and takes an enemy on the row before the last, and nobody minds.
const FAR: &[&[&str]] = &[
    &["(move b 2 b 3)"],
    &["(move h 7 h 6)"],
    &["(move b 3 b 4)"],
    &["(move h 6 h 5)"],
    &["(move b 4 b 5)"],
    &["(move h 5 h 4)"],
    &["(move b 5 b 6)"],
    &["(move g 7 g 6)"],
    &["(move b 6 a 7)"],
    &["(move g 6 g 5)"],
];

#[test]
fn a_threat_is_met() {
    every_preset_finds(&[
        Task {
            game: "tic_tac_toe",
            played: &[&["(mark 1 1)"], &["(mark 2 2)"], &["(mark 1 2)"]],
            role: 1,
            right: &["(mark 1 3)"],
            playouts: 4000,
        },
        Task {
            game: "connect_four",
            played: &[&["(drop 1)"], &["(drop 2)"], &["(drop 1)"], &["(drop 2)"], &["(drop 1)"]],
            role: 1,
            right: &["(drop 1)"],
            playouts: 8000,
        },
        Task {
            game: "connect_five",
            played: FOUR.split_last().unwrap().1,
            role: 1,
            right: &["(place e 1)"],
            playouts: 20_000,
        },
        // The pawn that would win with its next move can be taken by one of them.
        Task {
            game: "breakthrough",
            played: FAR.split_last().unwrap().1,
            role: 1,
            right: &["(move b 8 a 7)"],
            playouts: 20_000,
        },
    ]);
}

#[test]
fn traps_are_seen_through() {
    every_preset_finds(&[
        // After a corner, only the centre holds; flat search likes other squares as well.
        Task {
            game: "tic_tac_toe",
            played: &[&["(mark 1 1)"]],
            role: 1,
            right: &["(mark 2 2)"],
            playouts: 200_000,
        },
        // Two beside each other on the ground, with room on both sides: a third would make two
        // threats.
        Task {
            game: "connect_four",
            played: &[&["(drop 4)"], &["(drop 4)"], &["(drop 3)"]],
            role: 1,
            right: &["(drop 2)", "(drop 5)"],
            playouts: 60_000,
        },
        // Three in a row with both ends open.
        Task {
            game: "connect_five",
            played: &[
                &["(place c 4)"],
                &["(place h 8)"],
                &["(place d 4)"],
                &["(place a 8)"],
                &["(place e 4)"],
            ],
            role: 1,
            right: &["(place b 4)", "(place f 4)"],
            playouts: 40_000,
        },
    ]);
}

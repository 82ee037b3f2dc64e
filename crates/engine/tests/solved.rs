//! `ludex` plays solved games perfectly: it proves their values, and keeps them against everybody.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests end by panicking")]

mod thoughts;

use std::sync::Arc;

use ludex_game::{Game, MoveId, State};
use ludex_search::{Budget, Search, SearchReport};
use thoughts::game;

/// Playouts for each move; a search ends when the choice is decided.
const PLAYOUTS: u64 = 4_000_000;
/// Those of its opponents.
const OPPONENT: u64 = 3000;

/// Games that are solved within a second or so, and what the first role gets.
const SOLVED: [(&str, u8); 5] = [
    ("tic_tac_toe", 50),
    ("connect_four_4x4", 50),
    ("breakthrough_tiny", 100),
    ("hex_small", 100),
    ("clobber_small", 0),
];

fn think(search: &mut dyn Search, state: &State, playouts: u64) -> SearchReport {
    search.set_root(state).unwrap();
    search.think(&Budget::playouts(playouts)).unwrap();
    search.report()
}

/// The goal of `ludex` in a match against another player.
fn goal_against(game: &Arc<dyn Game>, role: usize, opponent: &str, seed: u64) -> u8 {
    let mut players: Vec<Box<dyn Search>> = (0..2)
        .map(|seat| thoughts::search(if seat == role { "ludex" } else { opponent }, game, seat, (seed, 1)))
        .collect();
    let mut state = game.initial();
    loop {
        let view = game.view(&state).unwrap();
        if view.terminal {
            return game.goals(&state).unwrap()[role].value().expect("a goal");
        }
        let mut joint: Vec<MoveId> = Vec::new();
        for (seat, player) in players.iter_mut().enumerate() {
            let playouts = if seat == role { PLAYOUTS } else { OPPONENT };
            joint.push(think(&mut **player, &state, playouts).best.expect("a move"));
        }
        state = game.next(&state, &joint).unwrap();
    }
}

#[test]
fn the_value_is_proved_at_the_first_move() {
    for (name, value) in SOLVED {
        let game = game(name, "batch");
        let mut search = thoughts::search("ludex", &game, 0, (1, 1));
        let report = think(&mut *search, &game.initial(), PLAYOUTS);
        let proof = report.proof.unwrap_or_else(|| panic!("{name}: nothing is proved"));
        assert_eq!((report.proven, proof.low, proof.high), (true, value, value), "{name}");
        let steps = proof.steps.unwrap_or_else(|| panic!("{name}: no distance"));
        assert!(steps > 4, "{name}: {steps}");
        assert_eq!(report.chosen().and_then(|chosen| chosen.proof).map(|proof| proof.low), Some(value));
    }
}

#[test]
fn nobody_gets_more_than_the_value() {
    for (name, value) in SOLVED {
        let game = game(name, "batch");
        for (seed, opponent) in ["random", "cadia-uct", "alphabeta"].into_iter().enumerate() {
            let goals = [
                goal_against(&game, 0, opponent, seed as u64),
                goal_against(&game, 1, opponent, seed as u64),
            ];
            let least = [value, 100 - value];
            assert!(goals[0] >= least[0] && goals[1] >= least[1], "{name}, {opponent}: {goals:?}, {least:?}");
        }
    }
}

/// Where three play, a win that can be forced against both others is found and proved.
#[test]
fn a_forced_win_against_two_is_proved() {
    let game = game("connect_four_3p", "batch");
    let mut random = fastrand::Rng::with_seed(3);
    let mut proved = 0;
    for _ in 0..60 {
        let mut state = game.initial();
        let mut view = game.view(&state).unwrap();
        for _ in 0..24 {
            if view.terminal {
                break;
            }
            let joint: Vec<MoveId> =
                view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            state = game.next(&state, &joint).unwrap();
            view = game.view(&state).unwrap();
        }
        let Some(role) = view.legal.iter().position(|legal| legal.len() > 1).filter(|_| !view.terminal)
        else {
            continue;
        };
        let mut alone = thoughts::search("paranoid", &game, role, (1, 1));
        let known = think(&mut *alone, &state, 300_000);
        let is_win = known.proof.is_some_and(|proof| proof.low == 100);
        let mut search = thoughts::search("ludex:prover=0.5", &game, role, (1, 1));
        let report = think(&mut *search, &state, 600_000);
        let found = report.proof.is_some_and(|proof| proof.low == 100);
        assert!(found || !is_win, "{:?}", game.describe(&state));
        if is_win {
            let after = report.chosen().and_then(|chosen| chosen.proof);
            assert_eq!(after.map(|proof| proof.low), Some(100), "it makes the winning move");
            proved += 1;
        }
    }
    assert!(proved > 3, "{proved} positions are won");
}

//! Games that are sets of moves: which they are, and what the sets are worth.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_game::{Game, Goal, MoveId};
use ludex_knowledge::{MoveSets, SetAnswer};
use ludex_testkit::{game, game_from};

fn sets(game: &Arc<dyn Game>) -> Option<MoveSets> {
    let model = game.model().and_then(|model| model.ground()).expect("a circuit");
    let words = game.initial().words().to_vec();
    MoveSets::new(model, |fact| words[fact / 64] >> (fact % 64) & 1 == 1)
}

/// The goal behind moves in this order, if they are legal and end the game.
fn value(game: &Arc<dyn Game>, moves: &[MoveId]) -> Option<u8> {
    let mut state = game.initial();
    for id in moves {
        let view = game.view(&state).expect("a view");
        if view.terminal || !view.legal[0].contains(id) {
            return None;
        }
        state = game.next(&state, &[*id]).expect("a state");
    }
    let over = game.view(&state).expect("a view").terminal;
    over.then(|| game.goals(&state).expect("goals")[0].clone()).as_ref().and_then(Goal::value)
}

#[test]
fn sets_are_plans_in_any_order() {
    for name in ["sudoku_easy", "queens"] {
        let game = game(name, "batch");
        let model = game.model().and_then(|model| model.ground()).expect("a circuit");
        let mut sets = sets(&game).expect(name);
        assert_eq!(sets.goals()[0], 100, "{name}");
        let SetAnswer::Moves(mut moves) = sets.ask(model, 100, u64::MAX, None) else {
            unreachable!("{name} has a set")
        };
        assert_eq!(value(&game, &moves), Some(100), "{name}");
        // All but the last one the other way round.
        let last = moves.len() - 1;
        moves[..last].reverse();
        assert_eq!(value(&game, &moves), Some(100), "{name}");
    }
}

#[test]
fn games_in_which_order_matters_are_left_out() {
    for name in ["hanoi", "eight_puzzle", "knights_tour", "lights_out", "peg"] {
        assert!(sets(&game(name, "batch")).is_none(), "{name}");
    }
}

/// Five lamps that can be lit, one each step, for three steps; waiting is possible. Two of them do not go
/// together. `wanted` must be lit at the end.
fn lamps(wanted: &str) -> String {
    let lit: String = wanted.chars().map(|lamp| format!("(true (lit {lamp}))")).collect();
    format!(
        "(role you) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (lamp a) (lamp b) (lamp c) (lamp d) (lamp e) (legal you wait)
        (<= (legal you (light ?l)) (lamp ?l) (not (true (lit ?l))) (not (spoils ?l)))
        (<= (spoils a) (true (lit b))) (<= (spoils b) (true (lit a)))
        (<= (next (lit ?l)) (does you (light ?l))) (<= (next (lit ?l)) (true (lit ?l)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (step 3))) (<= bright {lit})
        (<= (goal you 100) bright) (<= (goal you 0) (not bright))"
    )
}

#[test]
fn clocks_conflicts_and_waiting_are_seen() {
    // What must be lit, and whether it can be.
    for (wanted, possible) in [("cde", true), ("ad", true), ("ab", false), ("acde", false)] {
        let game = game_from(&lamps(wanted), "batch");
        let model = game.model().and_then(|model| model.ground()).expect("a circuit");
        let mut sets = sets(&game).expect("a set");
        assert!(sets.filler().is_some(), "waiting does nothing but count");
        let answer = sets.ask(model, 100, u64::MAX, None);
        assert_eq!(matches!(answer, SetAnswer::Moves(_)), possible, "{wanted}: {answer:?}");
        assert_eq!(answer == SetAnswer::None, !possible, "{wanted}: {answer:?}");
    }
}

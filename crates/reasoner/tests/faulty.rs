//! Sheets whose `terminal`, `legal`, `goal` or `init` asks for moves, which is an error: no moves are
//! made there.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use ludex_game::{Effort, agree};
use ludex_gdl::{Rules, Source, load};
use ludex_reasoner::{Reference, build};

/// Sheets with errors are loaded as `ludex trace verify` loads them.
fn rules(text: &str) -> Rules {
    load(&Source::new("faulty.kif", text)).rules
}

const EFFORT: Effort = Effort { seed: 1, games: 2, max_steps: 4, max_joint_moves: 8, playouts: 2 };

/// Engines that play a sheet whose `terminal`, `legal`, `goal` or `init` asks for moves as the
/// reference does. `circuit` and `batch` still answer such questions differently.
const WITHOUT_MOVES: [&str; 2] = ["reference", "rules"];

/// These engines must have this game, and say the same about it.
fn all_agree(text: &str) {
    let reference = Reference::new(rules(text)).expect("a game");
    for engine in WITHOUT_MOVES {
        let game = build(rules(text), engine).expect("a game");
        let agreed = agree(&reference, &*game, &EFFORT);
        assert!(agreed.is_ok(), "{}: {:?}\n{text}", engine, agreed.err());
    }
}

const BASE: &str = "(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal b wait)
    (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y) (does a go)) (goal b 0)";

#[test]
fn an_end_that_asks_for_moves_has_none() {
    all_agree(&format!(
        "{BASE} (legal a go) (legal a (jump 1)) (goal a 0)
        (<= jumped (does a (jump ?n)) (not (small ?n))) (<= (small ?n) (succ ?n 1))
        (<= unmoved (not moved)) (<= moved (does ?who go))
        (<= terminal jumped) (<= terminal (true (n 2)) unmoved)"
    ));
}

#[test]
fn legal_moves_and_goals_that_ask_for_moves_have_none() {
    all_agree(&format!(
        "{BASE} (legal a go) (<= (legal a ?m) (does b ?m)) (<= (legal a again) (not (does b wait)))
        (<= terminal (true (n 3))) (<= (goal a 100) (does a go)) (<= (goal a 7) (not (does a go)))
        (<= (init ?m) (does a ?m)) (<= (init still) (not (does a go)))"
    ));
}

#[test]
fn moves_do_not_outlive_the_step_they_are_made_in() {
    let text = format!(
        "{BASE} (legal a go) (<= (goal a 100) (does a go)) (<= (goal a 7) (not (does a go))) (<= terminal (does a go))"
    );
    for engine in WITHOUT_MOVES {
        let game = build(rules(&text), engine).expect("a game");
        let first = game.initial();
        let before = (game.view(&first).expect("a view"), game.goals(&first).expect("goals"));
        let joint: Vec<_> = before.0.legal.iter().map(|moves| moves[0]).collect();
        game.next(&first, &joint).expect("a state");
        let after = (game.view(&first).expect("a view"), game.goals(&first).expect("goals"));
        assert_eq!(before, after, "{engine}");
    }
}

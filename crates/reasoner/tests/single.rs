//! The engine `circuit`: both ways to compute a state give the answers of the reference and the
//! same playouts, wherever the evaluator was before.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::fmt::Write;
use std::sync::Arc;

use ludex_game::{Effort, Game, MoveId, OneByOne, Simulator, SimulatorConfig, agree, conforms};
use ludex_gdl::Rules;
use ludex_reasoner::{CircuitGame, Evaluation, Ground, Limits, Reference};
use ludex_testkit::{library_rules, playouts, rules};

/// A board whose cells are filled by two roles at once, with goals that few gates decide and a fact
/// that never changes.
fn filling() -> String {
    let mut text = "(role a) (role b) (init (turn 1)) (init always)
        (<= (legal ?r (fill ?x ?y)) (role ?r) (num ?x) (num ?y) (not (true (filled ?x ?y)))) (legal b pass)
        (<= (next (filled ?x ?y)) (does ?r (fill ?x ?y))) (<= (next (filled ?x ?y)) (true (filled ?x ?y)))
        (<= (next (by ?r ?x ?y)) (does ?r (fill ?x ?y))) (<= (next (by ?r ?x ?y)) (true (by ?r ?x ?y)))
        (<= (next (turn 2)) (true (turn 1))) (<= (next (turn 1)) (true (turn 2))) (<= (next always) (true always))
        (<= (row ?x) (num ?x) (true (filled ?x 1)) (true (filled ?x 2)) (true (filled ?x 3)))
        (<= terminal (row ?x) (true (turn 1))) (<= (goal ?r 100) (true (by ?r 2 2))) (<= (goal ?r 1) (role ?r) (not (true (by ?r 2 2))))"
        .to_owned();
    for number in 1..=9 {
        let _ = write!(text, " (num {number})");
    }
    text
}

const LOOP: &str = "(role a) (init (at 1)) (edge 1 2) (edge 2 3) (edge 3 1) (<= (init (open ?x ?y)) (edge ?x ?y))
    (<= (reach ?x ?y) (edge ?x ?y) (true (open ?x ?y)))
    (<= (reach ?x ?z) (edge ?y ?z) (true (open ?y ?z)) (reach ?x ?y))
    (<= (legal a (go ?y)) (true (at ?x)) (reach ?x ?y)) (<= (legal a (close ?x ?y)) (true (open ?x ?y))) (legal a stay)
    (<= (next (at ?y)) (does a (go ?y))) (<= (next (at ?x)) (true (at ?x)) (not went)) (<= went (does a (go ?y)))
    (<= (next (open ?x ?y)) (true (open ?x ?y)) (not (does a (close ?x ?y))))
    (<= terminal (true (at ?x)) (not (reach ?x ?x))) (<= (goal a 100) (true (at 3))) (<= (goal a 0) (not (true (at 3))))";

fn sheets() -> Vec<Rules> {
    vec![library_rules("tic_tac_toe"), library_rules("connect_four"), rules(&filling()), rules(LOOP)]
}

fn game(rules: &Rules, evaluation: Option<Evaluation>) -> CircuitGame {
    let ground = Ground::new(rules, &Limits::default()).expect("small");
    CircuitGame::with_evaluation(ground, evaluation).expect("a circuit")
}

fn both(rules: &Rules) -> [CircuitGame; 2] {
    [Evaluation::Full, Evaluation::Incremental].map(|evaluation| game(rules, Some(evaluation)))
}

#[test]
fn both_evaluators_give_the_answers_of_the_reference() {
    for rules in sheets() {
        let reference = Reference::new(rules.clone()).expect("a game");
        let effort = Effort { games: 6, ..Effort::default() };
        for game in both(&rules).map(Arc::new) {
            let shared: Arc<dyn Game> = game.clone();
            let kept = conforms(&shared, &effort);
            assert!(kept.is_ok(), "{:?}: {:?}", game.evaluation(), kept.err());
            let agreed = agree(&reference, &*game, &effort);
            assert!(agreed.is_ok(), "{:?}: {:?}", game.evaluation(), agreed.err());
        }
    }
}

#[test]
fn playouts_are_exactly_those_of_one_call_after_the_other() {
    for rules in sheets() {
        let games = both(&rules).map(Arc::new);
        let config = SimulatorConfig { max_steps: 30, ..SimulatorConfig::default() };
        for seed in 0..3 {
            let from = games[0].initial();
            let mut one_by_one = OneByOne::new(Arc::clone(&games[0]), config);
            let expected = one_by_one.playouts(&from, 40, seed).expect("playouts");
            for game in &games {
                assert_eq!(playouts(game, 40, 30, seed), expected);
            }
        }
    }
}

/// Questions in any order, about states far from each other: the answers of a fresh evaluator.
#[test]
fn answers_do_not_depend_on_the_state_before() {
    for rules in sheets() {
        let [full, incremental] = both(&rules);
        let mut random = fastrand::Rng::with_seed(4);
        let mut states = vec![full.initial()];
        for _ in 0..400 {
            let state = states[random.usize(..states.len())].clone();
            let view = full.view(&state).expect("a view");
            if random.bool() {
                assert_eq!(incremental.view(&state).expect("a view"), view);
            }
            if view.terminal || view.legal.iter().any(Vec::is_empty) {
                continue;
            }
            let joint: Vec<MoveId> =
                view.legal.iter().map(|moves| moves[random.usize(..moves.len())]).collect();
            let next = full.next(&state, &joint).expect("a state");
            assert_eq!(incremental.next(&state, &joint).expect("a state"), next);
            // Moves that nobody knows are no moves at all.
            let unknown = vec![MoveId(u32::MAX); joint.len()];
            assert_eq!(incremental.next(&state, &unknown), full.next(&state, &unknown));
            states.push(next);
        }
    }
}

#[test]
fn loops_are_computed_in_full_and_large_boards_by_changes() {
    assert_eq!(game(&rules(LOOP), Some(Evaluation::Incremental)).evaluation(), Evaluation::Full);
    assert_eq!(game(&rules(&filling()), None).evaluation(), Evaluation::Incremental);
    for evaluation in [Evaluation::Full, Evaluation::Incremental] {
        assert_eq!(game(&sheets()[0], Some(evaluation)).evaluation(), evaluation);
    }
}

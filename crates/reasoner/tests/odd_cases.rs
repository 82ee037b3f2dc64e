//! What real sheets do that textbooks do not: one test each, for all engines.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Effort, Failure, Game, Goal, State, agree, conforms};
use ludex_reasoner::{
    BuildOptions, CircuitGame, ENGINES, Evaluation, Ground, Limits, Progress, Reference, build, build_with,
};
// Published sheets break the letter of the language, so errors do not stop these tests.
use ludex_testkit::playouts;
use ludex_testkit::rules_despite_errors as rules;

/// The sheet with every engine, the circuit in both ways; each keeps the contract and agrees with
/// the reference.
fn every_engine(text: &str) -> Vec<Arc<dyn Game>> {
    let mut games: Vec<Arc<dyn Game>> =
        ENGINES.iter().map(|engine| build(rules(text), engine.name).expect("a game")).collect();
    for evaluation in [Evaluation::Full, Evaluation::Incremental] {
        let ground = Ground::new(&rules(text), &Limits::default()).expect("small");
        games.push(Arc::new(CircuitGame::with_evaluation(ground, Some(evaluation)).expect("a circuit")));
    }
    let effort = Effort { games: 3, max_steps: 10, ..Effort::default() };
    for game in &games {
        let kept = conforms(game, &effort);
        assert!(kept.is_ok(), "{}: {:?}", game.engine().name, kept.err());
        let agreed = agree(&*games[0], &**game, &effort);
        assert!(agreed.is_ok(), "{}: {:?}", game.engine().name, agreed.err());
    }
    games
}

fn legal(game: &dyn Game, state: &State) -> Vec<Vec<String>> {
    let view = game.view(state).expect("a view");
    let names = |moves: &Vec<ludex_game::MoveId>| {
        let mut names: Vec<String> = moves.iter().map(|&id| game.move_name(id)).collect();
        names.sort();
        names
    };
    view.legal.iter().map(names).collect()
}

fn after(game: &dyn Game, moves: &[&str]) -> State {
    let joint: Vec<_> = moves.iter().map(|text| game.find_move(text).expect("a move")).collect();
    game.next(&game.initial(), &joint).expect("a state")
}

#[test]
fn a_role_without_legal_moves() {
    let text =
        "(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2) (legal a go) (<= (legal b go) (true (n 0)))
        (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 2))) (goal a 1) (goal b 2)";
    for game in every_engine(text) {
        assert_eq!(legal(&*game, &game.initial()), [["go"], ["go"]]);
        let stuck = after(&*game, &["go", "go"]);
        assert_eq!(legal(&*game, &stuck), [vec!["go".to_owned()], vec![]]);
        let played = playouts(&game, 70, 9, 1);
        assert_eq!((played.stuck, played.finished, played.steps), (70, 0, 70), "{}", game.engine().name);
    }
}

#[test]
fn goals_undefined_doubled_or_no_numbers() {
    let text = "(role a) (role b) (role c) (role d) (init over) (legal a go) (legal b go) (legal c go) (legal d go)
        (<= (next over) (true over)) (<= terminal (true over))
        (<= (goal b 30) (true over)) (<= (goal b 70) (true over)) (<= (goal c best) (true over)) (<= (goal d 7) (true over))
        (<= (goal a 1) (not (true over)))";
    for game in every_engine(text) {
        let faulty = |values: &[&str]| Goal::Faulty(values.iter().map(|v| (*v).to_owned()).collect());
        let expected = [Goal::Undefined, faulty(&["30", "70"]), faulty(&["best"]), Goal::Value(7)];
        let from = game.initial();
        assert_eq!(game.goals(&from).expect("goals"), expected, "{}", game.engine().name);
        let played = playouts(&game, 5, 9, 1);
        assert_eq!((played.goal_sums, played.faulty_goals), (vec![0, 0, 0, 35], vec![5, 5, 5, 0]));
    }
}

#[test]
fn facts_that_are_never_there_at_first_or_at_all() {
    let text = "(role a) (init start) (legal a go) (<= (legal a fly) (true wings))
        (<= (next (moved ?m)) (does a ?m)) (<= terminal (true (moved go))) (<= terminal (true ghost))
        (<= (goal a 100) (true ghost)) (<= (goal a 5) (not (true ghost)))";
    for game in every_engine(text) {
        assert_eq!(legal(&*game, &game.initial()), [["go"]]);
        let next = after(&*game, &["go"]);
        assert_eq!(game.describe(&next), ["(moved go)"]);
        assert_eq!(game.goals(&next).expect("goals"), [Goal::Value(5)], "{}", game.engine().name);
    }
}

#[test]
fn moves_that_are_compound_terms() {
    let text = "(role a) (init (on x (spot 1 1))) (spot (spot 1 1)) (spot (spot 2 1))
        (<= (legal a (shift (piece ?p) (from ?s) (to ?t))) (true (on ?p ?s)) (spot ?t) (distinct ?s ?t))
        (<= (next (on ?p ?t)) (does a (shift (piece ?p) (from ?s) (to ?t))))
        (<= terminal (true (on x (spot 3 3)))) (goal a 0)";
    for game in every_engine(text) {
        let there = "(shift (piece x) (from (spot 1 1)) (to (spot 2 1)))";
        assert_eq!(legal(&*game, &game.initial()), [[there]]);
        let next = after(&*game, &["( SHIFT (piece x)  (from (spot 1 1)) (to (spot 2 1)) )"]);
        assert_eq!(game.describe(&next), ["(on x (spot 2 1))"], "{}", game.engine().name);
    }
}

#[test]
fn does_with_an_unbound_role() {
    let text = "(role a) (role b) (init calm) (<= (legal ?r shout) (role ?r)) (<= (legal ?r hush) (role ?r))
        (<= noise (does ?anyone shout)) (<= (next loud) noise) (<= (next calm) (not noise))
        (<= (next (did ?what)) (does ?anyone ?what)) (<= terminal (true loud)) (<= (goal ?r 50) (role ?r))";
    for game in every_engine(text) {
        assert_eq!(game.describe(&after(&*game, &["hush", "hush"])), ["(did hush)", "calm"]);
        assert_eq!(game.describe(&after(&*game, &["hush", "shout"])), ["(did hush)", "(did shout)", "loud"]);
    }
}

#[test]
fn facts_without_arguments_and_rules_without_conditions() {
    let text = "(role a) (init on) (<= (init (lamp 1))) (<= (legal a flip)) (<= always)
        (<= (next off) (does a flip) (true on)) (<= (next on) (true off) always) (<= (next (lamp 1)))
        (<= terminal (not always)) (<= (goal a 100) (true on)) (<= (goal a 0) (true off))";
    for game in every_engine(text) {
        assert_eq!(game.describe(&game.initial()), ["(lamp 1)", "on"]);
        let next = after(&*game, &["flip"]);
        assert_eq!(game.describe(&next), ["(lamp 1)", "off"], "{}", game.engine().name);
        assert!(!game.view(&next).expect("a view").terminal);
    }
}

#[test]
fn function_symbols_that_grow_without_bound() {
    let text = "(role a) (init (n z)) (legal a go) (<= (next (n (s ?x))) (true (n ?x)))
        (<= terminal (true (n (s (s (s (s z))))))) (goal a 9)";
    let limits = Limits { atoms: 5000, time: Duration::from_secs(20), ..Limits::default() };
    let options = BuildOptions { limits, ..BuildOptions::default() };
    for engine in ENGINES {
        let built = build_with(rules(text), engine.name, &options, &Progress::new());
        match (engine.name, built) {
            ("circuit" | "batch", built) => {
                let reason = built.err().expect("there is no circuit").to_string();
                assert!(reason.contains("more than 5000 ground atoms"), "{reason}");
            }
            (_, built) => {
                let game = built.expect("a game").game;
                assert_eq!(playouts(&game, 2, 99, 1).goal_sums, [18], "{}", engine.name);
            }
        }
    }
}

#[test]
fn reachability_over_the_state() {
    let mut text =
        "(role a) (init (at 0 0)) (<= (legal a (dig ?x ?y)) (num ?x) (num ?y) (not (true (dug ?x ?y))))
        (<= (next (dug ?x ?y)) (true (dug ?x ?y))) (<= (next (dug ?x ?y)) (does a (dig ?x ?y)))
        (<= (near ?x ?y ?u ?y) (num ?y) (succ ?x ?u)) (<= (near ?u ?y ?x ?y) (num ?y) (succ ?x ?u))
        (<= (near ?x ?y ?x ?v) (num ?x) (succ ?y ?v)) (<= (near ?x ?v ?x ?y) (num ?x) (succ ?y ?v))
        (<= (wet 0 ?y) (num ?y) (true (dug 0 ?y)))
        (<= (wet ?x ?y) (true (dug ?x ?y)) (near ?u ?v ?x ?y) (wet ?u ?v))
        (<= terminal (wet 3 ?y)) (<= (goal a 100) (wet 3 0)) (<= (goal a 40) (not (wet 3 0)))"
            .to_owned();
    for number in 0..4 {
        let _ = write!(text, " (num {number})");
        if number > 0 {
            let _ = write!(text, " (succ {} {number})", number - 1);
        }
    }
    for game in every_engine(&text) {
        let fact = |text: &str| game.find_fact(text).expect("a fact");
        let path = ["(dug 0 1)", "(dug 1 1)", "(dug 1 0)", "(dug 2 0)", "(dug 3 0)"];
        let facts: Vec<_> = path.iter().map(|text| fact(text)).collect();
        let state = game.state_with(&facts);
        assert!(game.view(&state).expect("a view").terminal, "{}", game.engine().name);
        assert_eq!(game.goals(&state).expect("goals"), [Goal::Value(100)]);
        let state = game.state_with(&facts[1..]);
        assert!(!game.view(&state).expect("a view").terminal, "the way is cut off");
    }
}

#[test]
fn conditions_in_an_order_that_explodes() {
    // From left to right: 50 to the power of 6 bindings before the first that says anything.
    let mut text = "(role a) (init (at 1)) (legal a go)
        (<= (jump ?a ?f) (num ?a) (num ?b) (num ?c) (num ?d) (num ?e) (num ?f)
            (succ ?e ?f) (succ ?c ?d) (succ ?a ?b) (succ ?d ?e) (succ ?b ?c) (true (at ?a)))
        (<= (next (at ?y)) (true (at ?x)) (jump ?x ?y)) (<= terminal (true (at 46))) (goal a 3)"
        .to_owned();
    for number in 1..=50 {
        let _ = write!(text, " (num {number})");
        if number > 1 {
            let _ = write!(text, " (succ {} {number})", number - 1);
        }
    }
    let limits = Limits { instances: 5000, time: Duration::from_secs(20), ..Limits::default() };
    let ground = Ground::new(&rules(&text), &limits).expect("few instances are possible");
    assert!(ground.size().instances < 1000, "{:?}", ground.size());
    for game in every_engine(&text) {
        assert_eq!(game.describe(&after(&*game, &["go"])), ["(at 6)"], "{}", game.engine().name);
    }
}

#[test]
fn wrong_questions_are_answers_and_not_panics() {
    let text = "(role a) (role b) (init p) (legal a go) (legal b go) (<= (next p) (true p)) (<= terminal (not (true p))) (goal a 0) (goal b 0)";
    for game in every_engine(text) {
        let go = game.find_move("go").expect("a move");
        assert!(
            matches!(game.next(&game.initial(), &[go]), Err(Failure::Misuse(_))),
            "{}",
            game.engine().name
        );
        assert_eq!(game.find_move("(nothing of the kind)"), None);
        assert_eq!(game.find_fact("(("), None);
    }
    assert!(Reference::new(rules(text)).is_ok());
}

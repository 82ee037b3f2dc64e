//! The engine `auto`: something plays at once, something better takes over, and reasons are given.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Effort, Game, IdMap, PortableError, State, agree};
use ludex_gdl::Rules;
use ludex_reasoner::{BuildOptions, Limits, Progress, Reference, Upgrading, build, build_with};
use ludex_testkit::sheets::GROWING;
use ludex_testkit::{library_rules, rules};

/// A sheet whose circuit takes a while.
fn wide() -> Rules {
    let mut text = "(role a) (init (at 1 1)) (init (at 2 2))
        (<= (legal a (put ?x ?y)) (num ?x) (num ?y) (not (true (at ?x ?y))))
        (<= (next (at ?x ?y)) (true (at ?x ?y))) (<= (next (at ?x ?y)) (does a (put ?x ?y)))
        (<= square (true (at ?a ?b)) (true (at ?c ?d)) (true (at ?a ?d)) (true (at ?c ?b)) (distinct ?a ?c) (distinct ?b ?d))
        (<= terminal square) (<= (goal a 100) (true (at 3 3))) (<= (goal a 0) (not (true (at 3 3))))"
        .to_owned();
    for number in 1..=16 {
        let _ = write!(text, " (num {number})");
    }
    rules(&text)
}

/// A few steps with the first legal move by name.
fn walk(game: &dyn Game, steps: usize) -> State {
    let mut state = game.initial();
    for _ in 0..steps {
        let view = game.view(&state).expect("a view");
        let first =
            |moves: &Vec<ludex_game::MoveId>| moves.iter().copied().min_by_key(|&m| game.move_name(m));
        let joint: Vec<_> = view.legal.iter().filter_map(first).collect();
        state = game.next(&state, &joint).expect("a state");
    }
    state
}

#[test]
fn a_player_moves_to_the_circuit_in_the_middle_of_a_game() {
    let options = BuildOptions { head_start: Duration::ZERO, ..BuildOptions::default() };
    let auto = Upgrading::start(wide(), &options).expect("a game");
    let mut game = auto.current();
    assert_ne!(game.engine().name, "batch", "the circuit takes longer than that");
    assert_eq!((auto.choice().engine, auto.choice().reason.as_str()), (game.engine().name, "ready first"));
    let mut state = walk(&*game, 3);
    let started = Instant::now();
    while !auto.is_settled() && started.elapsed() < Duration::from_secs(60) {
        let Some(mut upgrade) = auto.upgrade() else {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        let new = upgrade.built.game;
        let same = upgrade.ids.state(&state).expect("all facts are known");
        assert_eq!(new.describe(&same), game.describe(&state));
        let names = |game: &dyn Game, state: &State| {
            let view = game.view(state).expect("a view");
            let mut names: Vec<String> = view.legal[0].iter().map(|&m| game.move_name(m)).collect();
            names.sort();
            names
        };
        assert_eq!(names(&*new, &same), names(&*game, &state));
        let old_move = game.find_move("(put 3 3)").expect("a move");
        let new_move = upgrade.ids.move_id(old_move).expect("the same move");
        assert_eq!(new.move_name(new_move), "(put 3 3)");
        (game, state) = (new, same);
    }
    assert_eq!(game.engine().name, "batch");
    assert_eq!(auto.current().engine().name, "batch");
    assert_eq!(auto.choice().reason, "its circuit is ready");
    assert!(auto.upgrade().is_none() && !auto.upgrade_ready());
    let agreed = agree(
        &Reference::new(wide()).expect("a game"),
        &*game,
        &Effort { games: 1, max_steps: 5, ..Effort::default() },
    );
    assert!(agreed.is_ok(), "{:?}", agreed.err());
}

#[test]
fn without_a_circuit_the_reason_is_told() {
    let limits = Limits { atoms: 1000, ..Limits::default() };
    let options = BuildOptions { limits, ..BuildOptions::default() };
    let built = build_with(rules(GROWING), "auto", &options, &Progress::new()).expect("a game");
    assert_eq!((built.game.engine().name, built.choice.engine), ("rules", "rules"));
    assert_eq!(built.choice.reason, "no circuit: more than 1000 ground atoms");
    assert!(built.choice.after > Duration::ZERO);
}

#[test]
fn patience_has_an_end_and_the_work_is_stopped() {
    let options =
        BuildOptions { head_start: Duration::ZERO, patience: Duration::ZERO, ..BuildOptions::default() };
    let progress = Progress::new();
    let built = build_with(wide(), "auto", &options, &progress).expect("a game");
    assert_eq!(built.game.engine().name, "rules");
    assert!(built.choice.reason.starts_with("no circuit: not ready after 0.0 s"), "{}", built.choice);
    assert!(progress.is_cancelled());
    // Another build is not touched by that.
    assert_eq!(build(wide(), "batch").expect("a game").engine().name, "batch");
}

#[test]
fn whoever_goes_away_stops_the_work() {
    let progress = Progress::new();
    let options = BuildOptions { head_start: Duration::ZERO, ..BuildOptions::default() };
    drop(Upgrading::with_progress(wide(), &options, &progress).expect("a game"));
    assert!(progress.is_cancelled());
}

#[test]
fn small_games_start_with_the_circuit() {
    let options = BuildOptions { head_start: Duration::from_secs(20), ..BuildOptions::default() };
    let auto = Upgrading::start(library_rules("tic_tac_toe"), &options).expect("a game");
    assert_eq!(auto.choice().engine, "batch");
    assert!(auto.is_settled() && auto.upgrade().is_none());
    assert_eq!(auto.settle(Duration::ZERO).choice.reason, "its circuit is ready");
}

#[test]
fn a_state_that_the_other_game_cannot_have_is_not_translated() {
    let games: Vec<Arc<dyn Game>> =
        ["reference", "batch"].map(|engine| build(wide(), engine).expect("a game")).to_vec();
    let mut ids = IdMap::new(Arc::clone(&games[0]), Arc::clone(&games[1]));
    let state = walk(&*games[0], 2);
    assert!(ids.state(&state).is_ok());
    let endless = build(rules(GROWING), "reference").expect("a game");
    let mut wrong = IdMap::new(endless.clone(), Arc::clone(&games[1]));
    let refused = wrong.state(&endless.initial());
    assert_eq!(refused, Err(PortableError::UnknownFact("(n z)".to_owned())));
}

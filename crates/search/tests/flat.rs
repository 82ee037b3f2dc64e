//! Flat Monte Carlo through its public interface.

#![allow(clippy::unwrap_used, reason = "tests end by panicking")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Game, MoveId, RoleId, State};
use ludex_search::{Budget, First, Flat, FlatOptions, Random, Search, SearchContext, Stop, StopReason};
use ludex_testkit::game;

fn context(game: &Arc<dyn Game>, role: usize) -> SearchContext {
    SearchContext { game: Arc::clone(game), role: RoleId::new(role), seed: 7, threads: 1 }
}

/// The state after joint moves given by name, one move per role and step.
fn after(game: &Arc<dyn Game>, steps: &[&[&str]]) -> State {
    let mut state = game.initial();
    for step in steps {
        let joint: Vec<MoveId> = step.iter().map(|text| game.find_move(text).unwrap()).collect();
        state = game.next(&state, &joint).unwrap();
    }
    state
}

#[test]
fn it_wins_in_one() {
    for engine in ["batch", "rules"] {
        let game = game("tic_tac_toe", engine);
        let steps: &[&[&str]] = &[
            &["(mark 1 1)", "noop"],
            &["noop", "(mark 3 3)"],
            &["(mark 1 2)", "noop"],
            &["noop", "(mark 3 2)"],
        ];
        let mut search = Flat::new(context(&game, 0), FlatOptions { each: 20 });
        search.set_root(&after(&game, steps)).unwrap();
        assert_eq!(search.think(&Budget::playouts(2000)), Ok(StopReason::Playouts));
        let report = search.report();
        assert_eq!(game.move_name(report.best.unwrap()), "(mark 1 3)");
        assert_eq!(report.playouts, 2000);
        assert_eq!(report.chosen().unwrap().values[0], 100.0);
        assert_eq!(report.candidates.len(), 5);
    }
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let game = game("connect_four", "batch");
    let think = |pieces: &[u64]| {
        let mut search = Flat::new(context(&game, 0), FlatOptions { each: 0 });
        search.set_root(&game.initial()).unwrap();
        for &count in pieces {
            search.think(&Budget::playouts(count)).unwrap();
        }
        search.report()
    };
    assert_eq!(think(&[20_480]), think(&[20_480]));
    assert_eq!(think(&[20_480]), think(&[10_240, 10_240]), "a resumed search equals an uninterrupted one");
}

#[test]
fn it_is_back_in_time_and_when_asked() {
    let game = game("connect_four", "batch");
    let mut search = Flat::new(context(&game, 0), FlatOptions { each: 0 });
    search.set_root(&game.initial()).unwrap();
    assert!(search.report().best.is_some(), "a move before any search");
    let deadline = Instant::now() + Duration::from_millis(50);
    assert_eq!(search.think(&Budget::until(deadline)), Ok(StopReason::Time));
    assert!(search.report().playouts > 0);
    let stop = Stop::new();
    stop.set();
    let budget = Budget { stop, ..Budget::until(Instant::now() + Duration::from_secs(60)) };
    assert_eq!(search.think(&budget), Ok(StopReason::Requested));
}

#[test]
fn a_forced_move_needs_no_search() {
    let game = game("tic_tac_toe", "batch");
    let mut search = Flat::new(context(&game, 1), FlatOptions { each: 0 });
    search.set_root(&game.initial()).unwrap();
    assert_eq!(search.think(&Budget::playouts(100)), Ok(StopReason::Finished), "only noop");
    assert_eq!(game.move_name(search.report().best.unwrap()), "noop");
}

#[test]
fn baselines_make_legal_moves() {
    let game = game("tic_tac_toe", "reference");
    let legal = game.view(&game.initial()).unwrap().legal[0].clone();
    let mut first = First::new(context(&game, 0));
    first.set_root(&game.initial()).unwrap();
    assert_eq!(first.report().best, legal.first().copied());
    let mut random = Random::new(context(&game, 0));
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        random.set_root(&game.initial()).unwrap();
        seen.insert(random.report().best.unwrap());
    }
    assert_eq!(seen, legal.into_iter().collect(), "every move occurs");
}

//! Several threads think together: every way finds what has to be found, keeps its limits and
//! counts every playout once.

#![allow(clippy::unwrap_used, reason = "tests end by panicking")]

mod thoughts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Game, MoveId, State};
use ludex_search::{Budget, Search, SearchReport, StopReason};

use thoughts::{BOLD, after};

const WAYS: [&str; 4] = ["tree", "leaf", "root", "root-merged"];

/// Engines differ in speed alone.
fn game(name: &str) -> Arc<dyn Game> {
    thoughts::game(name, "batch")
}

fn search(spec: &str, game: &Arc<dyn Game>, role: usize, threads: usize) -> Box<dyn Search> {
    thoughts::search(spec, game, role, (3, threads))
}

fn think(
    spec: &str,
    game: &Arc<dyn Game>,
    (role, state): (usize, &State),
    threads: usize,
    playouts: u64,
) -> SearchReport {
    let mut search = search(spec, game, role, threads);
    search.set_root(state).unwrap();
    assert_eq!(search.think(&Budget::playouts(playouts)).unwrap(), StopReason::Playouts, "{spec}");
    search.report()
}

/// Two steps on, with moves that do not decide the game soon.
fn two_steps(game: &Arc<dyn Game>, state: &State) -> State {
    let step = |state: &State, last: bool| {
        let legal = game.view(state).unwrap().legal;
        let choose = |moves: &Vec<MoveId>| if last { moves[moves.len() - 1] } else { moves[0] };
        game.next(state, &legal.iter().map(choose).collect::<Vec<_>>()).unwrap()
    };
    step(&step(state, false), true)
}

#[test]
fn they_block_what_would_lose_and_see_through_a_trap() {
    let game = game("tic_tac_toe");
    let block = after(&game, &[&["(mark 1 1)"], &["(mark 2 2)"], &["(mark 1 2)"]]);
    let trap = after(&game, &[&["(mark 1 1)"]]);
    for way in WAYS {
        for player in ["cadia-uct", "cadia-mastg", "cadia-lgr-nst", "cadia-past", "cadia-rave"] {
            // Small batches: a large one is a good part of all there is to know about this game.
            let spec = format!("{player}:parallel={way},batch=32,playouts=1,{BOLD}");
            for threads in [2, 3] {
                let best = |state: &State, playouts| {
                    game.move_name(think(&spec, &game, (1, state), threads, playouts).best.unwrap())
                };
                assert_eq!(best(&block, 6000), "(mark 1 3)", "{spec}, {threads} threads");
                assert_eq!(best(&trap, 60_000), "(mark 2 2)", "{spec}, {threads} threads");
            }
        }
    }
}

/// Nothing is lost and nothing counted twice: as many playouts as were asked for, and as many
/// visits of root moves. Goals sum up to 100 in this game, so losses that were never taken back
/// would show.
#[test]
fn every_playout_counts_once() {
    let game = game("connect_four");
    for way in WAYS {
        let refilled = ",refill=on,batch=64,playouts=8";
        for options in ["", ",batch=1,playouts=1", ",transpositions=off", ",refill=on", refilled] {
            let spec = format!("cadia-uct:parallel={way}{options}");
            for (threads, playouts) in [(2, 5000), (3, 4999), (4, 7)] {
                let thinking = think(&spec, &game, (0, &game.initial()), threads, playouts);
                assert_eq!(thinking.playouts, playouts, "{spec}, {threads} threads");
                let visits: u64 = thinking.candidates.iter().map(|candidate| candidate.visits).sum();
                assert_eq!(visits, playouts, "{spec}, {threads} threads");
                for candidate in thinking.candidates.iter().filter(|candidate| candidate.visits > 0) {
                    let sum: f64 = candidate.values.iter().sum();
                    assert!((sum - 100.0).abs() < 1e-6, "{spec}: {:?}", candidate.values);
                }
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_visits_where_threads_do_not_race() {
    for name in ["connect_four", "rock_paper_scissors"] {
        let game = game(name);
        for way in ["leaf", "root", "root-merged"] {
            for player in ["cadia-mastg", "cadia-past", "cadia-rave"] {
                let spec = format!("{player}:parallel={way}");
                let once = think(&spec, &game, (0, &game.initial()), 3, 5000);
                assert_eq!(once, think(&spec, &game, (0, &game.initial()), 3, 5000), "{name}, {spec}");
            }
        }
    }
}

/// One thread is one thread, whatever it would do with more.
#[test]
fn one_thread_thinks_the_same_in_every_way() {
    let game = game("connect_four");
    let thoughts =
        WAYS.map(|way| think(&format!("cadia-uct:parallel={way}"), &game, (0, &game.initial()), 1, 3000));
    thoughts.iter().for_each(|thinking| assert_eq!(thinking, &thoughts[0]));
}

/// What is known of a root is added up once, however often it is set.
#[test]
fn a_root_that_is_set_again_keeps_its_statistics() {
    let game = game("connect_four");
    for way in WAYS {
        let mut search = search(&format!("cadia-uct:parallel={way}"), &game, 0, 2);
        for _ in 0..3 {
            search.set_root(&game.initial()).unwrap();
            search.think(&Budget::playouts(2000)).unwrap();
        }
        let thinking = search.report();
        let visits: u64 = thinking.candidates.iter().map(|candidate| candidate.visits).sum();
        assert_eq!(visits, 6000, "{way}");
        // And it goes on with the match.
        let state = two_steps(&game, &game.initial());
        search.set_root(&state).unwrap();
        search.think(&Budget::playouts(2000)).unwrap();
        assert!(search.report().playouts == 2000, "{way}");
    }
}

/// Memory is short after some moves: what cannot be reached any more is given up while no thread is
/// on its way.
#[test]
fn memory_is_bounded_for_all_threads_together() {
    let game = game("connect_four");
    let memory = 3 << 20;
    for way in WAYS {
        let mut search =
            search(&format!("cadia-uct:parallel={way},batch=64,playouts=1,refill=on"), &game, 0, 2);
        let mut state = game.initial();
        for _ in 0..3 {
            search.set_root(&state).unwrap();
            search.think(&Budget { memory, ..Budget::playouts(30_000) }).unwrap();
            let thinking = search.report();
            assert!(thinking.memory < memory, "{way}: {} bytes", thinking.memory);
            assert_eq!(thinking.playouts, 30_000, "{way}");
            state = two_steps(&game, &state);
        }
    }
}

#[test]
fn a_flag_and_a_deadline_end_all_threads() {
    let game = game("connect_four");
    for way in WAYS {
        let mut search = search(&format!("cadia-uct:parallel={way}"), &game, 0, 2);
        search.set_root(&game.initial()).unwrap();
        let budget = Budget::until(Instant::now() + Duration::from_millis(80));
        assert_eq!(search.think(&budget).unwrap(), StopReason::Time, "{way}");
        assert!(search.report().playouts > 0, "{way}");
        let budget = Budget::until(Instant::now() + Duration::from_secs(600));
        budget.stop.set();
        assert_eq!(search.think(&budget).unwrap(), StopReason::Requested, "{way}");
    }
}

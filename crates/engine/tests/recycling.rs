//! Trees in little memory: `ludex` recycles what it needs least and goes on learning; no preset
//! takes more than it may.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests end by panicking")]

mod thoughts;

use std::sync::Arc;

use ludex_game::{Game, State};
use ludex_search::{Budget, SearchReport};
use thoughts::game;

fn search_in(game: &Arc<dyn Game>, spec: &str, memory: usize, parts: &[u64]) -> SearchReport {
    let mut search = thoughts::search(spec, game, 0, (1, 1));
    search.set_root(&game.initial()).unwrap();
    for &playouts in parts {
        search.think(&Budget { memory, ..Budget::playouts(playouts) }).unwrap();
        let report = search.report();
        assert!(report.memory <= memory, "{spec}: {} of {memory} bytes", report.memory);
    }
    search.report()
}

/// In an eighth of the memory that it would use, the tree still becomes deeper and its value stays
/// near.
#[test]
fn a_small_tree_goes_on_growing() {
    let game = game("breakthrough_small", "batch");
    let parts = [200_000; 6];
    let whole = search_in(&game, "ludex:prover=0", 1 << 30, &parts);
    let memory = whole.memory / 8;
    let recycled = search_in(&game, "ludex:prover=0", memory, &parts);
    let frozen = search_in(&game, "ludex:prover=0,recycle=off", memory, &parts);
    assert!(recycled.depth > frozen.depth, "{} against {}", recycled.depth, frozen.depth);
    let distance = |report: &SearchReport| (report.values[0] - whole.values[0]).abs();
    assert!(distance(&recycled) < 15.0, "{:?} against {:?}", recycled.values, whole.values);
    assert_eq!(recycled.playouts, 1_200_000);
}

/// The same in games with simultaneous moves, with RAVE, and without transpositions.
#[test]
fn every_form_stays_within_its_memory() {
    for name in ["chinook", "connect_four_3p", "blocker_simultaneous"] {
        let game = game(name, "batch");
        for spec in [
            "ludex",
            "ludex:expand=0,transpositions=off",
            "ludex:rave=500",
            "cadia-uct",
            "ludex:solver=off,expand=3",
        ] {
            let report = search_in(&game, spec, 2 << 20, &[20_000; 4]);
            assert!(report.playouts >= 80_000 || report.proven, "{name}, {spec}: {}", report.playouts);
        }
    }
}

/// A match with a tree that is always full: every new root keeps what was known about it, or begins
/// again, and the same seed gives the same moves.
#[test]
fn a_match_in_little_memory_is_repeatable() {
    let game = game("connect_four", "batch");
    let play = || {
        let mut search = thoughts::search("ludex", &game, 0, (7, 1));
        let mut random = fastrand::Rng::with_seed(7);
        let mut state: State = game.initial();
        let mut made = Vec::new();
        loop {
            let view = game.view(&state).unwrap();
            if view.terminal {
                return made;
            }
            search.set_root(&state).unwrap();
            search.think(&Budget { memory: 1 << 20, ..Budget::playouts(20_000) }).unwrap();
            let report = search.report();
            assert!(report.memory <= 1 << 20, "{}", report.memory);
            let mut joint: Vec<_> =
                view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            joint[0] = report.best.expect("a move");
            assert!(view.legal[0].contains(&joint[0]));
            made.push((joint[0], report.candidates.iter().map(|of| of.visits).collect::<Vec<u64>>()));
            state = game.next(&state, &joint).unwrap();
        }
    };
    assert_eq!(play(), play());
}

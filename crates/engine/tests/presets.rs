//! Every preset that thinks comes out at the known value, gives the same thoughts for the same
//! seed, and keeps its limits.

#![allow(clippy::unwrap_used, reason = "tests end by panicking")]

mod thoughts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Game, MoveId, State};
use ludex_search::{Budget, Search, SearchReport, StopReason};

use thoughts::{BOLD, PRESETS, after, game};

fn search(spec: &str, game: &Arc<dyn Game>, role: usize) -> Box<dyn Search> {
    thoughts::search(spec, game, role, (3, 1))
}

fn think(spec: &str, game: &Arc<dyn Game>, role: usize, state: &State, playouts: u64) -> SearchReport {
    let mut search = search(spec, game, role);
    search.set_root(state).unwrap();
    search.think(&Budget::playouts(playouts)).unwrap();
    search.report()
}

fn best(spec: &str, game: &Arc<dyn Game>, role: usize, state: &State, playouts: u64) -> String {
    game.move_name(think(spec, game, role, state, playouts).best.unwrap())
}

/// The value of tic-tac-toe is a draw; of the small connect four too. Values are goals, so 50 each.
#[test]
fn values_come_near_those_of_solved_games() {
    for (name, playouts, near) in [("tic_tac_toe", 200_000, 15.0), ("connect_four_4x4", 300_000, 3.0)] {
        let game = game(name, "batch");
        for preset in PRESETS {
            let spec = match preset.split_once(':') {
                Some((name, options)) => format!("{name}:gamma=1,{BOLD},{options}"),
                None => format!("{preset}:gamma=1,{BOLD}"),
            };
            for seed in [1, 2] {
                let mut search = thoughts::search(&spec, &game, 0, (seed, 1));
                search.set_root(&game.initial()).unwrap();
                search.think(&Budget::playouts(playouts)).unwrap();
                let thinking = search.report();
                assert_eq!(thinking.playouts, playouts);
                let value = thinking.values[0];
                assert!((value - 50.0).abs() < near, "{name}, {spec}, seed {seed}: {value}");
            }
        }
    }
}

/// The goals of tic-tac-toe sum up to 100. Discounts are for choosing, not for telling.
#[test]
fn told_values_are_goals() {
    let game = game("tic_tac_toe", "batch");
    for spec in PRESETS {
        let thinking = think(spec, &game, 0, &game.initial(), 2000);
        for candidate in thinking.candidates.iter().filter(|candidate| !candidate.values.is_empty()) {
            let sum: f64 = candidate.values.iter().sum();
            assert!((sum - 100.0).abs() < 1e-6, "{spec}: {:?}", candidate.values);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_visits() {
    for (name, role) in [("connect_four", 0), ("rock_paper_scissors", 0), ("chinese_checkers_3", 0)] {
        let game = game(name, "batch");
        for spec in PRESETS.into_iter().chain(["mc-mem", "cadia-uct:batch=1,playouts=1"]) {
            let once = think(spec, &game, role, &game.initial(), 3000);
            let again = think(spec, &game, role, &game.initial(), 3000);
            assert_eq!(once, again, "{name}, {spec}");
        }
    }
}

#[test]
fn every_engine_will_do() {
    for engine in ["reference", "rules", "circuit", "batch"] {
        let game = game("tic_tac_toe", engine);
        let state = after(&game, &[&["(mark 1 1)"], &["(mark 2 2)"], &["(mark 1 2)"]]);
        for spec in ["cadia-uct", "cadia-mastg", "cadia-nst", "cadia-lgr-nst", "cadia-past", "cadia-rave"] {
            assert_eq!(best(spec, &game, 1, &state, 400), "(mark 1 3)", "{spec} with {engine}");
        }
    }
}

/// Both choose at once, and every choice has a value for both. How often each is visited says
/// little: statistics of single roles follow each other in a circle here.
#[test]
fn simultaneous_moves_have_a_value_for_each_role() {
    let game = game("rock_paper_scissors", "batch");
    let thinking = think("cadia-uct", &game, 0, &game.initial(), 20_000);
    assert_eq!(thinking.candidates.len(), 3);
    assert_eq!(thinking.candidates.iter().map(|c| c.visits).sum::<u64>(), 20_000);
    for candidate in &thinking.candidates {
        assert!(candidate.visits > 10, "{candidate:?}");
        assert!((candidate.values.iter().sum::<f64>() - 100.0).abs() < 1e-6, "{candidate:?}");
    }
    assert_eq!(thinking.values.len(), 2);
}

/// What was thought about the move that came is kept, and the rest is given up.
#[test]
fn the_tree_goes_on_with_the_match() {
    let game = game("connect_four", "batch");
    let mut search = search("cadia-uct", &game, 0);
    search.set_root(&game.initial()).unwrap();
    search.think(&Budget::playouts(400_000)).unwrap();
    let before = search.report();
    let joint = &before.principal_variation[0];
    let state = game.next(&game.initial(), joint).unwrap();
    search.set_root(&state).unwrap();
    let after = search.report();
    assert_eq!((after.nodes, after.playouts), (before.nodes, 0), "nothing is given up before it has to be");
    // And on: the other role has moved, now there is something to think about again.
    search.set_root(&game.next(&state, &before.principal_variation[1]).unwrap()).unwrap();
    let visits: u64 = search.report().candidates.iter().map(|c| c.visits).sum();
    assert!(visits > 1000, "{visits} visits are remembered");
}

/// Where memory is short, what cannot be reached any more makes room for what can.
#[test]
fn what_is_past_makes_room() {
    for spec in ["cadia-uct:playouts=1", "cadia-uct:playouts=1,refill=on", "cadia-rave:playouts=1"] {
        makes_room(spec);
    }
}

fn makes_room(spec: &str) {
    let game = game("connect_four", "batch");
    let mut search = search(spec, &game, 0);
    let memory = 32 << 20;
    let budget = || Budget { memory, ..Budget::playouts(100_000) };
    let mut state = game.initial();
    let mut most = 0;
    for _ in 0..6 {
        search.set_root(&state).unwrap();
        let before: Vec<u64> = search.report().candidates.iter().map(|c| c.visits).collect();
        search.think(&budget()).unwrap();
        let thinking = search.report();
        assert!(thinking.memory <= memory, "{}", thinking.memory);
        let after: u64 = thinking.candidates.iter().map(|c| c.visits).sum();
        if after > 0 {
            let thought = after - before.iter().sum::<u64>();
            assert_eq!(thought, 100_000, "visits are kept when the tree is copied");
        }
        most = most.max(thinking.memory);
        let view = game.view(&state).unwrap();
        let joint: Vec<MoveId> = view
            .legal
            .iter()
            .enumerate()
            .map(|(role, legal)| thinking.best.filter(|_| role == 0).unwrap_or(legal[0]))
            .collect();
        state = game.next(&state, &joint).unwrap();
    }
    assert!(most > memory / 8, "it came near the limit: {most}");
}

#[test]
fn memory_is_bounded() {
    let game = game("connect_four", "batch");
    let mut search = search("cadia-uct:playouts=1", &game, 0);
    search.set_root(&game.initial()).unwrap();
    let memory = 16 << 20;
    search.think(&Budget { memory, ..Budget::playouts(600_000) }).unwrap();
    let thinking = search.report();
    assert!(
        thinking.memory <= memory && thinking.nodes > 10_000,
        "{} in {}",
        thinking.nodes,
        thinking.memory
    );
    assert_eq!(thinking.playouts, 600_000, "thinking goes on without new nodes");
}

#[test]
fn a_million_nodes_of_connect_four_fit_into_200_megabytes() {
    let game = game("connect_four", "batch");
    let mut search = search("cadia-uct:playouts=1", &game, 0);
    search.set_root(&game.initial()).unwrap();
    while search.report().nodes < 1_000_000 {
        search.think(&Budget { memory: 1 << 30, ..Budget::playouts(200_000) }).unwrap();
    }
    let thinking = search.report();
    let per_node = thinking.memory as f64 / thinking.nodes as f64;
    assert!(per_node < 200.0, "{per_node} bytes a node");
}

#[test]
fn they_are_back_in_time() {
    let game = game("breakthrough", "batch");
    for spec in PRESETS {
        let mut search = search(spec, &game, 0);
        search.set_root(&game.initial()).unwrap();
        let mut late = || {
            let deadline = Instant::now() + Duration::from_millis(150);
            assert_eq!(search.think(&Budget::until(deadline)), Ok(StopReason::Time), "{spec}");
            Instant::now().saturating_duration_since(deadline)
        };
        // A busy machine may be late once, a search that does not look at the clock is late every
        // time.
        let late = [late(), late(), late()];
        assert!(late.iter().min() < Some(&Duration::from_millis(150)), "{spec} is {late:?} late");
        assert!(search.report().playouts > 0, "{spec}");
    }
}

//! Playouts in lanes equal playouts one by one if choices are deterministic, and have the same
//! distribution otherwise.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests end by panicking, and say what they looked at"
)]

mod leaves;
mod sheets;

use std::sync::Arc;

use leaves::{
    CONFIG, Chooses, Fixed, compare_policies, compare_rankings, in_lanes, places, run, run_flowing,
};
use ludex_game::{Game, Leaf, LeafResults, MoveId, PlayoutPolicy, Ranking, Simulation, Simulator, State};
use ludex_reasoner::{Limits, MachineCode, Width};
use ludex_testkit::sheets::HEAPS;
use ludex_testkit::{rules, text};

const GAMES: [&str; 7] = [
    "tic_tac_toe",
    "connect_four",
    "chinese_checkers_3",
    "rock_paper_scissors",
    "breakthrough_small",
    "eight_puzzle",
    "heaps",
];

fn game(name: &str, width: Width, machine_code: MachineCode) -> Arc<dyn Game> {
    let sheet = if name == "heaps" { HEAPS } else { text(name) };
    in_lanes(rules(sheet), width, machine_code, Limits::default()).unwrap()
}

fn all_ways() -> impl Iterator<Item = (Width, MachineCode)> {
    Width::ALL.into_iter().flat_map(|width| [(width, MachineCode::Never), (width, MachineCode::AtOnce)])
}

/// In lanes or one by one: the playouts are equal.
#[test]
fn a_policy_sees_the_same_in_lanes() {
    for name in GAMES {
        for (width, machine_code) in all_ways() {
            let game = game(name, width, machine_code);
            let what = format!("{name}, {width:?}, machine code {machine_code:?}");
            compare_policies(&game, &places(&game, 150), &what);
        }
    }
}

/// A policy gets the facts of the state that it chooses in, however the engine encodes states.
#[test]
fn every_engine_tells_what_holds() {
    for engine in ["reference", "rules", "circuit", "batch"] {
        let game = ludex_testkit::game("tic_tac_toe", engine);
        let mut policy = Fixed::new(2, true);
        run(&game, &[(game.initial(), Vec::new())], 2, PlayoutPolicy::Step(&mut policy), true);
        assert_eq!(policy.log.len(), 2, "{engine}");
        for (_, moves, facts, _) in policy.log {
            let mut state = game.initial();
            assert_eq!(moves.len(), 2 * facts.len(), "{engine}");
            for (joint, facts) in moves.chunks(2).zip(&facts) {
                assert_eq!(&game.facts(&state), facts, "{engine}");
                state = game.next(&state, joint).unwrap();
            }
            assert!(game.view(&state).unwrap().terminal, "{engine}");
        }
    }
}

#[test]
fn a_ranking_without_chance_is_followed_exactly() {
    for name in GAMES {
        for (width, machine_code) in all_ways() {
            let game = game(name, width, machine_code);
            let what = format!("{name}, {width:?}, machine code {machine_code:?}");
            let has_flowed = compare_rankings(&game, &places(&game, 150), &what);
            assert!(has_flowed, "{what}: lanes were never refilled");
        }
    }
}

/// With thousands of moves, lanes use a different code path.
#[test]
fn rankings_are_the_same_among_thousands_of_moves() {
    let game = game("skirmish", Width::best(), MachineCode::AtOnce);
    compare_rankings(&game, &places(&game, 40), "skirmish");
}

/// Random playouts in lanes, refilled or not, against one by one: means by leaf, and lengths.
#[test]
fn chance_is_the_same_in_lanes() {
    for name in ["tic_tac_toe", "connect_four", "heaps"] {
        let game = game(name, Width::best(), MachineCode::AtOnce);
        let places = places(&game, 40);
        let ways =
            [None, Some(1.0), Some(0.5)].into_iter().flat_map(|epsilon| [(epsilon, false), (epsilon, true)]);
        for (epsilon, flows) in ways {
            let order = vec![(0..200).map(MoveId::new).collect(); game.role_count()];
            let mut one = Ranking { epsilon: epsilon.unwrap_or(0.0), order, version: 0, tallies: Vec::new() };
            let mut many = one.clone();
            let policy = |ranking| {
                if epsilon.is_some() { PlayoutPolicy::Ranked(ranking) } else { PlayoutPolicy::Uniform }
            };
            let (few, lots) = (200, 2000);
            let a = run(&game, &places, few, policy(&mut one), false);
            let b = match flows {
                true => {
                    let chooses = if epsilon.is_some() { Chooses::By(&mut many) } else { Chooses::Chance };
                    let (b, has_flowed) = run_flowing(&game, &places, (lots, 9), chooses);
                    assert!(has_flowed, "{name}, {epsilon:?}");
                    b
                }
                false => run(&game, &places, lots, policy(&mut many), true),
            };
            let mean =
                |results: &LeafResults, leaf: usize| results.sums(leaf)[0] / f64::from(results.count(leaf));
            for leaf in 0..places.len() {
                // A goal is between 0 and 100: its standard deviation is at most 50.
                let tolerance = 4.5 * 50.0 / f64::from(few).sqrt();
                let (x, y) = (mean(&a, leaf), mean(&b, leaf));
                assert!((x - y).abs() < tolerance, "{name}, {epsilon:?}: {x} and {y} at leaf {leaf}");
            }
            let length = |results: &LeafResults| {
                results.steps as f64
                    / (0..places.len()).map(|leaf| f64::from(results.count(leaf))).sum::<f64>()
            };
            let (x, y) = (length(&a), length(&b));
            assert!((x - y).abs() < 0.05 * x + 0.1, "{name}, {epsilon:?}: lengths {x} and {y}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_playouts() {
    let game = game("connect_four", Width::best(), MachineCode::AtOnce);
    let places = places(&game, 700);
    let once = run(&game, &places, 4, PlayoutPolicy::Uniform, true);
    let again = run(&game, &places, 4, PlayoutPolicy::Uniform, true);
    assert_eq!(once, again);
    let flowing = || run_flowing(&game, &places, (4, 60), Chooses::Chance);
    assert_eq!(flowing(), flowing());
}

/// Simulates many leaves that start in one state, with refilled lanes.
fn flow(
    simulator: &mut dyn Simulator,
    from: &State,
    numbers: std::ops::Range<usize>,
    results: &mut LeafResults,
) {
    let leaves: Vec<Leaf<'_>> =
        numbers.map(|number| Leaf { number, from: from.words(), joint: &[] }).collect();
    let mut simulation = Simulation {
        leaves: &leaves,
        playouts: 2,
        seed: 3,
        policy: PlayoutPolicy::Uniform,
        keep_busy: simulator.capabilities().lanes,
    };
    simulator.simulate(&mut simulation, results).unwrap();
}

/// Playouts in flight are the simulator's: another one of the same game knows nothing of them, and
/// after a reset it knows nothing itself.
#[test]
fn playouts_in_flight_belong_to_one_simulator() {
    let game = game("connect_four", Width::best(), MachineCode::AtOnce);
    let (start, mut results) = (game.initial(), LeafResults::new());
    let mut simulators = [(); 2].map(|()| Arc::clone(&game).simulator(CONFIG));
    for simulator in &mut simulators {
        flow(&mut **simulator, &start, 0..100, &mut results);
        assert!(results.finished().len() < 100, "nothing is in flight");
        for &leaf in results.finished() {
            assert_eq!((results.words(leaf), results.count(leaf)), (start.words(), 2));
        }
    }
    simulators[0].reset();
    flow(&mut *simulators[0], &start, 0..0, &mut results);
    assert_eq!((results.finished().len(), results.room), (0, game.engine().lanes));
}

/// Unreachable states cannot run in lanes if the circuit relies on an invariant of reachable
/// states: here that a tile has one colour. Playouts in flight still finish.
#[test]
fn an_odd_state_loses_nothing_that_is_under_way() {
    let sheet = "(role a) (role b) (init (turn a)) (init (tile plain))
        (colour a red) (colour b blue) (other a b) (other b a)
        (<= (legal ?r paint) (true (turn ?r))) (<= (legal ?r pass) (true (turn ?r)))
        (<= (legal ?r quit) (true (turn ?r))) (<= (legal ?r wait) (true (turn ?s)) (other ?r ?s))
        (<= (next (turn ?r)) (true (turn ?s)) (other ?r ?s)) (<= painted (does ?r paint))
        (<= (next (tile ?c)) (does ?r paint) (colour ?r ?c))
        (<= (next (tile ?c)) (true (tile ?c)) (not painted))
        (<= (next over) (does ?r quit)) (<= terminal (true over))
        (<= (goal ?r 100) (colour ?r ?c) (true (tile ?c))) (<= (goal ?r 0) (role ?r) (true (tile plain)))";
    let game = in_lanes(rules(sheet), Width::best(), MachineCode::AtOnce, Limits::default()).unwrap();
    let start = game.initial();
    let (mut simulator, mut results) = (Arc::clone(&game).simulator(CONFIG), LeafResults::new());
    flow(&mut *simulator, &start, 0..100, &mut results);
    let finished = results.finished().len();
    assert!(finished < 100, "no playouts are in flight");
    // The union of two states: both roles are to move.
    let legal = game.view(&start).unwrap().legal;
    let next = game.next(&start, &legal.iter().map(|moves| moves[0]).collect::<Vec<_>>()).unwrap();
    let both: Vec<u64> = start.words().iter().zip(next.words()).map(|(a, b)| a | b).collect();
    flow(&mut *simulator, &State::from_words(&both[..]), 100..101, &mut results);
    assert_eq!((results.finished().len(), results.room), (100 - finished + 1, game.engine().lanes));
    assert_eq!((results.words(100), results.count(100)), (&both[..], 2));
    assert!(results.steps > 0 && results.finished().iter().all(|&leaf| results.count(leaf) == 2));
}

/// Engines without lanes move a cursor along each playout: exactly the playouts of one question
/// after the other. Only uniform moves of `rules` differ: they are drawn by name, so that they do
/// not depend on ids, which come in the order of first use.
#[test]
fn cursors_give_the_playouts_of_single_questions() {
    for name in ["tic_tac_toe", "connect_four", "breakthrough_small", "rock_paper_scissors"] {
        for engine in ["circuit", "rules"] {
            let game = ludex_testkit::game(name, engine);
            let (places, roles) = (places(&game, 20), game.role_count());
            let (mut one, mut other) = (Fixed::new(roles, true), Fixed::new(roles, true));
            let by_cursor = run(&game, &places, 3, PlayoutPolicy::Step(&mut one), true);
            let by_question = run(&game, &places, 3, PlayoutPolicy::Step(&mut other), false);
            assert_eq!(by_cursor, by_question, "{name} with {engine}");
            assert_eq!(one.log, other.log, "{name} with {engine}");
            assert!(by_cursor.steps > 0);
            let by_cursor = run(&game, &places, 3, PlayoutPolicy::Uniform, true);
            let by_question = run(&game, &places, 3, PlayoutPolicy::Uniform, false);
            match engine {
                "circuit" => assert_eq!(by_cursor, by_question, "{name}"),
                _ => assert_eq!(by_cursor.endings, by_question.endings, "{name}"),
            }
        }
    }
}

//! Players for games with one role: what they report can be played, they stop at the best score,
//! they keep their limits, and they play games for several as well.

#![allow(clippy::unwrap_used, reason = "tests end by panicking")]

mod thoughts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Game, MoveId};
use ludex_search::{Budget, SearchReport, StopReason};
use ludex_testkit::{game_from, rules};

use thoughts::{game, search};

/// Every player, and forms that it has by options.
const PLAYERS: [&str; 11] = [
    "ary-nmc",
    "ary-nmc:level=2",
    "ary-nmc:batch=1",
    "ary-uct",
    "ary-uct+t",
    "ary-uct+t:batch=1",
    "ary-max",
    "ary-max:share=0.3",
    "ary-max:threads=2",
    "ida-star",
    "ida-star:return=on",
];

/// The goal at the end of a principal variation, which must be legal.
fn played(game: &Arc<dyn Game>, report: &SearchReport) -> u8 {
    let mut state = game.initial();
    for joint in &report.principal_variation {
        assert!(game.view(&state).unwrap().legal[0].contains(&joint[0]));
        state = game.next(&state, joint).unwrap();
    }
    assert!(game.view(&state).unwrap().terminal);
    game.goals(&state).unwrap()[0].value().unwrap()
}

#[test]
fn the_plan_leads_to_the_score() {
    for spec in PLAYERS {
        let mut plans = 0;
        for (name, engine) in [("max_knights", "batch"), ("hanoi", "batch"), ("tpeg", "rules")] {
            let game = game(name, engine);
            let mut search = search(spec, &game, 0, (3, 1));
            search.set_root(&game.initial()).unwrap();
            let mut before = 0.0;
            for _ in 0..4 {
                let count = if engine == "rules" { 20 } else { 1500 };
                let reason = search.think(&Budget::playouts(count)).unwrap();
                let report = search.report();
                if reason == StopReason::Finished && report.proof.is_some_and(|proof| proof.is_exact()) {
                    break;
                }
                assert_eq!(reason, StopReason::Playouts, "{spec}, {name}");
                // IDA* may have no solution.
                let Some(proof) = report.proof else { continue };
                plans += 1;
                assert!(report.values[0] >= before, "{spec}, {name}: plans only get better");
                before = report.values[0];
                assert_eq!(f64::from(played(&game, &report)), before, "{spec}, {name}");
                assert_eq!(report.best, Some(report.principal_variation[0][0]), "{spec}, {name}");
                assert_eq!(f64::from(proof.low), before, "{spec}, {name}");
                assert!(!report.proven && proof.high == 100);
            }
        }
        assert!(plans > 0, "{spec}");
    }
}

/// A match scores at least what the first search found.
#[test]
fn what_was_found_is_not_lost() {
    for spec in PLAYERS {
        let game = game("queens", "batch");
        let mut search = search(spec, &game, 0, (1, 1));
        let mut state = game.initial();
        let mut promised = 0;
        loop {
            let view = game.view(&state).unwrap();
            if view.terminal {
                break;
            }
            let mut made = view.legal[0][0];
            if view.legal[0].len() > 1 {
                search.set_root(&state).unwrap();
                search.think(&Budget::playouts(300)).unwrap();
                let report = search.report();
                let low = report.proof.map_or(0, |proof| proof.low);
                assert!(low >= promised, "{spec}: {low} after {promised}");
                promised = low;
                made = report.best.unwrap();
            }
            state = game.next(&state, &[made]).unwrap();
        }
        let goal = game.goals(&state).unwrap()[0].value().unwrap();
        assert!(
            goal >= promised && (promised > 0 || spec.starts_with("ida")),
            "{spec}: {goal} instead of {promised}"
        );
    }
}

#[test]
fn the_best_score_ends_the_search() {
    let game = game("two_buttons", "batch");
    for spec in PLAYERS {
        let mut search = search(spec, &game, 0, (1, 1));
        search.set_root(&game.initial()).unwrap();
        let mut reason = StopReason::Playouts;
        for _ in 0..100 {
            reason = search.think(&Budget::playouts(5000)).unwrap();
            if reason == StopReason::Finished {
                break;
            }
        }
        assert_eq!(reason, StopReason::Finished, "{spec}");
        let report = search.report();
        assert!(report.proven && report.values == [100.0], "{spec}");
        assert_eq!(played(&game, &report), 100, "{spec}");
        // The rest of the plan is played without another search.
        let next = game.next(&game.initial(), &report.principal_variation[0]).unwrap();
        search.set_root(&next).unwrap();
        assert_eq!(search.think(&Budget::playouts(1000)), Ok(StopReason::Finished), "{spec}");
        let rest = search.report();
        assert_eq!(rest.playouts, 0, "{spec}");
        if !rest.principal_variation.is_empty() && !game.view(&next).unwrap().terminal {
            assert_eq!(rest.principal_variation, report.principal_variation[1..], "{spec}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_report() {
    for spec in PLAYERS {
        for name in ["max_knights", "connect_four"] {
            let game = game(name, "batch");
            let think = || {
                let mut search = search(spec, &game, 0, (7, 1));
                search.set_root(&game.initial()).unwrap();
                search.think(&Budget::playouts(700)).unwrap();
                search.think(&Budget::playouts(800)).unwrap();
                search.report()
            };
            assert_eq!(think(), think(), "{spec}, {name}");
        }
    }
}

/// A puzzle without an end, in which every state is new for a very long time.
const ENDLESS: &str = "
    (role robot)
    (bit 1) (bit 2) (bit 3) (bit 4) (bit 5) (bit 6) (bit 7) (bit 8) (bit 9) (bit 10)
    (bit 11) (bit 12) (bit 13) (bit 14) (bit 15) (bit 16) (bit 17) (bit 18) (bit 19) (bit 20)
    (init (on 1))
    (<= (base (on ?b)) (bit ?b))
    (<= (legal robot (flip ?b)) (bit ?b))
    (<= (input robot (flip ?b)) (bit ?b))
    (<= (next (on ?b)) (does robot (flip ?b)) (not (true (on ?b))))
    (<= (next (on ?b)) (true (on ?b)) (not (does robot (flip ?b))))
    (<= terminal (true (on never)))
    (goal robot 50)";

#[test]
fn games_without_an_end_are_no_trouble() {
    assert_eq!(rules(ENDLESS).roles.len(), 1);
    let game = game_from(ENDLESS, "batch");
    for spec in PLAYERS {
        let mut search = search(spec, &game, 0, (1, 1));
        search.set_root(&game.initial()).unwrap();
        let memory = 16 << 20;
        let reason = search.think(&Budget { memory, ..Budget::playouts(40) }).unwrap();
        assert_eq!(reason, StopReason::Playouts, "{spec}");
        let report = search.report();
        assert!(report.best.is_some() && !report.proven, "{spec}");
        assert!(report.memory <= 2 * memory, "{spec}: {} bytes", report.memory);
    }
}

#[test]
fn they_are_back_in_time() {
    for (spec, name) in PLAYERS.into_iter().flat_map(|spec| [(spec, "lights_out_large"), (spec, "othello")]) {
        let game = game(name, "batch");
        let mut search = search(spec, &game, 0, (1, 1));
        search.set_root(&game.initial()).unwrap();
        let mut late = || {
            let deadline = Instant::now() + Duration::from_millis(50);
            let reason = search.think(&Budget::until(deadline)).unwrap();
            assert!([StopReason::Time, StopReason::Finished].contains(&reason), "{spec}, {name}");
            Instant::now().saturating_duration_since(deadline)
        };
        // On a busy machine a search may be late once; one that ignores the clock is always late.
        assert!((0..3).any(|_| late() < Duration::from_millis(150)), "{spec}, {name} is always late");
        let budget = Budget::until(Instant::now() + Duration::from_secs(600));
        budget.stop.set();
        let reason = search.think(&budget).unwrap();
        assert!([StopReason::Requested, StopReason::Finished].contains(&reason), "{spec}, {name}");
    }
}

#[test]
fn memory_is_bounded() {
    for spec in PLAYERS {
        let game = game("max_knights", "batch");
        let mut search = search(spec, &game, 0, (1, 1));
        search.set_root(&game.initial()).unwrap();
        let memory = 1 << 20;
        search.think(&Budget { memory, ..Budget::playouts(6000) }).unwrap();
        let report = search.report();
        assert!(report.memory <= memory + memory / 4, "{spec}: {} bytes", report.memory);
        assert!(report.playouts >= 6000 || report.proven, "{spec}: the search goes on");
    }
}

/// Games for several, with moves in turn, moves at once, and chance.
#[test]
fn games_for_several_are_played_too() {
    for spec in PLAYERS {
        for name in ["tic_tac_toe", "rock_paper_scissors", "chinese_checkers_3"] {
            let game = game(name, "batch");
            for role in 0..game.roles().len() {
                let mut search = search(spec, &game, role, (1, 1));
                let mut state = game.initial();
                for _ in 0..3 {
                    let view = game.view(&state).unwrap();
                    if view.terminal {
                        break;
                    }
                    search.set_root(&state).unwrap();
                    search.think(&Budget::playouts(300)).unwrap();
                    let best = search.report().best.unwrap();
                    assert!(view.legal[role].contains(&best), "{spec}, {name}");
                    let mut joint: Vec<MoveId> = view.legal.iter().map(|legal| legal[0]).collect();
                    joint[role] = best;
                    state = game.next(&state, &joint).unwrap();
                }
            }
        }
    }
}

/// Every state up to a depth before any deeper one: the first solution is a shortest one.
#[test]
fn iterative_deepening_finds_shortest_solutions() {
    let game = game("hanoi", "batch");
    let mut search = search("ida-star", &game, 0, (1, 1));
    search.set_root(&game.initial()).unwrap();
    while search.think(&Budget::playouts(20_000)).unwrap() != StopReason::Finished {
        assert!(search.report().playouts < 2_000_000);
    }
    let report = search.report();
    assert!(report.proven && report.values == [100.0]);
    assert_eq!((report.principal_variation.len(), played(&game, &report)), (31, 100));
    assert_eq!(report.depth, 30, "no end with 100 within thirty steps");
}

/// Where everything was searched, the best score that there is is known.
#[test]
fn iterative_deepening_knows_when_there_is_no_more() {
    let sheet = LOCK.replace("(<= (goal robot 100) open)", "(<= (goal robot 60) open)");
    for engine in ["batch", "rules"] {
        let game = game_from(&sheet, engine);
        let mut search = search("ida-star", &game, 0, (1, 1));
        search.set_root(&game.initial()).unwrap();
        while search.think(&Budget::playouts(10_000)).unwrap() != StopReason::Finished {
            assert!(search.report().playouts < 1_000_000);
        }
        let proof = search.report().proof.unwrap();
        assert_eq!((proof.low, proof.high), (60, 60), "{engine}");
    }
}

/// A lock: twelve steps with two moves, and only one combination scores.
const LOCK: &str = "
    (role robot) (init (at 1)) (init good)
    (next-to 1 2) (next-to 2 3) (next-to 3 4) (next-to 4 5) (next-to 5 6) (next-to 6 7)
    (next-to 7 8) (next-to 8 9) (next-to 9 10) (next-to 10 11) (next-to 11 12) (next-to 12 13)
    (right 1 left) (right 2 left) (right 3 right) (right 4 left) (right 5 right) (right 6 right)
    (right 7 left) (right 8 right) (right 9 left) (right 10 left) (right 11 right) (right 12 left)
    (legal robot left) (legal robot right)
    (<= (next (at ?n)) (true (at ?m)) (next-to ?m ?n))
    (<= (next good) (true good) (true (at ?n)) (does robot ?m) (right ?n ?m))
    (<= (next (seen ?n ?m)) (true (at ?n)) (does robot ?m))
    (<= (next (seen ?n ?m)) (true (seen ?n ?m)))
    (<= terminal (true (at 13)))
    (<= open (true good))
    (<= (goal robot 100) open)
    (<= (goal robot 0) (not open))";

/// Without a solution at the first root UCT takes over, for good or until the end is near.
#[test]
fn iterative_deepening_hands_over_and_returns() {
    let game = game_from(LOCK, "batch");
    let left = game.find_move("left").unwrap();
    for (spec, returns) in [("ida-star", false), ("ida-star:return=on", true)] {
        let mut search = search(spec, &game, 0, (1, 1));
        search.set_root(&game.initial()).unwrap();
        search.think(&Budget::playouts(100)).unwrap();
        assert_eq!(search.report().proof, None, "{spec}: nothing is found so soon");
        let next = game.next(&game.initial(), &[left]).unwrap();
        search.set_root(&next).unwrap();
        let mut reason = search.think(&Budget::playouts(20_000)).unwrap();
        if !returns {
            let visits: u64 = search.report().candidates.iter().map(|candidate| candidate.visits).sum();
            assert_eq!(reason, StopReason::Playouts, "{spec}");
            assert!(visits >= 20_000 && search.report().proof.is_none(), "{spec}: UCT has all of it");
            continue;
        }
        while reason == StopReason::Playouts && search.report().playouts < 200_000 {
            reason = search.think(&Budget::playouts(20_000)).unwrap();
        }
        assert_eq!(search.report().proof.map(|proof| proof.low), Some(100), "{spec}");
    }
}

/// With several roles players are the ones that their summaries name.
#[test]
fn games_for_several_have_players_of_their_own() {
    let game = game("connect_four", "batch");
    let report = |spec: &str| {
        let mut search = search(spec, &game, 0, (5, 1));
        search.set_root(&game.initial()).unwrap();
        search.think(&Budget::playouts(2000)).unwrap();
        search.report()
    };
    for (spec, other) in [
        ("ary-nmc", "ary-uct+t"),
        ("ary-max", "ary-uct+t"),
        ("ida-star", "cadia-uct"),
        ("cadia-2007", "cadia-uct"),
    ] {
        assert_eq!(report(spec), report(other), "{spec}");
    }
    assert_ne!(report("ary-uct"), report("ary-uct+t"));
}

/// The player of the competition of 2009 sees a win and a threat.
#[test]
fn uct_with_transpositions_plays_games_for_two() {
    let game = game("tic_tac_toe", "batch");
    let marks: &[&[&str]] = &[&["(mark 1 1)"], &["(mark 2 2)"], &["(mark 1 2)"]];
    let state = thoughts::after(&game, marks);
    for spec in ["ary-uct", "ary-uct+t", "ary-uct+t:batch=1"] {
        let mut search = search(spec, &game, 1, (1, 1));
        search.set_root(&state).unwrap();
        search.think(&Budget::playouts(5000)).unwrap();
        assert_eq!(
            search.report().best.map(|id| game.move_name(id)).as_deref(),
            Some("(mark 1 3)"),
            "{spec}"
        );
    }
}

//! `clune` and `flux`: repeatable, better than random moves, and at home on odd sheets.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_engine::Player;
use ludex_game::{Game, RoleId};
use ludex_search::{Budget, Search, SearchContext};
use ludex_testkit::{game, game_from};

fn search(spec: &str, game: &Arc<dyn Game>, role: usize, seed: u64) -> Box<dyn Search> {
    let context = SearchContext { game: game.clone(), role: RoleId::new(role), seed, threads: 1 };
    Player::new(spec).unwrap().search(context)
}

/// Plays a match; gives the goals.
fn play(specs: [&str; 2], game: &Arc<dyn Game>, positions: u64, seed: u64) -> Vec<u8> {
    let mut players: Vec<_> = (0..2).map(|role| search(specs[role], game, role, seed)).collect();
    let mut state = game.initial();
    for _ in 0..300 {
        let view = game.view(&state).unwrap();
        if view.terminal {
            break;
        }
        let mut joint = Vec::new();
        for (role, player) in players.iter_mut().enumerate() {
            if let [only] = view.legal[role][..] {
                joint.push(only);
                continue;
            }
            player.set_root(&state).unwrap();
            player.think(&Budget::playouts(positions)).unwrap();
            joint.push(player.report().best.expect("a move"));
        }
        state = game.next(&state, &joint).unwrap();
    }
    game.goals(&state).unwrap().iter().map(|goal| goal.value().unwrap_or(0)).collect()
}

#[test]
fn both_beat_random_moves() {
    for spec in ["clune", "flux"] {
        for (name, positions) in [("breakthrough", 2_000), ("connect_four", 3_000)] {
            let game = game(name, "batch");
            for match_number in 0..4 {
                let own = match_number % 2;
                let specs = if own == 0 { [spec, "random"] } else { ["random", spec] };
                let goals = play(specs, &game, positions, match_number as u64);
                assert_eq!(goals[own], 100, "{spec} in {name}, match {match_number}");
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_report() {
    for spec in ["clune", "clune:weights=stability", "flux", "flux:features=off"] {
        let game = game("breakthrough_small", "batch");
        let report = || {
            let mut search = search(spec, &game, 0, 5);
            search.set_root(&game.initial()).unwrap();
            search.think(&Budget::playouts(5_000)).unwrap();
            let report = search.report();
            (
                report.best,
                report.candidates.iter().flat_map(|c| c.values.clone()).map(f64::to_bits).collect::<Vec<_>>(),
            )
        };
        assert_eq!(report(), report(), "{spec}");
    }
}

/// Whatever they believe, what they prove is true.
#[test]
fn a_won_position_is_won() {
    for spec in ["clune", "flux"] {
        let game = game("tic_tac_toe", "batch");
        let facts = ["(cell 1 1 x)", "(cell 1 2 x)", "(cell 1 3 blank)", "(cell 2 1 o)", "(cell 2 2 o)"];
        let rest =
            ["(cell 2 3 blank)", "(cell 3 1 blank)", "(cell 3 2 blank)", "(cell 3 3 blank)", "(control x)"];
        let ids: Vec<_> = facts.iter().chain(&rest).map(|fact| game.find_fact(fact).unwrap()).collect();
        let mut search = search(spec, &game, 0, 1);
        search.set_root(&game.state_with(&ids)).unwrap();
        search.think(&Budget::playouts(2_000)).unwrap();
        assert_eq!(game.move_name(search.report().best.unwrap()), "(mark 1 3)", "{spec}");
    }
}

/// Sheets without structure, with one role, with several, with moves at once, and engines without a
/// ground model.
#[test]
fn odd_sheets_are_played() {
    let plain = "(role a) (init p) (legal a x) (legal a y) (<= (next q) (does a x)) (<= (next r) (does a y))
         (<= terminal (true q)) (<= terminal (true r)) (<= (goal a 100) (true q)) (<= (goal a 0) (true r))";
    let games: [Arc<dyn Game>; 6] = [
        game_from(plain, "batch"),
        game("eight_puzzle", "batch"),
        game("rock_paper_scissors", "batch"),
        game("chinese_checkers_3", "batch"),
        game("tic_tac_toe", "rules"),
        game("hex_small", "batch"),
    ];
    for game in &games {
        for spec in ["clune:games=3", "clune:transfer=on", "flux", "flux:features=off"] {
            let mut search = search(spec, game, 0, 1);
            search.set_root(&game.initial()).unwrap();
            search.think(&Budget::playouts(300)).unwrap();
            let legal = &game.view(&game.initial()).unwrap().legal[0];
            assert!(legal.contains(&search.report().best.expect("a move")), "{spec}");
        }
    }
}

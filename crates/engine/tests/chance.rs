//! The role `random` is chance: players maximise the expected goal, not the goal against an enemy.

#![allow(clippy::unwrap_used, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_engine::Player;
use ludex_game::{Game, RoleId};
use ludex_search::{Budget, SearchContext};
use ludex_testkit::game_from as game;
use ludex_testkit::sheets::dice;

const PLAYERS: [&str; 9] = [
    "mc",
    "cadia-uct",
    "cadia-uct:batch=1,playouts=1",
    "cadia-imp",
    "cadia-mast",
    "cadia-mastg",
    "cadia-lgr-nst",
    "cadia-past",
    "cadia-rave",
];

fn best(spec: &str, game: &Arc<dyn Game>) -> String {
    let context = SearchContext { game: Arc::clone(game), role: RoleId::new(0), seed: 3, threads: 1 };
    let mut search = Player::new(spec).unwrap().search(context);
    search.set_root(&game.initial()).unwrap();
    search.think(&Budget::playouts(6000)).unwrap();
    game.move_name(search.report().best.unwrap())
}

/// The gamble is worth 60 on average and 0 at worst: an enemy would make 50 for sure the better
/// move.
#[test]
fn a_gamble_is_taken_where_it_pays_on_average() {
    let sheet = dice([50, 0], [[90, 0], [90, 0], [0, 0]]);
    for engine in ["batch", "rules"] {
        let game = game(&sheet, engine);
        for spec in PLAYERS {
            assert_eq!(best(spec, &game), "gamble", "{spec} with {engine}");
        }
    }
}

/// The gamble is worth 30 on average. Chance gets 100 for the safe move: against an opponent, the
/// difference would make the gamble the better one.
#[test]
fn the_goal_of_chance_does_not_count() {
    let sheet = dice([40, 100], [[90, 0], [0, 0], [0, 0]]);
    for engine in ["batch", "rules"] {
        let game = game(&sheet, engine);
        for spec in PLAYERS {
            assert_eq!(best(spec, &game), "safe", "{spec} with {engine}");
        }
    }
}

/// Two players and chance are two players: 50 to 0 is better than 60 to 60.
#[test]
fn two_players_with_chance_play_for_the_difference() {
    let sheet = "
        (role white) (role random) (role black)
        (init (step 1))
        (<= (legal white generous) (true (step 1)))
        (<= (legal white mean) (true (step 1)))
        (legal black noop) (legal random head) (legal random tail)
        (<= (next (chosen ?m)) (does white ?m))
        (<= terminal (true (chosen ?m)))
        (<= (goal white 60) (true (chosen generous)))
        (<= (goal black 60) (true (chosen generous)))
        (<= (goal white 50) (true (chosen mean)))
        (<= (goal black 0) (true (chosen mean)))
        (goal random 100)
    ";
    let game = game(sheet, "batch");
    for spec in PLAYERS.into_iter().filter(|&spec| spec != "mc") {
        assert_eq!(best(spec, &game), "mean", "{spec}");
    }
    assert_eq!(best("mc", &game), "generous", "flat Monte Carlo counts its own goal, as MC_org does");
}

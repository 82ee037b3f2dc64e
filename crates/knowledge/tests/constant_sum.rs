//! Which games have a constant sum.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use ludex_knowledge::constant_sum;
use ludex_testkit::{game, game_from, playouts};

#[test]
fn games_of_two_have_a_constant_sum() {
    for name in [
        "tic_tac_toe",
        "connect_four",
        "breakthrough",
        "hex_small",
        "clobber",
        "amazons_8x8",
        "othello",
        "checkers",
        "pentago",
    ] {
        assert_eq!(constant_sum(&*game(name, "batch")), Some(100), "{name}");
    }
}

#[test]
fn other_games_have_not() {
    for name in ["eight_puzzle", "chinese_checkers_3", "connect_four_3p", "chinook"] {
        assert_eq!(constant_sum(&*game(name, "batch")), None, "{name}");
    }
    // Without a circuit nothing is proved.
    assert_eq!(constant_sum(&*game("tic_tac_toe", "rules")), None);
}

const BUTTONS: &str = "(role a) (role b) (init (n 0)) (legal b wait) (legal a left) (legal a right)
    (<= (next (n 1)) (does a left)) (<= (next (n 2)) (does a right))
    (<= terminal (true (n 1))) (<= terminal (true (n 2)))
    (<= (goal a 80) (true (n 1))) (<= (goal a 10) (true (n 2))) (<= (goal a 0) (true (n 0)))";

#[test]
fn the_sum_is_any_number_and_only_ends_count() {
    let zero_sum =
        format!("{BUTTONS} (<= (goal b 10) (true (n 1))) (<= (goal b 80) (true (n 2))) (goal b 0)");
    let game = game_from(&zero_sum.replace("(goal b 0)", ""), "batch");
    assert_eq!(constant_sum(&*game), Some(90));
    let game = game_from(&zero_sum.replace("(goal b 80)", "(goal b 70)").replace("(goal b 0)", ""), "batch");
    assert_eq!(constant_sum(&*game), None, "90 and 80");
}

/// The proof holds in play: all built-in games.
#[test]
fn sums_are_seen_in_playouts() {
    let mut proved = 0;
    for name in [
        "connect_four",
        "breakthrough_small",
        "othello",
        "checkers",
        "nine_board_tic_tac_toe",
        "pawn_whopping",
    ] {
        let game = game(name, "batch");
        let Some(sum) = constant_sum(&*game) else { continue };
        let found = playouts(&game, 512, 400, 1);
        if found.faulty_goals.iter().all(|&count| count == 0) {
            assert_eq!(found.goal_sums.iter().sum::<u64>(), u64::from(sum) * found.finished, "{name}");
            proved += 1;
        }
    }
    assert!(proved >= 3, "{proved} games");
}

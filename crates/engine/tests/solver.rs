//! The solver against exhaustive search: its bounds hold in every position, and small games are
//! decided.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests end by panicking")]

mod thoughts;

use std::sync::Arc;

use ludex_game::{Game, MoveId, RoleKind, joint_moves};
use ludex_search::Budget;
use ludex_testkit::{game_from, sheets};
use thoughts::exhaustive::Exhaustive;
use thoughts::game;

/// Searches positions of random games for every role. Returns how many positions were decided, of
/// how many.
fn bounds_hold(game: &Arc<dyn Game>, sum: Option<f64>, games: u64, playouts: u64) -> (u32, u32) {
    let mut exhaustive = Exhaustive::new(&**game, sum);
    let kinds = exhaustive.kinds.clone();
    let (mut decided, mut positions) = (0, 0);
    for seed in 0..games {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut state = game.initial();
        loop {
            let view = game.view(&state).expect("a view");
            if view.terminal {
                break;
            }
            let bounds = exhaustive.bounds(&state);
            for role in (0..kinds.len()).filter(|&role| kinds[role] == RoleKind::Player) {
                if view.legal[role].len() < 2 {
                    continue;
                }
                let mut search = thoughts::search("ludex", game, role, (seed, 1));
                search.set_root(&state).expect("a root");
                search.think(&Budget::playouts(playouts)).expect("a search");
                let report = search.report();
                let (low, high) = bounds[role];
                if let Some(proof) = report.proof {
                    let told = format!("{proof:?}, not {low} to {high}: {:?}", game.describe(&state));
                    assert!(f64::from(proof.low) <= low && high <= f64::from(proof.high), "{told}");
                }
                for candidate in &report.candidates {
                    let Some(proof) = candidate.proof else { continue };
                    assert!(f64::from(proof.low) <= low, "a move guarantees more than all: {proof:?}, {low}");
                }
                positions += 1;
                decided += u32::from(report.proven);
                if let (true, Some(chosen), true) = (report.proven, report.chosen(), low == high) {
                    // The chosen move keeps the value.
                    let kept = joint_moves(&view)
                        .into_iter()
                        .filter(|joint| joint[role] == chosen.id)
                        .map(|joint| exhaustive.bounds(&game.next(&state, &joint).expect("a state"))[role].0)
                        .fold(f64::INFINITY, f64::min);
                    assert_eq!(kept, low, "{:?}", game.describe(&state));
                }
            }
            let joint: Vec<MoveId> =
                view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            state = game.next(&state, &joint).expect("a state");
        }
    }
    (decided, positions)
}

#[test]
fn games_with_a_constant_sum_are_decided() {
    let (decided, positions) = bounds_hold(&game("tic_tac_toe", "batch"), Some(100.0), 4, 100_000);
    assert_eq!(decided, positions, "tic_tac_toe");
    let (decided, positions) = bounds_hold(&game("clobber_small", "batch"), Some(100.0), 2, 50_000);
    assert!(2 * decided > positions, "clobber_small: {decided} of {positions}");
    let (decided, positions) = bounds_hold(&game_from(sheets::HEAPS, "batch"), Some(100.0), 5, 20_000);
    assert_eq!(decided, positions, "heaps");
}

/// Three players take one or two from a heap; who takes the last gets most, the one before a little.
const THREE: &str = "(role a) (role b) (role c) (init (heap 7)) (init (turn a))
    (less 1 0) (less 2 1) (less 3 2) (less 4 3) (less 5 4) (less 6 5) (less 7 6)
    (after a b) (after b c) (after c a)
    (<= (minus ?n 1 ?m) (less ?n ?m)) (<= (minus ?n 2 ?k) (less ?n ?m) (less ?m ?k))
    (<= (legal ?p (take ?x)) (true (turn ?p)) (true (heap ?n)) (minus ?n ?x ?m))
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (next (heap ?m)) (does ?p (take ?x)) (true (heap ?n)) (minus ?n ?x ?m))
    (<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
    (<= terminal (true (heap 0)))
    (<= (goal ?p 100) (true (turn ?q)) (after ?p ?q))
    (<= (goal ?p 30) (true (turn ?q)) (after ?q ?p))
    (<= (goal ?p 0) (true (turn ?p)))";

#[test]
fn bounds_hold_with_three_players() {
    let (decided, positions) = bounds_hold(&game_from(THREE, "batch"), None, 6, 5_000);
    assert!(decided > 0, "{decided} of {positions}");
}

#[test]
fn bounds_hold_with_dice_and_with_simultaneous_moves() {
    let dice = sheets::dice([50, 50], [[20, 100], [50, 50], [100, 0]]);
    let (decided, positions) = bounds_hold(&game_from(&dice, "batch"), None, 3, 5_000);
    assert_eq!((decided, positions), (0, 3), "170 / 3 is no whole number");
    bounds_hold(&game("rock_paper_scissors", "batch"), None, 2, 3_000);
}

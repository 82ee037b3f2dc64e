//! No wrong proof: the solver against exhaustive search on random small sheets of every shape.
//!
//! `LUDEX_SOUNDNESS=10000` runs more sheets than the thousand of every day.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests end by panicking")]

mod thoughts;

use std::sync::Arc;

use ludex_game::{Game, RoleKind, State, joint_moves};
use ludex_search::Budget;
use ludex_testkit::{Shape, game_from, random_sheet};
use thoughts::exhaustive::{Exhaustive, constant_sum};

/// Sheets if nobody says.
const SHEETS: u64 = 1000;

/// The ways to search, in turn.
const SPECS: [&str; 5] = [
    "ludex",
    "ludex:transpositions=off",
    "ludex:batch=1,playouts=1",
    "ludex:prover=0.7",
    "ludex:prover=0,expand=0,batch=4,playouts=2",
];

/// Roundings outwards of means of means, in goals: one for every step with chance.
fn rounding(shape: Shape) -> f64 {
    if shape.chance { shape.layers as f64 } else { 0.0 }
}

/// The shapes in turn: constant and general sum, one to four players, chance, simultaneous moves.
fn shape(number: u64) -> Shape {
    let players = [2, 2, 3, 1, 2, 4][usize::try_from(number % 6).unwrap()];
    let wide = players < 3;
    Shape {
        players,
        chance: number % 5 == 4,
        simultaneous: number / 2 % 2 == 1,
        layers: 3 + usize::try_from(number % 3).unwrap(),
        width: 4,
        moves: if wide { 3 } else { 2 },
        constant_sum: players == 2 && number % 4 < 3,
        wins_only: number.is_multiple_of(3),
    }
}

/// What was found in some sheets.
#[derive(Debug, Default)]
struct Found {
    positions: u32,
    /// Positions of which something was proved, and those that were proved to the end.
    bounded: u32,
    decided: u32,
}

/// Searches a position for a role and compares every bound with the truth.
fn compare(
    game: &Arc<dyn Game>,
    exhaustive: &mut Exhaustive<'_>,
    (state, role): (&State, usize),
    (number, slack): (u64, f64),
    found: &mut Found,
) {
    let truth = exhaustive.bounds(state)[role];
    let view = game.view(state).unwrap();
    let spec = SPECS[usize::try_from(number % 5).unwrap()];
    let mut search = thoughts::search(spec, game, role, (number, 1));
    search.set_root(state).unwrap();
    let playouts = if number.is_multiple_of(2) { 300 } else { 2000 };
    // In so little memory most of the tree is recycled.
    let memory = if number % 3 == 1 { 60_000 } else { Budget::DEFAULT_MEMORY };
    search.think(&Budget { memory, ..Budget::playouts(playouts) }).unwrap();
    let report = search.report();
    let told = |what: &str| format!("sheet {number}, {}: {what}, {truth:?}", game.describe(state).join(" "));
    found.positions += 1;
    if let Some(proof) = report.proof {
        let (low, high) = (f64::from(proof.low), f64::from(proof.high));
        assert!(low <= truth.0 && truth.1 <= high, "{}", told(&format!("{proof:?}")));
        found.bounded += 1;
        found.decided += u32::from(proof.is_exact());
        if proof.is_exact() {
            assert!(truth.1 - truth.0 <= slack, "{}", told("exact"));
        }
    }
    for candidate in &report.candidates {
        let Some(proof) = candidate.proof else { continue };
        // The move alone: what the role can guarantee and get after it.
        let after = joint_moves(&view).into_iter().filter(|joint| joint[role] == candidate.id);
        let (mut low, mut high) = (f64::INFINITY, 0f64);
        for joint in after {
            let bounds = exhaustive.bounds(&game.next(state, &joint).unwrap())[role];
            (low, high) = (low.min(bounds.0), high.max(bounds.1));
        }
        let holds = f64::from(proof.low) <= low && high <= f64::from(proof.high);
        assert!(holds, "{}", told(&format!("move {}: {proof:?}, {low} to {high}", candidate.id.0)));
    }
}

fn check(number: u64, found: &mut Found) {
    let shape = shape(number);
    let sheet = random_sheet(shape, number);
    let game = game_from(&sheet, "batch");
    // Goals may have a constant sum by accident, and the solver notices.
    let sum = constant_sum(&*game);
    assert!(sum == Some(100.0) || !shape.constant_sum, "sheet {number}");
    let mut exhaustive = Exhaustive::new(&*game, sum);
    let mut random = fastrand::Rng::with_seed(number);
    let mut state = game.initial();
    // The first position and one in the middle.
    for step in 0..2 {
        let view = game.view(&state).unwrap();
        if view.terminal {
            break;
        }
        for role in 0..game.role_count() {
            let is_player = exhaustive.kinds[role] == RoleKind::Player;
            if is_player && view.legal[role].len() > 1 {
                let seed = number.wrapping_add(step);
                compare(&game, &mut exhaustive, (&state, role), (seed, rounding(shape)), found);
            }
        }
        let joint: Vec<_> = view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
        state = game.next(&state, &joint).unwrap();
    }
}

#[test]
fn no_proof_is_wrong() {
    let sheets = std::env::var("LUDEX_SOUNDNESS").ok().and_then(|text| text.parse().ok()).unwrap_or(SHEETS);
    let mut found = Found::default();
    (0..sheets).for_each(|number| check(number, &mut found));
    println!("{sheets} sheets: {found:?}");
    // Small games are mostly decided: a solver that proves nothing would pass everything else.
    assert!(u64::from(found.positions) > sheets / 2, "{found:?}");
    assert!(10 * found.bounded > 6 * found.positions, "{found:?}");
    assert!(10 * found.decided > 3 * found.positions, "{found:?}");
}

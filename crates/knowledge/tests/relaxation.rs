//! Distances of the relaxation: known ones, and that what can be reached is never called unreachable.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::collections::HashMap;
use std::sync::Arc;

use ludex_game::{Game, Goal, RoleId, State};
use ludex_knowledge::{Relaxation, UNREACHABLE, possible_goals};
use ludex_testkit::{Shape, game_from, random_sheet};

fn relaxation(game: &Arc<dyn Game>, most: u8) -> Relaxation {
    let model = game.model().and_then(|model| model.ground()).expect("a circuit");
    Relaxation::new(model, RoleId::new(0), most).expect("a relaxation")
}

/// Doors that open with keys, and a walk of five rooms.
const ROOMS: &str = "(role you) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (legal you go) (legal you back) (<= (legal you take) (true (at 2)))
    (<= (next (at ?n)) (does you go) (true (at ?m)) (succ ?m ?n))
    (<= (next (at ?m)) (does you back) (true (at ?n)) (succ ?m ?n))
    (<= (next (at ?m)) (does you take) (true (at ?m)))
    (<= (next key) (does you take)) (<= (next key) (true key))
    (<= terminal (true (at 4)) (true key)) (<= (goal you 100) (true key))
    (<= (goal you 50) (true (at never))) (<= (next (at never)) (true (at nowhere)))
    (<= (next (at nowhere)) (true (at never)) (does you go))
    (<= (goal you 0) (not (true key)))";

#[test]
fn distances_are_those_of_the_formula() {
    let game = game_from(ROOMS, "batch");
    let mut relaxation = relaxation(&game, 100);
    assert_eq!(relaxation.goal(), 100);
    // terminal: four steps to the last room, and the key: two steps to it, and taking it; goal: the key.
    let start = game.initial();
    assert_eq!(relaxation.distances(&[start.words()])[0], 4 + 3 + 3);
    let step = |state: &State, name: &str| {
        game.next(state, &[game.find_move(name).expect("a move")]).expect("a state")
    };
    let second = step(&step(&start, "go"), "go");
    let with_key = step(&second, "take");
    let all = relaxation.distances(&[start.words(), second.words(), with_key.words()]);
    assert_eq!(all[..3], [10, 2 + 1 + 1, 2]);
}

#[test]
fn what_can_be_reached_is_never_unreachable() {
    let mut unreachable = 0;
    for seed in 0..30u8 {
        let shape = Shape {
            players: 1,
            chance: false,
            simultaneous: false,
            layers: 4,
            width: 4,
            moves: 3,
            constant_sum: false,
            wins_only: false,
        };
        let game = game_from(&random_sheet(shape, seed.into()), "batch");
        // Layers: the best goals of each state are those of the states behind it.
        let mut order = vec![game.initial()];
        let mut at = HashMap::from([(game.initial(), 0)]);
        let mut children: Vec<Vec<usize>> = Vec::new();
        while children.len() < order.len() {
            let state = order[children.len()].clone();
            let view = game.view(&state).expect("a view");
            let next = view.legal[0].iter().map(|&id| game.next(&state, &[id]).expect("a state"));
            let next = next.map(|child| {
                *at.entry(child.clone()).or_insert_with(|| {
                    order.push(child);
                    order.len() - 1
                })
            });
            let next = next.collect();
            children.push(next);
        }
        let goals = |state: &State| {
            let terminal = game.view(state).expect("a view").terminal;
            terminal.then(|| game.goals(state).expect("goals")[0].clone()).as_ref().and_then(Goal::value)
        };
        let model = game.model().and_then(|model| model.ground()).expect("a circuit");
        for target in possible_goals(model, RoleId::new(0)) {
            let mut relaxation = relaxation(&game, target);
            let mut reaches: Vec<bool> = order.iter().map(|state| goals(state) == Some(target)).collect();
            for _ in 0..order.len() {
                for (at, children) in children.iter().enumerate() {
                    reaches[at] = reaches[at] || children.iter().any(|&child| reaches[child]);
                }
            }
            for (state, &reaches) in order.iter().zip(&reaches) {
                let distance = relaxation.distances(&[state.words()])[0];
                assert!(!reaches || distance < UNREACHABLE, "seed {seed}, goal {target}");
                unreachable += usize::from(distance == UNREACHABLE);
            }
        }
    }
    assert!(unreachable > 0, "some states are dead ends");
}

/// Each level needs two things that each need the level below: costs double, and exceed what is counted.
#[test]
fn what_is_very_dear_is_still_reachable() {
    let mut sheet = "(role you) (init (level 0)) (legal you go)\n".to_owned();
    for level in 0..20 {
        let above = level + 1;
        sheet += &format!(
            "(<= (next (level {level})) (true (level {level})))
            (<= (next (left {above})) (true (level {level}))) (<= (next (right {above})) (true (level {level})))
            (<= (next (level {above})) (true (left {above})) (true (right {above})) (does you go))\n"
        );
    }
    sheet += "(<= terminal (true (level 20))) (<= (goal you 100) (true (level 20)))
        (<= (goal you 0) (not (true (level 20))))";
    let game = game_from(&sheet, "batch");
    let distance = relaxation(&game, 100).distances(&[game.initial().words()])[0];
    assert_eq!(distance, UNREACHABLE - 1);
}

/// A game in which nothing changes without a move: the first round sees no legal move yet.
#[test]
fn nothing_moves_by_itself() {
    let sheet = "(role you) (init off) (<= (legal you press) (true off)) (<= (legal you wait) (true off))
        (<= (next off) (true off) (does you wait)) (<= (next on) (does you press))
        (<= terminal (true on)) (<= (goal you 100) (true on)) (<= (goal you 0) (not (true on)))";
    let game = game_from(sheet, "batch");
    assert_eq!(relaxation(&game, 100).distances(&[game.initial().words()])[0], 2);
}

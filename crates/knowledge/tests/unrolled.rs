//! The unrolled circuit against exhaustive search.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::collections::HashSet;
use std::sync::Arc;

use ludex_game::{Game, Goal, RoleId, State};
use ludex_knowledge::{Answer, Unrolled, possible_goals};
use ludex_testkit::{Shape, game, game_from, random_sheet};

/// By number of steps: the best goal of the terminal states that are reached then.
fn best_by_length(game: &Arc<dyn Game>, steps: usize) -> Vec<Option<u8>> {
    let mut layer = HashSet::from([game.initial()]);
    let mut best = Vec::new();
    for _ in 0..=steps {
        let (mut next, mut here) = (HashSet::new(), None);
        let mut states: Vec<State> = layer.into_iter().collect();
        states.sort();
        for state in states {
            let view = game.view(&state).expect("a view");
            if view.terminal {
                here = here.max(game.goals(&state).expect("goals").first().and_then(Goal::value));
            }
            next.extend(view.legal[0].iter().map(|&id| game.next(&state, &[id]).expect("a state")));
        }
        best.push(here);
        layer = next;
    }
    best
}

/// Asks for each horizon and target, and compares the answers.
fn compare(game: &Arc<dyn Game>, steps: usize, name: &str) {
    let model = game.model().and_then(|model| model.ground()).expect("a circuit");
    let best = best_by_length(game, steps);
    let words = game.initial().words().to_vec();
    let holds = |fact: usize| words[fact / 64] >> (fact % 64) & 1 == 1;
    let goals = possible_goals(model, RoleId::new(0));
    assert!(best.iter().flatten().all(|goal| goals.contains(goal)), "{name}: {best:?}, {goals:?}");
    for &target in &goals {
        let mut unrolled = Unrolled::new(model, holds, target);
        for horizon in 1..=steps {
            unrolled.extend(model);
            let reachable = best[1..=horizon].iter().flatten().any(|&goal| goal >= target);
            match unrolled.ask(model, horizon, u64::MAX, None) {
                Answer::Plan(moves) => {
                    assert!(reachable && moves.len() <= horizon, "{name}: {target} in {horizon}");
                    let mut state = game.initial();
                    for id in moves {
                        let view = game.view(&state).expect("a view");
                        assert!(view.legal[0].contains(&id), "{name}: {target} in {horizon}");
                        state = game.next(&state, &[id]).expect("a state");
                    }
                    assert!(game.view(&state).expect("a view").terminal, "{name}: {target} in {horizon}");
                    let goal = game.goals(&state).expect("goals")[0].value();
                    assert!(goal >= Some(target), "{name}: {target} in {horizon}");
                }
                Answer::Refuted => assert!(!reachable, "{name}: {target} in {horizon}"),
                Answer::Open => panic!("{name}: an answer without a limit"),
            }
        }
    }
}

#[test]
fn plans_and_refutations_are_those_of_exhaustive_search() {
    for seed in 0..40u8 {
        let shape = Shape {
            players: 1,
            chance: false,
            simultaneous: false,
            layers: 3 + usize::from(seed) % 3,
            width: 4,
            moves: 3,
            constant_sum: false,
            wins_only: false,
        };
        compare(&game_from(&random_sheet(shape, seed.into()), "batch"), 6, &format!("seed {seed}"));
    }
    // Facts that nothing reads, one of which always holds, must not restrict the plans.
    let unread = "(role you) (init (at 0)) (init (last none)) (legal you left) (legal you right)
        (<= (next (at 1)) (true (at 0)) (does you right)) (<= (next (at 0)) (does you left))
        (<= (next (at 2)) (true (at 1)) (does you right)) (<= (next (last ?m)) (does you ?m))
        (<= terminal (true (at 2))) (<= (goal you 100) (true (at 2))) (<= (goal you 0) (not (true (at 2))))";
    compare(&game_from(unread, "batch"), 4, "unread facts");
    for (name, steps) in [("blocks_world", 3), ("two_buttons", 6), ("pancakes6", 3), ("peg", 3)] {
        compare(&game(name, "batch"), steps, name);
    }
}

#[test]
fn the_end_of_the_longest_game_is_seen() {
    let game = game("blocks_world", "batch");
    let model = game.model().and_then(|model| model.ground()).expect("a circuit");
    let words = game.initial().words().to_vec();
    let mut unrolled = Unrolled::new(model, |fact| words[fact / 64] >> (fact % 64) & 1 == 1, 0);
    let mut lasts = Vec::new();
    for _ in 0..4 {
        unrolled.extend(model);
        lasts.push(unrolled.can_last(u64::MAX, None));
    }
    assert_eq!(lasts, [Some(true), Some(true), Some(false), Some(false)]);
}

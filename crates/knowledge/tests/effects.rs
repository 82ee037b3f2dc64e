//! What moves are said to do against what they do.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::sync::Arc;

use ludex_game::{FactId, Game, RoleId};
use ludex_knowledge::{Effect, move_effects, relevant_facts};
use ludex_testkit::{Shape, game, game_from, random_sheet};

/// Plays at random, and compares each step with the effects of the move. Gives the effects seen that are
/// exact, and those that are not.
fn compare(game: &Arc<dyn Game>, name: &str) -> (usize, usize) {
    let model = game.model().and_then(|model| model.ground()).expect("a circuit");
    let relevant = relevant_facts(model);
    let effects = move_effects(model, &relevant).expect("effects");
    let mut random = 3usize;
    let (mut exact, mut open) = (0, 0);
    for _ in 0..5 {
        let mut state = game.initial();
        for _ in 0..30 {
            let view = game.view(&state).expect("a view");
            if view.terminal || view.legal[0].is_empty() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let id = view.legal[0][(random >> 33) % view.legal[0].len()];
            let next = game.next(&state, &[id]).expect("a state");
            let holds =
                |words: &[u64], fact: FactId| words[fact.index() / 64] >> (fact.index() % 64) & 1 == 1;
            let before = |fact| holds(state.words(), fact);
            let made = &effects[model.input(RoleId::new(0), id).expect("an input")];
            for &(fact, needed) in &made.needs {
                assert_eq!(before(fact), needed, "{name}: {} needs {fact:?}", game.move_name(id));
            }
            for fact in (0..relevant.len()).filter(|&fact| relevant[fact]).map(FactId::new) {
                let change = made.changes.iter().find(|&&(changed, _)| changed == fact);
                let expected = match change.map(|&(_, effect)| effect) {
                    None => before(fact),
                    Some(Effect::On) => true,
                    Some(Effect::Off) => false,
                    Some(Effect::Copy(from)) => before(from),
                    Some(Effect::Depends) => {
                        open += 1;
                        continue;
                    }
                };
                exact += 1;
                assert_eq!(holds(next.words(), fact), expected, "{name}: {} {fact:?}", game.move_name(id));
            }
            state = next;
        }
    }
    (exact, open)
}

#[test]
fn effects_are_what_moves_do() {
    // Sheets whose moves change single facts are read without any doubt.
    for (name, certain) in [
        ("hanoi", false),
        ("sudoku_easy", true),
        ("queens", false),
        ("eight_puzzle", false),
        ("blocks_world", false),
        ("peg", false),
    ] {
        let (exact, open) = compare(&game(name, "batch"), name);
        assert!(exact > 0 && (!certain || open == 0), "{name}: {exact} exact, {open} open");
    }
    for seed in 0..20u8 {
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
        compare(&game_from(&random_sheet(shape, seed.into()), "batch"), &format!("seed {seed}"));
    }
}

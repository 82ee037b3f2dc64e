//! Answer-set programs against the reference: the plan of clingo's best answer is legal, ends the
//! game, and scores what clingo says; and no plan that short scores more.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use std::process::Command;

use ludex_game::Game;
use ludex_gdl::load;
use ludex_reasoner::build;
use ludex_testkit::{Corpus, game, game_from, has_program, library_rules, rules};
use ludex_translate::{CannotTranslate, asp};

/// clingo's best answer: the score, and the move of every time as clingo spells it.
fn solved(name: &str, program: &str) -> Option<(u8, Vec<String>)> {
    let file = tempfile::NamedTempFile::with_suffix(".lp").expect("a temporary file");
    std::fs::write(file.path(), program).expect("written");
    let output =
        Command::new("clingo").args(["--outf=2", "--seed=7"]).arg(file.path()).output().expect("clingo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{name}: {errors}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    match answer["Result"].as_str() {
        Some("OPTIMUM FOUND") => {}
        Some("UNSATISFIABLE") => return None,
        other => panic!("{name}: {other:?}"),
    }
    let witnesses = answer["Call"][0]["Witnesses"].as_array().expect("witnesses");
    let atoms = witnesses.last().expect("an answer")["Value"].as_array().expect("atoms");
    let (mut score, mut moves) = (None, Vec::new());
    for atom in atoms.iter().filter_map(|atom| atom.as_str()) {
        if let Some(rest) = atom.strip_prefix("score(") {
            score = rest.trim_end_matches(')').parse().ok();
        } else if let Some(rest) = atom.strip_prefix("does(") {
            let (rest, time) = rest.trim_end_matches(')').rsplit_once(',').expect("a time");
            let (_, action) = rest.split_once(',').expect("a move");
            // The last parenthesis of a compound move was cut off with that of the atom.
            moves.push((time.parse::<usize>().expect("a number"), action.to_string()));
        }
    }
    moves.sort();
    Some((score.expect("a score"), moves.into_iter().map(|(_, action)| action).collect()))
}

/// A move in clingo's spelling: `mark(1,2)`, without renamed words.
fn spelled(text: &str) -> String {
    if !text.starts_with('(') {
        return text.into();
    }
    // `(f a (g b))` becomes `f(a,g(b))`.
    let (mut out, mut after_name, mut in_head) = (String::new(), Vec::new(), false);
    for token in text.replace('(', "( ").replace(')', " )").split_whitespace() {
        match token {
            "(" => {
                if after_name.last() == Some(&true) {
                    out.push(',');
                }
                if let Some(last) = after_name.last_mut() {
                    *last = true;
                }
                after_name.push(false);
                in_head = true;
            }
            ")" => {
                out.push(')');
                after_name.pop();
            }
            word if in_head => {
                out.push_str(word);
                out.push('(');
                in_head = false;
            }
            word => {
                if after_name.last_mut().is_some_and(|last| std::mem::replace(last, true)) {
                    out.push(',');
                }
                out.push_str(word);
            }
        }
    }
    out
}

/// Replays a plan by the reference: what it scores, if it is legal and ends the game.
fn score_of(name: &str, game: &dyn Game, plan: &[String]) -> u8 {
    let mut state = game.initial();
    for action in plan {
        let view = game.view(&state).expect("rules without faults");
        assert!(!view.terminal, "{name}: the plan is longer than the game");
        let chosen = view.legal[0].iter().find(|&&id| spelled(&game.move_name(id)) == *action);
        let chosen = *chosen.unwrap_or_else(|| panic!("{name}: {action} is not legal"));
        state = game.next(&state, &[chosen]).expect("a legal move");
    }
    assert!(game.view(&state).expect("rules without faults").terminal, "{name}: the plan does not end");
    game.goals(&state).expect("rules without faults")[0].value().expect("one value")
}

/// The best score within `horizon` moves, by trying every play.
fn best(game: &dyn Game, horizon: usize) -> Option<u8> {
    let (mut level, mut best) = (vec![game.initial()], None);
    for left in (0..=horizon).rev() {
        let mut next = std::collections::BTreeMap::new();
        for state in &level {
            let view = game.view(state).expect("rules without faults");
            if view.terminal {
                best = best.max(game.goals(state).expect("rules without faults")[0].value());
                continue;
            }
            for &action in view.legal[0].iter().filter(|_| left > 0) {
                let state = game.next(state, &[action]).expect("a legal move");
                next.insert(game.describe(&state), state);
            }
        }
        level = next.into_values().collect();
    }
    best
}

#[test]
fn clingo_finds_the_best_plan_of_small_puzzles() {
    if !has_program("clingo", "gringo") {
        return;
    }
    for (name, horizon) in [
        ("buttons_and_lights", 6),
        ("buttons_and_lights", 5),
        ("two_buttons", 4),
        ("blocks_world", 3),
        ("blocks_world_serial", 6),
        ("maze", 8),
        ("state_space_small", 4),
        ("duplicate_state_small", 4),
        ("rule_depth_quadratic", 2),
    ] {
        let program = asp(&library_rules(name), horizon).expect("a game for one");
        let game = game(name, "reference");
        let answer = solved(name, &program);
        assert_eq!(answer.as_ref().map(|(score, _)| *score), best(&*game, horizon), "{name}, {horizon}");
        if let Some((score, plan)) = answer {
            assert_eq!(score_of(name, &*game, &plan), score, "{name}");
        }
    }
}

#[test]
fn clingo_solves_puzzles_that_need_reasoning() {
    if !has_program("clingo", "gringo") {
        return;
    }
    for (name, horizon) in [("queens", 8), ("hanoi", 31)] {
        let program = asp(&library_rules(name), horizon).expect("a game for one");
        let (score, plan) = solved(name, &program).expect("a plan");
        assert_eq!(score, 100, "{name}");
        assert_eq!(score_of(name, &*game(name, "reference"), &plan), 100, "{name}");
    }
}

#[test]
fn other_horizons_and_odd_names() {
    if !has_program("clingo", "gringo") {
        return;
    }
    // Words of clingo, relations called like those of the program, alternatives, the same word as
    // a relation and a constant.
    let sheet = "(role Me) (init (time 0)) (init (holds not 01))
        (time 0 1) (time 1 2) (time 2 3) (stopped 3)
        (<= (legal Me (score ?n)) (true (time ?n)))
        (<= (legal Me (score ?m)) (true (time ?n)) (or (time ?n ?m) (and (time ?m ?n) (distinct ?m 0))))
        (<= (next (time ?m)) (true (time ?n)) (time ?n ?m))
        (<= (next (holds not ?n)) (does Me (score ?n)))
        (<= terminal (true (time ?n)) (stopped ?n))
        (<= (goal Me 100) (true (holds not 1)) (not (true (time 0))))
        (<= (goal Me 40) (true (holds not 2)))
        (<= (goal Me 10) (true (holds not 3)))";
    let game = game_from(sheet, "reference");
    assert_eq!(solved("odd", &asp(&rules(sheet), 2).expect("one role")), None);
    let (score, plan) = solved("odd", &asp(&rules(sheet), 9).expect("one role")).expect("a plan");
    assert_eq!((score, plan.len()), (100, 3));
    assert_eq!(score_of("odd", &*game, &plan), 100);
}

#[test]
fn plans_of_the_corpus_are_plans() {
    if !has_program("clingo", "gringo") {
        return;
    }
    let Some(corpus) = Corpus::find("answer-set programs of published sheets") else { return };
    let mut solved_sheets = 0;
    for sheet in corpus.sheets("games") {
        let small = std::fs::metadata(&sheet.path).is_ok_and(|file| file.len() < 2500);
        let Some(rules) = small.then(|| load(&sheet.source()).playable().ok()).flatten() else { continue };
        if rules.roles.len() != 1 {
            continue;
        }
        let Ok(program) = asp(&rules, 3) else { continue };
        let reference = build(rules, "reference").expect("playable rules");
        if let Some((score, plan)) = solved(&sheet.name, &program) {
            assert_eq!(score_of(&sheet.name, &*reference, &plan), score, "{}", sheet.name);
            solved_sheets += 1;
        }
    }
    assert!(solved_sheets > 0, "no game of the corpus ends within three moves");
}

#[test]
fn what_cannot_be_translated_is_refused() {
    assert_eq!(asp(&library_rules("tic_tac_toe"), 9), Err(CannotTranslate::Roles(2)));
    let pairs: String = (0..13).map(|n| format!("(or (true (p {n})) (true (q {n})))")).collect();
    let sheet = format!(
        "(role you) (init (p 1)) (legal you go) (<= (next (p ?x)) (true (p ?x)))
        (<= (next (q ?x)) (true (q ?x))) (<= terminal {pairs}) (goal you 0)"
    );
    let refused = asp(&ludex_testkit::rules_despite_errors(&sheet), 3);
    assert!(matches!(refused, Err(CannotTranslate::Alternatives(_))), "{refused:?}");
}

#[test]
fn the_program_of_two_buttons() {
    insta::assert_snapshot!(asp(&library_rules("two_buttons"), 4).expect("one role"));
}

//! Mutated sheets, most of them with errors: no engine panics, and an engine that takes a sheet plays
//! it as the reference does.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::time::Duration;

use ludex_game::{Effort, Violation, agree};
use ludex_gdl::{Source, load};
use ludex_reasoner::{BuildOptions, Ground, Limits, Progress, Reference, RulesGame, build_with};
use ludex_testkit::{sheets, text};

const EFFORT: Effort = Effort { seed: 1, games: 2, max_steps: 5, max_joint_moves: 8, playouts: 2 };

const ENGINES: [&str; 3] = ["rules", "circuit", "batch"];

/// Sheets to try.
const SHEETS: u64 = 400;

/// The tokens of a sheet.
fn tokens(text: &str) -> Vec<String> {
    let spaced = text
        .lines()
        .map(|line| line.split(';').next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n")
        .replace('(', " ( ")
        .replace(')', " ) ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// The range of the condition or term that begins at a token.
fn end_of(tokens: &[String], at: usize) -> usize {
    let mut depth = 0usize;
    for (number, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return number + 1;
        }
    }
    tokens.len()
}

/// Changes one to three places.
fn mutate(mut tokens: Vec<String>, random: &mut fastrand::Rng) -> String {
    for _ in 0..random.usize(1..=3) {
        let words: Vec<usize> =
            (0..tokens.len()).filter(|&at| !["(", ")", "<="].contains(&tokens[at].as_str())).collect();
        let at = words[random.usize(..words.len())];
        let other = tokens[words[random.usize(..words.len())]].clone();
        match random.u8(..8) {
            // Another word: relations of other arities, moves where facts were, unsafe variables.
            0..=2 => tokens[at] = other,
            // Keywords where they are errors.
            3 => {
                tokens[at] =
                    ["does", "true", "next", "legal", "goal", "terminal", "not", "role", "init", "distinct"]
                        [random.usize(..10)]
                    .to_owned()
            }
            4 => tokens[at] = format!("?{}", ["x", "m", "n", "p"][random.usize(..4)]),
            // A condition or an argument less.
            5 => drop(tokens.drain(at..end_of(&tokens, at))),
            // A negation more.
            6 => {
                let opens: Vec<usize> = (0..tokens.len()).filter(|&at| tokens[at] == "(").collect();
                let at = opens[random.usize(..opens.len())];
                let end = end_of(&tokens, at);
                tokens.insert(end, ")".to_owned());
                tokens.splice(at..at, ["(".to_owned(), "not".to_owned()]);
            }
            // A whole expression somewhere else.
            _ => {
                let opens: Vec<usize> = (0..tokens.len()).filter(|&at| tokens[at] == "(").collect();
                let from = opens[random.usize(..opens.len())];
                let copy = tokens[from..end_of(&tokens, from)].to_vec();
                if copy.len() < 40 {
                    tokens.splice(at..at, copy);
                }
            }
        }
    }
    tokens.join(" ")
}

#[test]
fn engines_play_mutated_sheets_like_the_reference_or_refuse_them() {
    let dice = sheets::dice([50, 50], [[0, 100], [50, 50], [100, 0]]);
    let originals = [
        sheets::LOOP,
        sheets::HEAPS,
        text("tic_tac_toe"),
        text("rock_paper_scissors"),
        text("buttons_and_lights"),
        &dice,
    ];
    let limits = Limits { atoms: 20_000, instances: 40_000, bytes: 64 << 20, time: Duration::from_secs(2) };
    let options = BuildOptions { limits, ..BuildOptions::default() };
    let (mut played, mut with_errors) = (0u64, 0u64);
    for seed in 0..SHEETS {
        let mut random = fastrand::Rng::with_seed(seed);
        let original = originals[random.usize(..originals.len())];
        let text = mutate(tokens(original), &mut random);
        let loaded = load(&Source::new("mutated.kif", text.as_str()));
        with_errors += u64::from(loaded.report.has_errors());
        assert_eq!(loaded.rules.errors > 0, loaded.report.has_errors());
        let Ok(reference) = Reference::new(loaded.rules.clone()) else { continue };
        for engine in ENGINES {
            let built = build_with(loaded.rules.clone(), engine, &options, &Progress::new());
            let Ok(built) = built else { continue };
            let agreed = agree(&reference, &*built.game, &EFFORT);
            // A sheet with errors may have states that the reference cannot evaluate.
            let failed = matches!(agreed.as_ref().map_err(|found| &**found), Err(Violation::Failed { .. }));
            assert!(
                agreed.is_ok() || loaded.rules.errors > 0 && failed,
                "seed {seed}, {engine}: {:?}\n{text}",
                agreed.err()
            );
            played += u64::from(built.game.engine().name == engine);
        }
        // Without the check in `build`, the engines themselves refuse.
        if loaded.report.has_errors() {
            assert!(Ground::new(&loaded.rules, &options.limits).is_err(), "seed {seed}\n{text}");
            assert!(RulesGame::new(&loaded.rules).is_err(), "seed {seed}\n{text}");
        }
    }
    assert!(played > SHEETS / 2, "{played} games of {SHEETS} sheets were played by fast engines");
    assert!(with_errors > SHEETS / 4, "{with_errors} of {SHEETS} sheets have errors");
}

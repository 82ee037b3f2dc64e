//! Sheets with errors: no engine panics on one, and each refuses it or agrees with the reference.

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ludex_game::{Effort, Game, Request, Violation, agree};
use ludex_gdl::{Rules, Source, load};
use ludex_reasoner::{
    BuildOptions, Limits, Progress, Reference, ReferenceLimits, RulesGame, RulesOptions, build, build_with,
};

/// Sheets with errors are loaded as `ludex trace verify` loads them.
fn rules(text: &str) -> Rules {
    load(&Source::new("faulty.kif", text)).rules
}

const EFFORT: Effort = Effort { seed: 1, games: 2, max_steps: 4, max_joint_moves: 8, playouts: 2 };

/// Engines that play a sheet whose `terminal`, `legal`, `goal` or `init` asks for moves as the
/// reference does. `circuit` and `batch` still answer such questions differently.
const WITHOUT_MOVES: [&str; 2] = ["reference", "rules"];

/// These engines must have this game, and say the same about it.
fn all_agree(text: &str) {
    let reference = Reference::new(rules(text)).expect("a game");
    for engine in WITHOUT_MOVES {
        let game = build(rules(text), engine).expect("a game");
        let agreed = agree(&reference, &*game, &EFFORT);
        assert!(agreed.is_ok(), "{}: {:?}\n{text}", engine, agreed.err());
    }
}

const BASE: &str = "(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal b wait)
    (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y) (does a go)) (goal b 0)";

#[test]
fn an_end_that_asks_for_moves_has_none() {
    all_agree(&format!(
        "{BASE} (legal a go) (legal a (jump 1)) (goal a 0)
        (<= jumped (does a (jump ?n)) (not (small ?n))) (<= (small ?n) (succ ?n 1))
        (<= unmoved (not moved)) (<= moved (does ?who go))
        (<= terminal jumped) (<= terminal (true (n 2)) unmoved)"
    ));
}

#[test]
fn legal_moves_and_goals_that_ask_for_moves_have_none() {
    all_agree(&format!(
        "{BASE} (legal a go) (<= (legal a ?m) (does b ?m)) (<= (legal a again) (not (does b wait)))
        (<= terminal (true (n 3))) (<= (goal a 100) (does a go)) (<= (goal a 7) (not (does a go)))
        (<= (init ?m) (does a ?m)) (<= (init still) (not (does a go)))"
    ));
}

#[test]
fn moves_do_not_outlive_the_step_they_are_made_in() {
    let text = format!(
        "{BASE} (legal a go) (<= (goal a 100) (does a go)) (<= (goal a 7) (not (does a go))) (<= terminal (does a go))"
    );
    for engine in WITHOUT_MOVES {
        let game = build(rules(&text), engine).expect("a game");
        let first = game.initial();
        let before = (game.view(&first).expect("a view"), game.goals(&first).expect("goals"));
        let joint: Vec<_> = before.0.legal.iter().map(|moves| moves[0]).collect();
        game.next(&first, &joint).expect("a state");
        let after = (game.view(&first).expect("a view"), game.goals(&first).expect("goals"));
        assert_eq!(before, after, "{engine}");
    }
}

/// A sheet of random clauses: what stands where is left to chance, so most have errors.
fn sheet(random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    // Now and then without roles, with one that is no constant, or twice the same.
    for role in ["(role a)", "(role b)", "(role (c 1))", "(role a)", "(role ?x)", "(<= (role ?x) (p0 ?x ?y))"]
    {
        if random.u8(..8) < if matches!(role, "(role a)" | "(role b)") { 7 } else { 1 } {
            let _ = writeln!(text, "{role}");
        }
    }
    for clause in ["(init (s 1 2))", "(init (s 2 1))", "(legal a go)", "(legal b wait)", "(goal a 50)"] {
        if random.u8(..4) > 0 {
            let _ = writeln!(text, "{clause}");
        }
    }
    for _ in 0..random.usize(4..16) {
        let head = atom(random, false);
        let body: Vec<String> = (0..random.usize(..4)).map(|_| condition(random, 0)).collect();
        let _ = match body.is_empty() {
            true => writeln!(text, "{head}"),
            false => writeln!(text, "(<= {head} {})", body.join(" ")),
        };
    }
    text
}

fn condition(random: &mut fastrand::Rng, depth: u8) -> String {
    match random.u8(..16) {
        0 | 1 => format!("(distinct {} {})", term(random, 0), term(random, 0)),
        2 => format!("(not (distinct {} {}))", term(random, 0), term(random, 0)),
        3 if depth < 2 => format!("(or {} {})", condition(random, depth + 1), condition(random, depth + 1)),
        4 if depth < 2 => format!("(and {} {})", condition(random, depth + 1), condition(random, depth + 1)),
        5..=8 => format!("(not {})", atom(random, true)),
        _ => atom(random, true),
    }
}

/// A relation with arguments, in a head or in a body; a keyword may stand where it must not.
fn atom(random: &mut fastrand::Rng, body: bool) -> String {
    let (one, other) = (term(random, 0), term(random, 0));
    let misplaced = random.u8(..12) == 0;
    match (random.u8(..10), body != misplaced) {
        (0..3, true) => format!("(true {one})"),
        (3..5, true) => format!("(does {one} {other})"),
        (5, true) => format!("(role {one})"),
        (0, false) => "terminal".to_owned(),
        (1, false) => format!("(legal {one} {other})"),
        (2, false) => format!("(goal {one} {other})"),
        (3..5, false) => format!("(next {one})"),
        (5, false) => format!("(init {one})"),
        _ => match random.u8(..5) {
            0 => "q".to_owned(),
            number => format!("(p{} {one} {other})", number % 3),
        },
    }
}

fn term(random: &mut fastrand::Rng, depth: u8) -> String {
    match random.u8(..16) {
        0..7 => format!("?v{}", random.u8(..3)),
        7 | 8 if depth < 2 => {
            let (one, other) = (term(random, depth + 1), term(random, depth + 1));
            format!("(s {one} {other})")
        }
        9 | 10 => "a".to_owned(),
        11 => "b".to_owned(),
        12 => "go".to_owned(),
        13 => "100".to_owned(),
        _ => random.u8(1..3).to_string(),
    }
}

/// Every engine that takes these rules, within limits that are small.
fn games(sheet: &Rules) -> Vec<Arc<dyn Game>> {
    let limits = Limits { atoms: 5_000, instances: 20_000, ..Limits::default() };
    let options = BuildOptions { limits, ..BuildOptions::default() };
    let mut games: Vec<Arc<dyn Game>> = Vec::new();
    for engine in ["circuit", "batch"] {
        let built = build_with(sheet.clone(), engine, &options, &Progress::new());
        games.extend(built.ok().map(|built| built.game));
    }
    let options =
        RulesOptions { max_terms: 5_000, max_atoms: 50_000, max_steps: 500_000, ..RulesOptions::default() };
    if let Ok(game) = RulesGame::with_options(sheet, &options) {
        games.push(Arc::new(game));
    }
    games
}

/// Asks for all that changes caches: expansions and playouts. Only a panic would be wrong.
fn exercise(game: &dyn Game) {
    let from = game.initial();
    let _ = game.expand(&from, &[]);
    let _ = game.playouts(&mut Request { from: &from, count: 3, max_steps: 4, seed: 1, policy: None });
    let _ = game.view(&from);
}

#[test]
#[ignore = "fails: `rules` panics on unsafe heads, `circuit` and `batch` differ where `legal` asks for moves"]
fn random_sheets_with_errors_are_refused_or_played_as_the_reference_does() {
    let (mut errors, mut refused, mut agreed) = (0, 0, 0);
    let seeds = std::env::var("LUDEX_FAULTY_SHEETS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    for seed in 0..seeds {
        let text = sheet(&mut fastrand::Rng::with_seed(seed));
        let loaded = load(&Source::new("faulty.kif", text.as_str()));
        errors += u32::from(loaded.report.has_errors());
        let limits = ReferenceLimits { atoms: 20_000, steps: 500_000, terms: 5_000 };
        let run = catch_unwind(AssertUnwindSafe(|| {
            let reference = Reference::with_limits(loaded.rules.clone(), limits);
            let (mut refused, mut agreed) = (0, 0);
            for game in games(&loaded.rules) {
                exercise(&*game);
                let Ok(reference) = &reference else { continue };
                match agree(reference, &*game, &EFFORT).map_err(|violation| *violation) {
                    Ok(_) => agreed += 1,
                    Err(Violation::Failed { .. }) => refused += 1,
                    Err(violation) => {
                        let engine = game.engine();
                        return Err(format!("{engine}: {violation:?}"));
                    }
                }
            }
            Ok((refused, agreed))
        }));
        match run {
            Ok(Ok((r, a))) => (refused, agreed) = (refused + r, agreed + a),
            Ok(Err(violation)) => panic!("seed {seed}: {violation}\n{text}"),
            Err(_) => panic!("seed {seed} panics:\n{text}"),
        }
    }
    // Otherwise the sheets are too much alike to say anything.
    assert!(errors > 500 && refused > 100 && agreed > 100, "{errors} {refused} {agreed}");
}

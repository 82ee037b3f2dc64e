//! The engine `rules` against recorded play.
//!
//! The traces are not part of this repository: set `LUDEX_CORPUS` to a folder with `games/*.kif`
//! and `traces/*.jsonl.gz` (and the same in `gdl2`). Without it this test has nothing to look at.
//! It takes a sample of the sheets that is done within a minute; `LUDEX_ALL=1` takes all,
//! `LUDEX_SHEET=name` one.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests end by panicking")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::read::GzDecoder;
use ludex_game::{Game, Goal};
use ludex_gdl::{Source, load};
use ludex_reasoner::RulesGame;
use ludex_testkit::Corpus;
use serde_json::Value;

/// Sheets whose recorded traces are not what the rules say, and why.
const QUIRKS: &[(&str, &str)] = &[
    ("ggptest_test_case_3f", "the recording prover takes a negation with the player left open for true"),
    ("bender_dresdensingleplayer1", "it takes a negation with a variable without a value for true"),
    ("bender_dresdensingleplayer2", "it takes `distinct` of variables that the caller gives for true"),
];

fn lines(path: &Path) -> Vec<Value> {
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("a trace");
    GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().expect("a list");
    let mut strings: Vec<String> = list.iter().map(|v| v.as_str().expect("a string").to_owned()).collect();
    strings.sort();
    strings
}

/// The first difference between a game and its trace.
fn difference(game: &RulesGame, trace: &[Value], until: Option<Instant>) -> Result<usize, String> {
    let mut states = 0;
    let mut expected: Option<ludex_game::State> = None;
    for line in trace {
        if until.is_some_and(|until| Instant::now() > until) {
            break;
        }
        let place = format!("playout {} step {}", line["playout"], line["step"]);
        let facts = strings(&line["state"]);
        let state = match (line["step"].as_u64(), expected.take()) {
            (Some(0), _) => game.initial(),
            (_, Some(state)) => state,
            _ => {
                let find = |text: &String| game.find_fact(text).ok_or(format!("{place}: no fact {text}"));
                game.state_with(&facts.iter().map(find).collect::<Result<Vec<_>, _>>()?)
            }
        };
        let found = game.describe(&state);
        if found != facts {
            let missing: Vec<_> = facts.iter().filter(|f| !found.contains(f)).collect();
            let extra: Vec<_> = found.iter().filter(|f| !facts.contains(f)).collect();
            return Err(format!("{place}: state misses {missing:?}, has {extra:?}"));
        }
        // The same state by its facts.
        let ids = facts.iter().map(|text| game.find_fact(text));
        let ids: Option<Vec<_>> = ids.collect();
        if ids.map(|ids| game.state_with(&ids)) != Some(state.clone()) {
            return Err(format!("{place}: the facts do not lead back to the state"));
        }
        let view = game.view(&state).map_err(|e| format!("{place}: {e}"))?;
        if Some(view.terminal) != line["terminal"].as_bool() {
            return Err(format!("{place}: terminal is {}", view.terminal));
        }
        let goals = game.goals(&state).map_err(|e| format!("{place}: {e}"))?;
        for (role, goal) in game.roles().iter().zip(&goals) {
            let several = &line["goal_values"][role];
            let good = match goal {
                Goal::Value(value) => line["goals"][role].as_u64() == Some(u64::from(*value)),
                Goal::Undefined => line["goals"][role].is_null() && several.is_null(),
                Goal::Faulty(values) => match line["goals"][role].as_i64() {
                    Some(one) => *values == [one.to_string()],
                    None => several.is_null() || strings(several) == *values,
                },
            };
            if !good {
                return Err(format!(
                    "{place}: goal of {role} is {goal:?}, not {} {several}",
                    line["goals"][role]
                ));
            }
        }
        if !line["legal"].is_null() {
            for (role, legal) in game.roles().iter().zip(&view.legal) {
                let mut names: Vec<String> = legal.iter().map(|&m| game.move_name(m)).collect();
                names.sort();
                let recorded = strings(&line["legal"][role]);
                if names != recorded {
                    let missing: Vec<_> = recorded.iter().filter(|f| !names.contains(f)).collect();
                    let extra: Vec<_> = names.iter().filter(|f| !recorded.contains(f)).collect();
                    return Err(format!("{place}: legal of {role} misses {missing:?}, has {extra:?}"));
                }
            }
        }
        if let Some(moves) = line["moves"].as_array() {
            let find = |m: &Value| {
                let text = m.as_str().expect("a move");
                game.find_move(text).ok_or(format!("{place}: no move {text}"))
            };
            let joint = moves.iter().map(find).collect::<Result<Vec<_>, _>>()?;
            expected = Some(game.next(&state, &joint).map_err(|e| format!("{place}: {e}"))?);
        }
        states += 1;
    }
    Ok(states)
}

#[test]
fn play_is_as_recorded() {
    let Some(corpus) = Corpus::find("recorded play is not compared") else { return };
    let all = std::env::var_os("LUDEX_ALL").is_some();
    let only = std::env::var("LUDEX_SHEET").ok();
    let started = Instant::now();
    let mut paths: Vec<PathBuf> = ["traces", "gdl2/traces"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(corpus.path(folder)).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let (mut sheets, mut states, mut failures) = (0, 0, Vec::new());
    for (at, path) in paths.iter().enumerate() {
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name").trim_end_matches(".jsonl.gz");
        let chosen = match &only {
            Some(only) => only == name,
            None => all || (at % 4 == 0 && started.elapsed().as_secs() < 50),
        };
        if !chosen || (only.is_none() && QUIRKS.iter().any(|(quirk, _)| *quirk == name)) {
            continue;
        }
        let games = if path.starts_with(corpus.path("gdl2")) { "gdl2" } else { "games" };
        let sheet = corpus.path(games).join(format!("{name}.kif"));
        let source = Source::new(name, std::fs::read(&sheet).expect("readable"));
        let Ok(rules) = load(&source).playable() else { continue };
        let begun = Instant::now();
        let until = (!all && only.is_none()).then(|| begun + std::time::Duration::from_millis(500));
        let result = RulesGame::new(&rules).map_err(|e| e.to_string()).and_then(|game| {
            let ready = begun.elapsed();
            difference(&game, &lines(path), until).map(|states| (ready, states))
        });
        match result {
            Ok((ready, count)) => {
                states += count;
                if all || only.is_some() {
                    println!("{name}: {count} states, ready {ready:?}, all {:?}", begun.elapsed());
                }
            }
            Err(difference) => {
                println!("{name}: {difference}");
                failures.push(format!("{name}: {difference}"));
            }
        }
        sheets += 1;
    }
    println!("{sheets} sheets, {states} states");
    assert!(failures.is_empty(), "{} sheets differ:\n{}", failures.len(), failures.join("\n"));
}

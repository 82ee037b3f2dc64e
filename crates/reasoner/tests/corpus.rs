//! Published rule sheets with recorded games.
//!
//! They are not part of this repository: set `LUDEX_CORPUS` to a folder with `games/*.kif`,
//! `traces/*.jsonl.gz` and `invalid/*.kif`. Without it these tests have nothing to look at.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests end by panicking")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

use ludex_game::{Effort, End, Game, Recording, Trace, Violation, conforms, record, verify};
use ludex_reasoner::{Reference, ReferenceLimits as Limits};
use ludex_testkit::{Corpus, CorpusSheet};

fn corpus() -> Option<Corpus> {
    Corpus::find("recorded games are not verified")
}

fn reference(sheet: &CorpusSheet, limits: Limits) -> Result<Reference, ludex_game::Failure> {
    Reference::with_limits(sheet.rules(), limits)
}

/// Sheets whose traces say something else, with the reason.
fn known_differences() -> BTreeMap<&'static str, &'static str> {
    let rows = include_str!("data/differs.csv").lines().skip(1);
    rows.map(|row| row.split_once(',').expect("sheet and reason")).collect()
}

#[test]
fn the_reference_agrees_with_recorded_games() {
    let Some(corpus) = corpus() else { return };
    let differences = known_differences();
    let mut states = 0;
    // The first lines of every trace; all of them are for `ludex trace verify --corpus`.
    for sheet in corpus.sheets("games") {
        let name = &sheet.name;
        let known = differences.get(name.as_str());
        let Some(trace) = corpus.trace(name) else { continue };
        let mut trace = Trace::read(BufReader::new(File::open(trace).expect("there"))).expect("a trace");
        trace.lines.truncate(25);
        let game = reference(&sheet, Limits::default()).expect("a game");
        let verified = verify(&game, &trace);
        states += verified.states;
        match (&verified.end, known) {
            (End::Agreed, None) | (End::Differs(_), Some(_)) => {}
            (end, known) => panic!("{name}: {end:?}, known: {known:?}"),
        }
    }
    println!("{states} states verified");
    assert!(states > 10_000);
}

#[test]
fn the_reference_keeps_the_laws_on_published_sheets() {
    let Some(corpus) = corpus() else { return };
    let effort = Effort { games: 1, max_steps: 12, playouts: 0, ..Effort::default() };
    for sheet in corpus.sheets("games").into_iter().step_by(17) {
        let limits = Limits { steps: 50_000_000, ..Limits::default() };
        let Ok(game) = reference(&sheet, limits) else { continue };
        let game: Arc<dyn Game> = Arc::new(game);
        match conforms(&game, &effort).map_err(|violation| *violation) {
            Ok(_) | Err(Violation::Failed { .. }) => {}
            Err(violation) => panic!("{}: {violation}", sheet.name),
        }
    }
}

#[test]
fn broken_sheets_and_those_that_nothing_plays_end_in_time() {
    let Some(corpus) = corpus() else { return };
    let limits = Limits { atoms: 100_000, steps: 2_000_000, terms: 100_000 };
    let mut sheets = corpus.sheets("invalid");
    let unplayed = ["bender_corridor", "bendertd_axioms1", "bendertd_axioms2", "bendertd_axioms3"];
    sheets.extend(unplayed.iter().map(|name| corpus.game(name)));
    let (mut played, mut failed) = (0, 0);
    for sheet in sheets {
        let recording = Recording { seed: 1, playouts: 1, max_steps: 5 };
        match reference(&sheet, limits).and_then(|game| record(&game, recording)) {
            Ok(_) => played += 1,
            Err(_) => failed += 1,
        }
    }
    println!("{played} played all the same, {failed} gave a reason");
    assert!(played > 0 && failed > 0);
}

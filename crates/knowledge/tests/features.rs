//! Features of library games: which are found, and which are stable.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

use ludex_knowledge::{
    FeatureReport, FeatureSet, Measurements, PlayLimits, Scratch, StateReader, Understanding,
};
use ludex_testkit::game;

fn measured(name: &str) -> Vec<FeatureReport> {
    let game = game(name, "batch");
    let limits = PlayLimits { games: 150, steps: 20_000, ..PlayLimits::default() };
    let understood = Understanding::of(&*game, &limits).unwrap();
    let set = FeatureSet::new(&game, &understood);
    let mut measured = Measurements::new(&set, game.role_count());
    for played in &understood.games {
        measured.add(&set, played, &mut Scratch::default());
    }
    measured.reports(&set)
}

fn kept(reports: &[FeatureReport], name: &str) -> FeatureReport {
    let found = reports.iter().find(|report| report.name == name);
    let found = found.unwrap_or_else(|| panic!("{name} is not among {reports:#?}"));
    assert!(found.kept, "{found:?}");
    found.clone()
}

#[test]
fn piece_counts_are_stable_and_speak_for_their_owner() {
    let checkers = measured("checkers");
    let count = kept(&checkers, "number of cell white_man");
    assert!(count.stability > 5.0, "{count:?}");
    let pieces = kept(&checkers, "pieces black");
    assert!(pieces.correlation[0] < 0.0 && pieces.correlation[1] > 0.0, "{pieces:?}");
    let skirmish = measured("skirmish");
    kept(&skirmish, "number of cell black_pawn");
    assert!(kept(&skirmish, "taken white").correlation[0] > 0.0);
}

#[test]
fn distances_to_the_goal_are_found() {
    let breakthrough = measured("breakthrough");
    kept(&breakthrough, "pawn white: steps to a cell of the goal");
    assert!(kept(&breakthrough, "pawn white: furthest by `up`").correlation[0] > 0.0);
    let checkers = measured("chinese_checkers_2");
    kept(&checkers, "cell red: steps to a cell of the goal");
}

#[test]
fn lines_are_nearly_complete() {
    let near = kept(&measured("connect_four"), "goal conjunctions nearly satisfied, red");
    assert!(near.correlation[0] > 0.0, "{near:?}");
}

/// The values of features are what a count over the facts gives, in every state of some games.
#[test]
fn sums_are_right() {
    let game = game("checkers", "batch");
    let understood = Understanding::of(&*game, &PlayLimits { games: 3, ..PlayLimits::default() }).unwrap();
    let set = FeatureSet::new(&game, &understood);
    let men = set.features().iter().position(|f| f.name == "number of cell white_man").unwrap();
    let moves = set.features().iter().position(|f| f.name == "legal moves of black").unwrap();
    let (mut scratch, mut values) = (Scratch::default(), vec![0.0; set.len()]);
    for position in understood.games.iter().flat_map(|game| &game.positions) {
        set.compute(position.state.words(), &position.legal, &mut scratch, &mut values);
        let count =
            game.describe(&position.state).iter().filter(|fact| fact.ends_with(" white_man)")).count();
        assert_eq!(values[men], count as f32);
        assert_eq!(values[moves], position.legal[1] as f32);
    }
}

/// Reading bits gives the same facts as asking the game.
#[test]
fn states_are_read_as_the_game_does() {
    for (name, engine, bits) in [("breakthrough", "batch", true), ("tic_tac_toe", "rules", false)] {
        let game = game(name, engine);
        let understood =
            Understanding::of(&*game, &PlayLimits { games: 2, ..PlayLimits::default() }).unwrap();
        let all: Vec<_> = understood.games.iter().flat_map(|game| &game.positions).collect();
        let reader = StateReader::new(&*game, &all[..5]);
        assert_eq!(reader.reads_bits(), bits, "{name}");
        let mut read = Vec::new();
        for position in all {
            reader.read(&*game, position.state.words(), &mut read);
            read.sort_unstable();
            let mut facts: Vec<u32> = position.facts.iter().map(|fact| fact.0).collect();
            facts.sort_unstable();
            assert_eq!(read, facts, "{name}");
        }
    }
}

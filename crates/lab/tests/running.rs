//! Runs of tiny experiments: everything is played once, whatever happens in between.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ludex_arena::Store;
use ludex_lab::{
    ExperimentFile, FormName, MatchOutcome, RunError, RunEvent, RunOptions, Summary, Watcher, read_outcomes,
    read_results, run,
};
use ludex_search::Stop;

const TINY: &str = r#"title = "Tiny"
games = ["tic_tac_toe"]
players = [
  { name = "thinks", spec = "cadia-uct" },
  { name = "half", spec = "cadia-uct", share = 0.5 },
  { name = "random", spec = "random" },
]
[quick]
matches = 6
settings = [{ name = "few", playouts = 32 }]
"#;

/// A folder with a file of an experiment, and room for results.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tiny.toml"), text).unwrap();
        Self { folder }
    }

    fn rewrite(&self, text: &str) {
        std::fs::write(self.folder.path().join("tiny.toml"), text).unwrap();
    }

    fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    fn run_with(
        &self,
        change: impl FnOnce(&mut RunOptions),
        watcher: &mut dyn Watcher,
    ) -> Result<Summary, RunError> {
        let file = ExperimentFile::read(&self.folder.path().join("tiny.toml")).unwrap();
        let mut options = RunOptions {
            folder: self.results(),
            cores: 2,
            matches: None,
            games: Vec::new(),
            fresh: false,
            provenance: None,
            stop: Stop::new(),
        };
        change(&mut options);
        run(&file, FormName::Quick, &options, watcher)
    }

    fn run(&self) -> Summary {
        self.run_with(|_| {}, &mut ()).unwrap()
    }

    fn outcomes(&self) -> Vec<MatchOutcome> {
        read_outcomes(&self.results()).unwrap()
    }

    /// Ids in the store, with how often each is there.
    fn ids(&self) -> BTreeMap<String, usize> {
        let store = Store::open(&self.results().join("matches.db")).unwrap();
        let mut ids = BTreeMap::new();
        for row in store.list(None, 0, usize::MAX).unwrap() {
            *ids.entry(row.id).or_insert(0) += 1;
        }
        ids
    }
}

/// The same with what may differ from run to run taken out.
fn timeless(outcomes: Vec<MatchOutcome>) -> Vec<MatchOutcome> {
    outcomes.into_iter().map(|outcome| MatchOutcome { seconds: 0.0, ..outcome }).collect()
}

#[test]
fn every_match_is_played_once_and_both_have_each_seat_equally_often() {
    let place = Place::new(TINY);
    let mut seen = BTreeSet::new();
    let mut planned = None;
    let mut watcher = |event: &RunEvent<'_>| match event {
        RunEvent::Finished { id, .. } => assert!(seen.insert((*id).to_owned())),
        RunEvent::Planned { total, before } => planned = Some((*total, *before)),
        _ => {}
    };
    let summary = place.run_with(|_| {}, &mut watcher).unwrap();
    assert_eq!(summary, Summary { finished: 18, ..Summary::default() });
    assert_eq!(planned, Some((18, 0)));
    assert_eq!(place.ids().into_keys().collect::<BTreeSet<_>>(), seen);
    let outcomes = place.outcomes();
    assert_eq!(outcomes.len(), 18);
    for cell in outcomes.chunk_by(|a, b| a.cell == b.cell) {
        assert_eq!(cell.iter().map(|outcome| outcome.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(cell.iter().filter(|outcome| outcome.seats == [true, false]).count(), 3);
        assert!(cell.iter().all(|outcome| outcome.faults == 0 && outcome.steps >= 5));
        assert!(cell.iter().all(|outcome| outcome.goals.iter().map(|&g| u32::from(g)).sum::<u32>() == 100));
    }
    // Nothing is left to do.
    let again = place.run();
    assert_eq!((again.before, again.finished), (18, 0));
}

#[test]
fn a_share_is_thought_and_recorded() {
    let place = Place::new(TINY);
    place.run();
    let of = |player: &str, opponent: &str| -> u64 {
        let outcomes = place.outcomes();
        let cell = outcomes.iter().filter(|o| o.cell.player == player && o.cell.opponent == opponent);
        cell.map(|outcome| outcome.visited).sum()
    };
    let (whole, half) = (of("thinks", "random"), of("half", "random"));
    assert!(half > 0 && half * 3 < whole * 2, "{half} of {whole}");
    let store = Store::open(&place.results().join("matches.db")).unwrap();
    let rows = store.list(None, 0, 100).unwrap();
    assert!(rows.iter().any(|row| row.players == ["cadia-uct", "cadia-uct@0.5"]));
}

#[test]
fn a_run_that_was_cut_off_goes_on_and_ends_the_same() {
    // More than are on their way at once, so that something is left after every cut.
    let text = TINY.replace("matches = 6", "matches = 20");
    let whole = Place::new(&text);
    whole.run();
    let cut = Place::new(&text);
    for stop_after in [1, 4, 3] {
        let stop = Stop::new();
        let flag = stop.clone();
        let mut count = 0;
        let mut watcher = |event: &RunEvent<'_>| {
            if let RunEvent::Finished { .. } = event {
                count += 1;
                if count == stop_after {
                    flag.set();
                }
            }
        };
        let summary = cut.run_with(|options| options.stop = stop, &mut watcher).unwrap();
        assert!(summary.interrupted && summary.finished >= stop_after);
    }
    // A kill may leave anything behind that is not in the store.
    std::fs::write(cut.results().join("lock"), "").unwrap();
    cut.run();
    assert_eq!(cut.ids(), whole.ids());
    assert!(cut.ids().values().all(|&times| times == 1));
    assert_eq!(timeless(cut.outcomes()), timeless(whole.outcomes()));
}

#[test]
fn more_matches_are_added_and_other_designs_refused() {
    let place = Place::new(TINY);
    place.run();
    let first = place.ids();
    let summary = place.run_with(|options| options.matches = Some(8), &mut ()).unwrap();
    assert_eq!((summary.before, summary.finished), (18, 6));
    assert!(first.keys().all(|id| place.ids().contains_key(id)));
    place.rewrite(&TINY.replace("matches = 6", "matches = 10"));
    assert_eq!(place.run().finished, 6);
    // Another player of the same name, other clocks, another seed: not the same experiment.
    let cases = [
        (("spec = \"random\"", "spec = \"mc\""), "the player `random` was random, is mc"),
        (("share = 0.5", "share = 0.25"), "the player `half` was cadia-uct@0.5, is cadia-uct@0.25"),
        (("playouts = 32", "playouts = 33"), "the setting `few` was 32 playouts, is 33 playouts"),
        (("matches = 6", "seed = 2\nmatches = 6"), "the seed was 1, is 2"),
    ];
    for ((old, new), says) in cases {
        place.rewrite(&TINY.replace(old, new));
        let error = place.run_with(|_| {}, &mut ()).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("--fresh") && error.contains("--out"), "{error}");
    }
    assert_eq!(place.ids().len(), 30);
    let summary = place.run_with(|options| options.fresh = true, &mut ()).unwrap();
    assert_eq!((summary.before, summary.finished), (0, 18));
}

#[test]
fn a_folder_of_something_else_is_left_alone_and_nobody_shares_one() {
    let place = Place::new(TINY);
    std::fs::create_dir(place.results()).unwrap();
    std::fs::write(place.results().join("letter.txt"), "dear").unwrap();
    let error = place.run_with(|options| options.fresh = true, &mut ()).unwrap_err().to_string();
    assert!(error.contains("is not empty"), "{error}");
    std::fs::remove_file(place.results().join("letter.txt")).unwrap();
    let mut inner = None;
    let mut watcher = |event: &RunEvent<'_>| {
        if let RunEvent::Planned { .. } = event {
            inner = Some(place.run_with(|_| {}, &mut ()).unwrap_err().to_string());
        }
    };
    place.run_with(|options| options.matches = Some(1), &mut watcher).unwrap();
    assert!(inner.unwrap().contains("another run is at work"));
    let error = place.run_with(|options| options.games = vec!["nim".to_owned()], &mut ()).unwrap_err();
    assert!(error.to_string().contains("has no game `nim`"), "{error}");
}

#[test]
fn games_for_three_are_seated_in_all_six_ways() {
    let text =
        TINY.replace("\"tic_tac_toe\"", "\"connect_four_3p\"").replace("playouts = 32", "playouts = 1");
    let place = Place::new(&text.replace("games", "pairing = { pairs = [[\"half\", \"random\"]] }\ngames"));
    place.run();
    let outcomes = place.outcomes();
    let ways: BTreeSet<&Vec<bool>> = outcomes.iter().map(|outcome| &outcome.seats).collect();
    assert_eq!((outcomes.len(), ways.len()), (6, 6));
    assert!(outcomes.iter().all(|outcome| outcome.goals.len() == 3 && outcome.steps > 0));
}

#[test]
fn clocks_are_kept_and_simultaneous_games_take_as_many_cores_as_seats() {
    let text = TINY.replace("\"tic_tac_toe\"", "\"tic_tac_toe\", \"rock_paper_scissors\"");
    let text = text.replace("playouts = 32", "play = 0.01").replace("matches = 6", "matches = 2");
    let place = Place::new(&text);
    let mut crowded = Vec::new();
    let mut watcher = |event: &RunEvent<'_>| {
        if let RunEvent::Crowded { game, wanted } = event {
            crowded.push(((*game).to_owned(), *wanted));
        }
    };
    let summary = place.run_with(|options| options.cores = 1, &mut watcher).unwrap();
    assert_eq!((summary.finished, summary.failed.len()), (12, 0));
    assert_eq!(crowded, [("rock_paper_scissors".to_owned(), 2)]);
    assert!(place.outcomes().iter().any(|outcome| outcome.visited > 0 && outcome.seconds > 0.0));
}

#[test]
fn a_rule_to_stop_counts_the_same_matches_whoever_is_first() {
    let text = TINY
        .replace("matches = 6", "matches = 60\nstop = { half-width = 20 }")
        .replace("games", "pairing = { pairs = [[\"thinks\", \"random\"], [\"half\", \"thinks\"]] }\ngames");
    let results = |cores: usize| {
        let place = Place::new(&text);
        let mut enough = 0;
        let mut watcher = |event: &RunEvent<'_>| {
            if let RunEvent::Enough { after, .. } = event {
                assert_eq!(after % 2, 0);
                enough += 1;
            }
        };
        place.run_with(|options| options.cores = cores, &mut watcher).unwrap();
        assert_eq!(enough, 2);
        assert_eq!(place.run().finished, 0, "what was enough stays enough");
        timeless(place.outcomes())
    };
    let alone = results(1);
    assert!(alone.len() < 120 && alone.len() % 2 == 0);
    assert_eq!(alone, results(4));
}

#[test]
fn a_match_that_fails_is_told_and_tried_again() {
    // Nobody can move after the first step, which no check can see.
    let sheet = "(role a) (role b) (init (p 1)) (<= (legal a x) (true (p 1))) (<= (legal a z) (true (p 1)))
        (<= (legal b y) (true (p 1))) (<= (next (p 2)) (true (p 1))) (<= terminal (true (p 3)))
        (goal a 50) (goal b 50)";
    let place = Place::new(&TINY.replace("\"tic_tac_toe\"", "\"stuck.kif\""));
    std::fs::write(place.folder.path().join("stuck.kif"), sheet).unwrap();
    for _ in 0..2 {
        let mut told = 0;
        let mut watcher = |event: &RunEvent<'_>| {
            if let RunEvent::Failed { problem, .. } = event {
                assert!(problem.contains("no legal move"), "{problem}");
                told += 1;
            }
        };
        let summary = place.run_with(|options| options.matches = Some(1), &mut watcher).unwrap();
        assert_eq!((summary.finished, summary.failed.len(), told), (0, 3, 3));
        assert!(place.ids().is_empty());
    }
}

#[test]
fn engines_are_measured_and_what_failed_is_measured_again() {
    let text = r#"title = "Engines"
measure = "reasoners"
games = ["tic_tac_toe", "eight_puzzle"]
engines = ["circuit", "rules"]
external = [{ name = "other", command = ["/no/such/program"] }]
[quick]
matches = 1
settings = [{ name = "short", play = 0.02 }]
"#;
    let place = Place::new(text);
    let summary = place.run();
    assert_eq!((summary.finished, summary.failed.len()), (4, 2));
    let again = place.run();
    assert_eq!((again.before, again.finished, again.failed.len()), (4, 0, 2));
    let results = read_results(&place.results()).unwrap();
    assert_eq!(results.reasoners.len(), 6);
    for outcome in results.reasoners {
        match outcome.error {
            None => {
                assert!(outcome.setup_seconds.is_some());
                assert!(
                    outcome.monte_carlo.is_some_and(|visited| visited.states > 0 && visited.rate() > 0.0)
                );
                assert!(outcome.minimax.is_some_and(|visited| visited.states > 0 && visited.depth > 0));
            }
            Some(error) => assert!(outcome.engine == "other" && error.contains("cannot be run"), "{error}"),
        }
    }
}

#[test]
fn scores_are_measured_once_and_the_same_with_the_same_seed() {
    let text = r#"title = "Alone"
measure = "scores"
games = ["eight_puzzle"]
players = [{ name = "mc", spec = "mc" }, { name = "uct", spec = "cadia-uct", share = 0.5 }]
[quick]
matches = 2
settings = [{ name = "few", playouts = 128 }]
"#;
    let (one, other) = (Place::new(text), Place::new(text));
    assert_eq!(one.run().finished, 4);
    // A kill in the middle of the last line.
    assert_eq!(other.run().finished, 4);
    let path = other.results().join("scores.jsonl");
    let lines = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &lines[..lines.len() - 5]).unwrap();
    let again = other.run();
    assert_eq!((again.before, again.finished), (3, 1));
    let scores = |path: &Path| {
        let mut scores = read_results(path).unwrap().scores;
        scores.sort_by_key(|outcome| (outcome.player.clone(), outcome.number));
        scores
    };
    let scored = scores(&one.results());
    assert!(scored.iter().all(|outcome| outcome.scores.iter().map(|s| s.0).eq([64.0, 128.0])));
    assert_eq!(scored, scores(&other.results()));
}

/// A match has one score, the best score seen has one for each amount and never falls. Players that
/// remember their best playout get at least what they saw.
#[test]
fn games_for_one_are_played_and_searched() {
    let text = r#"title = "Alone"
measure = "scores"
games = ["max_knights", "pancakes6"]
players = [{ name = "nmc", spec = "ary-nmc" }, { name = "uct", spec = "ary-uct+t" }]
[quick]
matches = 2
settings = [
    { name = "match", playouts = 128, scores = "every-move" },
    { name = "clock", start = 0.01, play = 0.005, scores = "every-move" },
    { name = "seen", playouts = 256, scores = "seen" },
]
"#;
    let (one, other) = (Place::new(text), Place::new(text));
    assert_eq!(one.run().finished, 24);
    assert_eq!(other.run().finished, 24);
    let scores = |place: &Place, setting: &str| {
        let mut scores = read_results(&place.results()).unwrap().scores;
        scores.retain(|outcome| outcome.setting == setting);
        scores.sort_by_key(|outcome| (outcome.game.clone(), outcome.player.clone(), outcome.number));
        scores
    };
    let (played, seen) = (scores(&one, "match"), scores(&one, "seen"));
    assert_eq!((played.len(), seen.len(), scores(&one, "clock").len()), (8, 8, 8));
    assert!(played.iter().all(|outcome| matches!(outcome.scores[..], [(128.0, 1..=100)])), "{played:?}");
    for outcome in &seen {
        assert!(outcome.scores.iter().map(|score| score.0).eq([64.0, 128.0, 256.0]));
        assert!(outcome.scores.is_sorted_by_key(|score| score.1) && outcome.scores[0].1 > 0, "{outcome:?}");
    }
    assert_eq!((played, seen), (scores(&other, "match"), scores(&other, "seen")));
}

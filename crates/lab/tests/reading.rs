//! Files of experiments: what is wrong with them is said with the line and what was meant.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

use std::io::Write;
use std::path::Path;

use ludex_lab::{Experiment, ExperimentFile, Measure, Pairing};
use proptest::prelude::*;

const GOOD: &str = r#"title = "A against B"
games = ["tic_tac_toe"]
players = [
  { name = "a", spec = "mc" },
  { name = "b", spec = "random" },
]
[quick]
matches = 4
settings = [{ name = "ten", playouts = 10 }]
"#;

/// Reads a file with this text, names included.
fn read(text: &str) -> Result<ExperimentFile, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, text).unwrap();
    let place = format!("{}/", folder.path().display());
    ExperimentFile::read(&path).map_err(|error| error.to_string().replace(&place, ""))
}

/// What is wrong when a piece of the good file is replaced.
fn fault(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    read(&GOOD.replacen(old, new, 1)).unwrap_err()
}

#[test]
fn a_good_file_is_read_with_everything_else_as_usual() {
    let file = read(GOOD).unwrap();
    let experiment = &file.experiment;
    assert_eq!((file.name.as_str(), experiment.title.as_str()), ("test", "A against B"));
    assert_eq!((experiment.measure, &experiment.pairing), (Measure::Wins, &Pairing::AllPairs));
    assert_eq!((experiment.quick.seed, experiment.players[0].share), (1, 1.0));
    assert_eq!(file.sheets[0].seats(), 2);
    assert!(experiment.full.is_none() && file.form(ludex_lab::FormName::Full).is_err());
}

#[test]
fn unknown_words_come_with_what_was_meant() {
    assert_eq!(fault("matches", "mathces"), "test.toml:8: unknown key `mathces`; did you mean `matches`?");
    assert_eq!(
        fault("games", "measure = \"winz\"\ngames"),
        "test.toml:2: unknown word `winz`; did you mean `wins`?"
    );
    assert_eq!(
        fault("name = \"a\"", "colour = 1, name = \"a\""),
        "test.toml:4: unknown key `colour`; there is `name`, `spec`, `share`"
    );
    let against = "pairing = { pairs = [[\"a\", \"b\"], [\"playr\", \"b\"]] }\ngames";
    let error = fault("games", against).replacen("there is `a`, `b`", "…", 1);
    assert_eq!(error, "test.toml:2: unknown player `playr`; …");
    assert!(
        fault("\"mc\"", "\"randm\"").starts_with("test.toml:4: there is no player `randm`; did you mean")
    );
    assert_eq!(
        fault("tic_tac_toe", "conect_four"),
        "test.toml:2: there is no game and no file `conect_four`; did you mean `connect_four` or `connect_four_3p`?"
    );
    let engines = "measure = \"reasoners\"\nengines = [\"batch\", \"ruels\"]\ngames";
    let timed = GOOD.replace("playouts = 10", "play = 1").replacen("games", engines, 1);
    assert_eq!(read(&timed).unwrap_err(), "test.toml:3: unknown engine `ruels`; did you mean `rules`?");
}

#[test]
fn numbers_must_make_sense() {
    let cases = [
        ("matches = 4", "matches = 0", "test.toml:8: `matches` is 0, but must be from 1"),
        ("playouts = 10", "playouts = 0", "test.toml:9: `playouts` is 0, but must be at least 1"),
        ("playouts = 10", "play = -1", "test.toml:9: `play` is -1, but must be above 0"),
        ("playouts = 10", "play = nan", "test.toml:9: `play` is NaN, but must be above 0"),
        ("playouts = 10", "play = 1, start = 1e9", "test.toml:9: `start` is 1000000000, but must be"),
        (
            "playouts = 10",
            "playouts = 10, threads = 0",
            "test.toml:9: `threads` is 0, but must be from 1 to 1024",
        ),
        ("playouts = 10", "playouts = 10, threads = 1025", "test.toml:9: `threads` is 1025, but must be"),
        ("\"mc\"", "\"mc\", share = 0", "test.toml:4: `share` is 0, but must be above 0 and at most 1"),
        ("\"mc\"", "\"mc\", share = 1.5", "test.toml:4: `share` is 1.5, but must be"),
        ("matches", "stop = { half-width = 0 }\nmatches", "test.toml:8: `half-width` is 0, but must be"),
        (
            "matches",
            "stop = { sprt = { elo0 = 9, elo1 = 5 } }\nmatches",
            "test.toml:8: `elo1` is 5, but must be",
        ),
        ("matches = 4", "matches = -4", "test.toml:8: invalid value: integer `-4`"),
        ("matches = 4", "matches = ", "test.toml:8: "),
    ];
    for (old, new, says) in cases {
        let error = fault(old, new);
        assert!(error.starts_with(says), "{new}: {error}");
    }
}

#[test]
fn what_is_missing_or_there_twice_is_said() {
    let cases = [
        ("[\"tic_tac_toe\"]", "[]", "test.toml:2: there are no games"),
        ("= 10", "= 10, without = [\"tic_tac_to\"]", "test.toml:9: unknown game `tic_tac_to`; did you mean"),
        ("= 10", "= 10, without = [\"tic_tac_toe\"]", "test.toml:9: all games are excluded"),
        ("\"tic_tac_toe\"", "\"nim\", \"nim\"", "test.toml:2: there are two games called `nim`"),
        ("name = \"b\"", "name = \"a\"", "test.toml:5: there are two players called `a`"),
        ("name = \"b\"", "name = \" \"", "test.toml:5: a name cannot be empty"),
        (", playouts = 10", "", "test.toml:9: a setting needs `play`"),
        ("playouts = 10", "playouts = 10, play = 1", "test.toml:9: a setting has either"),
        ("playouts = 10", "playouts = 10, start = 1", "test.toml:9: `start` is a clock"),
        ("[{ name = \"ten\", playouts = 10 }]", "[]", "test.toml:9: there are no settings"),
        ("games", "pairing = { pairs = [] }\ngames", "test.toml:2: there are no pairs"),
        ("  { name = \"b\", spec = \"random\" },\n", "", "test.toml:3: a match needs at least two players"),
        ("games", "measure = \"reasoners\"\ngames", "test.toml:2: reasoners are compared, but"),
        ("games", "measure = \"scores\"\ngames", "test.toml:3: the game `tic_tac_toe` has 2 seats; scores"),
        ("tic_tac_toe", "eight_puzzle", "test.toml:2: the game `eight_puzzle` has 1 seat; a match needs"),
        ("\"mc\"", "\"http://localhost:9147\"", "test.toml:9: HTTP players do not count playouts"),
        ("matches", "games = [\"nim\"]\nmatches", "test.toml:8: unknown game `nim`; there is `tic_tac_toe`"),
    ];
    for (old, new, says) in cases {
        let error = fault(old, new);
        assert!(error.starts_with(says), "{new}: {error}");
    }
}

#[test]
fn sheets_are_found_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.kif"), ludex_testkit::text("tic_tac_toe")).unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD.replace("tic_tac_toe", "mine.kif")).unwrap();
    let file = ExperimentFile::read(&path).unwrap();
    assert_eq!((file.sheets[0].seats(), file.sheets[0].kind), (2, None));
    std::fs::write(folder.path().join("mine.kif"), "(role").unwrap();
    let error = ExperimentFile::read(&path).unwrap_err().to_string();
    assert!(error.contains("test.toml:2: the rule sheet `mine.kif` has errors"), "{error}");
    assert!(
        ExperimentFile::read(Path::new("no/such/file")).unwrap_err().to_string().starts_with("cannot read")
    );
}

#[test]
fn the_experiments_that_come_with_ludex_are_good() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            if let Err(error) = ExperimentFile::read(&path) {
                panic!("{error}");
            }
            count += 1;
        }
    }
    assert!(count > 0);
}

proptest! {
    #[test]
    fn any_file_gives_an_experiment_or_an_error(bytes: Vec<u8>) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        prop_assert!(ExperimentFile::read(file.path()).is_err());
    }

    #[test]
    fn any_text_gives_an_experiment_or_an_error(text in "\\PC*") {
        let _ = Experiment::read("any", &text);
    }

    #[test]
    fn any_damage_gives_an_experiment_or_an_error(
        at in 0..GOOD.len(), length in 0usize..20, new in "[a-z0-9=\\[\\]{}\",.\n -]{0,12}"
    ) {
        let end = (at + length).min(GOOD.len());
        let text = format!("{}{new}{}", &GOOD[..at], &GOOD[end..]);
        if let Err(error) = Experiment::read("any", &text) {
            prop_assert!(error.to_string().starts_with("any:"));
        }
    }
}

//! Every experiment that comes with Ludex can be read, and all it names exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ludex_engine::Player;
use ludex_lab::{Experiment, Form, Pairing};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments")
}

fn experiments() -> Vec<(String, Experiment)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let experiment = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_stem().unwrap().to_string_lossy().into_owned(), experiment)
    };
    paths.into_iter().map(read).collect()
}

fn forms(experiment: &Experiment) -> impl Iterator<Item = &Form> {
    std::iter::once(&experiment.quick).chain(&experiment.full)
}

#[test]
fn there_are_all_tables_of_the_papers() {
    let names: Vec<String> = experiments().into_iter().map(|(name, _)| name).collect();
    let thesis = (1..=6).map(|table| format!("thesis-5.{table}"));
    let ngram = (1..=11).map(|table| format!("ngram-{table:02}"));
    for name in thesis.chain(ngram) {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn players_games_and_engines_exist() {
    for (name, experiment) in experiments() {
        for player in &experiment.players {
            Player::new(&player.spec).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(player.share > 0.0, "{name}");
        }
        let players: BTreeSet<&str> = experiment.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(players.len(), experiment.players.len(), "{name}: names differ");
        match &experiment.pairing {
            Pairing::AllPairs => {}
            Pairing::Against(one) => assert!(players.contains(one.as_str()), "{name}: {one}"),
            Pairing::Pairs(pairs) => {
                for one in pairs.iter().flatten() {
                    assert!(players.contains(one.as_str()), "{name}: {one}");
                }
            }
        }
        for game in &experiment.games {
            assert!(ludex_library::find(game).is_some(), "{name}: {game}");
        }
        for engine in &experiment.engines {
            assert!(ludex_reasoner::ENGINES.iter().any(|known| known.name == engine), "{name}: {engine}");
        }
    }
}

#[test]
fn forms_say_how_long_and_how_often() {
    for (name, experiment) in experiments() {
        for form in forms(&experiment) {
            assert!(form.matches > 0, "{name}");
            assert!(!form.settings.is_empty(), "{name}");
            for game in &form.games {
                assert!(experiment.games.contains(game), "{name}: {game}");
            }
            for setting in &form.settings {
                assert!(setting.play.is_some() != setting.playouts.is_some(), "{name}: {}", setting.name);
                assert!(setting.threads >= 1, "{name}: {}", setting.name);
            }
        }
    }
}

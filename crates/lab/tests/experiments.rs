//! Every experiment that comes with Ludex can be read, and all it names exists.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ludex_engine::Player;
use ludex_lab::{Experiment, Form, Pairing, Published};

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

#[test]
fn published_figures_belong_to_their_experiments() {
    for (name, experiment) in experiments() {
        let published = Published::read(&folder().join(format!("{name}.csv"))).unwrap();
        for figure in published.figures() {
            assert!(experiment.games.contains(&figure.game), "{name}: {}", figure.game);
            for one in std::iter::once(&figure.player).chain(&figure.opponent) {
                assert!(experiment.players.iter().any(|player| player.name == *one), "{name}: {one}");
            }
        }
        let settings: BTreeSet<&str> =
            published.figures().iter().map(|figure| figure.setting.as_str()).collect();
        // Settings of our own have nothing beside them.
        let beside = |form: &Form| {
            let named = |setting: &ludex_lab::Setting| setting.published.clone();
            for one in form.settings.iter().filter_map(named) {
                assert!(settings.contains(one.as_str()), "{name}: {one}");
            }
            let names = form.settings.iter().map(|setting| named(setting).unwrap_or(setting.name.clone()));
            names.filter(|name| settings.contains(name.as_str())).count()
        };
        if !published.is_empty() {
            assert!(forms(&experiment).all(|form| beside(form) > 0), "{name}: each form has a comparison");
        }
    }
}

/// Sums that the papers give themselves: a copied figure with a wrong digit would show.
#[test]
fn published_rows_add_up() {
    for table in ["thesis-5.1", "thesis-5.2", "thesis-5.3"] {
        let published = Published::read(&folder().join(format!("{table}.csv"))).unwrap();
        for average in published.figures().iter().filter(|figure| figure.opponent.is_none()) {
            let against: Vec<f64> = published
                .figures()
                .iter()
                .filter(|figure| figure.setting == average.setting && figure.player == average.player)
                .filter(|figure| figure.opponent.is_some())
                .map(|figure| figure.value)
                .collect();
            assert!(
                (against.iter().sum::<f64>() / 2.0 - average.value).abs() < 0.051,
                "{table}: {average:?}"
            );
        }
    }
    let published = Published::read(&folder().join("thesis-5.6.csv")).unwrap();
    let sum: f64 = published.figures().iter().map(|figure| figure.value).sum();
    assert!((sum / 12.0 - 56.53).abs() < 0.01, "{sum}");
    let published = Published::read(&folder().join("ary-2.csv")).unwrap();
    for (player, total) in
        [("MAX2", 1440.0), ("MAX1", 1398.0), ("NMC", 1360.0), ("UCT+T", 1325.0), ("UCT-T", 1211.0)]
    {
        let own = published.figures().iter().filter(|figure| figure.player == player);
        assert!((own.map(|figure| figure.value).sum::<f64>() - total).abs() < 0.1, "{player}");
    }
}

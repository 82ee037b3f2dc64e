//! Playouts in lanes and one by one on all games of the library, and with `LUDEX_CORPUS` set on the
//! published ones.

use std::path::PathBuf;
use std::time::Duration;

use ludex_reasoner::{Limits, MachineCode, Width};

use super::leaves::{compare_policies, compare_rankings, in_lanes, places, rules};

/// Larger games take too long here; the reasoner has its own tests for them.
fn limits() -> Limits {
    Limits { instances: 30_000, time: Duration::from_secs(1), ..Limits::default() }
}

/// Compares a game; returns whether it could be built.
fn compare(name: &str, text: &str) -> bool {
    let Ok(game) = in_lanes(rules(name, text), Width::best(), MachineCode::AtOnce, limits()) else {
        return false;
    };
    let places = places(&*game, 12);
    compare_rankings(&*game, &places, name);
    compare_policies(&*game, &places, name);
    true
}

#[test]
fn playouts_are_the_same_in_all_games() {
    let sheets = ludex_library::sheets();
    let compared = sheets.iter().filter(|sheet| compare(sheet.name, sheet.text)).count();
    println!("{compared} of {} games", sheets.len());
    assert!(compared * 2 > sheets.len(), "only {compared} could be set up");
}

#[test]
fn playouts_are_the_same_on_published_sheets() {
    let Some(corpus) = std::env::var_os("LUDEX_CORPUS").map(PathBuf::from) else {
        println!("LUDEX_CORPUS is not set: published sheets are not played");
        return;
    };
    let entries = std::fs::read_dir(corpus.join("games")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let is_compared = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy();
        compare(&name, &String::from_utf8_lossy(&std::fs::read(path).unwrap()))
    };
    let compared = paths.iter().filter(|path| is_compared(path)).count();
    println!("{compared} of {} sheets", paths.len());
    assert!(compared * 3 > paths.len(), "only {compared} could be set up");
}

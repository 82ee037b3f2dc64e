//! Playouts in lanes and one by one on all games of the library, and with `LUDEX_CORPUS` set on the
//! published ones.

use std::time::Duration;

use ludex_gdl::Rules;
use ludex_reasoner::{Limits, MachineCode, Width};
use ludex_testkit::{Corpus, library};

use super::leaves::{compare_policies, compare_rankings, in_lanes, places};

/// Larger games take too long here; the reasoner has its own tests for them.
fn limits() -> Limits {
    Limits { instances: 30_000, time: Duration::from_secs(1), ..Limits::default() }
}

/// Compares a game; returns whether it could be built.
fn compare(name: &str, rules: Rules) -> bool {
    // Only the reference plays sheets with errors, one state at a time.
    if rules.errors > 0 {
        return false;
    }
    let Ok(game) = in_lanes(rules, Width::best(), MachineCode::AtOnce, limits()) else {
        return false;
    };
    let places = places(&game, 12);
    compare_rankings(&game, &places, name);
    compare_policies(&game, &places, name);
    true
}

#[test]
fn playouts_are_the_same_in_all_games() {
    let sheets = library();
    let all = sheets.len();
    let compared = sheets.into_iter().filter(|(name, rules)| compare(name, rules.clone())).count();
    println!("{compared} of {all} games");
    assert!(compared * 2 > all, "only {compared} could be set up");
}

#[test]
fn playouts_are_the_same_on_published_sheets() {
    let Some(corpus) = Corpus::find("published sheets are not played") else { return };
    let sheets = corpus.sheets("games");
    let compared = sheets.iter().filter(|sheet| compare(&sheet.name, sheet.rules())).count();
    println!("{compared} of {} sheets", sheets.len());
    assert!(compared * 3 > sheets.len(), "only {compared} could be set up");
}

//! Published sheets of the same games: as many ways to play, or else a difference that is stated and
//! that shows.

use std::sync::Arc;

use ludex_game::Game;
use ludex_reasoner::build;
use ludex_testkit::Corpus;

use crate::counting::paths;
use crate::games::{each, ensure};

/// States behind at most this many paths are expanded.
const PATHS: u64 = 300;
/// The same when asked for.
const MANY_PATHS: u64 = 20_000;

/// Longest sequence of moves that is counted.
const STEPS: usize = 30;

/// Differences that neither few moves nor random play show: pac-man hardly ever eats all pellets, and a
/// seventh row counts only when a column is full.
const UNSEEN: &[&str] = &["base_pacman3p", "dresden_pacman3p", "base_connectfoursuicide_7x7"];

fn compare(most: u64) {
    let Some(corpus) = Corpus::find("published sheets are not compared") else { return };
    each(|built| {
        for other in &built.about.corpus {
            let name = other.sheet.as_str();
            let rules = corpus.game(name).rules();
            let game = build(rules.clone(), "rules").map_err(|error| format!("{name}: {error}"))?;
            let (found, own) = (paths(&game, STEPS, most), paths(built.shared(), STEPS, most));
            let depth = found.len().min(own.len());
            let same = found[..depth] == own[..depth];
            println!("{}: {name} to depth {depth}: same {same}", built.sheet.name);
            if other.same {
                ensure(same, || format!("{name}: {found:?} ways to play, ours {own:?}"))?;
            } else if same && !UNSEEN.contains(&name) {
                let game = build(rules, "auto").map_err(|error| format!("{name}: {error}"))?;
                let (theirs, ours) = (means(&game)?, means(built.shared())?);
                let differ = theirs.iter().zip(&ours).any(|(a, b)| (a - b).abs() > 0.03 * a.max(*b));
                println!("{}: {name}, length and goals: {theirs:.2?}, ours {ours:.2?}", built.sheet.name);
                ensure(differ, || format!("{name}: what differs does not show: {theirs:?}, ours {ours:?}"))?;
            }
        }
        Ok(())
    });
}

/// Length of random games, and what each role gets.
fn means(game: &Arc<dyn Game>) -> Result<Vec<f64>, String> {
    let count = 4000;
    let result = ludex_testkit::simulator(game, 1000)
        .playouts(&game.initial(), count, 5)
        .map_err(|failure| failure.to_string())?;
    let sums = std::iter::once(&result.steps).chain(&result.goal_sums);
    Ok(sums.map(|&sum| sum as f64 / count as f64).collect())
}

#[test]
fn published_sheets_have_as_many_ways_to_play() {
    compare(PATHS);
}

#[test]
#[ignore = "takes minutes"]
fn published_sheets_have_as_many_ways_to_play_deeper() {
    compare(MANY_PATHS);
}

//! How fast the engine `rules` plays: `LUDEX_CORPUS=... cargo bench -p ludex-reasoner --bench
//! rules_engine`.
//!
//! Random playouts from the first state on one core; an item is a state transition. Without the
//! corpus the games that come with Ludex are played. Every run must play the same games as the
//! first.
//!
//! `LUDEX_TABLE=1` prints a line for each sheet instead: transitions per second of processor time.
//! `LUDEX_SHEET=name,name` takes other sheets of the corpus.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark ends by panicking, and reports")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use ludex_game::Playouts;
use ludex_gdl::{Source, load};
use ludex_reasoner::RulesGame;

/// Sheets of the corpus that other engines have been measured on.
const SHEETS: &[&str] = &[
    "base_tictactoe",
    "base_connectfour",
    "base_breakthrough",
    "base_checkers",
    "base_reversi",
    "base_chess_200",
    "base_speedchess",
    "base_amazons_8x8",
    "base_amazons_10x10",
    "base_hex",
    "base_skirmish",
    "base_eightpuzzle",
    "base_knightstour",
    "base_lightsout",
    "base_pentago",
    "base_chinesecheckers3",
    "base_ttcc4",
    "base_connect5",
    "base_gomoku_15x15",
];

fn main() {
    if std::env::var_os("LUDEX_TABLE").is_some() {
        table();
    } else {
        divan::main();
    }
}

fn sheets() -> Vec<(String, PathBuf)> {
    match std::env::var_os("LUDEX_CORPUS").map(PathBuf::from) {
        Some(corpus) => {
            let wanted = std::env::var("LUDEX_SHEET").ok();
            let names: Vec<String> = match wanted {
                Some(wanted) => wanted.split(',').map(str::to_owned).collect(),
                None => SHEETS.iter().map(|s| (*s).to_owned()).collect(),
            };
            names.into_iter().map(|s| (s.clone(), corpus.join("games").join(format!("{s}.kif")))).collect()
        }
        None => {
            let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
            ["tic_tac_toe", "connect_four"].map(|s| (s.to_owned(), games.join(format!("{s}.kif")))).to_vec()
        }
    }
}

fn game(path: &Path) -> Arc<RulesGame> {
    let source = Source::new(path.display().to_string(), std::fs::read(path).expect("readable"));
    Arc::new(RulesGame::new(&load(&source).playable().expect("playable")).expect("set up"))
}

fn play(game: &Arc<RulesGame>, count: u64, seed: u64) -> Playouts {
    ludex_testkit::playouts(game, count, 1000, seed)
}

#[divan::bench(args = sheets().into_iter().map(|(name, _)| name).collect::<Vec<_>>())]
fn playouts(bencher: Bencher<'_, '_>, name: &str) {
    let path = sheets().into_iter().find(|(n, _)| n == name).expect("a sheet").1;
    let game = game(&path);
    let expected = play(&game, 4, 1);
    bencher
        .counter(ItemsCount::new(expected.steps))
        .bench(|| assert_eq!(play(&game, 4, 1), expected, "the same playouts"));
}

/// Seconds of processor time that this process has used, as Linux tells it.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = stat.split_whitespace().next()?.parse().ok()?;
    #[allow(clippy::cast_precision_loss, reason = "far below the limit")]
    Some(nanoseconds as f64 / 1e9)
}

#[allow(clippy::cast_precision_loss, reason = "a report")]
fn table() {
    println!("sheet set-up-ms steps playouts steps/cpu-s");
    for (name, path) in sheets() {
        let begun = Instant::now();
        let game = game(&path);
        let ready = begun.elapsed();
        play(&game, 1, 0);
        let now = || processor_seconds().unwrap_or_else(|| begun.elapsed().as_secs_f64());
        let start = now();
        let (mut steps, mut count, mut batch) = (0, 0, 1);
        for seed in 1.. {
            let before = now();
            steps += play(&game, batch, seed).steps;
            count += batch;
            if now() - start > 1.5 {
                break;
            }
            // Asking for the time takes time.
            if now() - before < 0.01 {
                batch *= 2;
            }
        }
        let rate = steps as f64 / (now() - start);
        println!("{name} {:.1} {steps} {count} {rate:.0}", ready.as_secs_f64() * 1e3);
    }
}

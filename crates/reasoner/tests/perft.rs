//! Perft of well-known games against counts that others have published.
//!
//! The sheets are not part of this repository: set `LUDEX_CORPUS` (see `corpus.rs`).

#![allow(clippy::expect_used, reason = "tests end by panicking")]

use ludex_game::perft;
use ludex_reasoner::build;
use ludex_testkit::Corpus;

/// Sheet, and paths of 1, 2, 3, ... steps.
const COUNTS: &[(&str, &[u64])] = &[
    // Every game that can be played, by length.
    ("base_tictactoe", &[9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872]),
    ("base_breakthrough", &[22, 484, 11_132, 256_036]),
    ("base_reversi", &[4, 12, 56, 244, 1396, 8200]),
    // Eight columns of six: no column is full and nobody has won before the seventh disc.
    ("base_connectfour", &[8, 64, 512, 4096, 32_768]),
    ("base_chess_200", &[20, 400, 8902]),
    // A turn is a move and an arrow, which this sheet makes two steps of: 2176 turns in all.
    ("base_amazons_10x10", &[80, 2176]),
];

#[test]
fn counts_are_those_that_others_have_published() {
    let Some(corpus) = Corpus::find("published counts are not compared") else { return };
    for (sheet, counts) in COUNTS {
        let rules = corpus.game(sheet).rules();
        for engine in ["circuit", "batch"] {
            let game = build(rules.clone(), engine).expect("a game");
            let paths: Vec<u64> =
                perft(&game, counts.len()).expect("counts").iter().skip(1).map(|layer| layer.paths).collect();
            assert_eq!(paths, *counts, "{sheet} with {engine}");
        }
    }
}

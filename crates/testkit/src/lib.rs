//! What tests start with: library games, sheets from text, the corpus, odd sheets.
//!
//! A development dependency only. Everything panics with a message instead of returning errors:
//! a test that cannot load its game has failed.
//!
//! The kit depends on `gdl`, `library`, `game` and `reasoner`. Integration tests of these crates
//! use it like all others. Unit tests are compiled into a second copy of their crate, whose types
//! differ from the kit's: there, use only functions that return types of other crates (in
//! `reasoner`: [`rules`], [`library_rules`], [`text`]).
//!
//! ```
//! use ludex_testkit::{SEED, game, game_from, rules, sheets};
//!
//! let game = game("tic_tac_toe", "batch");
//! assert_eq!(game.view(&game.initial()).unwrap().legal[0].len(), 9);
//!
//! let heaps = game_from(sheets::HEAPS, "rules");
//! assert_eq!(heaps.roles().len(), 2);
//! assert_eq!(rules("(role you) (legal you go) terminal (goal you 1)").roles.len(), 1);
//! # let _ = SEED;
//! ```

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests end by panicking, and say what they do not look at"
)]

mod corpus;
mod load;
mod playing;
mod programs;
mod random_sheet;
pub mod sheets;

pub use corpus::{Corpus, CorpusSheet, kif_files};
pub use load::{game, game_from, library, library_rules, rules, rules_despite_errors, text};
pub use playing::{playouts, simulator};
pub use programs::has_program;
pub use random_sheet::{Shape, random_sheet};

/// The seed of tests that need any seed, but always the same.
pub const SEED: u64 = 7;

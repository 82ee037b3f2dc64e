//! What `games/<name>.toml` says of a game, held against its sheet: for every game there is.
//!
//! `cargo test` looks at what takes seconds; `cargo test -p ludex-library --release -- --ignored` at all
//! the figures. With `LUDEX_CORPUS`, published sheets are compared too. `LUDEX_GAMES=chess,hex` takes a
//! closer look at some games.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests end by panicking")]

mod boards;
mod corpus;
mod counting;
mod games;
mod invariants;
mod list;
mod perft;
mod play;
mod puzzles;
mod values;

//! The page in a real browser.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests end by panicking, and say what is skipped"
)]

mod driver;
mod look;
mod play;
mod write;

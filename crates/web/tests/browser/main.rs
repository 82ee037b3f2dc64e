//! The page in a real browser.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests end by panicking, and say what is skipped"
)]

mod accessible;
mod driver;
mod laboratory;
mod look;
mod manage;
mod play;
mod write;

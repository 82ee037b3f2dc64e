//! The page over HTTP, without a browser.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]

mod client;
mod doors;
mod gallery;
mod hostile;
mod matches;
mod replays;
mod sheets;

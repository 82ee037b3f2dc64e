//! The page over HTTP, without a browser.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]
#![allow(clippy::print_stdout, reason = "what is measured is printed")]

mod client;
mod doors;
mod gallery;
mod hostile;
mod inside;
mod load;
mod matches;
mod players;
mod replays;
mod sheets;

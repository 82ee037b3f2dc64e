//! The page over HTTP, without a browser.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests end by panicking")]
#![allow(clippy::print_stdout, reason = "what is measured is printed")]

mod client;
mod doors;
mod gallery;
mod hostile;
mod inside;
mod lab;
mod load;
mod manage;
mod matches;
mod players;
mod publish;
mod replays;
mod sheets;

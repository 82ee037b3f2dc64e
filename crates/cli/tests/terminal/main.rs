//! The terminal interface, used as people use it: keys go to a pseudo-terminal, and what is asserted
//! is what its screen shows. Without a terminal: lines.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

mod layout;
mod lines;
mod picture;
mod play;
mod pseudo_terminal;
mod replay;

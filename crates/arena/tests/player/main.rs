//! The HTTP player as game managers meet it: real sockets, every dialect byte by byte.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

mod bounds;
mod dialects;
mod manager;
mod matches;
mod percepts;

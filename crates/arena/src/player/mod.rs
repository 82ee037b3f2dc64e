//! The HTTP player: what competitors register with a game manager.
//!
//! | file | what it does |
//! |---|---|
//! | `server` | HTTP: requests in, replies out, everything bounded |
//! | `connection` | one request a connection, cut off when it takes too long |
//! | `host` | all matches, and what is answered to each message |
//! | `one_match` | one match: its session, where it is |
//! | `catch_up` | which position a message means, when messages got lost or came twice |
//! | `margin` | how long before the end of a clock an answer leaves |
//! | `log` | what is kept of each match |
//!
//! Thinking itself is the business of [`ludex_engine::Session`].

mod catch_up;
mod connection;
mod host;
mod log;
mod margin;
mod one_match;
mod server;

pub use host::HostOptions;
pub use server::{ServeError, Server};

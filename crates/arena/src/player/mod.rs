//! The HTTP player: what competitors register with a game manager.
//!
//! | file | what it does |
//! |---|---|
//! | `server` | HTTP: requests in, replies out, everything bounded |
//! | `connection` | one request a connection, cut off when it takes too long |
//! | `whole_request` | requests without a length |
//! | `host` | all matches, and what is answered to each message |
//! | `one_match` | one match: its session, where it is |
//! | `catch_up` | which position a message means, when messages got lost or came twice |
//! | `percepts` | percepts of GDL-II instead of moves |
//! | `margin` | how long before the end of a clock an answer leaves |
//! | `log` | what is kept of each match |
//! | `notice` | what is reported while it happens |
//!
//! Thinking itself is the business of [`ludex_engine::Session`].

mod catch_up;
mod connection;
mod host;
mod log;
mod margin;
mod notice;
mod one_match;
mod percepts;
mod server;
mod whole_request;

pub use host::HostOptions;
pub use notice::{Listener, Notice};
pub use server::{ServeError, Server};

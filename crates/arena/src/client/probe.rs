//! Is a player there, and what is it? INFO, before a match.

use std::time::{Duration, Instant};

use super::address::Address;
use super::post::{ClientError, exchange};
use crate::protocol::{Kind, Message, Reply, Status};

/// Connections that are tried, and the time between them.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(200);
/// How a Ludex player begins its header `Server`.
const SOFTWARE: &str = "Ludex/";

/// What a player says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    /// Its name, if it gives one.
    pub name: Option<String>,
    /// Whether it would take a match; none if it answers INFO with something else, as some do.
    pub status: Option<Status>,
    /// Whether it is a Ludex player: those read clocks with fractions of a second.
    pub is_ludex: bool,
}

/// The header `Server` of our own player.
pub(crate) fn software() -> String {
    format!("{SOFTWARE}{}", env!("CARGO_PKG_VERSION"))
}

/// Asks a player with INFO. An answer of any kind shows that somebody is there; an error means that
/// nobody answers in time. One connection that breaks proves nothing: it is tried again.
pub fn probe(address: &Address, patience: Duration) -> Result<Presence, ClientError> {
    let message = Message::Info.to_string();
    let deadline = Instant::now() + patience;
    let mut tries = 1;
    let response = loop {
        match exchange(address, &address.to_string(), &message, deadline) {
            Err(ClientError::Connection(_)) if tries < TRIES && Instant::now() + PAUSE < deadline => {
                tries += 1;
                std::thread::sleep(PAUSE);
            }
            answered => break answered?,
        }
    };
    let (name, status) = match Reply::parse(response.body.as_bytes(), Kind::Info) {
        Ok(Reply::Info { name, status }) => (name, Some(status)),
        _ => (None, None),
    };
    let is_ludex = response.server.is_some_and(|server| server.starts_with(SOFTWARE));
    Ok(Presence { name, status, is_ludex })
}

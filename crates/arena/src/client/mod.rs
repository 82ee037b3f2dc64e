//! Players behind HTTP, as a game manager sees them.
//!
//! A new connection for each message, in the words of ggp-base's server, which all players were
//! tried with: HTTP/1.0, `Sender: GAMESERVER`, `Content-Type: text/acl`. Plain sockets: what goes
//! over the wire is exactly this, and every read ends by the deadline, whatever the other side
//! does.

mod address;
mod answer;
mod post;
mod probe;

pub use address::{Address, AddressError, DEFAULT_PORT};
pub use answer::MAX_ANSWER_BYTES;
pub use post::{ClientError, post};
pub(crate) use probe::software;
pub use probe::{Presence, probe};

//! The GGP protocol as text: what a game manager asks, what a player answers.
//!
//! [`Message`] is what managers send, [`Reply`] is what players answer. Reading is tolerant,
//! because managers differ (letter case, blanks, line ends, `NIL` or `()`); writing is exactly what
//! ggp-base's manager sends, because players were written for it. Nothing here recurses or takes
//! more than linear time, whatever the bytes are.

mod clock;
mod message;
mod pieces;
mod reply;

pub use clock::ClockError;
pub use message::{Kind, MAX_MESSAGE_BYTES, Message, MessageError};
pub use pieces::{TermError, normal_term};
pub(crate) use pieces::{inside, pieces};
pub use reply::{MAX_REPLY_BYTES, Reply, ReplyError, Status};

//! What a player answers to a game manager.
//!
//! A reply has a meaning only together with the message it answers: a game may have a move `ready`
//! or `busy`. So whoever reads one says what was asked.

use std::fmt;

use super::message::Kind;
use super::pieces::{TermError, inside, normal_term, pieces};

/// The longest reply that is read. The longest moves of published games have a few hundred bytes.
pub const MAX_REPLY_BYTES: usize = 64 << 10;

/// The answer of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// To START: the match may begin.
    Ready,
    /// To anything: another match is being played, or this one is not known.
    Busy,
    /// To STOP.
    Done,
    /// To ABORT.
    Aborted,
    /// To INFO.
    Info {
        /// How the player calls itself, if it says so.
        name: Option<String>,
        /// Whether it would take a match.
        status: Status,
    },
    /// To PLAY: the move, a term with single blanks, in the letter case in which it came. Players
    /// that have no move answer `nil`; that, too, comes here, since a game may have a move of that
    /// name.
    Move(String),
    /// Something else. Managers ignore what players answer to START and STOP.
    Other(String),
}

/// Whether a player would take a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It would.
    Available,
    /// It is in one.
    Busy,
    /// Another word.
    Other(String),
}

/// Why bytes are not a reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// It is too long.
    #[error("a reply may have {MAX_REPLY_BYTES} bytes, this one has {0}")]
    TooLarge(usize),
    /// It is not one term.
    #[error("this is not a reply: {0}")]
    Shape(#[from] TermError),
}

/// What is answered when there is no move to answer.
pub(crate) const NO_MOVE: &str = "nil";

impl Reply {
    /// The answer of a player that has no move.
    pub fn no_move() -> Self {
        Reply::Move(NO_MOVE.to_owned())
    }

    /// Reads the answer to a message. Words may have any letter case, and parentheses around them.
    pub fn parse(bytes: &[u8], to: Kind) -> Result<Self, ReplyError> {
        if bytes.len() > MAX_REPLY_BYTES {
            return Err(ReplyError::TooLarge(bytes.len()));
        }
        let text = String::from_utf8_lossy(bytes);
        let term = normal_term(&text)?;
        if to == Kind::Play {
            return Ok(Reply::Move(term));
        }
        let word = inside(&term).unwrap_or(&term);
        if to == Kind::Info {
            return Ok(info(&term, word));
        }
        Ok(match word.to_ascii_lowercase().as_str() {
            "ready" => Reply::Ready,
            "busy" => Reply::Busy,
            "done" => Reply::Done,
            "aborted" => Reply::Aborted,
            _ => Reply::Other(term),
        })
    }
}

/// A list of pairs, `((name X) (status available))`, or the status alone.
fn info(term: &str, word: &str) -> Reply {
    let (mut name, mut status) = (None, None);
    if let Some(Ok(fields)) = inside(term).map(pieces) {
        for field in fields.into_iter().filter_map(inside) {
            let (key, value) = field.split_once(' ').unwrap_or((field, ""));
            match key.to_ascii_lowercase().as_str() {
                "name" => name = Some(value.to_owned()),
                "status" => status = Some(read_status(value)),
                _ => {}
            }
        }
    }
    match (name, status) {
        (name, Some(status)) => Reply::Info { name, status },
        // A name without a status is nobody we know how to talk to.
        (name @ Some(_), None) => Reply::Info { name, status: Status::Other(String::new()) },
        (None, None) => match read_status(word) {
            Status::Other(_) => Reply::Other(term.to_owned()),
            status => Reply::Info { name: None, status },
        },
    }
}

fn read_status(word: &str) -> Status {
    match word.to_ascii_lowercase().as_str() {
        "available" => Status::Available,
        "busy" => Status::Busy,
        _ => Status::Other(word.to_owned()),
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Available => "available",
            Status::Busy => "busy",
            Status::Other(word) => word,
        })
    }
}

/// As ggp-base's players write it.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Ready => f.write_str("ready"),
            Reply::Busy => f.write_str("busy"),
            Reply::Done => f.write_str("done"),
            Reply::Aborted => f.write_str("aborted"),
            Reply::Info { name: Some(name), status } => {
                write!(f, "( ( name {name} ) ( status {status} ) )")
            }
            Reply::Info { name: None, status } => write!(f, "( ( status {status} ) )"),
            Reply::Move(term) | Reply::Other(term) => f.write_str(term),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_mean_what_was_asked() {
        let parse = |text: &str, to| Reply::parse(text.as_bytes(), to).unwrap();
        assert_eq!(parse("READY\r\n", Kind::Start), Reply::Ready);
        assert_eq!(parse("ready", Kind::Play), Reply::Move("ready".into()));
        assert_eq!(parse(" ( MARK  1 1 )", Kind::Play), Reply::Move("(MARK 1 1)".into()));
        assert_eq!(parse("(done)", Kind::Stop), Reply::Done);
        assert_eq!(parse("aborted", Kind::Abort), Reply::Aborted);
        assert_eq!(parse("whatever", Kind::Stop), Reply::Other("whatever".into()));
    }

    #[test]
    fn info_comes_in_three_shapes() {
        let parse = |text: &str| Reply::parse(text.as_bytes(), Kind::Info).unwrap();
        let full = parse("( ( name Two Words ) ( status available ) )");
        assert_eq!(full, Reply::Info { name: Some("Two Words".into()), status: Status::Available });
        assert_eq!(full.to_string(), "( ( name Two Words ) ( status available ) )");
        assert_eq!(parse("available"), Reply::Info { name: None, status: Status::Available });
        assert_eq!(parse("BUSY"), Reply::Info { name: None, status: Status::Busy });
        assert_eq!(parse("hello"), Reply::Other("hello".into()));
    }

    #[test]
    fn what_is_no_reply_is_said() {
        let said = |text: &str| Reply::parse(text.as_bytes(), Kind::Play).unwrap_err().to_string();
        assert_eq!(said("  "), "this is not a reply: it is empty");
        assert_eq!(said("(mark 1"), "this is not a reply: a `)` is missing");
        assert_eq!(said("<html> <body>"), "this is not a reply: there is more than one term");
        assert!(said(&"x".repeat(MAX_REPLY_BYTES + 1)).starts_with("a reply may have 65536 bytes"));
    }
}

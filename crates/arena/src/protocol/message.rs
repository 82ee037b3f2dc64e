//! What a game manager sends to a player.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use ludex_gdl::MAX_SOURCE_BYTES;

use super::clock::{self, ClockError};
use super::pieces::{TermError, inside, normal_term, pieces};

/// The largest message that is read: the largest rule sheet, and room for what stands around it.
pub const MAX_MESSAGE_BYTES: usize = MAX_SOURCE_BYTES + (64 << 10);

/// A message of a game manager. Moves and roles are terms with single blanks, in the letter case in
/// which they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Is anybody there?
    Info,
    /// A match begins.
    Start {
        /// Name of the match.
        id: String,
        /// Which role to play.
        role: String,
        /// The rule sheet as it came, without the parentheses around it.
        rules: String,
        /// Time to get ready.
        start_clock: Duration,
        /// Time for each move.
        play_clock: Duration,
    },
    /// A move is wanted.
    Play {
        /// Name of the match.
        id: String,
        /// What everyone did in the last step, in the order of the roles; none at first.
        moves: Option<Vec<String>>,
    },
    /// The match is over.
    Stop {
        /// Name of the match.
        id: String,
        /// The last moves.
        moves: Option<Vec<String>>,
    },
    /// The match is broken off.
    Abort {
        /// Name of the match.
        id: String,
    },
    /// A match with these rules may come.
    Preview {
        /// The rule sheet as it came, without the parentheses around it.
        rules: String,
        /// Time to look at it.
        clock: Duration,
    },
}

/// Which message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// [`Message::Info`].
    Info,
    /// [`Message::Start`].
    Start,
    /// [`Message::Play`].
    Play,
    /// [`Message::Stop`].
    Stop,
    /// [`Message::Abort`].
    Abort,
    /// [`Message::Preview`].
    Preview,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] = [Kind::Info, Kind::Start, Kind::Play, Kind::Stop, Kind::Abort, Kind::Preview];

    /// The word in front of the message.
    pub fn keyword(self) -> &'static str {
        match self {
            Kind::Info => "INFO",
            Kind::Start => "START",
            Kind::Play => "PLAY",
            Kind::Stop => "STOP",
            Kind::Abort => "ABORT",
            Kind::Preview => "PREVIEW",
        }
    }
}

/// Why bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It is too long.
    #[error("a message may have {MAX_MESSAGE_BYTES} bytes, this one has {0}")]
    TooLarge(usize),
    /// It is not made of words and lists, or there is something behind it.
    #[error("this is not a message: {0}")]
    Shape(#[from] TermError),
    /// No message begins with this word.
    #[error("there is no message `{0}`; there are INFO, START, PLAY, STOP, ABORT and PREVIEW")]
    Unknown(String),
    /// Something is missing.
    #[error("{} without {what}", .message.keyword())]
    Missing {
        /// Of which message.
        message: Kind,
        /// What should be there.
        what: &'static str,
    },
    /// Something is there, but not what it should be.
    #[error("in {}, `{found}` stands where {what} is expected", .message.keyword())]
    Wrong {
        /// In which message.
        message: Kind,
        /// What should be there.
        what: &'static str,
        /// What is there, or how it begins.
        found: String,
    },
    /// A clock is not one.
    #[error("{}: {error}", .message.keyword())]
    Clock {
        /// In which message.
        message: Kind,
        /// What is wrong with it.
        error: ClockError,
    },
}

impl Message {
    /// Reads a message. Keywords may have any letter case, blanks and line ends any shape; what is
    /// not UTF-8 is replaced; what managers add behind the known parts is ignored.
    pub fn parse(bytes: &[u8]) -> Result<Self, MessageError> {
        if bytes.len() > MAX_MESSAGE_BYTES {
            return Err(MessageError::TooLarge(bytes.len()));
        }
        let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let outer = pieces(text)?;
        // Some people write `info` without parentheses.
        let parts = match outer[..] {
            [] => return Err(TermError::Empty.into()),
            [only] => match inside(only) {
                Some(inner) => pieces(inner)?,
                None => outer,
            },
            _ if inside(outer[0]).is_some() => return Err(TermError::Several.into()),
            _ => outer,
        };
        let Some(&first) = parts.first() else { return Err(TermError::Empty.into()) };
        let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.keyword().eq_ignore_ascii_case(first)) else {
            return Err(MessageError::Unknown(beginning(first)));
        };
        Parts { kind, rest: parts.into_iter().skip(1) }.message()
    }

    /// Which message it is.
    pub fn kind(&self) -> Kind {
        match self {
            Message::Info => Kind::Info,
            Message::Start { .. } => Kind::Start,
            Message::Play { .. } => Kind::Play,
            Message::Stop { .. } => Kind::Stop,
            Message::Abort { .. } => Kind::Abort,
            Message::Preview { .. } => Kind::Preview,
        }
    }

    /// Which match it is about.
    pub fn id(&self) -> Option<&str> {
        match self {
            Message::Start { id, .. }
            | Message::Play { id, .. }
            | Message::Stop { id, .. }
            | Message::Abort { id } => Some(id),
            Message::Info | Message::Preview { .. } => None,
        }
    }
}

/// What stands behind the keyword.
struct Parts<I> {
    kind: Kind,
    rest: I,
}

impl<'a, I: Iterator<Item = &'a str>> Parts<I> {
    fn message(mut self) -> Result<Message, MessageError> {
        Ok(match self.kind {
            Kind::Info => Message::Info,
            Kind::Start => Message::Start {
                id: self.id()?,
                role: self.role()?,
                rules: self.rules()?,
                start_clock: self.clock("a start clock")?,
                play_clock: self.clock("a play clock")?,
            },
            Kind::Play => Message::Play { id: self.id()?, moves: self.moves()? },
            Kind::Stop => Message::Stop { id: self.id()?, moves: self.moves()? },
            Kind::Abort => Message::Abort { id: self.id()? },
            Kind::Preview => Message::Preview { rules: self.rules()?, clock: self.clock("a clock")? },
        })
    }

    fn part(&mut self, what: &'static str) -> Result<&'a str, MessageError> {
        self.rest.next().ok_or(MessageError::Missing { message: self.kind, what })
    }

    fn wrong(&self, what: &'static str, found: &str) -> MessageError {
        MessageError::Wrong { message: self.kind, what, found: beginning(found) }
    }

    fn id(&mut self) -> Result<String, MessageError> {
        const WHAT: &str = "the name of a match";
        let part = self.part(WHAT)?;
        if inside(part).is_some() { Err(self.wrong(WHAT, part)) } else { Ok(part.to_owned()) }
    }

    fn role(&mut self) -> Result<String, MessageError> {
        let part = self.part("a role")?;
        Ok(normal_term(part)?)
    }

    fn rules(&mut self) -> Result<String, MessageError> {
        const WHAT: &str = "a list of rules";
        let part = self.part(WHAT)?;
        inside(part).map(str::to_owned).ok_or_else(|| self.wrong(WHAT, part))
    }

    fn clock(&mut self, what: &'static str) -> Result<Duration, MessageError> {
        let part = self.part(what)?;
        clock::read(part).map_err(|error| MessageError::Clock { message: self.kind, error })
    }

    /// A list of moves; `NIL`, `()` and nothing at all are no moves. A word alone is the move of a
    /// role alone.
    fn moves(&mut self) -> Result<Option<Vec<String>>, MessageError> {
        let Some(part) = self.rest.next() else { return Ok(None) };
        let Some(inner) = inside(part) else {
            return Ok((!part.eq_ignore_ascii_case("nil")).then(|| vec![part.to_owned()]));
        };
        let moves: Vec<String> = pieces(inner)?.into_iter().map(normal_term).collect::<Result<_, _>>()?;
        Ok((!moves.is_empty()).then_some(moves))
    }
}

/// How a text begins, for error messages.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Exactly as ggp-base's manager writes it.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keyword = self.kind().keyword();
        match self {
            Message::Info => write!(f, "( {keyword} )"),
            Message::Start { id, role, rules, start_clock, play_clock } => {
                let (start, play) = (clock::write(*start_clock), clock::write(*play_clock));
                write!(f, "( {keyword} {id} {} ({rules}) {start} {play})", Spaced(role))
            }
            Message::Play { id, moves } | Message::Stop { id, moves } => match moves {
                None => write!(f, "( {keyword} {id} NIL )"),
                Some(moves) => {
                    write!(f, "( {keyword} {id} (")?;
                    for text in moves {
                        write!(f, "{} ", Spaced(text))?;
                    }
                    f.write_str(") )")
                }
            },
            Message::Abort { id } => write!(f, "( {keyword} {id} )"),
            Message::Preview { rules, clock } => {
                write!(f, "( {keyword} ({rules}) {} )", clock::write(*clock))
            }
        }
    }
}

/// A term with blanks inside its parentheses, as ggp-base writes terms: `( mark 1 1 )`.
struct Spaced<'a>(&'a str);

impl fmt::Display for Spaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in self.0.split_inclusive(['(', ')']) {
            match (piece.strip_suffix(')'), piece.ends_with('(')) {
                (Some(before), _) => write!(f, "{before} )")?,
                (None, true) => write!(f, "{piece} ")?,
                (None, false) => f.write_str(piece)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Message, MessageError> {
        Message::parse(text.as_bytes())
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn messages_are_read_in_every_dialect() {
        let play = Message::Play { id: "m.1".into(), moves: None };
        for text in ["( PLAY m.1 NIL )", "(play m.1 nil)", "(Play\r\n m.1\t() )", "(PLAY m.1)", "play m.1"] {
            assert_eq!(parse(text), Ok(play.clone()), "{text}");
        }
        let text = "( PLAY m.1 (( mark 1 1 ) NOOP ) )";
        let moves = Some(vec!["(mark 1 1)".to_owned(), "NOOP".to_owned()]);
        assert_eq!(parse(text), Ok(Message::Play { id: "m.1".into(), moves }));
        let text = "(START M.1 XPLAYER ((ROLE XPLAYER)\n(ROLE OPLAYER)) 30 1.5)\r\n";
        let start = Message::Start {
            id: "M.1".into(),
            role: "XPLAYER".into(),
            rules: "(ROLE XPLAYER)\n(ROLE OPLAYER)".into(),
            start_clock: seconds(30),
            play_clock: Duration::from_millis(1500),
        };
        assert_eq!(parse(text), Ok(start));
        for text in ["info", "( INFO )", "\u{feff}(info)\0", "(INFO (more) of it)"] {
            assert_eq!(parse(text), Ok(Message::Info), "{text}");
        }
        let preview = Message::Preview { rules: "(role a) ; :)\n".into(), clock: seconds(3) };
        assert_eq!(parse("(preview ((role a) ; :)\n) 3)"), Ok(preview));
    }

    #[test]
    fn messages_are_written_as_the_field_knows_them() {
        let moves = Some(vec!["(mark 1 (f 2))".to_owned(), "noop".to_owned()]);
        let stop = Message::Stop { id: "m".into(), moves };
        assert_eq!(stop.to_string(), "( STOP m (( mark 1 ( f 2 ) ) noop ) )");
        let start = Message::Start {
            id: "m".into(),
            role: "white".into(),
            rules: "(role white) ".into(),
            start_clock: seconds(30),
            play_clock: seconds(10),
        };
        assert_eq!(start.to_string(), "( START m white ((role white) ) 30 10)");
        assert_eq!(Message::Play { id: "m".into(), moves: None }.to_string(), "( PLAY m NIL )");
        assert_eq!(Message::Abort { id: "m".into() }.to_string(), "( ABORT m )");
        assert_eq!(Message::Info.to_string(), "( INFO )");
        let preview = Message::Preview { rules: "(role a)".into(), clock: seconds(5) };
        assert_eq!(preview.to_string(), "( PREVIEW ((role a)) 5 )");
    }

    #[test]
    fn what_is_no_message_is_said() {
        let said = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(said(""), "this is not a message: it is empty");
        assert_eq!(said("(play m"), "this is not a message: a `)` is missing");
        assert_eq!(said("(info) (info)"), "this is not a message: there is more than one term");
        assert!(said("(dance m)").starts_with("there is no message `dance`"));
        assert_eq!(said("(play)"), "PLAY without the name of a match");
        assert_eq!(said("(play (m) nil)"), "in PLAY, `(m)` stands where the name of a match is expected");
        assert_eq!(
            said("(start m r rules 1 1)"),
            "in START, `rules` stands where a list of rules is expected"
        );
        assert_eq!(said("(start m r (rules) 1)"), "START without a play clock");
        assert_eq!(said("(start m r (rules) soon 1)"), "START: `soon` is not a number of seconds");
        let large = vec![b' '; MAX_MESSAGE_BYTES + 1];
        assert_eq!(Message::parse(&large), Err(MessageError::TooLarge(large.len())));
    }
}

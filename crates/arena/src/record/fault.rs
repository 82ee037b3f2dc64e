//! What a player did wrong at a step, in the words of match records.

use std::fmt;
use std::str::FromStr;

/// Longest part of an answer that is kept.
const MAX_TEXT: usize = 200;

/// Why the answer of a player was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerFault {
    /// It came too late, or not at all.
    TimeOut,
    /// It was not a legal move: what was answered instead.
    Illegal(String),
    /// The player could not be reached, hung up, or broke down: why.
    Connection(String),
}

impl PlayerFault {
    /// An answer that is not a legal move; only its beginning is kept.
    pub fn illegal(answer: &str) -> Self {
        PlayerFault::Illegal(beginning(answer))
    }

    /// A player that cannot be talked to.
    pub fn connection(reason: &str) -> Self {
        PlayerFault::Connection(beginning(reason))
    }
}

/// The beginning of a text, on one line.
fn beginning(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut kept: String = text.trim().chars().take(MAX_TEXT).map(clean).collect();
    if text.trim().chars().nth(MAX_TEXT).is_some() {
        kept.push('…');
    }
    kept
}

/// As records have it: `TO`, `IL answer`, `CE reason`.
impl fmt::Display for PlayerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerFault::TimeOut => f.write_str("TO"),
            PlayerFault::Illegal(answer) => write!(f, "IL {answer}"),
            PlayerFault::Connection(reason) => write!(f, "CE {reason}"),
        }
    }
}

/// A text that is none of the errors that records have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an error of a player: those begin with TO, IL or CE")]
pub struct UnknownFault(String);

impl FromStr for PlayerFault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, UnknownFault> {
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        match kind {
            "TO" => Ok(PlayerFault::TimeOut),
            "IL" => Ok(PlayerFault::Illegal(rest.to_owned())),
            "CE" => Ok(PlayerFault::Connection(rest.to_owned())),
            _ => Err(UnknownFault(beginning(text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_written_and_read() {
        let faults =
            [PlayerFault::TimeOut, PlayerFault::illegal("(drop 9)"), PlayerFault::connection("refused")];
        for (fault, text) in faults.iter().zip(["TO", "IL (drop 9)", "CE refused"]) {
            assert_eq!(fault.to_string(), text);
            assert_eq!(text.parse().as_ref(), Ok(fault));
        }
        assert!("late".parse::<PlayerFault>().is_err());
    }

    #[test]
    fn of_long_answers_the_beginning_is_kept() {
        let PlayerFault::Illegal(kept) = PlayerFault::illegal(&"x\n".repeat(1_000_000)) else { panic!() };
        assert_eq!(kept.chars().count(), MAX_TEXT + 1);
        assert!(!kept.contains('\n'));
    }
}

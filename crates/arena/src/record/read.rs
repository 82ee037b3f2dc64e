//! Any bytes to a record, or what is wrong with them.

use super::{MatchRecord, PlayerFault, terms};

/// Longer texts are not read: no match of people or programs comes near.
pub const MAX_RECORD_BYTES: usize = 1 << 28;

/// Why bytes are not the record of a match.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// More than [`MAX_RECORD_BYTES`].
    #[error("the record has {0} bytes; at most {MAX_RECORD_BYTES} are read")]
    TooLong(usize),
    /// Not JSON, or not with the fields of a match.
    #[error("not a match record: {0}")]
    Format(#[from] serde_json::Error),
    /// The parts do not fit together.
    #[error("the record is inconsistent: {0}")]
    Inconsistent(String),
}

impl MatchRecord {
    /// Reads a record and checks that its parts fit together. Whether it keeps to the rules of the
    /// game is for [`verify_record`](super::verify_record) to say.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        if bytes.len() > MAX_RECORD_BYTES {
            return Err(RecordError::TooLong(bytes.len()));
        }
        let record: MatchRecord = serde_json::from_slice(bytes)?;
        match record.problem() {
            None => Ok(record),
            Some(problem) => Err(RecordError::Inconsistent(problem)),
        }
    }

    /// What does not fit, if anything.
    fn problem(&self) -> Option<String> {
        let states = self.states.len();
        if states != self.moves.len() + 1 {
            return Some(format!("{states} states with {} moves between them", self.moves.len()));
        }
        if self.state_times.len() != states {
            return Some(format!("{} times for {states} states", self.state_times.len()));
        }
        if !self.errors.is_empty() && self.errors.len() != states {
            return Some(format!("{} lists of errors for {states} states", self.errors.len()));
        }
        if self.is_completed && self.goal_values.is_empty() {
            return Some("the match was completed, but there are no goals".to_owned());
        }
        if self.is_completed && self.is_aborted {
            return Some("the match was completed and aborted".to_owned());
        }
        if let Some(value) = self.goal_values.iter().find(|&&value| value > 100) {
            return Some(format!("the goal {value} is more than 100"));
        }
        for (what, clock) in [("start", self.start_clock), ("play", self.play_clock)] {
            if !clock.is_finite() || clock < 0.0 {
                return Some(format!("the {what} clock is {clock}"));
            }
        }
        if let Some(at) = self.states.iter().position(|state| terms::facts(state).is_none()) {
            return Some(format!("state {at} is not a list of facts"));
        }
        let wrong = |text: &String| terms::term(text).is_none();
        if let Some(at) = self.moves.iter().position(|row| row.iter().any(wrong)) {
            return Some(format!("the moves of step {} are not all terms", at + 1));
        }
        let mut errors = self.errors.iter().flatten().filter(|error| !error.is_empty());
        if let Some(error) = errors.find_map(|error| error.parse::<PlayerFault>().err()) {
            return Some(error.to_string());
        }
        self.problem_with_roles()
    }

    /// Whether there is as much of everything as there are roles.
    fn problem_with_roles(&self) -> Option<String> {
        let mut counts: Vec<(String, usize)> = Vec::new();
        if let Some(details) = &self.ludex {
            counts.push(("roles".into(), details.roles.len()));
            counts.push(("players".into(), details.players.len()));
            if !details.thinking.is_empty() && details.thinking.len() != self.moves.len() {
                return Some("there are not as many reports of thinking as moves".into());
            }
            counts.extend(details.thinking.iter().map(|row| ("reports of thinking".into(), row.len())));
        }
        let steps = self.moves.iter().enumerate();
        counts.extend(steps.map(|(at, row)| (format!("moves in step {}", at + 1), row.len())));
        counts.extend(
            self.errors.iter().enumerate().map(|(at, row)| (format!("errors at state {at}"), row.len())),
        );
        let optional = [
            ("goals", self.goal_values.len()),
            ("names of players", self.player_names_from_host.len()),
            ("words on who is human", self.is_player_human.len()),
        ];
        counts.extend(
            optional.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| (what.into(), count)),
        );
        let (first, roles) = counts.first()?.clone();
        let (what, count) = counts.into_iter().find(|&(_, count)| count != roles || count == 0)?;
        Some(format!("{roles} {first}, but {count} {what}"))
    }
}

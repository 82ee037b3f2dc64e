//! A match so far, as the screen knows it: the record, who is asked, who has answered.

use std::time::{Duration, Instant};

use ludex_arena::{MatchRecord, MoveReport, Request};

use super::messages::Message;

/// A match that is being played, watched or replayed.
#[derive(Default)]
pub(crate) struct Story {
    /// None before the match begins.
    pub(crate) record: Option<MatchRecord>,
    /// By role: whether it is asked and has not answered yet.
    pub(crate) thinking: Vec<bool>,
    /// Time for the move, if there is a clock.
    pub(crate) clock: Option<Duration>,
    /// When players were asked last.
    pub(crate) asked: Option<Instant>,
    /// Open questions to people, in the order of roles.
    requests: Vec<Request>,
    /// Before which joint moves (from 0) a person was asked.
    decisions: Vec<usize>,
    /// Nothing more comes.
    pub(crate) over: bool,
}

impl Story {
    /// The story of a match that is over.
    pub(crate) fn of(record: MatchRecord) -> Self {
        Self { record: Some(record), over: true, ..Self::default() }
    }

    /// The story of a match that goes on from an earlier position, where people were asked before.
    pub(crate) fn after(decisions: Vec<usize>) -> Self {
        Self { decisions, ..Self::default() }
    }

    /// Before which joint moves a person was asked, up to a step.
    pub(crate) fn decisions(&self, step: usize) -> Vec<usize> {
        self.decisions.iter().copied().filter(|&decision| decision < step).collect()
    }

    /// Takes notice of news.
    pub(crate) fn note(&mut self, message: Message) {
        match message {
            Message::Started(record) => {
                self.record = Some(*record);
            }
            Message::Asked { thinking, clock } => {
                (self.thinking, self.clock, self.asked) = (thinking, clock, Some(Instant::now()));
                self.requests.clear();
            }
            Message::Request(request) => {
                let step = request.step.saturating_sub(1);
                if self.decisions.last() != Some(&step) {
                    self.decisions.push(step);
                }
                self.requests.push(request);
                self.requests.sort_by_key(|request| request.role);
            }
            Message::Answered { role } => {
                if let Some(thinking) = self.thinking.get_mut(role) {
                    *thinking = false;
                }
                // Its time is over if it is still there.
                self.requests.retain(|request| request.role != role);
            }
            Message::Moved(made) => {
                self.requests.clear();
                if let Some(record) = &mut self.record {
                    record.moves.push(made.moves);
                    record.states.push(made.state);
                    record.state_times.push(made.time);
                    record.errors = made.errors;
                    if let Some(details) = &mut record.ludex {
                        details.thinking.push(made.thinking);
                    }
                }
            }
            Message::TakenBack(step) => {
                self.requests.clear();
                self.decisions.retain(|&decision| decision < step);
                if let Some(record) = &mut self.record {
                    record.moves.truncate(step);
                    record.states.truncate(step + 1);
                    record.state_times.truncate(step + 1);
                    record.errors.truncate(step + 1);
                    if let Some(details) = &mut record.ludex {
                        details.thinking.truncate(step);
                    }
                }
            }
            Message::Ended(record) => {
                self.requests.clear();
                self.thinking.fill(false);
                self.record = Some(*record);
            }
            Message::Over => self.over = true,
            Message::Hint(_) | Message::Line(_) => {}
        }
    }

    /// The person who is to choose now.
    pub(crate) fn request(&self) -> Option<&Request> {
        self.requests.first()
    }

    /// The same, to be answered.
    pub(crate) fn take_request(&mut self) -> Option<Request> {
        if self.requests.is_empty() { None } else { Some(self.requests.remove(0)) }
    }

    /// Drops all questions: nobody is there any more.
    pub(crate) fn leave(&mut self) {
        self.requests.clear();
    }

    /// Number of joint moves so far.
    pub(crate) fn steps(&self) -> usize {
        self.record.as_ref().map_or(0, MatchRecord::steps)
    }

    /// How many joint moves are left when a person takes their last decision back.
    pub(crate) fn back(&self) -> Option<usize> {
        let now = self.steps();
        self.decisions.iter().rev().copied().find(|&decision| decision < now)
    }

    /// Names of the roles.
    pub(crate) fn roles(&self) -> Vec<String> {
        self.record.as_ref().map(MatchRecord::role_names).unwrap_or_default()
    }

    /// Who plays a role.
    pub(crate) fn player(&self, role: usize) -> &str {
        let record = self.record.as_ref();
        record.and_then(|record| record.player_names_from_host.get(role)).map_or("", String::as_str)
    }

    /// The last search report of a role up to a step.
    pub(crate) fn report(&self, role: usize, step: usize) -> Option<&MoveReport> {
        let thinking = &self.record.as_ref()?.ludex.as_ref()?.thinking;
        thinking[..step.min(thinking.len())].iter().rev().find_map(|joint| joint.get(role)?.as_ref())
    }

    /// How often something went wrong with a role up to a step.
    pub(crate) fn errors(&self, role: usize, step: usize) -> usize {
        let rows = self.record.iter().flat_map(|record| record.errors.iter().take(step + 1));
        rows.filter(|row| row.get(role).is_some_and(|error| !error.is_empty())).count()
    }
}

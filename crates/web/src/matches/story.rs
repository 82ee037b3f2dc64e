//! A match so far: the record, who is asked, who has answered. Written by the thread of the referee,
//! read by whoever looks.

use std::time::{Duration, Instant};

use ludex_arena::{End, Event, MatchRecord, Request};

use crate::publish::MatchNews;

/// A match so far.
#[derive(Default)]
pub(crate) struct Story {
    /// None before the match begins.
    pub(crate) record: Option<MatchRecord>,
    /// By role: whether it is asked and has not answered yet.
    pub(crate) thinking: Vec<bool>,
    /// Time for the move of the machine, if there is a clock.
    pub(crate) clock: Option<Duration>,
    /// When players were asked last.
    pub(crate) asked: Option<Instant>,
    /// Open questions to people, in the order of roles.
    pub(crate) requests: Vec<Request>,
    /// Before which joint moves (from 0) a person was asked.
    decisions: Vec<usize>,
    /// Changes whenever moves are not merely added.
    pub(crate) branch: u64,
    /// Nothing more comes, unless somebody goes back.
    pub(crate) over: bool,
    /// What went wrong with the match itself.
    pub(crate) problem: Option<String>,
    /// The match that follows this one.
    pub(crate) next: Option<String>,
}

impl Story {
    /// Takes notice of what happened.
    pub(crate) fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { record } => {
                self.record = Some((*record).clone());
                self.branch += 1;
            }
            Event::Asked { thinking, clock, .. } => {
                (self.thinking, self.clock, self.asked) = (thinking.to_vec(), *clock, Some(Instant::now()));
                self.requests.clear();
            }
            Event::Answered { role, .. } => {
                if let Some(thinking) = self.thinking.get_mut(*role) {
                    *thinking = false;
                }
                // Its time is over if it is still there.
                self.requests.retain(|request| request.role != *role);
            }
            Event::Moved { record, .. } => {
                self.requests.clear();
                let Some(own) = &mut self.record else { return };
                own.moves.extend(record.moves.last().cloned());
                own.states.extend(record.states.last().cloned());
                own.state_times.extend(record.state_times.last().copied());
                own.errors.clone_from(&record.errors);
                let reports = record.ludex.as_ref().and_then(|details| details.thinking.last().cloned());
                if let Some(details) = &mut own.ludex {
                    details.thinking.extend(reports);
                }
            }
            Event::TakenBack { step, .. } => {
                self.requests.clear();
                self.branch += 1;
                self.decisions.retain(|decision| decision < step);
                let Some(record) = &mut self.record else { return };
                record.moves.truncate(*step);
                record.states.truncate(step + 1);
                record.state_times.truncate(step + 1);
                record.errors.truncate(step + 1);
                if let Some(details) = &mut record.ludex {
                    details.thinking.truncate(*step);
                }
            }
            Event::Ended { record } => {
                self.requests.clear();
                self.thinking.fill(false);
                self.record = Some((*record).clone());
            }
            Event::Waiting { .. } => {}
        }
    }

    /// A match that was played before.
    pub(crate) fn of(record: MatchRecord) -> Self {
        Self { record: Some(record), over: true, ..Self::default() }
    }

    /// What another process tells: its moves, with the states that they lead to.
    pub(crate) fn take(&mut self, news: MatchNews, states: Vec<String>, now: u64) {
        let Some(record) = &mut self.record else { return };
        let MatchNews { from, moves, errors, thinking, asked, ended, .. } = news;
        if from < record.moves.len() {
            self.branch += 1;
            record.moves.truncate(from);
            record.states.truncate(from + 1);
            record.state_times.truncate(from + 1);
            record.errors.truncate(from + 1);
        }
        let roles = record.errors.first().map_or(0, Vec::len);
        // A row for each move, whatever came.
        let rows = |mut rows: Vec<Vec<String>>| {
            rows.resize(moves.len(), Vec::new());
            rows.iter_mut().for_each(|row| row.resize(roles, String::new()));
            rows
        };
        record.errors.extend(rows(errors));
        if let Some(details) = &mut record.ludex {
            let mut thinking = thinking;
            thinking.resize(moves.len(), Vec::new());
            thinking.iter_mut().for_each(|row| row.resize(roles, None));
            details.thinking.resize(from, vec![None; roles]);
            details.thinking.extend(thinking);
        }
        record.state_times.extend(std::iter::repeat_n(now, moves.len()));
        record.states.extend(states);
        record.moves.extend(moves);
        self.thinking = vec![false; roles];
        self.clock = None;
        if let Some(asked) = asked {
            self.thinking = asked.thinking;
            self.thinking.resize(roles, false);
            let left = asked.left.filter(|left| (0.0..1e6).contains(left));
            (self.clock, self.asked) = (left.map(Duration::from_secs_f64), Some(Instant::now()));
        }
        (self.over, self.problem) = (ended.is_some(), None);
        if let Some(ended) = ended {
            let fits = ended.goals.len() == roles;
            record.goal_values = if fits { ended.goals } else { Vec::new() };
            record.is_completed = ended.end == End::Finished;
            if let Some(details) = &mut record.ludex {
                details.end = ended.end;
                details.finish_time = now;
            }
        }
    }

    /// The first moves were made before: people may go back into them.
    pub(crate) fn begins_with(&mut self, steps: usize) {
        self.decisions = (0..steps).collect();
    }

    /// A person is asked.
    pub(crate) fn request(&mut self, request: Request) {
        let step = request.step.saturating_sub(1);
        if self.decisions.last() != Some(&step) {
            self.decisions.push(step);
        }
        self.requests.push(request);
        self.requests.sort_by_key(|request| request.role);
    }

    /// The open question to a role, to be answered.
    pub(crate) fn take_request(&mut self, role: usize) -> Option<Request> {
        let at = self.requests.iter().position(|request| request.role == role)?;
        Some(self.requests.remove(at))
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

    /// Goes on from an earlier position after the end: the moves before it.
    pub(crate) fn go_back(&mut self, step: usize) -> Vec<Vec<String>> {
        self.decisions.retain(|&decision| decision < step);
        self.over = false;
        self.requests.clear();
        let moves = self.record.as_ref().map(|record| record.moves.clone()).unwrap_or_default();
        moves.into_iter().take(step).collect()
    }
}

//! One match of the player: its session, where it is, its record.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex_engine::{Session, Standing};
use serde_json::json;

use super::catch_up::Known;
use super::host::Answered;
use super::log::MatchLog;
use crate::protocol::Reply;

/// How long it is waited at the end of a match to learn its result.
const LAST_LOOK: Duration = Duration::from_millis(500);

pub(super) struct OneMatch {
    session: Session,
    /// Which role is ours, in the order of the rules.
    role: usize,
    pub play_clock: Duration,
    known: Mutex<Known>,
    log: Mutex<MatchLog>,
    /// When the manager was heard last.
    heard: Mutex<Instant>,
}

impl OneMatch {
    pub(super) fn new(session: Session, role: usize, play_clock: Duration, log: MatchLog) -> Self {
        Self {
            session,
            role,
            play_clock,
            known: Mutex::default(),
            log: Mutex::new(log),
            heard: Mutex::new(Instant::now()),
        }
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    pub(super) fn log(&self) -> MutexGuard<'_, MatchLog> {
        lock(&self.log)
    }

    /// How long the manager has not been heard.
    pub(super) fn silence(&self) -> Duration {
        lock(&self.heard).elapsed()
    }

    pub(super) fn hear(&self) {
        *lock(&self.heard) = Instant::now();
    }

    /// The answer to PLAY, at the deadline at the latest; at the end if there is no move before.
    pub(super) fn play(&self, moves: Option<&[String]>, deadline: Instant, end: Instant) -> Answered {
        let known = lock(&self.known).clone();
        let histories = known.histories(moves, self.role);
        // The same message again gets the same answer, at once.
        if let Some(answered) = known.answered.as_ref().filter(|_| histories[0] == known.history) {
            self.log().note("the same moves again");
            return Reply::Move(answered.clone()).into();
        }
        let ticket = self.session.set_position(histories.clone());
        // Is it one that was answered already? The guard knows soon.
        if let (Some((at, _)), Some(answered)) = (self.session.standing(ticket, deadline), &known.answered)
            && histories[at] == known.history
        {
            self.log().note("the same moves again");
            return Reply::Move(answered.clone()).into();
        }
        let answer = self.session.answer_or(ticket, Some(deadline), Some(end));
        self.log().thinking(&answer, self.role);
        if answer.standing == Some(Standing::Impossible) {
            self.log().note("these moves are not possible here");
            return Reply::no_move().into();
        }
        let history = histories.into_iter().nth(answer.history.unwrap_or(0)).unwrap_or_default();
        let choice = answer.choice.map(|(name, _)| name);
        // Another message came in the meantime: the match is where that one says.
        if self.session.position() == ticket {
            *lock(&self.known) = Known { history, answered: choice.clone() };
        }
        // Overtime is not the fault of a margin that is too small.
        let deadline = (!answer.overtime).then_some(deadline);
        Answered { reply: choice.map_or_else(Reply::no_move, Reply::Move), deadline }
    }

    /// The match is over; what everyone got goes to the record.
    pub(super) fn stop(&self, moves: Option<&[String]>) {
        let known = lock(&self.known).clone();
        let histories = match moves {
            Some(moves) => known.histories(Some(moves), self.role),
            None => vec![known.history],
        };
        let ticket = self.session.set_position(histories);
        let patience = LAST_LOOK.min(self.play_clock / 4);
        let goals = match self.session.standing(ticket, Instant::now() + patience) {
            Some((_, Standing::Over { goals })) => Some(goals),
            _ => None,
        };
        self.log().add("result", json!({ "goals": goals }));
    }
}

/// Nothing behind these locks is left half done by a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

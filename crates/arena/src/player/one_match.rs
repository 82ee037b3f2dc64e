//! One match of the player: its session, where it is, its record.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex_engine::{Session, Standing};
use serde_json::json;

use super::catch_up::Known;
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

    /// The answer to PLAY, at the deadline at the latest.
    pub(super) fn play(&self, moves: Option<&[String]>, deadline: Instant) -> Reply {
        let known = lock(&self.known).clone();
        let histories = known.histories(moves, self.role);
        // The same message again gets the same answer, at once.
        if let Some(answered) = known.answered.as_ref().filter(|_| histories[0] == known.history) {
            self.log().note("the same moves again");
            return Reply::Move(answered.clone());
        }
        let ticket = self.session.set_position(histories.clone());
        // Known as soon as the guard is there; or else at the deadline, with the answer.
        self.session.standing(ticket, deadline);
        let answer = self.session.answer(ticket, Some(deadline));
        self.log().thinking(&answer);
        if answer.standing == Some(Standing::Impossible) {
            self.log().note("these moves are not possible here");
            return Reply::no_move();
        }
        let history = histories.into_iter().nth(answer.history.unwrap_or(0)).unwrap_or_default();
        let mut current = lock(&self.known);
        if history == current.history
            && let Some(answered) = &current.answered
        {
            return Reply::Move(answered.clone());
        }
        let choice = answer.choice.map(|(name, _)| name);
        *current = Known { history, answered: choice.clone() };
        choice.map_or_else(Reply::no_move, Reply::Move)
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
            Some(Standing::Over { goals }) => Some(goals),
            _ => None,
        };
        self.log().add("result", json!({ "goals": goals }));
    }
}

/// Nothing behind these locks is left half done by a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

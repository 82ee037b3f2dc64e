//! A seat whose moves come from the caller: a person at a terminal, or at a page.
//!
//! The referee puts a [`Request`] to the person and waits. Whoever shows the match answers it from
//! any thread: with a move, with a wish to take moves back, or by resigning. A request that is
//! dropped without an answer counts as a person who left.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::table::{Incoming, Outcome, Said};
use crate::record::PlayerFault;

/// A person: how to put a question to them.
#[derive(Clone)]
pub struct Person {
    /// Time for each move; none: as long as it takes.
    pub clock: Option<Duration>,
    ask: Arc<dyn Fn(Request) + Send + Sync>,
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonAnswer {
    /// This move, as the game spells it. An illegal one is replaced as that of any other player, so
    /// whoever asks the person should check it.
    Move(String),
    /// Take moves back until only so many joint moves are left; only if the request says that this
    /// can be done, and otherwise an illegal answer.
    TakeBack(usize),
    /// Give the match up.
    Resign,
}

impl Person {
    /// A person without a clock. `ask` is called on the thread of the referee and must return at
    /// once; the answer comes later, through the request.
    pub fn new(ask: impl Fn(Request) + Send + Sync + 'static) -> Self {
        Self { clock: None, ask: Arc::new(ask) }
    }

    /// The same with a clock for each move.
    pub fn with_clock(self, clock: Option<Duration>) -> Self {
        Self { clock, ..self }
    }

    pub(super) fn ask(&self, request: Request) {
        (self.ask)(request);
    }
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Person").field("clock", &self.clock).finish_non_exhaustive()
    }
}

/// A question to a person: which move?
#[derive(Debug)]
pub struct Request {
    /// Number of the joint move that is asked for, from 1.
    pub step: usize,
    /// Index of the role.
    pub role: usize,
    /// Its legal moves, as the game spells them, in the order of their names.
    pub legal: Vec<String>,
    /// Whether moves can be taken back: players behind HTTP cannot be told.
    pub can_take_back: bool,
    begun: Instant,
    /// Taken by the answer.
    reply: Option<Sender<Incoming>>,
}

impl Request {
    pub(super) fn new(
        step: usize,
        role: usize,
        legal: Vec<String>,
        can_take_back: bool,
        reply: Sender<Incoming>,
    ) -> Self {
        Self { step, role, legal, can_take_back, begun: Instant::now(), reply: Some(reply) }
    }

    /// Answers the question. An answer to a question that is no longer open counts for nothing.
    pub fn answer(mut self, answer: PersonAnswer) {
        self.send(Ok(Said::Person(answer)));
    }

    fn send(&mut self, said: Result<Said, PlayerFault>) {
        if let Some(reply) = self.reply.take() {
            let outcome = Outcome { said, took: self.begun.elapsed() };
            // If the match is over, nobody waits.
            let _ = reply.send(Incoming { role: self.role, step: self.step, outcome });
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.send(Err(PlayerFault::connection("the person left")));
    }
}

//! The table that players sit at: asks them all at once, collects answers, sees to the clock.
//!
//! Players behind HTTP are asked on a thread for each message. Players in this process think on a
//! thread of their own when there are clocks, and here, one after the other, when playouts are
//! counted: nothing is faster, and nothing depends on the scheduler. All answers come through one
//! channel and carry the step that they are about, so an answer that comes too late is nobody's.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ludex_engine::SearchRunner;
use ludex_game::{RoleId, State};
use ludex_search::{Budget, SearchContext, SearchReport, Stop, Watch};

use super::event::{Event, Observer};
use super::person::{Person, PersonAnswer, Request};
use super::rulebook::Rulebook;
use super::setup::{MatchSetup, Participant, whole_seconds};
use super::thinker::{Order, on_own_thread, think};
use crate::client::{Address, ClientError, post};
use crate::protocol::Message;
use crate::record::PlayerFault;

/// How long the thread of a message may take to say that the deadline passed.
const SLACK: Duration = Duration::from_millis(200);
/// How long a person without a clock may take: points in time end somewhere.
const NO_CLOCK: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// How often the referee looks whether somebody wants an end.
const LOOK: Duration = Duration::from_millis(50);

/// Who sits where.
enum Chair {
    /// The referee moves.
    Empty,
    /// Thinks here.
    Here(Box<SearchRunner>),
    /// Thinks on its own thread; none if it could not be had.
    Thread(Option<Sender<Order>>),
    /// Is asked by HTTP.
    Remote(Remote),
    /// Is asked by the caller.
    Person(Person),
}

#[derive(Clone)]
struct Remote {
    address: Address,
    name: String,
    /// Reads clocks in whole seconds only.
    whole_seconds: bool,
}

/// What a player is asked.
pub(crate) enum Question {
    /// Nothing.
    Nothing,
    /// Players in this process: this state, with a limit of playouts or time.
    Think,
    /// The same, until all others have answered; nobody waits for it.
    Ponder,
    /// Players behind HTTP: this message, with this clock.
    Message(Message, Duration),
    /// People: which of these moves.
    Which(Vec<String>),
}

/// What a player said.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    /// The report of its search.
    Report(SearchReport),
    /// The text of its answer.
    Text(String),
    /// What a person answered.
    Person(PersonAnswer),
}

/// What came of asking a player.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) said: Result<Said, PlayerFault>,
    pub(crate) took: Duration,
}

impl Outcome {
    /// What a person wants instead of a move.
    pub(crate) fn wish(&self) -> Option<&PersonAnswer> {
        match &self.said {
            Ok(Said::Person(wish @ (PersonAnswer::TakeBack(_) | PersonAnswer::Resign))) => Some(wish),
            _ => None,
        }
    }
}

/// An answer on its way.
pub(super) struct Incoming {
    pub(super) role: usize,
    pub(super) step: usize,
    pub(super) outcome: Outcome,
}

/// What all are asked in a step.
pub(crate) struct Round<'a> {
    pub(crate) step: usize,
    pub(crate) state: &'a State,
    pub(crate) clock: Duration,
    /// How much later players in this process may answer.
    pub(crate) grace: Duration,
    /// How much later players behind HTTP may answer.
    pub(crate) remote_grace: Duration,
    /// By role.
    pub(crate) questions: Vec<Question>,
}

pub(crate) struct Table {
    chairs: Vec<Chair>,
    sender: Sender<Incoming>,
    incoming: Receiver<Incoming>,
    playouts: Option<u64>,
    memory: usize,
    abort: Stop,
}

impl Table {
    /// Seats everyone; `players` is by role, none for chance. `seeds` are theirs.
    pub(crate) fn new(
        rulebook: &Rulebook,
        setup: &MatchSetup,
        players: &[Option<Participant>],
        seeds: &[u64],
    ) -> Self {
        let (sender, incoming) = channel();
        let mut chairs = Vec::new();
        for (role, (player, &seed)) in players.iter().zip(seeds).enumerate() {
            let chair = match player {
                None => Chair::Empty,
                Some(Participant::Http(address)) => {
                    let whole_seconds = setup.whole_seconds.contains(address);
                    let (address, name) = (address.clone(), address.to_string());
                    Chair::Remote(Remote { address, name, whole_seconds })
                }
                Some(Participant::Person(person)) => Chair::Person(person.clone()),
                Some(player) => match player.maker() {
                    None => Chair::Empty,
                    Some(make) => {
                        let game = Arc::clone(rulebook.game());
                        let context =
                            SearchContext { game, role: RoleId::new(role), seed, threads: setup.threads };
                        let runner = SearchRunner::new(make, context);
                        match setup.playouts {
                            Some(_) => Chair::Here(Box::new(runner)),
                            None => Chair::Thread(seated(runner, role, sender.clone())),
                        }
                    }
                },
            };
            chairs.push(chair);
        }
        let abort = setup.abort.clone();
        Self { chairs, sender, incoming, playouts: setup.playouts, memory: setup.memory, abort }
    }

    /// Whether a role is played by HTTP.
    pub(crate) fn is_remote(&self, role: usize) -> bool {
        matches!(self.chairs.get(role), Some(Chair::Remote(_)))
    }

    /// A clock as the player of a role gets it.
    pub(crate) fn clock_of(&self, role: usize, clock: Duration) -> Duration {
        match self.chairs.get(role) {
            Some(Chair::Remote(remote)) if remote.whole_seconds => whole_seconds(clock),
            _ => clock,
        }
    }

    /// Whether anybody is asked by HTTP.
    pub(crate) fn has_remote(&self) -> bool {
        self.chairs.iter().any(|chair| matches!(chair, Chair::Remote(_)))
    }

    /// Whether a role is played by a person.
    pub(crate) fn is_person(&self, role: usize) -> bool {
        matches!(self.chairs.get(role), Some(Chair::Person(_)))
    }

    /// Asks, and waits for all who were asked; not for the others if a person wants something else
    /// than to move. By role: what came of it, none for those who were
    /// not asked or only ponder. None at all if somebody wants an end.
    pub(crate) fn ask(
        &mut self,
        round: Round<'_>,
        observer: &mut dyn Observer,
        mut answered: impl FnMut(&mut dyn Observer, usize, &Outcome),
    ) -> Option<Vec<Option<Outcome>>> {
        let Round { step, state, clock, grace, remote_grace, questions } = round;
        let begun = Instant::now();
        let stop = Stop::new();
        let pondering = Stop::new();
        let mut outcomes: Vec<Option<Outcome>> = vec![None; questions.len()];
        let mut waiting: Vec<(usize, Instant)> = Vec::new();
        let mut here: Vec<usize> = Vec::new();
        // 1. Everyone who thinks elsewhere is asked.
        for (role, question) in questions.into_iter().enumerate() {
            match (&self.chairs[role], question) {
                (Chair::Remote(remote), Question::Message(message, clock)) => {
                    let deadline = begun + clock + remote_grace;
                    self.send(remote.clone(), role, step, message.to_string(), deadline);
                    waiting.push((role, deadline + SLACK));
                }
                (Chair::Thread(Some(orders)), question @ (Question::Think | Question::Ponder)) => {
                    let ponder = matches!(question, Question::Ponder);
                    let budget = Budget {
                        deadline: Some(begun + clock),
                        playouts: None,
                        memory: self.memory,
                        stop: if ponder { pondering.clone() } else { stop.clone() },
                        watch: Watch::new(),
                    };
                    let sent = orders.send(Order { step, state: state.clone(), budget });
                    match (ponder, sent) {
                        (true, _) => {}
                        (false, Ok(())) => waiting.push((role, begun + clock + grace)),
                        (false, Err(_)) => outcomes[role] = Some(gone()),
                    }
                }
                (Chair::Person(person), Question::Which(legal)) => {
                    let limit = person.clock.map_or(begun + NO_CLOCK, |clock| begun + clock + grace);
                    let can_take_back = !self.has_remote();
                    person.ask(Request::new(step, role, legal, can_take_back, self.sender.clone()));
                    waiting.push((role, limit));
                }
                (Chair::Thread(None), Question::Think) => outcomes[role] = Some(gone()),
                (Chair::Here(_), Question::Think) => here.push(role),
                _ => {}
            }
        }
        // 2. Those who think here do so while others are on their way.
        for role in here {
            if let Chair::Here(runner) = &mut self.chairs[role] {
                let budget = Budget {
                    deadline: None,
                    playouts: self.playouts,
                    memory: self.memory,
                    stop: self.abort.clone(),
                    watch: Watch::new(),
                };
                outcomes[role] = Some(think(runner, state, &budget));
            }
        }
        for (role, outcome) in outcomes.iter().enumerate() {
            if let Some(outcome) = outcome {
                answered(observer, role, outcome);
            }
        }
        // 3. Answers are collected until everyone's time is over.
        let ticks = observer.ticks();
        let mut next_tick = ticks.map(|every| begun + every);
        while !waiting.is_empty() {
            if self.abort.is_set() {
                stop.set();
                pondering.set();
                return None;
            }
            let now = Instant::now();
            let limit = waiting.iter().map(|&(_, limit)| limit).min().unwrap_or(now);
            let limit = limit.min(now + LOOK).min(next_tick.unwrap_or(now + LOOK));
            match self.incoming.recv_timeout(limit.saturating_duration_since(now)) {
                Ok(Incoming { role, step: about, outcome }) => {
                    if about == step && waiting.iter().any(|&(waiting, _)| waiting == role) {
                        waiting.retain(|&(waiting, _)| waiting != role);
                        if outcome
                            .wish()
                            .is_some_and(|wish| *wish == PersonAnswer::Resign || !self.has_remote())
                        {
                            outcomes[role] = Some(outcome);
                            break;
                        }
                        answered(observer, role, &outcome);
                        outcomes[role] = Some(outcome);
                    }
                    continue; // whatever has come is looked at before anyone is too late
                }
                // This table holds a sender: it is never the last one.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            let now = Instant::now();
            if let (Some(every), Some(next)) = (ticks, next_tick.as_mut())
                && now >= *next
            {
                observer.event(&Event::Waiting { elapsed: now - begun });
                *next = now + every;
            }
            for &(role, _) in waiting.iter().filter(|&&(_, limit)| limit <= now) {
                let outcome = Outcome { said: Err(PlayerFault::TimeOut), took: now - begun };
                answered(observer, role, &outcome);
                outcomes[role] = Some(outcome);
            }
            waiting.retain(|&(_, limit)| limit > now);
        }
        // 4. Whoever still thinks about this step does so for nobody.
        stop.set();
        pondering.set();
        if self.abort.is_set() { None } else { Some(outcomes) }
    }

    /// Tells all players behind HTTP something whose answer does not matter, and waits for them.
    pub(crate) fn tell(&mut self, step: usize, message: &Message, clock: Duration) {
        let deadline = Instant::now() + clock;
        let mut waiting = 0;
        for (role, chair) in self.chairs.iter().enumerate() {
            if let Chair::Remote(remote) = chair {
                self.send(remote.clone(), role, step, message.to_string(), deadline);
                waiting += 1;
            }
        }
        while waiting > 0 {
            let left = (deadline + SLACK).saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(incoming) if incoming.step == step => waiting -= 1,
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// Sends a message on a thread of its own.
    fn send(&self, remote: Remote, role: usize, step: usize, message: String, deadline: Instant) {
        let sender = self.sender.clone();
        let begun = Instant::now();
        let work = move || {
            let said = post(&remote.address, &remote.name, &message, deadline);
            let said = said.map(Said::Text).map_err(PlayerFault::from);
            // If the match is over, nobody waits.
            let _ = sender.send(Incoming { role, step, outcome: Outcome { said, took: begun.elapsed() } });
        };
        if let Err(error) = std::thread::Builder::new().name(format!("message to role {role}")).spawn(work) {
            let said = Err(ClientError::Connection(format!("no thread to ask on: {error}")).into());
            let _ =
                self.sender.send(Incoming { role, step, outcome: Outcome { said, took: Duration::ZERO } });
        }
    }
}

/// Seats a player on its own thread.
fn seated(runner: SearchRunner, role: usize, sender: Sender<Incoming>) -> Option<Sender<Order>> {
    let done = move |step, outcome: Outcome| {
        // If the match is over, nobody waits.
        let _ = sender.send(Incoming { role, step, outcome });
    };
    on_own_thread(runner, &format!("player of role {role}"), done).ok()
}

/// A player whose thread is not there.
fn gone() -> Outcome {
    Outcome { said: Err(PlayerFault::connection("the thread of the player is gone")), took: Duration::ZERO }
}

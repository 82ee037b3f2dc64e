//! One match of the player: its session, where it is, its record.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ludex_engine::{Answer, History, Session, Standing};
use ludex_game::Game;
use ludex_gdl::{Rules, keyword};
use ludex_reasoner::Reference;
use serde_json::json;

use super::catch_up::Known;
use super::host::Answered;
use super::log::MatchLog;
use super::notice::Notice;
use super::percepts::{self, KnownStep};
use crate::protocol::Reply;

/// How long it is waited at the end of a match to learn its result.
const LAST_LOOK: Duration = Duration::from_millis(500);

/// Our place in a match.
pub(super) struct Seat {
    /// Which role is ours, in the order of the rules.
    pub role: usize,
    /// All roles.
    pub roles: Vec<String>,
    /// The rules, to guess what others did.
    pub rules: Arc<Rules>,
    /// Decides guesses.
    pub seed: u64,
}

pub(super) struct OneMatch {
    session: Session,
    seat: Seat,
    pub play_clock: Duration,
    known: Mutex<Known>,
    log: Mutex<MatchLog>,
    /// When the manager was heard last.
    heard: Mutex<Instant>,
    /// Made when the first guess is needed; none if the rules are too much for it.
    reference: Arc<OnceLock<Option<Reference>>>,
}

impl OneMatch {
    pub(super) fn new(session: Session, seat: Seat, play_clock: Duration, log: MatchLog) -> Self {
        Self {
            session,
            seat,
            play_clock,
            known: Mutex::default(),
            log: Mutex::new(log),
            heard: Mutex::new(Instant::now()),
            reference: Arc::default(),
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
    pub(super) fn play(
        &self,
        moves: Option<&[String]>,
        arrived: Instant,
        deadline: Instant,
        end: Instant,
    ) -> Answered {
        let known = lock(&self.known).clone();
        let percepts = self.percepts(moves, &known);
        let readings = Readings::new(moves, percepts.as_ref());
        let histories = known.histories(&readings.moves, self.seat.role);
        // The same message again gets the same answer, at once.
        let is_last = histories.first() == Some(&known.history);
        if let Some(answered) = known.answered.as_ref().filter(|_| is_last && known.open.is_empty()) {
            self.log().note("the same moves again");
            return Reply::Move(answered.clone()).into();
        }
        let mut ticket = self.session.set_position(histories.clone());
        // Is it one that was answered already? The guard knows soon.
        if let (Some((at, _)), Some(answered)) = (self.session.standing(ticket, deadline), &known.answered)
            && histories.get(at) == Some(&known.history)
            && known.open.is_empty()
        {
            self.log().note("the same moves again");
            return Reply::Move(answered.clone()).into();
        }
        let mut answer = self.session.answer_or(ticket, Some(deadline), Some(end));
        let mut now = Known {
            history: histories.get(answer.history.unwrap_or(0)).cloned().unwrap_or_default(),
            warned: known.warned,
            ..Known::default()
        };
        if answer.standing == Some(Standing::Impossible) || histories.is_empty() {
            let Some((guess, open)) = self.guess(&known, percepts.as_ref(), deadline) else {
                self.log().note("these moves are not possible here");
                return Reply::no_move().into();
            };
            ticket = self.session.set_position(vec![guess.clone()]);
            answer = self.session.answer_or(ticket, Some(deadline), Some(end));
            now = Known { history: known.history, open, guess, warned: known.warned, answered: None };
            self.warn(&mut now, "the moves of others are not known: plays what is legal in a position that fits what is known");
        } else if readings.is_percepts(now.history.last()) {
            self.warn(&mut now, "percepts instead of moves (GDL-II): reads `did` percepts as the moves");
        }
        let history = now.position();
        self.log().thinking(&answer, self.seat.role, history, !now.open.is_empty());
        if now.open.is_empty() {
            let log = self.log();
            log.tell(&Notice::Position { id: log.id(), moves: history });
        }
        self.tell_move(&answer, history.len() + 1, arrived);
        now.answered = answer.choice.map(|(name, _)| name);
        let choice = now.answered.clone();
        // Another message came in the meantime: the match is where that one says.
        if self.session.position() == ticket {
            *lock(&self.known) = now;
        }
        // Overtime is not the fault of a margin that is too small.
        let deadline = (!answer.overtime).then_some(deadline);
        Answered { reply: choice.map_or_else(Reply::no_move, Reply::Move), deadline }
    }

    /// What a message says if it is read as percepts. No percepts are percepts too if the sheet has
    /// any, and the match began before.
    fn percepts(&self, moves: Option<&[String]>, known: &Known) -> Option<KnownStep> {
        let roles = &self.seat.roles;
        match moves {
            Some(terms) => Some(percepts::told(terms, roles)),
            None => {
                let has_percepts = self.seat.rules.relation(keyword::SEES, 2).is_some();
                (has_percepts && known.answered.is_some()).then(|| vec![None; roles.len()])
            }
        }
    }

    /// A history that fits what is known, and the steps of it that are not certain. On a thread of
    /// its own, since rules may take long: none if it does not find one in a third of the time.
    fn guess(
        &self,
        known: &Known,
        percepts: Option<&KnownStep>,
        deadline: Instant,
    ) -> Option<(History, Vec<KnownStep>)> {
        let mut step = percepts?.clone();
        let own = step.get_mut(self.seat.role)?;
        if own.is_none() {
            own.clone_from(&known.answered);
        }
        let mut open = known.open.clone();
        open.push(step);
        let limit = deadline.saturating_duration_since(Instant::now()) / 3;
        let half = Instant::now() + limit / 2;
        let (sender, found) = channel();
        let (reference, rules, seed) =
            (Arc::clone(&self.reference), Arc::clone(&self.seat.rules), self.seat.seed);
        let (certain, steps) = (known.history.clone(), open.clone());
        let work = move || {
            if let Some(game) = reference.get_or_init(|| Reference::new((*rules).clone()).ok()) {
                // Nobody may wait any more.
                let _ = sender.send(percepts::guess(game as &dyn Game, &certain, &steps, seed, half));
            }
        };
        std::thread::Builder::new().name("guess".to_owned()).spawn(work).ok()?;
        Some((found.recv_timeout(limit).ok()?, open))
    }

    /// Says something once in a match.
    fn warn(&self, known: &mut Known, text: &'static str) {
        if known.warned != Some(text) {
            known.warned = Some(text);
            self.log().note(text);
        }
    }

    fn tell_move(&self, answer: &Answer, step: usize, arrived: Instant) {
        let report = answer.report.as_ref();
        let log = self.log();
        log.tell(&Notice::Moved {
            id: log.id(),
            step,
            chosen: answer.choice.as_ref().map(|(name, _)| name.as_str()),
            value: report.and_then(|report| report.value(self.seat.role)),
            playouts: report.map_or(0, |report| report.playouts),
            took: arrived.elapsed(),
        });
    }

    /// The match is over; what everyone got goes to the record.
    pub(super) fn stop(&self, moves: Option<&[String]>) {
        let known = lock(&self.known).clone();
        let percepts = self.percepts(moves, &known);
        let histories = match moves {
            Some(_) => known.histories(&Readings::new(moves, percepts.as_ref()).moves, self.seat.role),
            None => vec![known.position().clone()],
        };
        let ticket = self.session.set_position(histories.clone());
        let patience = LAST_LOOK.min(self.play_clock / 4);
        let found = self.session.standing(ticket, Instant::now() + patience);
        let history = found.as_ref().and_then(|(at, _)| histories.get(*at)).unwrap_or(known.position());
        let goals = match &found {
            Some((_, Standing::Over { goals })) => Some(goals),
            _ => None,
        };
        let mut log = self.log();
        let guessed = !known.open.is_empty();
        let (step, moves) = (history.len(), history.last());
        log.add("result", json!({ "step": step, "moves": moves, "guessed": guessed, "goals": goals }));
        let goal = |role: usize| goals.and_then(|goals| goals.get(role).copied().flatten());
        let roles = self.seat.roles.iter().enumerate();
        let goals = roles.map(|(role, name)| (name.as_str(), goal(role))).collect();
        if !guessed {
            log.tell(&Notice::Position { id: log.id(), moves: history });
        }
        log.tell(&Notice::Ended { id: log.id(), steps: history.len(), goals, aborted: false });
    }

    /// The manager breaks the match off.
    pub(super) fn abort(&self) {
        let steps = lock(&self.known).position().len();
        let log = self.log();
        log.tell(&Notice::Ended { id: log.id(), steps, goals: Vec::new(), aborted: true });
    }
}

/// What a message may mean.
struct Readings {
    /// The joint moves, the likeliest first; none: the match is at its start.
    moves: Vec<Option<Vec<String>>>,
    /// The one that comes from percepts.
    told: Option<Vec<String>>,
}

impl Readings {
    fn new(moves: Option<&[String]>, percepts: Option<&KnownStep>) -> Self {
        let told: Option<Vec<String>> = percepts.and_then(|step| step.iter().cloned().collect());
        let mut all = match (moves, percepts) {
            (None, Some(_)) => Vec::new(),
            _ => vec![moves.map(<[String]>::to_vec)],
        };
        all.extend(told.clone().map(Some));
        Self { moves: all, told }
    }

    /// Whether this joint move was read from percepts.
    fn is_percepts(&self, last: Option<&Vec<String>>) -> bool {
        self.told.is_some() && self.told.as_ref() == last
    }
}

/// Nothing behind these locks is left half done by a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! A session: one player at work in one match.
//!
//! | thread | what it does | file |
//! |---|---|---|
//! | set-up | makes engines, the quick one first, and a guard and a thinker for each | `setup` |
//! | guard | follows the match and has a legal move ready | `guard` |
//! | think | searches in time slices and publishes a report after each | `thinker` |
//! | caller | reads the shared state: [`Session::answer`] | `state` |
//!
//! The thread that answers never calls an engine or a search. If the search panics, if set-up
//! hangs, if a playout takes a minute: the best move published so far goes out in time.
//!
//! Positions are whole histories, as text. A history that extends the last one costs one step, any
//! other is replayed from the start, so a match that got out of step needs no special case.

mod follower;
mod guard;
mod setup;
mod state;
mod thinker;

use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

use ludex_game::RoleId;
use ludex_gdl::Rules;
use ludex_reasoner::{BuildOptions, EngineChoice};
use ludex_search::{Budget, Look, LookError, Question, SearchReport};

use crate::player::Player;
use crate::runner::MakeSearch;
use crate::spelling::Spelling;
use setup::Setup;
use state::{SessionState, SharedState};

pub use follower::History;
pub use state::Standing;

/// How a session works.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// How many threads may search.
    pub threads: usize,
    /// Bytes that the search may hold on to.
    pub memory: usize,
    /// Decides random choices. With `playouts`, all of them.
    pub seed: u64,
    /// How long thinking goes on behind an answer, for the next one.
    pub ponder: Duration,
    /// Thinks this many playouts for each position, with the best engine that can be had, instead
    /// of until somebody wants an answer: the same seed gives the same moves.
    pub playouts: Option<u64>,
    /// How many candidates reports name.
    pub candidates: usize,
    /// How engines are set up.
    pub build: BuildOptions,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            memory: Budget::DEFAULT_MEMORY,
            seed: 1,
            ponder: Duration::ZERO,
            playouts: None,
            candidates: 20,
            build: BuildOptions::default(),
        }
    }
}

/// A position that was set: answers are for it and no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// Who chose the move of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The search.
    Search,
    /// The guard: the search had nothing in time, or nothing legal.
    Guard,
}

/// What is known about a position at some moment.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The move, as the sheet spells it, and who chose it. None if there is none, or nobody knows
    /// yet.
    pub choice: Option<(String, By)>,
    /// What the search says.
    pub report: Option<Arc<SearchReport<String>>>,
    /// What the guard says; none if it does not know yet.
    pub standing: Option<Standing>,
    /// Which of the histories is the possible one, if that is known.
    pub history: Option<usize>,
    /// Why there is no engine, or no search.
    pub failure: Option<String>,
    /// The engine in use.
    pub engine: Option<EngineChoice>,
    /// There was no move at the deadline, so the answer is late.
    pub overtime: bool,
}

/// A player at work in a match. Dropping it ends its threads; those inside a long engine call end
/// when it returns, nobody waits for them.
pub struct Session {
    shared: Arc<SharedState>,
    ponder: Duration,
    spelling: Arc<Spelling>,
}

impl Session {
    /// Starts to work on the first position; returns at once.
    pub fn start(rules: Rules, role: RoleId, player: &Player, options: SessionOptions) -> Self {
        let player = player.clone();
        Self::with_search(rules, role, Arc::new(move |context| player.search(context)), options)
    }

    /// The same with any search.
    pub fn with_search(rules: Rules, role: RoleId, make: MakeSearch, options: SessionOptions) -> Self {
        let shared = Arc::new(SharedState::new(options.threads, options.memory));
        let spelling = Arc::new(Spelling::new(&rules));
        let ponder = options.ponder;
        let known = Arc::clone(&spelling);
        let setup = Setup { shared: Arc::clone(&shared), rules, role, make, options, spelling: known };
        if let Err(error) = Builder::new().name("set up".to_owned()).spawn(move || setup.run()) {
            shared.change(|state| state.failure = Some(error.to_string()));
        }
        Self { shared, ponder, spelling }
    }

    /// Where the match is: the first of these histories that the rules allow. A position that is
    /// set already is thought about further.
    pub fn set_position(&self, histories: Vec<History>) -> Ticket {
        self.shared.change(|state| {
            state.request += 1;
            state.until = None;
            if *state.histories != histories {
                state.serial += 1;
                state.histories = Arc::new(histories);
                state.found = None;
                state.standing = None;
                state.stop.set();
            }
            Ticket(state.serial)
        })
    }

    /// The position that was set last.
    pub fn position(&self) -> Ticket {
        Ticket(self.shared.lock().serial)
    }

    /// Waits until the answer cannot improve or the deadline passes, and answers with what is
    /// known.
    pub fn answer(&self, ticket: Ticket, deadline: Option<Instant>) -> Answer {
        self.answer_or(ticket, deadline, deadline)
    }

    /// The same; without a move at the deadline, waits for one until `end`.
    pub fn answer_or(&self, ticket: Ticket, deadline: Option<Instant>, end: Option<Instant>) -> Answer {
        self.wait(deadline, |state| state.serial != ticket.0 || decided(state));
        let enough = |state: &SessionState| state.serial != ticket.0 || decided(state) || has_move(state);
        let overtime = !enough(&self.shared.lock());
        self.wait(end, enough);
        self.shared.change(|state| {
            let answer = Answer { overtime, ..answer(state, ticket) };
            if state.serial == ticket.0 {
                state.until = Some(Instant::now() + self.ponder);
                if self.ponder.is_zero() {
                    state.stop.set();
                }
            }
            answer
        })
    }

    /// Waits until the best engine is there and its search is finished, or the deadline passes;
    /// without a move then, waits for one until `end`. False if the game cannot be run at all.
    pub fn get_ready(&self, deadline: Instant, end: Instant) -> bool {
        self.wait(Some(deadline), |state| state.settled && decided(state));
        self.wait(Some(end), |state| decided(state) || has_move(state));
        self.shared.change(|state| {
            state.until = Some(Instant::now() + self.ponder);
            state.failure.is_none()
        })
    }

    /// Waits until the guard knows where the match stands, or the deadline: which of the histories
    /// is the possible one, and what it found there.
    pub fn standing(&self, ticket: Ticket, deadline: Instant) -> Option<(usize, Standing)> {
        self.wait(Some(deadline), |state| {
            state.serial != ticket.0 || state.standing.is_some() || state.failure.is_some()
        });
        let state = self.shared.lock();
        state.standing.clone().filter(|_| state.serial == ticket.0)
    }

    /// What the search knows about a node of its tree: moves, values, bounds, continuations. Any thread
    /// may ask, while the search thinks or rests: it is not stopped, and its result does not change.
    /// It answers within some milliseconds, or not at all before `patience` is over.
    pub fn look(
        &self,
        ticket: Ticket,
        question: Question<String>,
        patience: Duration,
    ) -> Result<Look<String>, LookError> {
        let place = self.shared.watch.at(ticket.0);
        let look = place.ask(question, patience, || self.shared.change(|_| ()))?;
        Ok(look.map(|name| self.spelling.apply(&name)))
    }

    /// What the search may use from now on. Threads count from the next position on.
    pub fn share(&self, threads: usize, memory: usize) {
        self.shared.change(|state| {
            state.threads = threads;
            state.memory = memory;
        });
    }

    /// The engine in use, once there is one.
    pub fn engine(&self) -> Option<EngineChoice> {
        self.shared.lock().choice.clone()
    }

    fn wait(&self, deadline: Option<Instant>, enough: impl Fn(&SessionState) -> bool) {
        let mut state = self.shared.lock();
        while !enough(&state) {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return;
            }
            state = self.shared.wait(state, left);
        }
    }
}

/// Whether there is something to answer with.
fn has_move(state: &SessionState) -> bool {
    let open = matches!(state.standing, Some((_, Standing::Open { .. })));
    open || state
        .found
        .as_ref()
        .is_some_and(|found| found.report.as_ref().is_some_and(|report| report.best.is_some()))
}

/// Whether waiting longer cannot improve the answer.
fn decided(state: &SessionState) -> bool {
    if let Some((_, standing)) = &state.standing {
        match standing {
            Standing::Open { legal, .. } if legal.len() > 1 => {}
            Standing::Failed(_) => {} // the search may know better, or another engine
            _ => return true,
        }
    }
    let failed = state.found.as_ref().is_some_and(|found| found.failure.is_some());
    let finished = state.found.as_ref().is_some_and(|found| found.finished);
    // A search that failed has said all; but the guard must have its move.
    state.failure.is_some() || (finished && (!failed || state.standing.is_some()))
}

/// The answer that the state has for a position.
fn answer(state: &SessionState, ticket: Ticket) -> Answer {
    let mut answer = Answer {
        choice: None,
        report: None,
        standing: None,
        history: None,
        failure: state.failure.clone(),
        engine: state.choice.clone(),
        overtime: false,
    };
    if state.serial != ticket.0 {
        return answer;
    }
    if let Some(found) = &state.found {
        answer.report.clone_from(&found.report);
        answer.failure = answer.failure.or_else(|| found.failure.clone());
    }
    let best = answer.report.as_ref().and_then(|report| report.best.clone());
    match &state.standing {
        Some((at, standing)) => {
            answer.history = Some(*at);
            answer.standing = Some(standing.clone());
            answer.choice = match standing {
                // The rules overrule the search.
                Standing::Open { legal, pick } => Some(match best.filter(|best| legal.contains(best)) {
                    Some(best) => (best, By::Search),
                    None => (pick.clone(), By::Guard),
                }),
                Standing::Failed(_) => best.map(|best| (best, By::Search)),
                Standing::Over { .. } | Standing::Stuck | Standing::Impossible => None,
            };
        }
        None => answer.choice = best.map(|best| (best, By::Search)),
    }
    answer
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.progress.cancel();
        self.shared.change(|state| {
            state.closed = true;
            state.stop.set();
        });
    }
}

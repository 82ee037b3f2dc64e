//! Plays a tournament: each match is one of those that can be watched here, and is kept in the store
//! like them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use ludex_arena::{End, MatchRecord};
use ludex_search::is_chance;
use serde::Serialize;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::plan::{NewTournament, Planned, seat};
use super::standings::{Played, Standings};
use crate::matches::NewMatch;
use crate::reply::Refusal;
use crate::routes::Shared;
use crate::secret;
use crate::shelf::Game;

/// Matches that are listed.
const LISTED: usize = 300;

/// How far a match is.
#[derive(Clone, Debug, Default)]
struct Standing {
    /// Its id on the page, once it has begun.
    id: Option<String>,
    over: bool,
    goals: Vec<u8>,
    /// By seat: late, illegal and missing answers.
    faults: Vec<u64>,
    /// Why there is no result.
    problem: Option<String>,
}

/// A tournament.
pub(crate) struct Tournament {
    id: String,
    wanted: NewTournament,
    games: Vec<Arc<Game>>,
    planned: Vec<Planned>,
    matches: Mutex<Vec<Standing>>,
    state: Mutex<State>,
    /// Set to end it.
    stop: watch::Sender<bool>,
    begun: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Waiting,
    Running,
    Over,
    Stopped,
}

/// A tournament in the list.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    id: String,
    title: String,
    state: State,
    done: usize,
    total: usize,
    players: usize,
    begun: u64,
}

/// A tournament as the page gets it.
#[derive(Debug, Serialize)]
pub(crate) struct View {
    #[serde(flatten)]
    listed: Listed,
    games: Vec<String>,
    start: f64,
    play: f64,
    playouts: Option<u64>,
    standings: Standings,
    /// Matches that failed.
    failed: usize,
    /// Those that have begun, the newest first.
    matches: Vec<ShownMatch>,
}

#[derive(Debug, Serialize)]
struct ShownMatch {
    number: usize,
    id: Option<String>,
    game: String,
    players: Vec<String>,
    over: bool,
    goals: Vec<u8>,
    faults: u64,
    problem: Option<String>,
}

impl Tournament {
    /// Sets up what is needed to know its matches.
    pub(crate) async fn new(shared: &Shared, wanted: NewTournament) -> Result<Self, Refusal> {
        let wanted = wanted.checked()?;
        let mut games = Vec::new();
        for game in &wanted.games {
            games.push(shared.shelf.game(game.clone()).await?);
        }
        let seats: Vec<usize> = games.iter().map(|game| game.rulebook.seats()).collect();
        let planned = wanted.planned(&seats)?;
        // A clock that no match could have is known before the first one.
        if let (Some(first), Some(game)) = (planned.first(), games.first()) {
            new_match(&wanted, first, 0).check(game)?;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            id: secret::word(12).map_err(|error| Refusal::broken(error.to_string()))?,
            matches: Mutex::new(vec![Standing::default(); planned.len()]),
            wanted,
            games,
            planned,
            state: Mutex::new(State::Waiting),
            stop: watch::Sender::new(false),
            begun: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    fn matches(&self) -> MutexGuard<'_, Vec<Standing>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(*self.state(), State::Over | State::Stopped)
    }

    /// Ends it; matches that are being played are given up.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Plays all matches, when it is its turn.
    pub(crate) async fn play(self: Arc<Self>, shared: Arc<Shared>, turn: Arc<Semaphore>) {
        let mut stop = self.stop.subscribe();
        // Neither the semaphore nor the sender of `stop` is ever closed.
        let _turn = tokio::select! {
            turn = turn.acquire_owned() => turn.ok(),
            _ = stop.wait_for(|stop| *stop) => None,
        };
        *self.state() = State::Running;
        let places = Arc::new(Semaphore::new(self.wanted.at_once));
        let mut running = JoinSet::new();
        for number in 0..self.planned.len() {
            let place = Arc::clone(&places).acquire_owned().await;
            if *self.stop.borrow() {
                break;
            }
            let (own, shared) = (Arc::clone(&self), Arc::clone(&shared));
            running.spawn(async move {
                let _place = place;
                let found = own.play_one(&shared, number).await;
                let mut matches = own.matches();
                if let (Some(standing), Err(refusal)) = (matches.get_mut(number), found) {
                    standing.problem = Some(refusal.message);
                    standing.over = true;
                }
            });
        }
        while running.join_next().await.is_some() {}
        *self.state() = if *self.stop.borrow() { State::Stopped } else { State::Over };
    }

    async fn play_one(&self, shared: &Shared, number: usize) -> Result<(), Refusal> {
        let Some(planned) = self.planned.get(number) else { return Ok(()) };
        let game = Arc::clone(&self.games[planned.game]);
        let wanted = new_match(&self.wanted, planned, number);
        let opened = shared.matches.begin(game, wanted, shared.hall.clone())?;
        let live = opened.live;
        if let Some(standing) = self.matches().get_mut(number) {
            standing.id = Some(live.id().to_owned());
        }
        let mut changes = live.watch();
        let mut stop = self.stop.subscribe();
        while !live.is_over() {
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { break },
                _ = stop.wait_for(|stop| *stop) => {
                    live.close();
                    return Err(Refusal::conflict("stopped"));
                }
            }
        }
        let story = live.story();
        let problem = story.problem.clone();
        let found = story.record.as_ref().map(|record| (result(record), why_not(record)));
        drop(story);
        let mut matches = self.matches();
        let Some(standing) = matches.get_mut(number) else { return Ok(()) };
        standing.over = true;
        standing.problem = problem;
        if let Some(((goals, faults), why_not)) = found {
            (standing.goals, standing.faults) = (goals, faults);
            standing.problem = standing.problem.take().or(why_not);
        }
        Ok(())
    }

    pub(crate) fn listed(&self) -> Listed {
        Listed {
            id: self.id.clone(),
            title: self.wanted.title.clone(),
            state: *self.state(),
            done: self.matches().iter().filter(|standing| standing.over).count(),
            total: self.planned.len(),
            players: self.wanted.players.len(),
            begun: self.begun,
        }
    }

    fn players(&self, planned: &Planned) -> Vec<String> {
        planned.seats.iter().filter_map(|&at| self.wanted.players.get(at).cloned()).collect()
    }

    pub(crate) fn view(&self) -> View {
        let matches = self.matches().clone();
        let both = || matches.iter().zip(&self.planned);
        let played: Vec<Played> = both()
            .filter(|(standing, _)| standing.over && !standing.goals.is_empty())
            .map(|(standing, planned)| Played {
                players: self.players(planned),
                goals: standing.goals.clone(),
                faults: standing.faults.clone(),
            })
            .collect();
        let shown = |(number, (standing, planned)): (usize, (&Standing, &Planned))| ShownMatch {
            number: number + 1,
            id: standing.id.clone(),
            game: self.games[planned.game].title.clone(),
            players: self.players(planned),
            over: standing.over,
            goals: standing.goals.clone(),
            faults: standing.faults.iter().sum(),
            problem: standing.problem.clone(),
        };
        let mut begun: Vec<ShownMatch> = both()
            .enumerate()
            .filter(|(_, (standing, _))| standing.id.is_some() || standing.over)
            .map(shown)
            .collect();
        begun.reverse();
        begun.truncate(LISTED);
        View {
            listed: self.listed(),
            games: self.games.iter().map(|game| game.title.clone()).collect(),
            start: self.wanted.start,
            play: self.wanted.play,
            playouts: self.wanted.playouts,
            standings: Standings::of(&played),
            failed: matches.iter().filter(|standing| standing.problem.is_some()).count(),
            matches: begun,
        }
    }
}

fn new_match(wanted: &NewTournament, planned: &Planned, number: usize) -> NewMatch {
    let game = wanted.games[planned.game].clone();
    let seats = planned.seats.iter().filter_map(|&at| wanted.players.get(at)).map(|player| seat(player));
    NewMatch {
        seats: seats.collect(),
        think: wanted.play,
        seed: Some(wanted.seed.wrapping_add(number as u64)),
        start: Some(wanted.start),
        playouts: wanted.playouts,
        scramble: wanted.scramble,
        tournament: Some(wanted.title.clone()),
        ..NewMatch::of(game)
    }
}

/// Goals, and late, illegal and missing answers, by seat.
fn result(record: &MatchRecord) -> (Vec<u8>, Vec<u64>) {
    let roles = record.role_names();
    let seats: Vec<usize> = (0..roles.len()).filter(|&role| !is_chance(&roles[role])).collect();
    let goals = seats.iter().filter_map(|&role| record.goal_values.get(role).copied()).collect();
    let faults = |role: usize| record.faults().filter(|&(_, whose, _)| whose == role).count() as u64;
    (goals, seats.iter().map(|&role| faults(role)).collect())
}

/// Why a match has no result.
fn why_not(record: &MatchRecord) -> Option<String> {
    match record.ludex.as_ref().map(|details| &details.end) {
        Some(End::Finished) | None => None,
        Some(End::StepLimit) => Some("stopped: too many steps".to_owned()),
        Some(End::Aborted) => Some("stopped".to_owned()),
        Some(End::Resigned(role)) => Some(format!("{role} resigned")),
        Some(End::Fault(reason)) => Some(reason.clone()),
    }
}

//! Takes messages about matches and runs of other processes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State as Extract};
use axum::routing::post;
use ludex_arena::MatchRecord;
use ludex_game::{Game, MoveId, State};
use serde_json::json;

use super::wire::{Known, MatchNews, NewMatch, Opened, RunNews};
use crate::matches::{Live, MAX_STEPS, recorded};
use crate::reply::{self, Answer, Refusal, apart, read};
use crate::routes::{Server, Shared};
use crate::secret;
use crate::shelf::Game as Shelved;

/// Most bytes of all messages about one match.
const MAX_BYTES: usize = 16 << 20;
/// Most bytes of a message: long principal variations of many moves.
const MAX_MESSAGE: usize = 4 << 20;
/// How long a match may be silent before it counts as given up.
const SILENCE: Duration = Duration::from_secs(45);
/// How often that is looked at.
const LOOK: Duration = Duration::from_secs(15);

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/publish/matches", post(new_match))
        .route("/api/publish/matches/{id}", post(match_news))
        .route("/api/publish/runs", post(new_run))
        .route("/api/publish/runs/{id}", post(run_news))
        .layer(DefaultBodyLimit::max(MAX_MESSAGE))
}

/// What the page knows about a match of another process besides its story.
pub(crate) struct Feed {
    key: String,
    inner: Mutex<Inner>,
}

struct Inner {
    /// All states so far, to go back to.
    states: Vec<State>,
    bytes: usize,
    heard: Instant,
}

async fn new_match(Extract(shared): Server, body: Bytes) -> Answer {
    let NewMatch { record } = apart(move || read(&body)).await?;
    let wanted = recorded::game(&record)?;
    let game = shared.shelf.game(wanted.clone()).await?;
    let key = secret::word(20).map_err(|error| Refusal::broken(error.to_string()))?;
    let feed = Feed::new(&game, key.clone());
    let record = first_page(record, &game);
    let live = shared.matches.follow(game, recorded::seated(&record, wanted), record, feed)?;
    tokio::spawn(give_up(Arc::downgrade(&live)));
    reply::json(&Opened { id: live.id().to_owned(), key })
}

/// A record with its first state, and no moves.
fn first_page(record: MatchRecord, game: &Shelved) -> MatchRecord {
    let rules = game.rulebook.game();
    let roles = rules.roles().len();
    let mut record = record;
    record.states = vec![text_of(&**rules, &rules.initial())];
    record.state_times = vec![now()];
    record.moves.clear();
    record.errors = vec![vec![String::new(); roles]];
    record.goal_values.clear();
    record.is_completed = false;
    if let Some(details) = &mut record.ludex {
        details.thinking.clear();
        // Words are read from the rules, not from whoever sends.
        details.roles = rules.roles().to_vec();
    }
    record
}

/// A match that nobody tells about any more is over.
async fn give_up(live: std::sync::Weak<Live>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(live) = live.upgrade() else { return };
        let Some(feed) = live.feed() else { return };
        if live.is_over() {
            continue; // it may go on after a pause
        }
        let silent = feed.inner.lock().unwrap_or_else(PoisonError::into_inner).heard.elapsed() > SILENCE;
        if silent {
            let mut story = live.story();
            story.problem = Some("Nothing is heard of this match any more.".to_owned());
            story.over = true;
            drop(story);
            live.changed();
        }
    }
}

async fn match_news(Extract(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let live = shared.matches.find(&id)?;
    let steps = apart(move || {
        let news: MatchNews = read(&body)?;
        let Some(feed) = live.feed() else {
            return Err(Refusal::forbidden("this match is played here"));
        };
        feed.take(&live, news, body.len())
    })
    .await?;
    reply::json(&Known { steps })
}

async fn new_run(Extract(shared): Server, body: Bytes) -> Answer {
    let news: RunNews = read(&body)?;
    let (run, key) = shared.runs.open(news.run, true)?;
    reply::json(&Opened { id: run.id.clone(), key })
}

async fn run_news(Extract(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let news: RunNews = read(&body)?;
    shared.runs.news(&id, &news.key, news.run)?;
    reply::json(&json!({}))
}

impl Feed {
    fn new(game: &Shelved, key: String) -> Self {
        let states = vec![game.rulebook.game().initial()];
        Self { key, inner: Mutex::new(Inner { states, bytes: 0, heard: Instant::now() }) }
    }

    /// Takes notice of what happened; the number of joint moves that are known then.
    fn take(&self, live: &Live, news: MatchNews, bytes: usize) -> Result<usize, Refusal> {
        if !secret::same(&self.key, &news.key) {
            return Err(Refusal::forbidden("this match is somebody else's"));
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.heard = Instant::now();
        inner.bytes += bytes;
        if inner.bytes > MAX_BYTES {
            return Err(Refusal::bad("the match is too much for this page"));
        }
        let steps = inner.states.len() - 1;
        if news.from > steps {
            return Ok(steps); // something is missing: it is sent again
        }
        if news.from + news.moves.len() > MAX_STEPS {
            return Err(Refusal::bad(format!("the match has more than {MAX_STEPS} steps")));
        }
        let game = Arc::clone(live.game().rulebook.game());
        // First all positions, then the story: a message is taken as a whole or not at all.
        let mut states: Vec<State> = Vec::with_capacity(news.moves.len());
        for (at, names) in news.moves.iter().enumerate() {
            let before = states.last().unwrap_or(&inner.states[news.from]);
            let next = next(&*game, before, names).map_err(|problem| {
                Refusal::bad(format!("step {} breaks the rules: {problem}", news.from + at + 1))
            })?;
            states.push(next);
        }
        let texts: Vec<String> = states.iter().map(|state| text_of(&*game, state)).collect();
        inner.states.truncate(news.from + 1);
        inner.states.extend(states);
        let steps = inner.states.len() - 1;
        drop(inner);
        live.story().take(news, texts, now());
        live.changed();
        Ok(steps)
    }
}

/// The state after a joint move.
fn next(game: &dyn Game, state: &State, names: &[String]) -> Result<State, String> {
    let view = game.view(state).map_err(|failure| failure.to_string())?;
    if view.terminal || names.len() != view.legal.len() {
        return Err("there is no move for each role".to_owned());
    }
    let legal = |(name, legal): (&String, &Vec<MoveId>)| {
        let found = game.find_move(name).filter(|id| legal.contains(id));
        found.ok_or_else(|| "a move is not legal".to_owned())
    };
    let joint = names.iter().zip(&view.legal).map(legal).collect::<Result<Vec<MoveId>, String>>()?;
    game.next(state, &joint).map_err(|failure| failure.to_string())
}

/// A state as records have it.
fn text_of(game: &dyn Game, state: &State) -> String {
    format!("( {} )", game.describe(state).join(" "))
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

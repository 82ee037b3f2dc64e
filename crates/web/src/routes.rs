//! What a page may ask: the routes, and what leads each request to its answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use ludex_arena::{MatchRecord, Row};
use ludex_engine::PLAYERS;
use ludex_knowledge::{PlayLimits, Understanding};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::advice::Question;
use crate::assets::{self, PAGE};
use crate::contestants::{self, Contestants};
use crate::figures;
use crate::gallery::{GAMES, PACKED_GAMES, Previews};
use crate::guard::{Guard, guard};
use crate::lab::{self, Lab};
use crate::manage;
use crate::matches::recorded::{self, MAX_RECORD};
use crate::matches::{self, Hall, Listed, Live, Matches, NewMatch, Opened, Seat, Seen, View};
use crate::plan::plan;
use crate::position_sheet::with_position;
use crate::publish::{self, Runs};
use crate::reply::{self, Answer, Refusal, apart, read};
use crate::searches::{Searches, Unfold};
use crate::sheets::{Written, checked, formatted};
use crate::shelf::{MAX_SHEET_BYTES, Shelf, Wanted};
use crate::tournaments::Tournaments;

/// Longest request: a sheet, as JSON.
const MAX_BODY: usize = 2 * MAX_SHEET_BYTES;
/// Longest list of keys in an address, in bytes.
const MAX_KEYS: usize = 1000;
/// Hints that are searched for at the same time.
pub(crate) const HINTS: usize = 2;

/// What requests share.
pub(crate) struct Shared {
    pub(crate) shelf: Shelf,
    pub(crate) previews: Previews,
    pub(crate) matches: Matches,
    pub(crate) hints: Arc<Semaphore>,
    pub(crate) hall: Hall,
    /// Nobody but the people of this machine can connect.
    pub(crate) is_local: bool,
    pub(crate) contestants: Contestants,
    pub(crate) tournaments: Tournaments,
    pub(crate) runs: Runs,
    pub(crate) searches: Searches,
    pub(crate) lab: Lab,
}

impl Shared {
    /// Whether players behind HTTP can be asked: in the name of people elsewhere the server connects to
    /// nobody.
    pub(crate) fn may_ask_others(&self) -> Result<(), Refusal> {
        match self.is_local {
            true => Ok(()),
            false => {
                Err(Refusal::forbidden("players behind HTTP take part only where the page is not shared"))
            }
        }
    }
}

pub(crate) fn routes(shared: Arc<Shared>, token: Guard) -> Router {
    Router::new()
        .route("/api/games", get(games))
        .route("/api/games/{name}/preview", get(preview))
        .route("/api/games/{name}/sheet", get(sheet))
        .route("/api/players", get(players))
        .route("/api/players/ask", post(ask_player))
        .merge(manage::routes())
        .merge(publish::routes())
        .merge(lab::routes())
        .route("/api/sheets/check", post(check_sheet))
        .route("/api/sheets/format", post(format_sheet))
        .route("/api/matches", get(list).post(begin))
        .route("/api/matches/{id}", get(look))
        .route("/api/matches/{id}/events", get(events))
        .route("/api/matches/{id}/positions/{step}", get(position))
        .route("/api/matches/{id}/record", get(record))
        .route("/api/matches/{id}/move", post(make_move))
        .route("/api/matches/{id}/undo", post(undo))
        .route("/api/matches/{id}/resign", post(resign))
        .route("/api/matches/{id}/again", post(again))
        .route("/api/matches/{id}/hint", post(hint))
        .route("/api/matches/{id}/inside/{step}", get(inside))
        .route("/api/games/{name}/understood", get(understood))
        .route("/api/matches/{id}/plan", post(show_plan))
        .route("/api/matches/{id}/branch", post(branch))
        .route("/api/matches/{id}/facts/{step}", get(facts_of))
        .route("/api/matches/{id}/setup", post(set_up))
        .route("/api/searches/{id}", post(look_into))
        .route("/api/store", get(store))
        .route("/api/store/{number}", post(open_kept))
        .route("/api/records", post(replay).layer(DefaultBodyLimit::max(MAX_RECORD)))
        .fallback(page)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(Arc::new(token), guard))
        .with_state(shared)
}

pub(crate) type Server = State<Arc<Shared>>;

/// A file, or the page for every address that people see.
async fn page(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path.starts_with("api/") {
        return Refusal::missing("there is nothing here").into_response();
    }
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    assets::file(if is_file { path } else { PAGE }, &headers).into_response()
}

async fn games(headers: HeaderMap) -> Answer {
    let mut response = reply::json(&*GAMES)?;
    if let Some(packed) = PACKED_GAMES.as_ref().filter(|_| assets::takes_packed(&headers)) {
        *response.body_mut() = Body::from(packed.clone());
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

async fn preview(State(shared): Server, Path(name): Path<String>) -> Answer {
    let preview = apart(move || shared.previews.of(&name)).await?;
    let mut response = reply::json(&*preview)?;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    Ok(response)
}

async fn sheet(Path(name): Path<String>) -> Answer {
    let sheet = ludex_library::find(&name).ok_or_else(|| Refusal::missing("there is no such game"))?;
    reply::json(&json!({ "name": sheet.name, "text": sheet.text }))
}

async fn check_sheet(body: Bytes) -> Answer {
    let written: Written = read(&body)?;
    reply::json(&apart(move || checked(written)).await?)
}

async fn format_sheet(body: Bytes) -> Answer {
    let written: Written = read(&body)?;
    reply::json(&json!({ "text": apart(move || formatted(written)).await? }))
}

async fn list(State(shared): Server) -> Answer {
    let all: Vec<Listed> = shared.matches.list().iter().map(|live| Listed::of(live)).collect();
    reply::json(&all)
}

async fn begin(State(shared): Server, body: Bytes) -> Answer {
    let wanted: NewMatch = read(&body)?;
    if wanted.asks_others() {
        shared.may_ask_others()?;
    }
    let game = shared.shelf.game(wanted.game.clone()).await?;
    let opened = shared.matches.begin(game, wanted, shared.hall.clone())?;
    opened_match(&opened)
}

fn opened_match(opened: &Opened) -> Answer {
    reply::json(&json!({ "id": opened.live.id(), "keys": opened.keys, "owner": opened.owner }))
}

/// The keys in an address: `?keys=one,two`.
fn keys(uri: &Uri) -> Vec<String> {
    let query = uri.query().filter(|query| query.len() <= MAX_KEYS).unwrap_or("");
    let pairs: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let keys = pairs.get("keys").copied().unwrap_or("");
    keys.split(',').filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

async fn look(State(shared): Server, Path(id): Path<String>, uri: Uri) -> Answer {
    let live = shared.matches.find(&id)?;
    let keys = keys(&uri);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    reply::json(&View::of(&live, &keys, &mut Seen::default()))
}

async fn events(State(shared): Server, Path(id): Path<String>, uri: Uri) -> Answer {
    let live = shared.matches.find(&id)?;
    Ok(matches::events(&live, keys(&uri)))
}

async fn position(State(shared): Server, Path((id, step)): Path<(String, String)>) -> Answer {
    let live = shared.matches.find(&id)?;
    let step: usize = step.parse().map_err(|_| Refusal::bad("a step is a number"))?;
    reply::json(&matches::position(&live, step)?)
}

async fn record(State(shared): Server, Path(id): Path<String>) -> Answer {
    let live = shared.matches.find(&id)?;
    let record = live.record().ok_or_else(|| Refusal::conflict("the match has not begun"))?;
    let mut response = Response::new(Body::from(record.to_json()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // The name of a game on the shelf is a word.
    let name = format!("attachment; filename=\"{}-{}.json\"", live.game().name, live.id());
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// What a person does.
#[derive(Debug, Deserialize)]
struct Act {
    key: String,
    #[serde(default)]
    role: usize,
    #[serde(default)]
    step: Option<usize>,
    #[serde(default, rename = "move")]
    name: String,
    #[serde(default)]
    swap: bool,
}

fn act(shared: &Shared, id: &str, body: &Bytes) -> Result<(Arc<Live>, Act), Refusal> {
    Ok((shared.matches.find(id)?, read(body)?))
}

async fn make_move(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let (live, act) = act(&shared, &id, &body)?;
    live.make_move(&act.key, act.role, act.step.unwrap_or(0), &act.name)?;
    reply::json(&json!({}))
}

async fn undo(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let (live, act) = act(&shared, &id, &body)?;
    live.undo(&act.key, act.step)?;
    reply::json(&json!({}))
}

async fn resign(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let (live, act) = act(&shared, &id, &body)?;
    live.resign(&act.key, act.role)?;
    reply::json(&json!({}))
}

async fn again(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let (live, act) = act(&shared, &id, &body)?;
    let opened = shared.matches.again(&live, &act.key, act.swap)?;
    // Everybody knows their own keys already.
    reply::json(&json!({ "id": opened.live.id() }))
}

async fn hint(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let (live, act) = act(&shared, &id, &body)?;
    let (facts, role, step) = matches::asked_position(&live, &act.key)?;
    let Ok(_permit) = shared.hints.try_acquire() else {
        return Err(Refusal::busy("the machine is thinking about other hints; ask again in a moment"));
    };
    let advice =
        apart(move || Question::new(live.game().rulebook.game(), &facts, Some(role))?.hint()).await?;
    reply::json(&json!({ "step": step, "advice": advice }))
}

/// The way to the best end of a puzzle from where it stands.
async fn show_plan(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let (live, act) = act(&shared, &id, &body)?;
    let (facts, _, step) = matches::asked_position(&live, &act.key)?;
    let Ok(_permit) = shared.hints.try_acquire() else {
        return Err(Refusal::busy("the machine is thinking for others; ask again in a moment"));
    };
    let plan = apart(move || plan(live.game().rulebook.game(), &facts)).await?;
    reply::json(&json!({ "step": step, "plan": plan }))
}

/// Whoever looks may try other moves from any position, in a match of their own.
async fn branch(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let step = read::<Branch>(&body)?.step;
    let live = shared.matches.find(&id)?;
    opened_match(&shared.matches.branch(&live, step, Hall { keeper: None, ..shared.hall.clone() })?)
}

/// The facts of a position, to be changed.
async fn facts_of(State(shared): Server, Path((id, step)): Path<(String, String)>) -> Answer {
    let live = shared.matches.find(&id)?;
    let step: usize = step.parse().map_err(|_| Refusal::bad("a step is a number"))?;
    reply::json(&json!({ "facts": matches::facts(&live, step)? }))
}

#[derive(Debug, Deserialize)]
struct Facts {
    facts: String,
}

/// A match of one's own that begins with a position of these facts.
async fn set_up(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let wanted: Facts = read(&body)?;
    let live = shared.matches.find(&id)?;
    let game = Arc::clone(live.game());
    let of_game = Arc::clone(&game);
    let text = apart(move || with_position(of_game.rulebook.text(), &wanted.facts)).await?;
    let built_in = ludex_library::find(&game.name).is_some() && game.about.is_some();
    let wanted = Wanted::Changed { like: game.name.clone(), built_in, text };
    let game = shared.shelf.game(wanted.clone()).await?;
    let seats = vec![Seat::Human; game.rulebook.seats()];
    let hall = Hall { keeper: None, ..shared.hall.clone() };
    opened_match(&shared.matches.begin(game, NewMatch { seats, ..NewMatch::of(wanted) }, hall)?)
}

/// What a search knows about a node of its tree.
async fn look_into(State(shared): Server, Path(id): Path<String>, body: Bytes) -> Answer {
    let asked: Unfold = read(&body)?;
    reply::json(&apart(move || shared.searches.look(&id, asked)).await?)
}

#[derive(Debug, Deserialize)]
struct Branch {
    step: usize,
}

/// Keeps a record, to be looked at like a match.
async fn replay(State(shared): Server, body: Bytes) -> Answer {
    let record = apart(move || recorded::read(&body)).await?;
    show_record(shared, record).await
}

async fn show_record(shared: Arc<Shared>, record: MatchRecord) -> Answer {
    let wanted = recorded::game(&record)?;
    let game = shared.shelf.game(wanted.clone()).await?;
    let live = apart(move || {
        let played = recorded::played(&record, &game, wanted)?;
        shared.matches.replay(game, played, record)
    })
    .await?;
    reply::json(&json!({ "id": live.id() }))
}

/// The matches in the store; none if there is no store.
async fn store(State(shared): Server) -> Answer {
    let rows: Vec<Row> = match shared.hall.keeper.clone() {
        Some(keeper) => apart(move || keeper.rows()).await?,
        None => Vec::new(),
    };
    reply::json(&rows)
}

/// Opens a match of the store.
async fn open_kept(State(shared): Server, Path(number): Path<String>) -> Answer {
    let number: i64 = number.parse().map_err(|_| Refusal::bad("the number of a match is a number"))?;
    let keeper = shared.hall.keeper.clone().ok_or_else(|| Refusal::missing("matches are not kept here"))?;
    let record = apart(move || keeper.record(number)).await?;
    show_record(shared, record).await
}

/// A search of a position while it thinks, as server-sent events.
async fn inside(State(shared): Server, Path((id, step)): Path<(String, String)>) -> Answer {
    let live = shared.matches.find(&id)?;
    let step: usize = step.parse().map_err(|_| Refusal::bad("a step is a number"))?;
    let facts = matches::facts(&live, step)?;
    let Ok(permit) = Arc::clone(&shared.hints).try_acquire_owned() else {
        return Err(Refusal::busy("the machine is thinking for others; ask again in a moment"));
    };
    let news = apart(move || {
        let open = shared.searches.open()?;
        Question::new(live.game().rulebook.game(), &facts, None)?.look_inside(permit, open)
    });
    let news = news.await?;
    Ok(matches::news(news))
}

/// What is understood of a game from its rules and random play.
async fn understood(State(shared): Server, Path(name): Path<String>) -> Answer {
    let game = shared.shelf.game(Wanted::Named(name)).await?;
    let Ok(_permit) = shared.hints.try_acquire() else {
        return Err(Refusal::busy("the machine is thinking for others; ask again in a moment"));
    };
    let found = apart(move || {
        let rules = game.rulebook.game();
        let understood = Understanding::of(&**rules, &PlayLimits::default())
            .map_err(|failure| Refusal::conflict(failure.to_string()))?;
        let mut found =
            serde_json::to_value(&understood).map_err(|error| Refusal::broken(error.to_string()))?;
        if let Some(found) = found.as_object_mut() {
            found.insert("engine".to_owned(), figures::engine(&**rules));
            found.insert("circuit".to_owned(), figures::circuit(game.rulebook.text()));
        }
        Ok(found)
    });
    reply::json(&found.await?)
}

/// The table of players.
async fn players() -> Answer {
    let listed = |kind: &ludex_engine::Kind| json!({ "name": kind.name, "summary": kind.summary });
    reply::json(&PLAYERS.iter().map(listed).collect::<Vec<_>>())
}

#[derive(Debug, Deserialize)]
struct Called {
    address: String,
}

/// Asks a player behind HTTP whether it is there.
async fn ask_player(State(shared): Server, body: Bytes) -> Answer {
    shared.may_ask_others()?;
    let called: Called = read(&body)?;
    let found = apart(move || contestants::ask(&called.address)).await?;
    reply::json(&json!({ "name": found.name, "busy": found.status == "busy" }))
}

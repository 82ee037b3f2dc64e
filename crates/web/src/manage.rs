//! What the page of the game manager may ask: players, tournaments, ratings.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::routing::{get, post};
use ludex_arena::Row;
use serde::Deserialize;
use serde_json::json;

use crate::reply::{self, Answer, apart, read};
use crate::routes::{Server, Shared};
use crate::tournaments::{NewTournament, Played, Standings};

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/contestants", get(contestants).post(register))
        .route("/api/contestants/forget", post(forget))
        .route("/api/tournaments", get(list).post(begin))
        .route("/api/tournaments/{id}", get(look))
        .route("/api/tournaments/{id}/stop", post(stop))
        .route("/api/ratings", get(ratings))
}

async fn contestants(State(shared): Server) -> Answer {
    reply::json(&json!({ "players": shared.contestants.list(), "allowed": shared.is_local }))
}

#[derive(Debug, Deserialize)]
struct Called {
    address: String,
}

/// Registers a player, or asks it again.
async fn register(State(shared): Server, body: Bytes) -> Answer {
    shared.may_ask_others()?;
    let called: Called = read(&body)?;
    let found = apart(move || shared.contestants.register(&called.address)).await?;
    reply::json(&found)
}

async fn forget(State(shared): Server, body: Bytes) -> Answer {
    let called: Called = read(&body)?;
    shared.contestants.forget(&called.address);
    reply::json(&json!({}))
}

async fn list(State(shared): Server) -> Answer {
    reply::json(&shared.tournaments.list().iter().map(|one| one.listed()).collect::<Vec<_>>())
}

async fn begin(State(shared): Server, body: Bytes) -> Answer {
    let wanted: NewTournament = read(&body)?;
    if wanted.asks_others() {
        shared.may_ask_others()?;
    }
    let begun = shared.tournaments.begin(&shared, wanted).await?;
    reply::json(&json!({ "id": begun.id() }))
}

async fn look(State(shared): Server, Path(id): Path<String>) -> Answer {
    let tournament = shared.tournaments.find(&id)?;
    let view = apart(move || Ok(tournament.view())).await?;
    reply::json(&view)
}

async fn stop(State(shared): Server, Path(id): Path<String>) -> Answer {
    shared.tournaments.find(&id)?.stop();
    reply::json(&json!({}))
}

/// Ratings of everybody in the store, of all games or of one: `?game=name`.
async fn ratings(State(shared): Server, uri: Uri) -> Answer {
    let Some(keeper) = shared.hall.keeper.clone() else {
        return reply::json(&json!({ "kept": false, "games": [], "standings": Standings::default() }));
    };
    let query = uri.query().unwrap_or("");
    let game = query.split('&').find_map(|pair| pair.strip_prefix("game=")).unwrap_or("").to_owned();
    let found = apart(move || {
        let rows = keeper.results(None)?;
        let mut games: Vec<&str> = rows.iter().map(|row| row.game.as_str()).collect();
        games.sort_unstable();
        games.dedup();
        let fits = |row: &&Row| game.is_empty() || row.game == game;
        let results: Vec<Played> = rows.iter().filter(fits).map(played).collect();
        Ok(json!({ "kept": true, "games": games, "standings": Standings::of(&results) }))
    });
    reply::json(&found.await?)
}

/// A match of the store; chance is no player.
fn played(row: &Row) -> Played {
    let seats = row.players.iter().zip(&row.goals).filter(|(player, _)| *player != "chance");
    let (players, goals) = seats.map(|(player, &goal)| (player.clone(), goal)).unzip();
    Played { players, goals, faults: Vec::new() }
}

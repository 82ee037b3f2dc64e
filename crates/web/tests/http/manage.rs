//! Players, tournaments, ratings.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use ludex_arena::player::{HostOptions, Server as PlayerServer};
use ludex_engine::Player;
use serde_json::{Value, json};

use crate::client::Server;

fn guest(name: &str) -> PlayerServer {
    let options = HostOptions { name: name.to_owned(), ..HostOptions::new(&Player::new("random").unwrap()) };
    PlayerServer::start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), options).unwrap()
}

fn wanted(players: &[&str]) -> Value {
    json!({
        "title": "<b>Cup</b>", "games": ["tic_tac_toe"], "players": players, "matches": 2, "start": 0.2, "play": 0.2,
        "playouts": 20, "at_once": 2, "seed": 1,
    })
}

/// Looks at a tournament until it fits.
fn until(server: &Server, id: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let view = server.get(&format!("/api/tournaments/{id}")).json();
        if fits(&view) {
            return view;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{view}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn players_are_registered_by_an_info_probe() {
    let server = Server::new();
    let guest = guest("Guest");
    let address = format!("http://{}", guest.address());
    let register = |address: &str| server.post("/api/contestants", &json!({ "address": address }));
    let found = register(&format!(" {address}/ ")).json();
    assert_eq!((found["name"].clone(), found["status"].clone()), (json!("Guest"), json!("available")));
    assert_eq!(found["is_ludex"], true);
    assert_eq!(register(&address).status, 200);
    let listed = server.get("/api/contestants").json();
    assert_eq!(listed["players"].as_array().unwrap().len(), 1, "asked again, not twice: {listed}");
    drop(guest);
    assert_eq!(register(&address).json()["status"], "away");
    assert_eq!(register("http://127.0.0.1:1").status, 409, "nobody was ever there");
    assert_eq!(register("ftp://x").status, 400);
    assert_eq!(server.post("/api/contestants/forget", &json!({ "address": address })).status, 200);
    assert_eq!(server.get("/api/contestants").json()["players"], json!([]));
}

#[test]
fn a_round_robin_is_played_watched_and_rated() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::with_store(&folder.path().join("matches.db"));
    let guest = guest("Guest");
    let address = format!("http://{}", guest.address());
    let begun = server.post("/api/tournaments", &wanted(&["mc:each=8", "random", &address]));
    assert_eq!(begun.status, 200, "{}", begun.text());
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    let running = until(&server, &id, |view| !view["matches"].as_array().unwrap().is_empty());
    let first = running["matches"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    // Any match of it can be watched.
    server.events(&first, &[]).until(|event| !event["over"].is_null());
    let over = until(&server, &id, |view| view["state"] == "over");
    assert_eq!(
        (over["done"].clone(), over["total"].clone(), over["failed"].clone()),
        (json!(6), json!(6), json!(0))
    );
    assert_eq!(over["title"], "<b>Cup</b>");
    let rows = over["standings"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["matches"] == 4 && row["elo"].is_number()), "{rows:?}");
    let points: f64 = rows.iter().map(|row| row["points"].as_f64().unwrap()).sum();
    assert!((points - 6.0).abs() < 1e-9, "a point for each match: {points}");
    let faults: u64 = rows.iter().map(|row| row["faults"].as_u64().unwrap()).sum();
    assert_eq!(faults, 0, "{rows:?}");
    // All of them are in the store, and so are the ratings.
    let kept = server.get("/api/ratings").json();
    assert_eq!((kept["kept"].clone(), kept["games"].clone()), (json!(true), json!(["tic_tac_toe"])));
    assert_eq!(kept["standings"]["rows"].as_array().unwrap().len(), 3);
    assert_eq!(server.get("/api/ratings?game=chess").json()["standings"]["rows"], json!([]));
    let record = server.get(&format!("/api/matches/{first}/record")).json();
    assert_eq!(record["tournamentNameFromHost"], "<b>Cup</b>");
    let listed = server.get("/api/tournaments").json();
    assert_eq!((listed[0]["id"].clone(), listed[0]["state"].clone()), (json!(id), json!("over")));
}

#[test]
fn a_tournament_is_stopped() {
    let server = Server::new();
    let slow = json!({ "games": ["connect_four"], "players": ["strong", "mc"], "matches": 50, "start": 0.1, "play": 5 });
    let id = server.post("/api/tournaments", &slow).json()["id"].as_str().unwrap().to_owned();
    // The next one waits for its turn.
    let next = server.post("/api/tournaments", &wanted(&["random", "legal"])).json();
    let next = next["id"].as_str().unwrap();
    until(&server, &id, |view| view["state"] == "running" && !view["matches"].as_array().unwrap().is_empty());
    assert_eq!(server.get(&format!("/api/tournaments/{next}")).json()["state"], "waiting");
    assert_eq!(server.post(&format!("/api/tournaments/{id}/stop"), &json!({})).status, 200);
    let stopped = until(&server, &id, |view| view["state"] == "stopped");
    assert_eq!(stopped["standings"]["rows"], json!([]));
    until(&server, next, |view| view["state"] == "over");
}

#[test]
fn what_cannot_be_played_is_refused() {
    let server = Server::new();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut body = wanted(&["mc", "random"]);
        change(&mut body);
        let reply = server.post("/api/tournaments", &body);
        assert!([400, 404].contains(&reply.status), "{} {}", reply.status, reply.text());
    };
    refused(&|body| body["players"] = json!([]));
    refused(&|body| body["players"] = json!(["mc", "mc"]));
    refused(&|body| body["players"] = json!(["mc", "human"]));
    refused(&|body| body["games"] = json!(["no_such_game"]));
    refused(&|body| body["games"] = json!([]));
    refused(&|body| body["matches"] = json!(5000));
    refused(&|body| body["play"] = json!(1e9));
    refused(&|body| body["start"] = json!(-1));
    refused(&|body| body["playouts"] = json!(0));
    refused(&|body| body["more"] = json!(1));
    assert_eq!(server.get("/api/tournaments/none").status, 404);
    // A page that is shared connects to nobody in the name of others.
    let shared = Server::at(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
    let token = shared.url().split_once("?token=").unwrap().1.to_owned();
    let (host, cookie) = (shared.host(), format!("ludex_token={token}"));
    let headers =
        [("host", host.as_str()), ("cookie", cookie.as_str()), ("content-type", "application/json")];
    let send =
        |path: &str, body: &Value| shared.send("POST", path, &headers, body.to_string().as_bytes()).status;
    assert_eq!(send("/api/contestants", &json!({ "address": "http://127.0.0.1:1" })), 403);
    assert_eq!(send("/api/tournaments", &wanted(&["mc", "http://127.0.0.1:1"])), 403);
    assert_eq!(send("/api/lab/runs", &json!({ "experiment": "equal" })), 403);
}

//! Players that are not people: by name, or behind HTTP.

use std::net::{Ipv4Addr, SocketAddr};

use ludex_arena::player::{HostOptions, Server as PlayerServer};
use ludex_engine::{PLAYERS, Player};
use serde_json::{Value, json};

use crate::client::Server;

#[test]
fn a_player_behind_http_is_asked_and_plays() {
    let server = Server::new();
    let options =
        HostOptions { name: "Guest".to_owned(), ..HostOptions::new(&Player::new("random").unwrap()) };
    let guest = PlayerServer::start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), options).unwrap();
    let address = format!("http://{}", guest.address());
    let found = server.post("/api/players/ask", &json!({ "address": address })).json();
    assert_eq!((found["name"].clone(), found["busy"].clone()), (json!("Guest"), json!(false)));
    let seats = json!([{ "who": "player", "spec": address }, { "who": "player", "spec": "legal" }]);
    let body = json!({ "game": "tic_tac_toe", "seats": seats, "think": 0.5, "seed": 1 });
    let opened = server.post("/api/matches", &body);
    assert_eq!(opened.status, 200, "{}", opened.text());
    let id = opened.json()["id"].as_str().unwrap().to_owned();
    let over = server.events(&id, &[]).until(|event| !event["over"].is_null());
    assert_eq!(over["over"]["goals"].as_array().unwrap().len(), 2, "{}", over["over"]);
    assert_eq!(over["roles"][0]["label"], address);
    let record = server.get(&format!("/api/matches/{id}/record")).json();
    let errors = record["errors"].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
    assert!(errors.into_iter().all(|error| error == ""), "the guest answered in time: {}", record["errors"]);
}

#[test]
fn nobody_is_asked_who_is_not_there_or_not_to_be() {
    let server = Server::new();
    let ask = |server: &Server, address: &str| {
        server.post("/api/players/ask", &json!({ "address": address })).status
    };
    assert_eq!(ask(&server, "ftp://localhost"), 400);
    assert_eq!(ask(&server, "http://127.0.0.1:1"), 409);
    let listed = server.get("/api/players").json();
    assert_eq!(listed.as_array().unwrap().len(), PLAYERS.len());
    // A page that is shared connects to nobody in the name of others.
    let shared = Server::at(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
    let token = shared.url().split_once("?token=").unwrap().1.to_owned();
    let (host, cookie) = (shared.host(), format!("ludex_token={token}"));
    let headers =
        [("host", host.as_str()), ("cookie", cookie.as_str()), ("content-type", "application/json")];
    let send =
        |path: &str, body: &Value| shared.send("POST", path, &headers, body.to_string().as_bytes()).status;
    assert_eq!(send("/api/players/ask", &json!({ "address": "http://127.0.0.1:1" })), 403);
    let seats = json!([{ "who": "human" }, { "who": "player", "spec": "http://127.0.0.1:1" }]);
    assert_eq!(send("/api/matches", &json!({ "game": "tic_tac_toe", "seats": seats })), 403);
    let seats = json!([{ "who": "human" }, { "who": "player", "spec": "legal" }]);
    assert_eq!(send("/api/matches", &json!({ "game": "tic_tac_toe", "seats": seats })), 200);
}

//! Looking inside: a search while it thinks, what is understood of a game.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::Server;

#[test]
fn a_search_is_seen_while_it_thinks() {
    let server = Server::new();
    let game = server.begin(json!("connect_four"), &["human", "human"]);
    game.events(&[0]).until(|event| !event["asked"].as_array().unwrap().is_empty());
    let mut news = server.stream(&format!("/api/matches/{}/inside/0", game.id));
    let first = news.next();
    let second = news.until(|advice| advice["playouts"].as_u64() > first["playouts"].as_u64());
    assert_eq!((second["role"].clone(), second["all"].clone()), (json!(0), json!(7)));
    let moves: BTreeSet<&str> =
        second["moves"].as_array().unwrap().iter().map(|advised| advised["move"].as_str().unwrap()).collect();
    assert_eq!(moves.len(), 7);
    let visits: u64 = second["moves"].as_array().unwrap().iter().map(|m| m["visits"].as_u64().unwrap()).sum();
    assert!(visits > 0 && visits <= second["playouts"].as_u64().unwrap());
    let values: Vec<f64> = second["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(values.len() == 2 && (values[0] + values[1] - 100.0).abs() < 1e-6, "{values:?}");
    assert!(!second["line"].as_array().unwrap().is_empty() && second["depth"].as_u64() > Some(0));
    // Few look inside at the same time, and whoever goes makes room.
    let mut other = server.stream(&format!("/api/matches/{}/inside/0", game.id));
    other.next();
    assert_eq!(server.get(&format!("/api/matches/{}/inside/0", game.id)).status, 503);
    drop((news, other));
    let hint = || game.act("hint", json!({ "key": game.keys[0] })).status;
    while hint() == 503 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(server.get(&format!("/api/matches/{}/inside/7", game.id)).status, 404);
}

/// At the end of a match nobody has a choice.
#[test]
fn a_terminal_position_is_not_searched() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["random", "random"]);
    let over = server.events(&game.id, &[]).until(|event| !event["over"].is_null());
    let last = format!("/api/matches/{}/inside/{}", game.id, over["steps"]);
    assert_eq!(server.get(&last).status, 409);
}

#[test]
fn games_are_explained() {
    let server = Server::new();
    let found = server.get("/api/games/tic_tac_toe/understood").json();
    assert_eq!(found["roles"], json!(["x", "o"]));
    let is_board = |shape: &Value| shape["role"] == "board" && shape["size"] == json!([3, 3]);
    assert!(found["shapes"].as_array().unwrap().iter().any(is_board), "{found}");
    assert_eq!(found["constant_sum"], 100);
    assert!(found["estimates"]["mean_length"].as_f64().unwrap() > 5.0);
    assert_eq!(server.get("/api/games/no_such_game/understood").status, 404);
}

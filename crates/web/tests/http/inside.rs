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
    assert!(visits > 0, "{second}");
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

/// A tree is unfolded node by node while the search goes on.
#[test]
fn the_tree_of_a_search_is_unfolded() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["human", "human"]);
    game.events(&[0]).until(|event| !event["asked"].as_array().unwrap().is_empty());
    let mut news = server.stream(&format!("/api/matches/{}/inside/0", game.id));
    let advice = news.until(|advice| advice["lines"].as_array().is_some_and(|lines| lines.len() == 4));
    assert!(advice["lines"][0]["moves"].as_array().unwrap().len() > 2 && advice["lines"][0]["role"] == 0);
    let search = advice["search"].as_str().unwrap().to_owned();
    let unfold = |path: Value| server.post(&format!("/api/searches/{search}"), &json!({ "path": path }));
    let root = unfold(json!([])).json();
    assert_eq!(root["lines"].as_array().unwrap().len(), 9, "{root}");
    let joint = root["lines"][0]["moves"][0].clone();
    let below = unfold(json!([joint])).json();
    assert_eq!((below["lines"].as_array().unwrap().len(), below["lines"][0]["role"].clone()), (8, json!(1)));
    assert!(root["visits"].as_u64() > Some(0) && below["visits"].as_u64() > Some(0));
    assert_eq!(unfold(json!([["(mark 9 9)", "noop"]])).status, 404);
    assert_eq!(unfold(json!(3)).status, 400);
    drop(news);
    let begun = std::time::Instant::now();
    while unfold(json!([])).status != 404 {
        assert!(begun.elapsed().as_secs() < 30, "a search that nobody looks at ends");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// A position is set up from facts, on the board of the game.
#[test]
fn a_position_is_set_up_from_facts() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["human", "human"]);
    game.events(&[0]).until(|event| !event["asked"].as_array().unwrap().is_empty());
    let found = server.get(&format!("/api/matches/{}/facts/0", game.id)).json();
    let facts: Vec<&str> =
        found["facts"].as_array().unwrap().iter().map(|fact| fact.as_str().unwrap()).collect();
    assert_eq!(facts.len(), 10, "{facts:?}");
    // Two in a row for x: the third one wins.
    let changed = facts
        .join("\n")
        .replace("(cell 1 1 blank)", "(cell 1 1 x)")
        .replace("(cell 2 2 blank)", "(cell 2 2 x)");
    let opened = game.act("setup", json!({ "facts": changed }));
    assert_eq!(opened.status, 200, "{}", opened.text());
    let opened = opened.json();
    let (id, keys) = (opened["id"].as_str().unwrap(), &opened["keys"]);
    let key = keys[0].as_str().unwrap();
    let view = server.events(id, &[key]).until(|event| !event["asked"].as_array().unwrap().is_empty());
    assert_eq!(view["asked"][0]["legal"].as_array().unwrap().len(), 7);
    assert_eq!(view["position"]["picture"]["grids"].as_array().unwrap().len(), 1);
    let hint = server.post(&format!("/api/matches/{id}/hint"), &json!({ "key": key })).json();
    assert_eq!(hint["advice"]["moves"][0]["move"], "(mark 3 3)", "{hint}");
    let body = json!({ "key": key, "role": 0, "step": 1, "move": "(mark 3 3)" });
    assert_eq!(server.post(&format!("/api/matches/{id}/move"), &body).status, 200);
    let over = server.events(id, &[key]).until(|event| !event["over"].is_null());
    assert_eq!(over["over"]["goals"], json!([100, 0]));
    for wrong in ["(cell 1", "(cell ?x 1 b)", "(no_such_fact 1)"] {
        assert_ne!(game.act("setup", json!({ "facts": wrong })).status, 500, "{wrong}");
    }
    assert_eq!(game.act("setup", json!({ "facts": "(cell ?x 1 b)" })).status, 400);
}

//! Matches: moves, clocks, going back, several people.

use serde_json::{Value, json};

use crate::client::{Events, Match, Server, seat};

/// The names of the moves of the first open question.
fn legal(event: &Value) -> Vec<String> {
    let moves = event["asked"][0]["legal"].as_array().unwrap().iter();
    moves.map(|choice| choice["name"].as_str().unwrap().to_owned()).collect()
}

fn is_asked(event: &Value) -> bool {
    !event["asked"].as_array().unwrap().is_empty()
}

fn is_over(event: &Value) -> bool {
    !event["over"].is_null()
}

/// Plays on for a role from what was seen last, always the last move of the list, until the end.
fn play_out(game: &Match<'_>, events: &mut Events, role: usize, mut event: Value) -> Value {
    loop {
        if is_over(&event) {
            return event;
        }
        let step = event["asked"][0]["step"].as_u64().unwrap();
        let reply = game.make(role, step, legal(&event).last().unwrap());
        // An event may come twice for one question.
        assert!([200, 409].contains(&reply.status), "{}", reply.text());
        event = events.until(|event| is_over(event) || is_asked(event));
    }
}

#[test]
fn a_person_plays_against_the_machine_to_the_end() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["human", "random"]);
    let mut events = game.events(&[0]);
    let first = events.until(is_asked);
    assert_eq!((first["asked"][0]["role"].clone(), first["steps"].clone()), (json!(0), json!(0)));
    assert_eq!(first["asked"][0]["legal"][0]["spots"].as_array().unwrap().len(), 1, "moves name cells");
    assert_eq!(first["roles"][0]["mine"], true);
    let last = play_out(&game, &mut events, 0, first);
    let goals: u64 =
        last["over"]["goals"].as_array().unwrap().iter().map(|goal| goal.as_u64().unwrap()).sum();
    assert_eq!(goals, 100);
    let steps = last["steps"].as_u64().unwrap();
    let position = server.get(&format!("/api/matches/{}/positions/1", game.id)).json();
    assert_eq!((position["step"].clone(), position["changed"].as_array().unwrap().len()), (json!(1), 1));
    assert_eq!(server.get(&format!("/api/matches/{}/positions/{}", game.id, steps + 1)).status, 404);
    let record = server.get(&format!("/api/matches/{}/record", game.id));
    assert!(record.header("content-disposition").unwrap().contains("attachment"));
    assert_eq!(record.json()["moves"].as_array().unwrap().len() as u64, steps);
    let listed = server.get("/api/matches").json();
    assert_eq!((listed[0]["over"].clone(), listed[0]["steps"].clone()), (json!(true), json!(steps)));
}

#[test]
fn nobody_moves_for_others_or_against_the_rules() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["human", "human"]);
    game.events(&[0]).until(is_asked);
    let act = |key: &str, role: usize, step: u64, name: &str| {
        game.act("move", json!({ "key": key, "role": role, "step": step, "move": name })).status
    };
    let (x, o) = (game.keys[0].as_str(), game.keys[1].as_str());
    assert_ne!(x, o);
    assert_eq!(act("", 0, 1, "(mark 1 1)"), 403);
    assert_eq!(act(o, 0, 1, "(mark 1 1)"), 403, "the key of another seat");
    assert_eq!(act(o, 1, 1, "(mark 1 1)"), 409, "not their turn");
    assert_eq!(act(x, 7, 1, "(mark 1 1)"), 403, "no such role");
    assert_eq!(act(x, 0, 2, "(mark 1 1)"), 409, "another step");
    assert_eq!(act(x, 0, 1, "(mark 9 9)"), 400);
    assert_eq!(act(x, 0, 1, "(mark 1 1)"), 200);
    assert_eq!(act(x, 0, 1, "(mark 1 1)"), 409, "the same again");
    // Whoever only looks is asked nothing and told no keys.
    let looked = server.get(&format!("/api/matches/{}", game.id));
    assert!(!looked.text().contains(x) && !looked.text().contains(o));
    assert!(looked.json()["asked"].as_array().unwrap().is_empty());
    assert_eq!(game.act("undo", json!({ "key": "" })).status, 403);
    assert_eq!(game.act("resign", json!({ "key": o, "role": 0 })).status, 403);
    assert_eq!(game.act("again", json!({ "key": game.owner })).status, 409, "it is not over");
}

#[test]
fn choices_at_the_same_time_stay_hidden() {
    let server = Server::new();
    let game = server.begin(json!("rock_paper_scissors"), &["human", "human"]);
    let mut first = game.events(&[0]);
    let mut second = game.events(&[1]);
    let asked = first.until(is_asked);
    second.until(is_asked);
    assert_eq!(asked["asked"].as_array().unwrap().len(), 1, "only the own question");
    assert_eq!(game.make(0, 1, "rock").status, 200);
    let seen = second.until(|event| event["roles"][0]["thinking"] == false);
    assert_eq!((seen["steps"].clone(), seen["moves"].as_array().unwrap().len()), (json!(0), 0));
    assert!(!json!([seen["roles"], seen["position"], seen["moves"]]).to_string().contains("rock"));
    assert_eq!(game.make(1, 1, "paper").status, 200);
    let seen = second.until(|event| event["steps"] == 1);
    assert_eq!(seen["moves"], json!([["rock", "paper"]]));
}

#[test]
fn people_at_one_screen_hold_several_seats() {
    let server = Server::new();
    let game = server.begin(json!("rock_paper_scissors"), &["human", "human"]);
    let event = game.events(&[0, 1]).until(|event| event["asked"].as_array().unwrap().len() == 2);
    assert_eq!((event["asked"][0]["role"].clone(), event["asked"][1]["role"].clone()), (json!(0), json!(1)));
}

#[test]
fn moves_are_taken_back_also_after_the_end() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["human", "random"]);
    let mut events = game.events(&[0]);
    events.until(is_asked);
    let undo = || game.act("undo", json!({ "key": game.keys[0] }));
    assert_eq!(undo().status, 409, "nothing to take back");
    assert_eq!(game.make(0, 1, "(mark 2 2)").status, 200);
    let event = events.until(|event| event["steps"] == 2 && is_asked(event));
    assert_eq!(event["can_undo"], true);
    assert_eq!(undo().status, 200);
    let event = events.until(|event| event["steps"] == 0 && is_asked(event));
    assert_eq!((event["from"].clone(), event["moves"].clone()), (json!(0), json!([])));
    let last = play_out(&game, &mut events, 0, event);
    assert_eq!(last["can_undo"], true);
    assert_eq!(undo().status, 200);
    let event = events.until(|event| !is_over(event) && is_asked(event));
    assert!(event["steps"].as_u64() < last["steps"].as_u64());
    play_out(&game, &mut events, 0, event);
}

#[test]
fn whoever_resigns_may_play_again_in_the_other_seat() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["human", "easy"]);
    let mut events = game.events(&[0]);
    events.until(is_asked);
    assert_eq!(game.act("resign", json!({ "key": game.keys[0], "role": 0 })).status, 200);
    let over = events.until(is_over);
    assert!(over["over"]["how"].as_str().unwrap().contains("resigned"));
    assert_eq!(game.act("again", json!({ "key": "x" })).status, 403);
    let next = game.act("again", json!({ "key": game.keys[0], "swap": true })).json();
    let next = next["id"].as_str().unwrap();
    assert_eq!(events.until(|event| !event["next"].is_null())["next"], next);
    // The same key, now for the other seat: the machine begins.
    let mut events = server.events(next, &[&game.keys[0]]);
    let event = events.until(is_asked);
    assert_eq!((event["asked"][0]["role"].clone(), event["steps"].clone()), (json!(1), json!(1)));
    assert_eq!(event["roles"][0]["who"], "machine");
}

#[test]
fn hints_have_values() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["human", "human"]);
    game.events(&[0]).until(is_asked);
    let hint = game.act("hint", json!({ "key": game.keys[0] })).json();
    let moves = hint["advice"]["moves"].as_array().unwrap();
    assert!(moves.len() > 1 && moves[0]["value"].is_number(), "{hint}");
    assert!(hint["advice"]["playouts"].as_u64().unwrap() > 0);
    assert_eq!(game.act("hint", json!({ "key": game.keys[1] })).status, 409, "not their turn");
}

#[test]
fn a_slow_person_is_replaced_for_a_move() {
    let server = Server::new();
    // Of two people, so that the position after the first move stays for a while.
    let seats = [seat("human"), seat("human")];
    let body = json!({ "game": "tic_tac_toe", "seats": seats, "clock": 1.0, "think": 0.05 });
    let opened = server.post("/api/matches", &body).json();
    let key = opened["keys"][0].as_str().unwrap();
    let mut events = server.events(opened["id"].as_str().unwrap(), &[key]);
    let asked = events.until(is_asked);
    assert!(asked["roles"][0]["left"].as_f64().unwrap() <= 1.0);
    let moved = events.until(|event| event["steps"] == 1);
    assert!(moved["roles"][0]["fault"].is_string(), "{moved}");
}

#[test]
fn machines_are_watched_and_the_winning_cells_shown() {
    let server = Server::new();
    let game = server.begin(json!("connect_four"), &["medium", "random"]);
    let mut events = server.events(&game.id, &[]);
    let over = events.until(is_over);
    assert_eq!(over["over"]["goals"], json!([100, 0]), "40 playouts beat random moves");
    let winning = over["position"]["winning"].as_array().unwrap();
    assert!(winning.len() >= 4, "the line of four: {over}");
    let thought = &server.get(&format!("/api/matches/{}/positions/1", game.id)).json()["thoughts"][0];
    assert_eq!(thought["playouts"], 1000, "medium thinks so much, whatever the clock");
    assert_eq!(game.act("again", json!({ "key": game.owner })).status, 200, "the owner needs no seat");
}

#[test]
fn what_makes_no_match_is_explained() {
    let server = Server::new();
    let begin = |body: Value| server.post("/api/matches", &body);
    let two = [seat("human"), seat("random")];
    let cases = [
        (json!({ "game": "no_such_game", "seats": two }), 404, "no game"),
        (json!({ "game": "tic_tac_toe", "seats": [seat("human")] }), 400, "2 players"),
        (json!({ "game": "tic_tac_toe", "seats": two, "think": 1e9 }), 400, "thinks"),
        (json!({ "game": "tic_tac_toe", "seats": two, "clock": -1 }), 400, "clock"),
        (
            json!({ "game": "tic_tac_toe", "seats": [seat("human"), { "who": "player", "spec": "nobody" }] }),
            400,
            "nobody",
        ),
        (
            json!({ "game": "tic_tac_toe", "seats": [seat("human"), { "who": "player", "spec": "ftp://x:1" }] }),
            400,
            "ftp",
        ),
        (json!({ "game": { "text": "(role" }, "seats": two }), 422, "errors"),
    ];
    for (body, status, words) in cases {
        let reply = begin(body.clone());
        assert_eq!(reply.status, status, "{body}: {}", reply.text());
        assert!(reply.text().contains(words), "{}", reply.text());
    }
}

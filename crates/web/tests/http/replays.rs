//! Records, branches and plans.

use serde_json::{Value, json};

use crate::client::Server;

fn is_over(event: &Value) -> bool {
    !event["over"].is_null()
}

/// A record that was played here is opened on another server and looked at step by step.
#[test]
fn a_record_is_replayed_with_what_the_players_thought() {
    let first = Server::new();
    let game = first.begin(json!("tic_tac_toe"), &["medium", "easy"]);
    let over = first.events(&game.id, &[]).until(is_over);
    let record = first.get(&format!("/api/matches/{}/record", game.id)).json();
    let other = Server::new();
    let opened = other.post("/api/records", &record);
    assert_eq!(opened.status, 200, "{}", opened.text());
    let id = opened.json()["id"].as_str().unwrap().to_owned();
    let view = other.get(&format!("/api/matches/{id}")).json();
    assert_eq!(
        (view["replay"].clone(), view["over"]["goals"].clone()),
        (json!(true), over["over"]["goals"].clone())
    );
    assert_eq!(view["moves"], record["moves"]);
    assert_eq!(view["thoughts"].as_array().unwrap().len(), view["moves"].as_array().unwrap().len());
    assert_eq!(view["thoughts"][0][0]["playouts"], 1000);
    assert!(view["thoughts"][0][0]["value"].is_number() && view["thoughts"][0][1].is_null());
    assert_eq!(view["game"]["built_in"], true, "the rules are those of a built-in game");
    let start = other.get(&format!("/api/matches/{id}/positions/0")).json();
    assert_eq!((start["step"].clone(), start["changed"].clone()), (json!(0), json!([])));
}

#[test]
fn records_that_are_none_are_refused() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["random", "random"]);
    server.events(&game.id, &[]).until(is_over);
    let good = server.get(&format!("/api/matches/{}/record", game.id)).json();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut record = good.clone();
        change(&mut record);
        let reply = server.post("/api/records", &record);
        assert!([400, 422].contains(&reply.status), "{} {}", reply.status, reply.text());
        reply.json()["error"].as_str().unwrap().to_owned()
    };
    assert!(refused(&|record| *record = json!({})).contains("no record"));
    assert!(
        refused(&|record| record["moves"][0] = json!(["(mark 9 9)", "noop"])).contains("breaks the rules")
    );
    assert!(refused(&|record| record["goalValues"] = json!([7, 7])).contains("breaks the rules"));
    assert!(refused(&|record| record["ludex"] = Value::Null).contains("rules"));
    assert!(refused(&|record| record["ludex"]["rules"] = json!("(role")).contains("errors"));
}

/// Anybody may try other moves from any position, in a match of their own.
#[test]
fn a_position_is_analysed_with_other_moves() {
    let server = Server::new();
    let game = server.begin(json!("tic_tac_toe"), &["random", "random"]);
    server.events(&game.id, &[]).until(is_over);
    let branch = |step: usize| game.act("branch", json!({ "step": step }));
    assert_eq!(branch(99).status, 404);
    let opened = branch(2).json();
    let (id, keys) = (opened["id"].as_str().unwrap(), opened["keys"].as_array().unwrap());
    let key = keys[0].as_str().unwrap();
    let mut events = server.events(id, &[key, keys[1].as_str().unwrap()]);
    let asked = events.until(|event| !event["asked"].as_array().unwrap().is_empty());
    assert_eq!((asked["steps"].clone(), asked["asked"][0]["role"].clone()), (json!(2), json!(0)));
    let act = |what: &str, body: Value| server.post(&format!("/api/matches/{id}/{what}"), &body).status;
    let name = asked["asked"][0]["legal"][0]["name"].as_str().unwrap();
    assert_eq!(act("move", json!({ "key": key, "role": 0, "step": 3, "move": name })), 200);
    events.until(|event| event["steps"] == 3 && !event["asked"].as_array().unwrap().is_empty());
    // Back beyond where it began.
    assert_eq!(act("undo", json!({ "key": keys[1], "step": 0 })), 200);
    events.until(|event| event["steps"] == 0 && !event["asked"].as_array().unwrap().is_empty());
}

#[test]
fn a_puzzle_has_a_plan_with_its_proof() {
    let server = Server::new();
    let game = server.begin(json!("hanoi"), &["human"]);
    game.events(&[0]).until(|event| !event["asked"].as_array().unwrap().is_empty());
    let found = game.act("plan", json!({ "key": game.keys[0] })).json();
    let plan = &found["plan"];
    assert_eq!((plan["moves"].as_array().unwrap().len(), plan["score"].clone()), (31, json!(100)));
    assert_eq!(plan["optimal"], true);
    // The first move of it is legal, and the disc and the rod that it names are on the board.
    let first = plan["moves"][0].as_str().unwrap();
    assert_eq!(game.make(0, 1, first).status, 200);
    let two = server.begin(json!("tic_tac_toe"), &["human", "human"]);
    two.events(&[0]).until(|event| !event["asked"].as_array().unwrap().is_empty());
    assert_eq!(two.act("plan", json!({ "key": two.keys[0] })).status, 409, "plans are for one role");
}

/// Matches that are over outlive the server.
#[test]
fn matches_are_kept_in_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("matches.db");
    let first = Server::with_store(&file);
    assert_eq!(first.get("/api/store").json(), json!([]));
    let game = first.begin(json!("tic_tac_toe"), &["random", "random"]);
    let over = first.events(&game.id, &[]).until(is_over);
    drop(first);
    let second = Server::with_store(&file);
    let rows = second.get("/api/store").json();
    assert_eq!((rows.as_array().unwrap().len(), rows[0]["game"].clone()), (1, json!("tic_tac_toe")));
    assert_eq!(rows[0]["goals"], over["over"]["goals"]);
    let opened = second.post("/api/store/1", &json!({})).json();
    let view = second.get(&format!("/api/matches/{}", opened["id"].as_str().unwrap())).json();
    assert_eq!((view["replay"].clone(), view["steps"].clone()), (json!(true), over["steps"].clone()));
    assert_eq!(second.post("/api/store/7", &json!({})).status, 404);
    assert_eq!(Server::new().post("/api/store/1", &json!({})).status, 404, "nothing is kept there");
}

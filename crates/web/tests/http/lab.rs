//! The laboratory on the page.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Server;

#[test]
fn an_experiment_is_started_from_a_form_and_read_as_tables() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::with_lab(&folder.path().join("lab"));
    let lab = server.get("/api/lab").json();
    assert!(lab["experiments"].as_array().unwrap().len() >= 20);
    assert_eq!(
        (lab["results"].clone(), lab["runs"].clone(), lab["allowed"].clone()),
        (json!([]), json!([]), json!(true))
    );
    let wanted = json!({
        "title": "First", "games": ["tic_tac_toe"], "players": ["mc:each=4", "random"], "playouts": 20, "matches": 4,
    });
    let begun = server.post("/api/lab/runs", &wanted);
    assert_eq!(begun.status, 200, "{}", begun.text());
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    let since = Instant::now();
    let run = loop {
        let run = server.get(&format!("/api/lab/runs/{id}")).json();
        if run["over"] == true {
            break run;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "{run}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(
        (run["done"].clone(), run["total"].clone(), run["problem"].clone()),
        (json!(4), json!(4), Value::Null)
    );
    let results = server.get("/api/lab").json()["results"].clone();
    assert_eq!(
        (results[0]["name"].clone(), results[0]["title"].clone()),
        (json!("first-quick"), json!("First"))
    );
    let report = server.get("/api/lab/results/first-quick").json();
    assert_eq!((report["title"].clone(), report["missing"].clone()), (json!("First"), json!(0)));
    assert!(report["markdown"].as_str().unwrap().contains("| tic_tac_toe |"), "{report}");
    assert!(report["plots"].as_object().unwrap().keys().all(|name| name.ends_with(".svg")));
}

#[test]
fn what_cannot_be_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::with_lab(&folder.path().join("lab"));
    let refused = |body: Value, status: u16| {
        let reply = server.post("/api/lab/runs", &body);
        assert_eq!(reply.status, status, "{body}: {}", reply.text());
    };
    refused(json!({ "experiment": "nothing" }), 404);
    refused(json!({ "games": ["/etc/passwd"], "players": ["mc", "random"] }), 404);
    refused(json!({ "games": ["chess"], "players": ["mc", "nobody"] }), 400);
    refused(json!({ "games": ["chess"], "players": ["mc"], "matches": 0 }), 400);
    refused(json!({ "experiment": "equal", "folder": "/tmp" }), 400);
    assert_eq!(server.get("/api/lab/results/..").status, 404);
    assert_eq!(server.get("/api/lab/results/%2e%2e%2fx").status, 404);
    assert_eq!(server.get("/api/lab/runs/none").status, 404);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
}

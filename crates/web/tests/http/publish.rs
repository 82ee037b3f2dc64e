//! Matches and runs of other processes on the page.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::time::{Duration, Instant};

use ludex_arena::{Event, MatchRecord, MatchSetup, Rulebook, run_match};
use ludex_lab::{ExperimentFile, FormName, RunOptions, run_watched};
use ludex_search::Stop;
use ludex_web::publish::Publisher;
use serde_json::{Value, json};

use crate::client::Server;

fn tic_tac_toe() -> Rulebook {
    Rulebook::new("tic_tac_toe", ludex_library::find("tic_tac_toe").unwrap().text).unwrap()
}

fn setup(seed: u64) -> MatchSetup {
    let players = vec!["mc:each=8".parse().unwrap(), "random".parse().unwrap()];
    MatchSetup { playouts: Some(20), seed, ..MatchSetup::new(players) }
}

/// Asks until the answer fits.
fn until(server: &Server, path: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let found = server.get(path).json();
        if fits(&found) {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{path}: {found}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn played(url: &str, seed: u64) -> MatchRecord {
    let page = Publisher::new(url).unwrap();
    let mut nobody = ();
    run_match(&tic_tac_toe(), &setup(seed), &mut page.watch_match(&mut nobody)).unwrap()
}

#[test]
fn a_match_is_seen_with_everything_that_its_record_has() {
    let server = Server::new();
    let record = played(&server.url(), 1);
    let listed = until(&server, "/api/matches", |all| all[0]["over"] == true);
    assert_eq!(
        (listed[0]["elsewhere"].clone(), listed[0]["goals"].clone()),
        (json!(true), json!(record.goal_values))
    );
    let id = listed[0]["id"].as_str().unwrap();
    let view = server.get(&format!("/api/matches/{id}")).json();
    assert_eq!(view["moves"], json!(record.moves));
    assert_eq!(view["game"]["built_in"], true);
    assert_eq!(view["roles"][0]["label"], "mc:each=8");
    assert!(view["thoughts"][0][0]["playouts"].as_u64().unwrap() > 0);
    // What can be downloaded is a record that holds.
    let kept = server.get(&format!("/api/matches/{id}/record")).json();
    assert_eq!(server.post("/api/records", &kept).status, 200);
    // Whoever looks may try other moves, and nobody may go on with it.
    assert_eq!(server.post(&format!("/api/matches/{id}/branch"), &json!({ "step": 1 })).status, 200);
    assert_ne!(server.post(&format!("/api/matches/{id}/again"), &json!({ "key": "" })).status, 200);
}

/// The page sees a match while it is played, also if it is opened in the middle of it.
#[test]
fn a_match_is_seen_while_it_is_played() {
    let server = Server::new();
    let page = Publisher::new(&server.url()).unwrap();
    let mut steps = 0;
    let mut watched = |event: &Event<'_>| {
        if let Event::Moved { step, .. } = event {
            steps = *step;
            let listed = until(&server, "/api/matches", |all| all[0]["steps"].as_u64() == Some(*step as u64));
            assert_eq!(listed[0]["over"], false);
        }
    };
    run_match(&tic_tac_toe(), &setup(2), &mut page.watch_match(&mut watched)).unwrap();
    until(&server, "/api/matches", |all| {
        all[0]["over"] == true && all[0]["steps"].as_u64() == Some(steps as u64)
    });
}

/// Nobody answers at the address, or somebody who never says anything: the match is the same.
#[test]
fn a_dead_page_changes_nothing() {
    let alone = run_match(&tic_tac_toe(), &setup(3), &mut ()).unwrap();
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    for url in ["http://127.0.0.1:1/".to_owned(), format!("http://{}/", silent.local_addr().unwrap())] {
        let begun = Instant::now();
        let record = played(&url, 3);
        assert_eq!(record.without_times(), alone.without_times());
        assert!(begun.elapsed() < Duration::from_secs(6), "{url}: {:?}", begun.elapsed());
    }
}

#[test]
fn messages_that_break_the_rules_are_refused() {
    let server = Server::new();
    let mut record = run_match(&tic_tac_toe(), &setup(4), &mut ()).unwrap();
    let moves = std::mem::take(&mut record.moves);
    let opened = server.post("/api/publish/matches", &json!({ "record": record })).json();
    let (id, key) = (opened["id"].as_str().unwrap(), &opened["key"]);
    let send = |body: Value| server.post(&format!("/api/publish/matches/{id}"), &body);
    assert_eq!(send(json!({ "key": "other", "from": 0, "moves": [] })).status, 403);
    assert_eq!(send(json!({ "key": key, "from": 0, "moves": [["(mark 9 9)", "noop"]] })).status, 400);
    assert_eq!(send(json!({ "key": key, "from": 0, "moves": [["noop"]] })).status, 400);
    assert_eq!(send(json!({ "key": key, "from": 0, "moves": vec![&moves[0]; 4000] })).status, 400);
    // Nothing of that was taken. What is ahead of the page is sent again from where it is.
    assert_eq!(send(json!({ "key": key, "from": 3, "moves": [] })).json()["steps"], 0);
    assert_eq!(send(json!({ "key": key, "from": 0, "moves": &moves[..3] })).json()["steps"], 3);
    // Moves are taken back by going on from an earlier step.
    assert_eq!(send(json!({ "key": key, "from": 1, "moves": &moves[1..2] })).json()["steps"], 2);
    let view = server.get(&format!("/api/matches/{id}")).json();
    assert_eq!((view["moves"].clone(), view["over"].clone()), (json!(&moves[..2]), Value::Null));
    // Goals for the wrong number of roles, and thoughts and errors of the wrong shape.
    let odd = json!({
        "key": key, "from": 2, "moves": &moves[2..3], "errors": [["x"], [], []], "thinking": [[]],
        "asked": { "thinking": [true, true, true, true], "left": 1e300 },
        "ended": { "goals": [1, 2, 3], "end": { "kind": "finished" } },
    });
    assert_eq!(send(odd).status, 200);
    let view = server.get(&format!("/api/matches/{id}")).json();
    assert_eq!((view["over"]["goals"].clone(), view["roles"][0]["left"].clone()), (json!([]), Value::Null));
    // Rules that are none, matches that are played here.
    record.ludex.as_mut().unwrap().rules = "(role".to_owned();
    assert_eq!(server.post("/api/publish/matches", &json!({ "record": record })).status, 422);
    let own = server.begin(json!("tic_tac_toe"), &["human", "human"]);
    let news = json!({ "key": own.owner, "from": 0, "moves": [] });
    assert_eq!(server.post(&format!("/api/publish/matches/{}", own.id), &news).status, 403);
}

#[test]
fn a_shared_page_wants_its_token() {
    let shared = Server::at(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
    let url = shared.url().replace("localhost", "127.0.0.1");
    let without = url.split('?').next().unwrap();
    played(without, 5);
    let token = url.split_once("?token=").unwrap().1.to_owned();
    let (host, cookie) = (shared.host(), format!("ludex_token={token}"));
    let headers = [("host", host.as_str()), ("cookie", cookie.as_str())];
    let listed = || shared.send("GET", "/api/matches", &headers, b"").json();
    assert_eq!(listed(), json!([]));
    played(&url, 5);
    assert_eq!(listed()[0]["over"], true);
}

/// A tournament of another process: its table, its end.
#[test]
fn a_run_is_seen_on_the_page() {
    let server = Server::new();
    let text = "title = \"Cup\"\ngames = [\"tic_tac_toe\"]\nplayers = [{ name = \"<i>\", spec = \"mc:each=4\" },\n\
                { name = \"b\", spec = \"random\" }]\n[quick]\nmatches = 6\nseed = 1\n\
                settings = [{ name = \"few\", playouts = 20 }]\n";
    let file = ExperimentFile::from_text("cup", text, Path::new("")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions {
        folder: folder.path().join("cup"),
        cores: 1,
        matches: None,
        games: Vec::new(),
        fresh: false,
        provenance: None,
        stop: Stop::new(),
    };
    let page = Publisher::new(&server.url()).unwrap();
    let mut nobody = ();
    let summary = {
        let mut watcher = page.watch_run("Cup", &mut nobody);
        run_watched(&file, FormName::Quick, &options, &mut watcher, Some(&page)).unwrap()
    };
    assert_eq!(summary.finished, 6);
    let found = until(&server, "/api/lab", |lab| lab["runs"][0]["over"] == true);
    let run = &found["runs"][0];
    assert_eq!((run["done"].clone(), run["elsewhere"].clone()), (json!(6), json!(true)));
    assert_eq!(
        (run["cells"][0]["matches"].clone(), run["cells"][0]["player"].clone()),
        (json!(6), json!("<i>"))
    );
    let id = run["id"].as_str().unwrap();
    let news = json!({ "key": "x", "run": { "title": "", "total": 0, "done": 0, "failed": 0, "seconds": 0, "over": true } });
    assert_eq!(server.post(&format!("/api/publish/runs/{id}"), &news).status, 403);
    assert_eq!(server.post(&format!("/api/lab/runs/{id}/stop"), &json!({})).status, 409);
}

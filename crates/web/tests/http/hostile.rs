//! Sheets that mean harm: markup in symbols, and rules that explode.

use serde_json::{Value, json};

use crate::client::Server;

/// Every word of this sheet is markup for somebody.
const MARKUP: &str = r#"
(role <img/src=x/onerror=alert`1`>)
(role </script><script>alert`2`</script>)
(init (cell 1 1 <b>)) (init (cell 1 2 ><svg/onload=alert`3`>)) (init (cell 2 1 &lt)) (init (cell 2 2 javascript:alert`4`))
(<= (legal ?r (mark <b> </td>)) (role ?r))
(<= (legal ?r --><u>) (role ?r))
(<= (next (done)) (does ?r ?m))
(<= (next (cell ?x ?y ?z)) (true (cell ?x ?y ?z)))
(<= terminal (true (done)))
(<= (goal ?r 100) (role ?r))
"#;

#[test]
fn markup_in_symbols_stays_data() {
    let server = Server::new();
    let name = "</title><script>alert(0)</script>\r\nx: y\"";
    let game = server.begin(json!({ "name": name, "text": MARKUP }), &["human", "random"]);
    let view = game.events(&[0]).until(|event| !event["asked"].as_array().unwrap().is_empty());
    let text = view.to_string();
    assert!(text.contains("<img/src=x/onerror=alert`1`>"), "names are shown as they are: {text}");
    let reply = server.get(&format!("/api/matches/{}", game.id));
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "JSON is never run as anything else");
    let first = view["asked"][0]["legal"][0]["name"].as_str().unwrap();
    assert_eq!(game.make(0, 1, first).status, 200);
    let record = server.get(&format!("/api/matches/{}/record", game.id));
    let file = record.header("content-disposition").unwrap();
    let plain = |c: char| c.is_ascii_alphanumeric() || " ;=\"_-.".contains(c);
    assert!(file.chars().all(plain), "{file}");
    assert_eq!(record.header("x"), None);
}

/// Facts for every pair, triple and so on of a hundred things.
fn exploding() -> String {
    let things: String = (0..100).map(|n| format!("(thing {n}) ")).collect();
    format!(
        "(role a) {things}
         (<= (legal a (take ?v ?w ?x ?y ?z)) (thing ?v) (thing ?w) (thing ?x) (thing ?y) (thing ?z))
         (<= (next (had ?v ?w ?x ?y ?z)) (does a (take ?v ?w ?x ?y ?z)))
         (<= terminal (true (had 0 0 0 0 0)))
         (goal a 100)"
    )
}

#[test]
fn a_sheet_that_explodes_is_stopped_while_others_play() {
    let server = Server::new();
    std::thread::scope(|scope| {
        let bomb = scope.spawn(|| {
            let body = json!({ "game": { "text": exploding() }, "seats": [{ "who": "human" }] });
            server.post("/api/matches", &body)
        });
        let game = server.begin(json!("tic_tac_toe"), &["random", "random"]);
        server.events(&game.id, &[]).until(|event: &Value| !event["over"].is_null());
        let refused = bomb.join().unwrap();
        assert_eq!(refused.status, 422, "{}", refused.text());
        assert!(!refused.json()["error"].as_str().unwrap().is_empty());
    });
}

#[test]
fn rules_that_break_in_play_end_with_a_message() {
    let server = Server::new();
    let stuck = "(role a) (init (left 1)) (<= (legal a take) (true (left 1)))
                 (<= (next (left 0)) (does a take)) (<= terminal (true (left 5))) (goal a 100)";
    let game = server.begin(json!({ "text": stuck }), &["random"]);
    let over = server.events(&game.id, &[]).until(|event| !event["over"].is_null());
    let how = over["over"]["how"].as_str().unwrap();
    assert!(how.contains("no legal move"), "{how}");
}

//! What the editor asks.

use serde_json::json;

use crate::client::Server;

#[test]
fn findings_have_places_and_help() {
    let server = Server::new();
    let text = "; \u{1d11e} a clef counts as two\n(role x)\n(init (at 1))\n(<= (legal x go) (tru (at 1)))\n";
    let checked = server.post("/api/sheets/check", &json!({ "text": text })).json();
    assert_eq!(checked["playable"], false);
    let findings = checked["findings"].as_array().unwrap();
    let typo = findings.iter().find(|finding| finding["message"].as_str().unwrap().contains("tru")).unwrap();
    let units: Vec<u16> = text.encode_utf16().collect();
    let (from, to) = (typo["place"]["from"].as_u64().unwrap(), typo["place"]["to"].as_u64().unwrap());
    let place =
        String::from_utf16(&units[usize::try_from(from).unwrap()..usize::try_from(to).unwrap()]).unwrap();
    assert!(place.contains("tru"), "{place}");
    assert!(findings.iter().any(|finding| !finding["help"].as_str().unwrap().is_empty()));
    assert_eq!(checked["roles"], json!(["x"]));
    let names: Vec<&str> = checked["relations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|relation| relation["title"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["role", "init at", "legal go"]);
}

#[test]
fn sheets_are_formatted_or_refused() {
    let server = Server::new();
    let text = server.post("/api/sheets/format", &json!({ "text": "(role   x)(role o) ; two" })).json();
    assert!(text["text"].as_str().unwrap().starts_with("(role x)\n(role o)"));
    assert_eq!(server.post("/api/sheets/format", &json!({ "text": "(role" })).status, 422);
    assert_eq!(server.post("/api/sheets/check", &json!({ "text": " ".repeat((1 << 20) + 1) })).status, 422);
    assert_eq!(server.post("/api/sheets/check", &json!({})).status, 400);
}

/// A sheet without a description gets a board that was detected, and moves that name its cells.
#[test]
fn a_sheet_without_hints_is_played_on_a_detected_board() {
    let server = Server::new();
    let text = ludex_library::find("tic_tac_toe").unwrap().text;
    let game = server.begin(json!({ "name": "mine", "text": text }), &["human", "random"]);
    let view = game.events(&[0]).until(|event| !event["asked"].as_array().unwrap().is_empty());
    assert_eq!(
        (view["game"]["built_in"].clone(), view["game"]["name"].clone()),
        (json!(false), json!("mine"))
    );
    assert_eq!(view["position"]["picture"]["grids"].as_array().unwrap().len(), 1);
    assert!(view["asked"][0]["legal"][0]["spots"].is_array());
}

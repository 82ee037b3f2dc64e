//! Who may ask for what.

use std::net::{Ipv4Addr, SocketAddr};

use serde_json::json;

use crate::client::Server;

#[test]
fn pages_and_files_are_served_with_their_policy() {
    let server = Server::new();
    for path in ["/", "/games/chess", "/match/none", "/matches"] {
        let page = server.get(path);
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8")),
            "{path}"
        );
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert!(!page.text().contains("onclick") && !page.text().contains("<script>"));
    }
    let script = server.get("/app.js");
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(script.header("x-content-type-options"), Some("nosniff"));
    let tag = script.header("etag").unwrap();
    let host = server.host();
    let known = server.send("GET", "/app.js", &[("host", &host), ("if-none-match", tag)], b"");
    assert_eq!((known.status, known.body.len()), (304, 0));
    let packed = server.send("GET", "/app.js", &[("host", &host), ("accept-encoding", "gzip")], b"");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < script.body.len());
    for path in ["/none.js", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/api/none", "/api/matches/none"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn other_pages_and_other_names_are_refused() {
    let server = Server::new();
    let host = server.host();
    let own = format!("http://{host}");
    let json = ("content-type", "application/json");
    let body =
        json!({ "game": "tic_tac_toe", "seats": [{ "who": "human" }, { "who": "human" }] }).to_string();
    let status = |method: &str, headers: &[(&str, &str)]| {
        server.send(method, "/api/matches", headers, body.as_bytes()).status
    };
    assert_eq!(status("POST", &[("host", &host), json, ("origin", &own)]), 200);
    assert_eq!(status("POST", &[("host", &host), json, ("sec-fetch-site", "same-origin")]), 200);
    assert_eq!(status("POST", &[("host", &host), json, ("origin", "http://example.org")]), 403);
    assert_eq!(status("POST", &[("host", &host), json, ("origin", "null")]), 403);
    assert_eq!(status("POST", &[("host", &host), json, ("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(status("GET", &[("host", &host), ("sec-fetch-site", "same-site")]), 403);
    assert_eq!(status("POST", &[("host", "example.org"), json]), 403, "a name that points here");
    assert_eq!(status("POST", &[("host", &host), ("content-type", "text/plain")]), 400, "a plain form");
    assert_eq!(status("PUT", &[("host", &host), json]), 400);
    assert_eq!(server.get("/api/matches").json().as_array().unwrap().len(), 2);
}

#[test]
fn beyond_loopback_everybody_needs_the_token() {
    let server = Server::at(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
    let token = server.url().split_once("?token=").unwrap().1.to_owned();
    let host = server.host();
    assert!(token.len() >= 20);
    for path in ["/", "/api/games", "/?token=wrong"] {
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    let welcome = server.get(&format!("//games/chess?token={token}"));
    assert_eq!((welcome.status, welcome.header("location")), (303, Some("/games/chess")));
    let cookie = welcome.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite"));
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(server.send("GET", "/api/games", &[("host", &host), ("cookie", cookie)], b"").status, 200);
    let other = [("host", host.as_str()), ("cookie", "ludex_token=wrong")];
    assert_eq!(server.send("GET", "/api/games", &other, b"").status, 401);
}

#[test]
fn on_loopback_there_is_no_token() {
    let server = Server::new();
    assert_eq!(server.url(), format!("http://{}/", server.host()));
}

#[test]
fn requests_that_are_too_long_or_no_json_are_refused() {
    let server = Server::new();
    let long = json!({ "game": { "text": "x".repeat(3 << 20) }, "seats": [] });
    assert_eq!(server.post("/api/matches", &long).status, 413);
    let sheet = json!({ "game": { "text": " ".repeat((1 << 20) + 1) }, "seats": [] });
    let refused = server.post("/api/matches", &sheet);
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(refused.text().contains("longer than"));
    let headers = [("host", server.host()), ("content-type", "application/json".to_owned())];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
    for body in ["", "{", "[]", "{\"game\":1}", "\u{0}"] {
        let reply = server.send("POST", "/api/matches", &headers, body.as_bytes());
        assert_eq!(reply.status, 400, "{body}");
        assert!(reply.json()["error"].is_string());
    }
    let deep = "[".repeat(100_000);
    assert_eq!(server.send("POST", "/api/matches", &headers, deep.as_bytes()).status, 400);
}

/// The list of games is compressed for browsers, and the same for everybody.
#[test]
fn the_list_of_games_is_compressed() {
    let server = Server::new();
    let host = server.host();
    let plain = server.get("/api/games");
    let packed = server.send("GET", "/api/games", &[("host", &host), ("accept-encoding", "gzip")], b"");
    assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), (None, Some("gzip")));
    assert!(packed.body.len() * 3 < plain.body.len(), "{} of {}", packed.body.len(), plain.body.len());
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&packed.body[..]), &mut text).unwrap();
    assert_eq!(text, plain.text());
}

//! A client that sends exactly what a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use ludex_web::{WebOptions, WebServer};
use serde_json::{Value, json};

/// A server for one test.
pub(crate) struct Server {
    web: WebServer,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("JSON: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    pub(crate) fn at(address: SocketAddr) -> Self {
        Self { web: WebServer::start(WebOptions { memory: 64 << 20, ..WebOptions::new(address) }).unwrap() }
    }

    /// A server that keeps matches in a file.
    pub(crate) fn with_store(file: &std::path::Path) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            web: WebServer::start(WebOptions {
                memory: 64 << 20,
                store: Some(file.into()),
                ..WebOptions::new(address)
            })
            .unwrap(),
        }
    }

    /// A server with results of experiments in a folder.
    pub(crate) fn with_lab(folder: &std::path::Path) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let lab = Some(folder.into());
        Self {
            web: WebServer::start(WebOptions { memory: 64 << 20, lab, ..WebOptions::new(address) }).unwrap(),
        }
    }

    pub(crate) fn url(&self) -> String {
        self.web.url()
    }

    fn connect(&self) -> TcpStream {
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, self.web.address().port()));
        let stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends a request with these headers and no others but those of its body and end.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut stream = self.connect();
        let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{lines}connection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // Whoever refuses a long body may close before all of it is there.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.web.address().port())
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[("host", &self.host())], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        let headers = [("host", self.host()), ("content-type", "application/json".to_owned())];
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.send("POST", path, &headers, body.to_string().as_bytes())
    }

    /// What happens in a match, event by event.
    pub(crate) fn events(&self, id: &str, keys: &[&str]) -> Events {
        self.stream(&format!("/api/matches/{id}/events?keys={}", keys.join(",")))
    }

    /// Events of an address.
    pub(crate) fn stream(&self, path: &str) -> Events {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.host()).unwrap();
        Events(BufReader::new(stream))
    }

    /// Begins a match: its id, and by role the keys of its people.
    pub(crate) fn begin(&self, game: Value, seats: &[&str]) -> Match<'_> {
        let seats: Vec<Value> = seats.iter().map(|seat| self::seat(seat)).collect();
        let body = json!({ "game": game, "seats": seats, "think": 0.05, "seed": 1 });
        let reply = self.post("/api/matches", &body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        let opened = reply.json();
        let keys = opened["keys"].as_array().unwrap().iter();
        Match {
            server: self,
            id: opened["id"].as_str().unwrap().to_owned(),
            keys: keys.map(|key| key.as_str().unwrap_or("").to_owned()).collect(),
            owner: opened["owner"].as_str().unwrap().to_owned(),
        }
    }
}

/// A seat: `human`, or a strength.
pub(crate) fn seat(name: &str) -> Value {
    match name {
        "human" => json!({ "who": "human" }),
        strength => json!({ "who": "machine", "strength": strength }),
    }
}

/// Events of a match.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    pub(crate) fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data.trim_end()).unwrap();
            }
        }
    }

    /// The first event that fits.
    pub(crate) fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next();
            if fits(&event) {
                return event;
            }
        }
    }
}

/// A match that a test plays.
pub(crate) struct Match<'a> {
    server: &'a Server,
    pub(crate) id: String,
    pub(crate) keys: Vec<String>,
    pub(crate) owner: String,
}

impl Match<'_> {
    pub(crate) fn events(&self, roles: &[usize]) -> Events {
        let keys: Vec<&str> = roles.iter().map(|&role| self.keys[role].as_str()).collect();
        self.server.events(&self.id, &keys)
    }

    pub(crate) fn act(&self, what: &str, body: Value) -> Reply {
        self.server.post(&format!("/api/matches/{}/{what}", self.id), &body)
    }

    pub(crate) fn make(&self, role: usize, step: u64, name: &str) -> Reply {
        self.act("move", json!({ "key": self.keys[role], "role": role, "step": step, "move": name }))
    }
}

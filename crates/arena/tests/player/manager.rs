//! A scripted game manager: writes the bytes that real ones write, reads as they read.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use ludex_arena::player::{HostOptions, Server};
use ludex_engine::Player;

/// A player under test, with a folder for its records.
pub(crate) struct Manager {
    pub server: Server,
    folder: tempfile::TempDir,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
    pub took: Duration,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Manager {
    pub(crate) fn new(spec: &str) -> Self {
        Self::with(|options| options, spec)
    }

    pub(crate) fn with(change: impl FnOnce(HostOptions) -> HostOptions, spec: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let player = Player::new(spec).expect("a player");
        let options = HostOptions {
            records: Some(folder.path().join("matches")),
            ponder: false,
            ..HostOptions::new(&player)
        };
        let address = "127.0.0.1:0".parse().expect("an address");
        let server = Server::start(address, change(options)).expect("it listens");
        Self { server, folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.server.address()).expect("it accepts");
        stream.set_read_timeout(Some(Duration::from_secs(15))).expect("a socket");
        stream
    }

    /// Sends bytes and reads to the end of the stream: a connection that stays open fails.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let begun = Instant::now();
        let mut stream = self.connect();
        stream.write_all(bytes).expect("sent");
        finish(stream, begun)
    }

    /// As ggp-base's server sends.
    pub(crate) fn ggp_base(&self, message: &str) -> Answer {
        self.raw(format!("{}{message}", ggp_base_head(message.len(), "\r\n")).as_bytes())
    }

    /// As the Dresden GameController sends: no Host, other letter case of names, message in upper
    /// case but for the name of the match.
    pub(crate) fn dresden(&self, message: &str) -> Answer {
        let head =
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: localhost\r\n";
        let length = message.len();
        let request = format!("{head}content-type: text/acl\r\ncontent-length: {length}\r\n\r\n{message}");
        self.raw(request.as_bytes())
    }

    /// The body of the answer to a message that must be taken.
    pub(crate) fn ask(&self, message: &str) -> String {
        let answer = self.ggp_base(message);
        assert_eq!(answer.status, 200, "{message}: {answer:?}");
        answer.body
    }
}

pub(crate) fn ggp_base_head(length: usize, end: &str) -> String {
    [
        "POST / HTTP/1.0",
        "Accept: text/delim",
        "Host: localhost",
        "Sender: GAMESERVER",
        "Receiver: LUDEX",
        "Content-Type: text/acl",
        &format!("Content-Length: {length}"),
        "",
        "",
    ]
    .join(end)
}

/// Reads to the end of the stream.
pub(crate) fn finish(mut stream: TcpStream, begun: Instant) -> Answer {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("the connection is closed");
    let took = begun.elapsed();
    let _ = stream.shutdown(Shutdown::Both);
    let text = String::from_utf8(bytes).expect("text");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_owned(), body: body.to_owned(), took }
}

/// The rules of tic-tac-toe without comments, on one line, as ggp-base sends rules.
pub(crate) fn rules() -> String {
    let text = ludex_testkit::text("tic_tac_toe");
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or("").trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn start(id: &str, role: &str, start: &str, play: &str) -> String {
    format!("( START {id} {role} ({} ) {start} {play})", rules())
}

/// Whether a text is a mark on one of these squares.
pub(crate) fn is_mark(text: &str, taken: &[&str]) -> bool {
    let squares = (1..=3).flat_map(|x| (1..=3).map(move |y| format!("(mark {x} {y})")));
    squares.into_iter().any(|square| square == text) && !taken.contains(&text)
}

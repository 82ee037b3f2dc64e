//! Players on real sockets that do what a script says: answer well, or in some bad way.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use ludex_arena::protocol::Message;
use ludex_game::{Game, MoveId, State};

/// What a player does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Answers as it should.
    Good,
    /// Answers as it should, in capitals and with odd blanks, without a Content-Length.
    Shouting,
    /// Reads and never answers.
    Silent,
    /// Answers as it should, after so many milliseconds.
    Slow(u64),
    /// Sends its answer byte by byte, each after so many milliseconds.
    Drip(u64),
    /// Sends bytes that are no HTTP.
    Noise,
    /// Sends text that is no term.
    Garbage,
    /// Ends in the middle of its answer.
    Half,
    /// Sends a move that exists nowhere.
    WrongMove,
    /// Reads, then hangs up.
    HangUp,
    /// Sends this many bytes, and says so.
    Huge(usize),
    /// Sends bytes as long as somebody reads.
    Endless,
    /// Says that something went wrong.
    Status,
}

/// A player on a port of its own. Ends when it is dropped.
pub(crate) struct Scripted {
    pub(crate) port: u16,
    end: Arc<AtomicBool>,
    /// Messages that came, all of them.
    pub(crate) heard: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Scripted {
    /// Plays `game` by taking the first legal move; `manner` says how to answer the message with
    /// this number and text.
    pub(crate) fn new(
        game: Arc<dyn Game>,
        manner: impl FnMut(usize, &str) -> Manner + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let end = Arc::new(AtomicBool::new(false));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let mind = Mind { game, role: 0, state: None, legal_answer: "ready".into() };
        let (ended, hears) = (Arc::clone(&end), Arc::clone(&heard));
        let thread = std::thread::spawn(move || serve(&listener, &ended, &hears, mind, manner));
        Self { port, end, heard, thread: Some(thread) }
    }

    pub(crate) fn spec(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The kinds of messages that came.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let heard = self.heard.lock().expect("not poisoned");
        heard.iter().filter_map(|text| text.split_whitespace().nth(1).map(str::to_owned)).collect()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Release);
        // Wakes it up.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            thread.join().expect("a scripted player does not panic");
        }
    }
}

fn serve(
    listener: &TcpListener,
    end: &Arc<AtomicBool>,
    heard: &Mutex<Vec<String>>,
    mut mind: Mind,
    mut manner: impl FnMut(usize, &str) -> Manner,
) {
    for (number, stream) in listener.incoming().enumerate() {
        if end.load(Ordering::Acquire) {
            return;
        }
        let Ok(mut stream) = stream else { continue };
        let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
        let _ = stream.set_write_timeout(Some(Duration::from_secs(5)));
        let Some(message) = read_message(&mut stream) else { continue };
        heard.lock().expect("not poisoned").push(message.clone());
        mind.hear(&message);
        let manner = manner(number, &message);
        let answer = mind.legal_answer.clone();
        let end = Arc::clone(end);
        // A player that takes its time does not stop listening.
        std::thread::spawn(move || behave(stream, manner, &answer, &end));
    }
}

fn read_message(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "))?;
            if body.len() >= length.parse().ok()? {
                return Some(body.to_owned());
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    }
}

fn behave(mut stream: TcpStream, manner: Manner, answer: &str, end: &AtomicBool) {
    let whole = |text: &str| {
        format!("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: {}\r\n\r\n{text}", text.len())
    };
    let mut send = |bytes: &[u8]| stream.write_all(bytes).is_ok();
    let pause = |milliseconds: u64| std::thread::sleep(Duration::from_millis(milliseconds));
    match manner {
        Manner::Good => drop(send(whole(answer).as_bytes())),
        Manner::Shouting => {
            let loud = answer.to_uppercase().replace('(', "\r\n ( ").replace(')', "  )");
            send(format!("HTTP/1.1 200\nX-Odd: yes\n\n{loud}\r\n").as_bytes());
        }
        Manner::Silent => {
            while !end.load(Ordering::Acquire) {
                pause(10);
            }
        }
        Manner::Slow(milliseconds) => {
            pause(milliseconds);
            send(whole(answer).as_bytes());
        }
        Manner::Drip(milliseconds) => {
            for byte in whole(answer).into_bytes() {
                if !send(&[byte]) || end.load(Ordering::Acquire) {
                    return;
                }
                pause(milliseconds);
            }
        }
        Manner::Noise => drop(send(b"\x00\xff\x16\x03 what?\r\n\r\n")),
        Manner::Garbage => drop(send(whole("((( mark } 1").as_bytes())),
        Manner::Half => drop(send(&whole(answer).as_bytes()[..50])),
        Manner::WrongMove => drop(send(whole("(launch rocket)").as_bytes())),
        Manner::HangUp => {}
        Manner::Huge(size) => {
            let head = format!("HTTP/1.0 200 OK\r\nContent-length: {size}\r\n\r\n");
            let piece = vec![b'x'; 1 << 16];
            let mut left = size;
            let mut open = send(head.as_bytes());
            while open && left > 0 {
                open = send(&piece[..left.min(piece.len())]);
                left = left.saturating_sub(piece.len());
            }
        }
        Manner::Endless => {
            let mut open = send(b"HTTP/1.0 200 OK\r\n\r\n");
            while open && !end.load(Ordering::Acquire) {
                open = send(&[b'('; 1 << 16]);
            }
        }
        Manner::Status => drop(send(b"HTTP/1.0 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy")),
    }
}

/// A player that knows the game and takes the first legal move.
struct Mind {
    game: Arc<dyn Game>,
    role: usize,
    state: Option<State>,
    legal_answer: String,
}

impl Mind {
    fn hear(&mut self, message: &str) {
        match Message::parse(message.as_bytes()).expect("referees send messages") {
            Message::Start { role, .. } => {
                self.role = self.game.find_role(&role).map_or(0, ludex_game::RoleId::index);
                self.state = Some(self.game.initial());
                self.legal_answer = "ready".into();
            }
            Message::Play { moves, .. } => {
                if let (Some(state), Some(moves)) = (&self.state, moves) {
                    let joint: Option<Vec<MoveId>> =
                        moves.iter().map(|text| self.game.find_move(text)).collect();
                    self.state = joint.and_then(|joint| self.game.next(state, &joint).ok());
                }
                let view = self.state.as_ref().and_then(|state| self.game.view(state).ok());
                let first = view.and_then(|view| view.legal[self.role].first().copied());
                self.legal_answer = first.map_or_else(|| "nil".into(), |id| self.game.move_name(id));
            }
            _ => self.legal_answer = "done".into(),
        }
    }
}

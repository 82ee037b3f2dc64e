//! Processes that tests start, and kill, and a line between them that breaks now and then.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use ludex_arena::MatchRecord;

pub(crate) fn ludex(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ludex")).args(arguments).output().expect("ludex runs")
}

/// A `ludex serve` process. Killed when dropped.
pub(crate) struct Player {
    child: Child,
    pub(crate) port: u16,
}

impl Player {
    /// Starts it and waits until it listens; port 0 is any.
    pub(crate) fn start(spec: &str, port: u16, folder: &Path) -> Self {
        // Somebody else may have had the port for a moment.
        for _ in 0..50 {
            if let Some(player) = Self::try_start(spec, port, folder) {
                return player;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("no player on port {port}")
    }

    fn try_start(spec: &str, port: u16, folder: &Path) -> Option<Self> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .args(["serve", "--player", spec, "--threads", "1", "--port", &port.to_string(), "--data"])
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ludex runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address =
            line.strip_prefix("listening on http://").and_then(|rest| rest.split_whitespace().next());
        match address.and_then(|address| address.rsplit(':').next()?.parse().ok()) {
            Some(port) => Some(Self { child, port }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                None
            }
        }
    }

    pub(crate) fn spec(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A `ludex match` process that plays match after match.
pub(crate) struct Referee {
    child: Child,
    lines: JoinHandle<Vec<String>>,
}

impl Referee {
    pub(crate) fn start(players: &[String; 2], play: f64, seed: u64, store: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .args(["match", "tic_tac_toe", &players[0], &players[1], "--start", "1", "--shuffle", "--json"])
            .args(["--play", &play.to_string(), "--grace", "1", "--seed", &seed.to_string()])
            .args(["--matches", "1000000", "--keep-going", "--store"])
            .arg(store)
            .stdout(Stdio::piped())
            .spawn()
            .expect("ludex runs");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let lines = std::thread::spawn(move || out.lines().map_while(Result::ok).collect());
        Self { child, lines }
    }

    /// Kills it: ids of the matches that it reported, and how long the answers of a player took in
    /// them.
    pub(crate) fn kill(mut self, player: &str) -> (Vec<String>, Vec<f64>) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it ends");
        let lines = self.lines.join().expect("lines");
        let (mut ids, mut answers, mut role) = (Vec::new(), Vec::new(), String::new());
        for line in lines {
            if line.starts_with("{\"matchId\"") {
                // The last line may be cut off: that match was not reported.
                ids.extend(MatchRecord::read(line.as_bytes()).map(|record| record.match_id));
                continue;
            }
            let Ok(event) = serde_json::from_str::<serde_json::Value>(&line) else { continue };
            match event["event"].as_str() {
                Some("started") => {
                    let seat =
                        event["players"].as_array().and_then(|all| all.iter().position(|p| p == player));
                    role = event["roles"][seat.unwrap_or(0)].as_str().unwrap_or_default().to_owned();
                }
                Some("answered") if event["role"] == role.as_str() && event["step"] != 0 => {
                    answers.extend(event["seconds"].as_f64());
                }
                _ => {}
            }
        }
        (ids, answers)
    }
}

/// A line to a port on which connections are dropped and delayed.
pub(crate) struct BadLine {
    port: u16,
    end: Arc<AtomicBool>,
}

impl BadLine {
    pub(crate) fn start(to: u16, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let end = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&end);
        std::thread::spawn(move || {
            let mut random = fastrand::Rng::with_seed(seed);
            for stream in listener.incoming() {
                if ended.load(Ordering::Acquire) {
                    return;
                }
                let (Ok(stream), dice) = (stream, random.u8(..100)) else { continue };
                if dice < 8 {
                    continue; // dropped
                }
                let delay = if dice < 20 { random.u64(10..700) } else { 0 };
                std::thread::spawn(move || forward(stream, to, Duration::from_millis(delay)));
            }
        });
        Self { port, end }
    }

    pub(crate) fn spec(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for BadLine {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Release);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// Carries bytes both ways until an end.
fn forward(from: TcpStream, to: u16, delay: Duration) -> Option<()> {
    std::thread::sleep(delay);
    let there = TcpStream::connect(("127.0.0.1", to)).ok()?;
    let (mut request, mut request_to) = (from.try_clone().ok()?, there.try_clone().ok()?);
    std::thread::spawn(move || {
        let _ = copy(&mut request, &mut request_to);
    });
    let (mut answer, mut answer_to) = (there, from);
    let _ = copy(&mut answer, &mut answer_to);
    let _ = answer_to.shutdown(Shutdown::Both);
    Some(())
}

fn copy(from: &mut TcpStream, to: &mut TcpStream) -> io::Result<()> {
    let mut piece = [0; 4096];
    loop {
        match from.read(&mut piece)? {
            0 => return to.shutdown(Shutdown::Write),
            count => to.write_all(&piece[..count])?,
        }
    }
}

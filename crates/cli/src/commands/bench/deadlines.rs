//! `ludex bench deadlines`: does the player answer in time, and legally, on every sheet?
//!
//! A manager in this process talks to a player in this process over a real socket. The other roles
//! move at random. Moves are checked with the reference interpreter, or with the best other engine
//! where the reference is too slow.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use ludex_arena::player::{HostOptions, Server};
use ludex_arena::protocol::{Kind, Message, Reply};
use ludex_engine::{DEFAULT_PLAYER, Player};
use ludex_game::{Failure, Game, MoveId, State};
use ludex_gdl::{Rules, load};
use ludex_reasoner::{Reference, ReferenceLimits, build};
use serde::Serialize;

use crate::output::{count, report_error, stdout};
use crate::{Outcome, amount, input, memory};

/// Play a few moves of each game over HTTP and check the deadlines
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Built-in games, paths to rule sheets, or folders of them
    #[arg(value_name = "GAME", required = true)]
    games: Vec<PathBuf>,

    /// Start clock in seconds
    #[arg(long = "start-clock", visible_alias = "start", value_name = "SECONDS", default_value = "2", value_parser = amount::seconds)]
    start: Duration,

    /// Play clock in seconds
    #[arg(long = "play-clock", visible_alias = "play", value_name = "SECONDS", default_value = "1", value_parser = amount::seconds)]
    play: Duration,

    /// How many moves of each game
    #[arg(long, value_name = "N", default_value_t = 3)]
    moves: usize,

    /// The player
    #[arg(long, value_name = "SPEC", default_value = DEFAULT_PLAYER)]
    player: String,

    /// Memory of the player's searches; if omitted, half of what is free
    #[arg(long, value_name = "BYTES", value_parser = amount::memory)]
    memory: Option<usize>,

    /// Seed of the other roles' moves
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex bench deadlines connect_four chess
  ludex bench deadlines games/ --start-clock 1 --play-clock 1 --json

`missed` counts answers after the deadline, without grace; `worst` is the longest time of a move,
`used` the mean share of the clock where there was a choice.
Exit codes: 0 all in time and legal, 1 not, 2 cannot read.";

/// Proof steps after which the reference is replaced by another engine: a second or two.
const PATIENCE: u64 = 5_000_000;

/// The result for a game; programs read these field names, so they must not change.
#[derive(Debug, Serialize)]
struct Row {
    game: String,
    role: String,
    /// The engine that moves were checked with.
    checked_by: &'static str,
    start_ms: f64,
    moves: usize,
    worst_ms: f64,
    /// Mean share of the clock that the answers took, of those where there was a choice.
    used: Option<f64>,
    missed: usize,
    illegal: usize,
    /// Moves that were not legal.
    wrong: Vec<String>,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let player = Player::new(&arguments.player)?;
    let memory = memory::of_player(arguments.memory, 1, true);
    let host = HostOptions { memory, ..HostOptions::new(&player) };
    let server = Server::start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), host)?;
    let files = input::expand(&arguments.games);
    let bar = ProgressBar::new(files.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let mut out = stdout();
    let mut outcome = Outcome::Success;
    let (mut games, mut moves, mut missed, mut illegal, mut worst) = (0, 0, 0, 0, 0f64);
    for (number, file) in files.into_iter().enumerate() {
        let played = file.and_then(|path| {
            bar.set_message(path.display().to_string());
            play(&path, number, &server, arguments).with_context(|| path.display().to_string())
        });
        bar.inc(1);
        match played {
            Ok(row) => {
                games += 1;
                moves += row.moves;
                missed += row.missed;
                illegal += row.illegal;
                worst = worst.max(row.worst_ms);
                if row.missed + row.illegal > 0 {
                    outcome = outcome.max(Outcome::Failure);
                }
                match arguments.json {
                    true => writeln!(out, "{}", serde_json::to_string(&row)?)?,
                    false => writeln!(
                        out,
                        "{:<40} {:<12} start {:>5.0} ms, {} moves, worst {:>5.0} ms, used {:>3.0} %, \
                         missed {}, illegal {}",
                        row.game,
                        row.checked_by,
                        row.start_ms,
                        row.moves,
                        row.worst_ms,
                        100.0 * row.used.unwrap_or_default(),
                        row.missed,
                        row.illegal
                    )?,
                }
                out.flush()?;
            }
            Err(error) => {
                report_error(&error);
                outcome = outcome.max(input::failed(&error));
            }
        }
    }
    bar.finish_and_clear();
    if !arguments.json {
        let (games, moves) = (count(games, "game"), count(moves, "move"));
        writeln!(out, "{games}, {moves}: {missed} missed, {illegal} illegal, worst {worst:.0} ms")?;
        out.flush()?;
    }
    Ok(outcome)
}

fn play(path: &Path, number: usize, server: &Server, arguments: &Arguments) -> Result<Row> {
    let source = input::read(path)?;
    let Ok(rules) = load(&source).playable() else { bail!("the sheet has errors") };
    let text = String::from_utf8_lossy(source.bytes()).into_owned();
    // Whatever the checker needs is done before the clock runs.
    let mut checker = Checker::new(rules)?;
    let role = number % checker.game.roles().len().max(1);
    let role_name = checker.game.roles().get(role).cloned().context("no roles")?;
    let id = format!("deadlines.{number}");
    let start = Message::Start {
        id: id.clone(),
        role: role_name.clone(),
        // The comment of a last line must not swallow the parenthesis behind it.
        rules: text + "\n",
        start_clock: arguments.start,
        play_clock: arguments.play,
    };
    let (_, took) = ask(server.address(), &start)?;
    let mut row = Row {
        game: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        role: role_name,
        checked_by: "",
        start_ms: milliseconds(took),
        moves: 0,
        worst_ms: 0.0,
        used: None,
        missed: usize::from(took > arguments.start),
        illegal: 0,
        wrong: Vec::new(),
    };
    let mut random = fastrand::Rng::with_seed(arguments.seed);
    let mut last = None;
    let mut used = Vec::new();
    while row.moves < arguments.moves {
        let legal = checker.legal()?;
        if legal.iter().any(Vec::is_empty) {
            break; // the end
        }
        let (reply, took) = ask(server.address(), &Message::Play { id: id.clone(), moves: last.clone() })?;
        row.moves += 1;
        row.worst_ms = row.worst_ms.max(milliseconds(took));
        row.missed += usize::from(took > arguments.play);
        if legal[role].len() > 1 {
            used.push(took.as_secs_f64() / arguments.play.as_secs_f64().max(1e-9));
        }
        let Reply::Move(reply) = reply else { bail!("{reply} is not a move") };
        let mut joint: Vec<String> =
            legal.iter().map(|moves| moves[random.usize(..moves.len())].clone()).collect();
        match legal[role].iter().find(|known| known.eq_ignore_ascii_case(&reply)) {
            Some(known) => joint[role].clone_from(known),
            None => {
                row.illegal += 1;
                row.wrong.push(reply);
            }
        }
        checker.make(&joint)?;
        last = Some(joint);
    }
    let share = used.iter().sum::<f64>() / used.len() as f64;
    row.used = (!used.is_empty()).then(|| (1000.0 * share).round() / 1000.0);
    row.checked_by = checker.game.engine().name;
    ask(server.address(), &Message::Abort { id })?;
    Ok(row)
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round()
}

/// Sends a message as ggp-base does; the answer, and how long it took from the connection to the
/// last byte.
fn ask(address: SocketAddr, message: &Message) -> Result<(Reply, Duration)> {
    let text = message.to_string();
    let begun = Instant::now();
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(600)))?;
    let head = "POST / HTTP/1.0\r\nSender: GAMESERVER\r\nContent-Type: text/acl\r\nContent-Length: ";
    stream.write_all(format!("{head}{}\r\n\r\n{text}", text.len()).as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let took = begun.elapsed();
    let (_, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    let kind = message.kind();
    let reply = Reply::parse(body.as_bytes(), kind)?;
    if kind == Kind::Start && reply != Reply::Ready {
        bail!("not ready: {reply}");
    }
    Ok((reply, took))
}

/// Follows the match: with the reference as long as it is quick enough, or else with another
/// engine.
struct Checker {
    game: Arc<dyn Game>,
    state: State,
    rules: Option<Rules>,
    history: Vec<Vec<String>>,
}

impl Checker {
    fn new(rules: Rules) -> Result<Self> {
        let limits = ReferenceLimits { steps: PATIENCE, ..ReferenceLimits::default() };
        let game: Arc<dyn Game> = match Reference::with_limits(rules.clone(), limits) {
            Ok(game) => Arc::new(game),
            Err(_) => build(rules.clone(), "auto")?,
        };
        let state = game.initial();
        let mut checker = Self { game, state, rules: Some(rules), history: Vec::new() };
        // The first question takes longest: not while the player thinks.
        checker.legal()?;
        Ok(checker)
    }

    /// By role: the names of its legal moves; empty at the end.
    fn legal(&mut self) -> Result<Vec<Vec<String>>> {
        let view = self.ask(|game, state| game.view(state))?;
        let names = |moves: &Vec<MoveId>| moves.iter().map(|&id| self.game.move_name(id)).collect();
        Ok(view.legal.iter().map(names).collect())
    }

    fn make(&mut self, joint: &[String]) -> Result<()> {
        self.state = self.ask(|game, state| step(game, state, joint))?;
        self.history.push(joint.to_vec());
        Ok(())
    }

    /// Asks the engine at hand; if that is too much for it, another one.
    fn ask<T>(&mut self, question: impl Fn(&dyn Game, &State) -> Result<T, Failure>) -> Result<T> {
        match question(&*self.game, &self.state) {
            Err(Failure::Limit(_)) if self.rules.is_some() => {}
            answer => return Ok(answer?),
        }
        if let Some(rules) = self.rules.take() {
            self.game = build(rules, "auto")?;
            self.state = self.game.initial();
            for joint in &self.history {
                self.state = step(&*self.game, &self.state, joint)?;
            }
        }
        Ok(question(&*self.game, &self.state)?)
    }
}

fn step(game: &dyn Game, state: &State, joint: &[String]) -> Result<State, Failure> {
    let find = |text: &String| {
        game.find_move(text).ok_or_else(|| Failure::Misuse(format!("there is no move {text}")))
    };
    game.next(state, &joint.iter().map(find).collect::<Result<Vec<_>, _>>()?)
}

//! `ludex serve`: an HTTP player for game managers.

mod notices;

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use ludex_arena::player::{HostOptions, Server};
use ludex_engine::{DEFAULT_PLAYER, DEFAULT_PUZZLE_PLAYER, Player};
use ludex_search::SearchContext;

use crate::Outcome;
use crate::output::{remark, stdout};
use crate::publish::{Publish, listener};
use crate::{amount, memory};

/// Run a player that game managers connect to over HTTP (GGP protocol)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Port to listen on; 0 for any free port
    #[arg(long, value_name = "PORT", default_value_t = 9147)]
    port: u16,

    /// The player; `ludex players` lists them. If omitted, cadia-uct, or planner with one role
    #[arg(long, value_name = "SPEC")]
    player: Option<String>,

    /// Address to listen on; with the default only this machine can connect
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,

    /// Name of the player in replies
    #[arg(long, value_name = "NAME", default_value = "Ludex", value_parser = word)]
    name: String,

    /// Memory for searches, shared by all matches; half of what is free if omitted
    #[arg(long, value_name = "BYTES", value_parser = amount::memory)]
    memory: Option<usize>,

    /// Search threads, shared by all matches; by default one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Safety margin: answer this many seconds before the deadline; measured if omitted
    #[arg(long, value_name = "SECONDS", value_parser = amount::seconds)]
    margin: Option<Duration>,

    /// Do not search during the opponents' turns
    #[arg(long)]
    no_ponder: bool,

    /// The same seed makes the same random choices
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Matches at a time; further ones are refused, and INFO says `busy`
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=64))]
    max_matches: u16,

    /// Folder for match logs; by default the one for program data of this system
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Do not print what is played
    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    publish: Publish,
}

const EXAMPLES: &str = "Examples:
  ludex serve                              listen on port 9147 of this machine
  ludex serve --player mc --port 9148      a second player
  ludex serve --bind 0.0.0.0 --margin 0.5  for a game manager elsewhere, over a slow network
  ludex serve --data ~/matches             keep the records of matches there

Speaks the GGP protocol: INFO, START, PLAY, STOP, ABORT and PREVIEW by POST, as game managers send them.
Prints the start of each match, each move with its expected goal and time, and the end with the goals.
Each match is also logged to a file of JSON lines (rules, messages, search reports, result), which
`ludex replay` reads. Ctrl-C stops the server.
Exit codes: 0 success, 2 cannot listen.";

/// The name is a part of replies.
fn word(text: &str) -> Result<String, String> {
    let good = |c: char| c.is_ascii_graphic() && !matches!(c, '(' | ')' | ';');
    match !text.is_empty() && text.chars().all(good) {
        true => Ok(text.to_owned()),
        false => Err("a name is a word without blanks and parentheses".to_owned()),
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let player = Player::new(arguments.player.as_deref().unwrap_or(DEFAULT_PLAYER))?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let records = arguments.data.clone().or_else(data_folder).map(|folder| folder.join("matches"));
    if records.is_none() {
        remark(format_args!("matches are not logged: give a folder with --data"));
    }
    let printer = if arguments.quiet { None } else { Some(notices::printer()?) };
    let listener = match arguments.publish.page()? {
        Some(page) => Some(listener(page, player.spec().to_string(), printer)),
        None => printer,
    };
    let options = HostOptions {
        name: arguments.name.clone(),
        threads: arguments.threads.map_or(processors, usize::from),
        memory: memory::of_player(arguments.memory, 1, true),
        ponder: !arguments.no_ponder,
        seed: arguments.seed,
        margin: arguments.margin,
        records: records.clone(),
        most_matches: usize::from(arguments.max_matches),
        listener,
        ..HostOptions::new(&player)
    };
    let options = match arguments.player {
        Some(_) => options,
        None => with_puzzles(options)?,
    };
    let server = Server::start(SocketAddr::new(arguments.bind, arguments.port), options)?;
    let mut out = stdout();
    // Programs read the address from this line.
    writeln!(out, "listening on http://{} as {}", server.address(), player.spec())?;
    if let Some(folder) = records {
        writeln!(out, "records of matches in {}", folder.display())?;
    }
    out.flush()?;
    drop(out);
    server.until_interrupted();
    remark(format_args!("stopped"));
    Ok(Outcome::Success)
}

/// The folder for program data on this system.
fn data_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let shared = set("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let folder = shared.or_else(|| set("HOME").map(|home| home.join(".local/share")));
    folder.or_else(|| set("LOCALAPPDATA")).map(|folder| folder.join("ludex"))
}

/// Games with one role are for another player, if nobody is named.
fn with_puzzles(options: HostOptions) -> Result<HostOptions> {
    let puzzles = Player::new(DEFAULT_PUZZLE_PLAYER)?;
    let others = options.make.clone();
    let make = move |context: SearchContext| {
        if context.game.role_count() == 1 { puzzles.search(context) } else { others(context) }
    };
    Ok(HostOptions { make: Arc::new(make), ..options })
}

//! `ludex web`: the page, for browsers.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Result;
use ludex_web::{WebOptions, WebServer};

use crate::Outcome;
use crate::output::{remark, stdout};
use crate::{amount, memory};

/// Play, watch and look inside in a browser
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Port to listen on; 0 for any free port
    #[arg(long, value_name = "PORT", default_value_t = 9148)]
    port: u16,

    /// Address to listen on, for others on the network; they need the token in the printed address.
    /// With the default only this machine can connect
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// Open the page in the browser of this system
    #[arg(long)]
    open: bool,

    /// Keep matches in this store, and list those that are there (`ludex match --store` writes the same)
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,

    /// Folder with results of experiments
    #[arg(long, value_name = "DIR", default_value = "lab")]
    lab: PathBuf,

    /// Memory of each search; if omitted, a part of what is free
    #[arg(long, value_name = "BYTES", value_parser = amount::memory)]
    memory: Option<usize>,
}

const EXAMPLES: &str = "Examples:
  ludex web --open                       open the page in the browser
  ludex web --port 8080                  on another port
  ludex web --store matches.db           keep matches, to look at them later
  ludex web --listen 0.0.0.0             for friends on the same network, with a token

Choose a game from the gallery and a seat, an opponent and a clock; set up tournaments and
experiments. With `--publish URL` the commands match, serve, tournament and lab run are seen there. Ctrl-C stops the server and ends
its matches.
Exit codes: 0 success, 2 cannot listen.";

/// Searches that think at the same time, for the default memory.
const SEARCHES: usize = 16;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let server = WebServer::start(WebOptions {
        address: SocketAddr::new(arguments.listen, arguments.port),
        memory: memory::of_player(arguments.memory, SEARCHES, true),
        store: arguments.store.clone(),
        lab: Some(arguments.lab.clone()),
    })?;
    let mut out = stdout();
    let url = server.url();
    // Programs read the address from this line.
    writeln!(out, "open {url}")?;
    out.flush()?;
    drop(out);
    if arguments.open && !opened(&url) {
        remark(format_args!("no browser could be opened; open the address yourself"));
    }
    server.until_interrupted();
    remark(format_args!("stopped"));
    Ok(Outcome::Success)
}

/// Asks the system to open an address.
fn opened(url: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

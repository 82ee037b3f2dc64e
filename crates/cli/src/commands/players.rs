//! `ludex players`: the built-in players.

use std::io::Write;

use anyhow::Result;
use ludex_engine::{DEFAULT_PLAYER, Kind, PLAYERS, PlayerOption};
use serde_json::json;

use crate::Outcome;
use crate::output::stdout;

/// List the players with their options and sources
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex players
  ludex serve --player mc:each=16

A player is given by its name, or by its name with options: name:option=value,option=value.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    for kind in PLAYERS {
        if arguments.json {
            writeln!(out, "{}", in_json(kind))?;
        } else {
            write_kind(&mut out, kind)?;
        }
    }
    out.flush()?;
    Ok(Outcome::Success)
}

fn write_kind(out: &mut impl Write, kind: &Kind) -> Result<()> {
    let default = if kind.name == DEFAULT_PLAYER { " (default)" } else { "" };
    writeln!(out, "\x1b[1m{}\x1b[0m{default}", kind.name)?;
    writeln!(out, "    {}", kind.summary)?;
    writeln!(out, "    source: {}", kind.source)?;
    for option in kind.options {
        let PlayerOption { name, summary, kind, default } = option;
        writeln!(out, "    {name}={default}  {summary} ({})", kind.describe())?;
    }
    Ok(())
}

fn in_json(kind: &Kind) -> serde_json::Value {
    let option = |option: &PlayerOption| {
        json!({
            "name": option.name,
            "summary": option.summary,
            "values": option.kind.describe(),
            "default": option.default,
        })
    };
    json!({
        "player": kind.name,
        "summary": kind.summary,
        "source": kind.source,
        "default": kind.name == DEFAULT_PLAYER,
        "options": kind.options.iter().map(option).collect::<Vec<_>>(),
    })
}

//! `ludex players`: the built-in players.

use std::io::Write;

use anyhow::Result;
use ludex_engine::{DEFAULT_PLAYER, DEFAULT_PUZZLE_PLAYER, Family, Kind, PLAYERS, Player, PlayerOption};
use serde_json::json;

use crate::Outcome;
use crate::output::stdout;

/// List the players, or show the options of one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The player whose options are shown; with options, the values that they have then
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex players
  ludex players cadia-mast
  ludex match connect_four red=mc:each=16 yellow=cadia-uct:c=60,gamma=1

A player is given by its name, or by its name with options: name:option=value,option=value.
Exit codes: 0 success, 2 there is no such player.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    let player = arguments.name.as_deref().map(Player::new).transpose()?;
    match &player {
        Some(player) if arguments.json => writeln!(out, "{}", in_json(player.kind()))?,
        Some(player) => write_player(&mut out, player)?,
        None if arguments.json => {
            for kind in PLAYERS {
                writeln!(out, "{}", in_json(kind))?;
            }
        }
        None => write_list(&mut out)?,
    }
    out.flush()?;
    Ok(Outcome::Success)
}

/// One line for each player, family by family.
fn write_list(out: &mut impl Write) -> Result<()> {
    let width = PLAYERS.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    let mut families: Vec<Family> = PLAYERS.iter().map(|kind| kind.family).collect();
    families.sort();
    families.dedup();
    for family in families {
        writeln!(out, "\x1b[1m{}\x1b[0m", family.title())?;
        for kind in PLAYERS.iter().filter(|kind| kind.family == family) {
            let default = match kind.name {
                DEFAULT_PLAYER => " (default)",
                DEFAULT_PUZZLE_PLAYER => " (default with one role)",
                _ => "",
            };
            writeln!(out, "  {:<width$}  {}{default}", kind.name, kind.summary)?;
        }
    }
    writeln!(out, "\n`ludex players NAME` shows the options of a player.")?;
    Ok(())
}

/// A player with its options.
fn write_player(out: &mut impl Write, player: &Player) -> Result<()> {
    let kind = player.kind();
    writeln!(out, "\x1b[1m{}\x1b[0m: {}", kind.name, kind.summary)?;
    writeln!(out, "Source: {}", kind.source)?;
    if kind.options.is_empty() {
        writeln!(out, "It has no options.")?;
        return Ok(());
    }
    let value = |option: &PlayerOption| {
        let written = player.spec().options.iter().find(|(name, _)| name == option.name);
        let value = written.map_or(option.default, |(_, value)| value);
        format!("{}={value}", option.name)
    };
    let values: Vec<String> = kind.options.iter().map(value).collect();
    let width = values.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    writeln!(out, "Options:")?;
    for (option, value) in kind.options.iter().zip(values) {
        let PlayerOption { symbol, summary, kind, .. } = option;
        let symbol = if symbol.is_empty() { String::new() } else { format!("{symbol}: ") };
        writeln!(out, "  {value:<width$}  {symbol}{summary}")?;
        writeln!(out, "  {:<width$}  ({})", "", kind.describe())?;
    }
    Ok(())
}

fn in_json(kind: &Kind) -> serde_json::Value {
    let option = |option: &PlayerOption| {
        json!({
            "name": option.name,
            "symbol": option.symbol,
            "summary": option.summary,
            "values": option.kind.describe(),
            "default": option.default,
        })
    };
    json!({
        "player": kind.name,
        "family": kind.family.title(),
        "summary": kind.summary,
        "source": kind.source,
        "default": kind.name == DEFAULT_PLAYER,
        "options": kind.options.iter().map(option).collect::<Vec<_>>(),
    })
}

//! `ludex tournament`: a short tournament without a file. Everybody meets everybody; the lab plays
//! the matches and does the statistics.

mod entrants;
mod standings;

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use ludex_lab::{ExperimentError, ExperimentFile, FormName, MatchOutcome, RunOptions, read_outcomes};
use ludex_search::Stop;

use super::lab::progress::Progress;
use super::matches::interrupt::stop_on_interrupt;
use crate::output::{count, remark, stdout};
use crate::publish::Publish;
use crate::{Outcome, amount, game, input};

/// Play a tournament: everybody meets everybody, with ratings
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Built-in games, or paths to rule sheets
    #[arg(value_name = "GAME", required = true)]
    games: Vec<PathBuf>,

    /// The players, separated by commas: `mc,cadia-uct:c=60,gamma=1,random`; may be repeated
    #[arg(long, value_name = "SPEC,SPEC,...", required = true)]
    players: Vec<String>,

    /// Matches for each game and pair; each player has each seat equally often if it is even
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    matches: u64,

    /// Start clock in seconds
    #[arg(long = "start-clock", visible_alias = "start", value_name = "S", default_value = "1", value_parser = amount::seconds)]
    start: Duration,

    /// Play clock: seconds per move
    #[arg(long = "play-clock", visible_alias = "play", value_name = "S", default_value = "0.3", value_parser = amount::seconds)]
    play: Duration,

    /// Playouts per move instead of clocks: the same seed gives the same results
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,

    /// Seed of all random numbers
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u32,

    /// How many cores to use, instead of all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    cores: Option<u16>,

    /// Keep the results in this folder; the same command resumes there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// One JSON object: players with points, intervals and ratings, and all pairs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    publish: Publish,
}

const EXAMPLES: &str = "Examples:
  ludex tournament connect_four --players mc,cadia-uct,random --playouts 1000
  ludex tournament connect_four othello --players cadia-uct,cadia-uct:c=60,gamma=1 --matches 50
  ludex tournament my_game.kif --players mc --players http://localhost:9147 --play-clock 2
  ludex tournament breakthrough --players cadia-mast,cadia-nst --out results --json

A comma followed by `option=value` belongs to the options of the player before it. A win counts one
point, a shared win counts in equal parts. Intervals are 95 % Wilson intervals; ratings are those of
Bradley and Terry's model, in Elo around the mean of the players. Larger questions deserve an
experiment file: see `ludex lab`.
Exit codes: 0 complete, 1 the sheet has errors or a match could not be finished, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let players = entrants::entrants(&arguments.players)?;
    let mut out = stdout();
    for path in &arguments.games {
        if game::playable(&input::read(path)?, &mut out)?.is_none() {
            return Ok(Outcome::Failure);
        }
    }
    drop(out);
    let text = experiment(arguments, &players)?;
    let file =
        ExperimentFile::from_text("tournament", &text, Path::new("")).map_err(|error| match error {
            // The user has no file to look at.
            ExperimentError::Faulty { problem, .. } => problem.into(),
            other => anyhow::Error::from(other),
        })?;
    let stop = Stop::new();
    stop_on_interrupt(&stop, "running matches are abandoned");
    // Without a folder of the user's the results go with the program.
    let temporary = tempfile::tempdir()?;
    let folder = arguments.out.clone().unwrap_or_else(|| temporary.path().join("results"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = RunOptions {
        folder: folder.clone(),
        cores: arguments.cores.map_or(cores, usize::from),
        matches: None,
        games: Vec::new(),
        fresh: false,
        provenance: None,
        stop,
    };
    let mut watcher = Progress::new(false);
    let title = format!("Tournament of {}", count(players.len(), "player"));
    let result = arguments.publish.run(&title, &file, FormName::Quick, &options, &mut watcher);
    watcher.finish()?;
    let summary = result?;
    let outcomes = read_outcomes(&folder)?;
    show(arguments, &players, &outcomes)?;
    if summary.interrupted {
        remark(format_args!("stopped before the end"));
    }
    if arguments.out.is_some() {
        remark(format_args!("results are in {}; `ludex lab report {0}` has more", folder.display()));
    }
    Ok(if summary.interrupted || !summary.failed.is_empty() { Outcome::Failure } else { Outcome::Success })
}

fn show(arguments: &Arguments, players: &[String], outcomes: &[MatchOutcome]) -> Result<()> {
    let standings = standings::Standings::new(players, outcomes);
    let mut out = stdout();
    if arguments.json {
        writeln!(out, "{}", standings.in_json())?;
    } else {
        standings.write(&mut out)?;
        let limit = match arguments.playouts {
            Some(playouts) => format!("{playouts} playouts per move"),
            None => format!("{} s per move", arguments.play.as_secs_f64()),
        };
        let matches = outcomes.len();
        let noun = if matches == 1 { "match" } else { "matches" };
        writeln!(
            out,
            "{matches} {noun} of {}, {limit}, seed {}",
            count(arguments.games.len(), "game"),
            arguments.seed
        )?;
    }
    out.flush()?;
    Ok(())
}

/// The tournament as an experiment file.
fn experiment(arguments: &Arguments, players: &[String]) -> Result<String> {
    let mut games: Vec<String> = Vec::new();
    for path in &arguments.games {
        if input::is_stdin(path) {
            bail!("a tournament cannot read its game from standard input: give a file");
        }
        let name = path.to_string_lossy().into_owned();
        if games.contains(&name) {
            bail!("the game `{name}` is given twice");
        }
        games.push(name);
    }
    let mut text = String::from("title = \"Tournament\"\n");
    let games: Vec<String> = games.iter().map(|name| quoted(name)).collect();
    writeln!(text, "games = [{}]", games.join(", "))?;
    text += "players = [\n";
    for player in players {
        let name = quoted(player);
        writeln!(text, "  {{ name = {name}, spec = {name} }},")?;
    }
    writeln!(text, "]\n[quick]\nmatches = {}\nseed = {}", arguments.matches, arguments.seed)?;
    match arguments.playouts {
        Some(playouts) => {
            writeln!(text, "settings = [{{ name = \"{playouts} playouts\", playouts = {playouts} }}]")?;
        }
        None => {
            let (start, play) = (arguments.start.as_secs_f64(), arguments.play.as_secs_f64());
            writeln!(text, "settings = [{{ name = \"{play} s\", start = {start:?}, play = {play:?} }}]")?;
        }
    }
    Ok(text)
}

/// A text as TOML has it: JSON's escapes are among those of TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! `ludex bench signature`: the pinned signatures of rules and players, which change only when
//! behaviour changes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use ludex_engine::{PLAYERS, Player, player_signature};
use ludex_game::{Game, Playouts, SignatureEffort, SimulatorConfig, joined, signature};
use ludex_gdl::{Rules, Source, load};
use ludex_lab::signature_games;
use ludex_reasoner::{BatchGame, BatchOptions, ENGINES, Ground, Instructions, Limits, MachineCode, Width};
use serde_json::json;

use super::playing::read_rules;
use crate::Outcome;
use crate::output::{report_error, stdout};

/// Print the pinned signature: a number that changes only when the behaviour of games changes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Rule sheets; by default a fixed list of built-in ones
    #[arg(value_name = "GAME")]
    games: Vec<PathBuf>,

    /// One JSON object with the number of each game
    #[arg(long)]
    json: bool,

    /// Print the number of the rules and of every player, one per line
    #[arg(long, conflicts_with_all = ["games", "json"])]
    all: bool,

    /// Compare the lines of --all with a file of pinned ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["games", "json", "all"])]
    check: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  ludex bench signature
  ludex bench signature my_game.kif --json
  ludex bench signature --all > signatures.txt
  ludex bench signature --check signatures.txt

The signature hashes perft and seeded random games, state by state and by name. It is the same for all
engines, lane widths and processors, with machine code and with the interpreter. A change that only
makes things faster does not change it. The signature of a player hashes what it reports after
searches with a fixed seed and number of playouts.
Exit codes: 0 success, 1 engines disagree or a sheet has errors, 2 cannot read.";

/// The sheets behind the signature: small ones of different kinds. A new sheet changes the
/// signature, so this list does not follow the folder of games.
const SHEETS: &[(&str, &str)] = &[
    ("tic_tac_toe", include_str!("../../../../../games/tic_tac_toe.kif")),
    ("connect_four", include_str!("../../../../../games/connect_four.kif")),
    ("alleys", include_str!("alleys.kif")),
];

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(file) = &arguments.check {
        return check(file);
    }
    let mut sheets: Vec<(String, Rules)> = Vec::new();
    for path in &arguments.games {
        let rules = read_rules(path).with_context(|| path.display().to_string())?;
        sheets.push((path.display().to_string(), rules));
    }
    if sheets.is_empty() {
        sheets = built_in()?;
    }
    let numbers = match of_rules(&sheets) {
        Ok(numbers) => numbers,
        Err(error) => {
            report_error(&error);
            return Ok(Outcome::Failure);
        }
    };
    let all = joined(numbers.iter().copied());
    let mut out = stdout();
    if arguments.json {
        let games = sheets.iter().zip(&numbers);
        let games = games.map(|((name, _), number)| json!({ "game": name, "signature": number.to_string() }));
        let engines: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        let line =
            json!({ "signature": all.to_string(), "engines": engines, "games": games.collect::<Vec<_>>() });
        writeln!(out, "{line}")?;
    } else if arguments.all {
        for (name, number) in with_players(all)? {
            writeln!(out, "{name} {number}")?;
        }
    } else {
        writeln!(out, "{all}")?;
    }
    out.flush()?;
    Ok(Outcome::Success)
}

/// Compares the signatures with pinned ones.
fn check(file: &Path) -> Result<Outcome> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let pinned: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let all = joined(of_rules(&built_in()?)?);
    let found: Vec<String> =
        with_players(all)?.into_iter().map(|(name, number)| format!("{name} {number}")).collect();
    let changed: Vec<&String> = found.iter().filter(|line| !pinned.contains(&line.as_str())).collect();
    let gone: Vec<&&str> = pinned.iter().filter(|line| !found.iter().any(|now| now == **line)).collect();
    if changed.is_empty() && gone.is_empty() {
        writeln!(stdout(), "{} signatures are as pinned", found.len())?;
        return Ok(Outcome::Success);
    }
    let list = |lines: Vec<String>| if lines.is_empty() { "nothing".to_owned() } else { lines.join(", ") };
    report_error(&anyhow!(
        "behaviour has changed: pinned {}, found {}. If that is intended, pin the new signatures: \
         `ludex bench signature --all > {}`",
        list(gone.iter().map(|line| (**line).to_owned()).collect()),
        list(changed.iter().map(|line| (*line).clone()).collect()),
        file.display(),
    ));
    Ok(Outcome::Failure)
}

/// The sheets of [`SHEETS`].
fn built_in() -> Result<Vec<(String, Rules)>> {
    let rules = |&(name, text): &(&str, &str)| match load(&Source::new(name, text)).playable() {
        Ok(rules) => Ok((name.to_owned(), rules)),
        Err(_) => bail!("{name} has errors"),
    };
    SHEETS.iter().map(rules).collect()
}

/// The signature of each sheet.
fn of_rules(sheets: &[(String, Rules)]) -> Result<Vec<u64>> {
    let bar = ProgressBar::new((sheets.len() * (ENGINES.len() + 1)) as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let numbers = sheets.iter().map(|(name, rules)| number(name, rules, &bar).with_context(|| name.clone()));
    let numbers = numbers.collect();
    bar.finish_and_clear();
    numbers
}

/// The number of the rules, and that of every player.
fn with_players(rules: u64) -> Result<Vec<(String, u64)>> {
    let games = signature_games()?;
    let mut numbers = vec![("rules".to_owned(), rules)];
    for kind in PLAYERS {
        let number = player_signature(&Player::new(kind.name)?, &games).with_context(|| kind.name)?;
        numbers.push((kind.name.to_owned(), number));
    }
    Ok(numbers)
}

/// The signature of a game, which all engines must give.
fn number(name: &str, rules: &Rules, bar: &ProgressBar) -> Result<u64> {
    let mut expected: Option<(u64, &str)> = None;
    for engine in ENGINES {
        bar.set_message(format!("{name} with {}", engine.name));
        let game = ludex_reasoner::build(rules.clone(), engine.name)?;
        let found = signature(&game, &SignatureEffort::default())?;
        let &mut (number, first) = expected.get_or_insert((found, engine.name));
        if found != number {
            bail!("{first} has {number}, {} has {found}: engines disagree", engine.name);
        }
        bar.inc(1);
    }
    bar.set_message(format!("{name} in lanes"));
    lanes_agree(rules, expected.map(|(number, _)| number))?;
    bar.inc(1);
    expected.map(|(number, _)| number).context("there are no engines")
}

/// Every width, with and without machine code: the same number, and within a width the same
/// playouts.
fn lanes_agree(rules: &Rules, expected: Option<u64>) -> Result<()> {
    for width in Width::ALL {
        let mut played: Option<Playouts> = None;
        for machine_code in [MachineCode::Never, MachineCode::AtOnce] {
            let options = BatchOptions { width, instructions: Instructions::best(), machine_code };
            let ground = Ground::new(rules, &Limits::default())?;
            let game: Arc<dyn Game> = Arc::new(BatchGame::with_options(ground, options)?);
            let how = if game.engine().compiled { "machine code" } else { "the interpreter" };
            if Some(signature(&game, &SignatureEffort::default())?) != expected {
                bail!("{} lanes with {how} have another number", width.lanes());
            }
            let config = SimulatorConfig { max_steps: 100, ..SimulatorConfig::default() };
            let found = Arc::clone(&game).simulator(config).playouts(&game.initial(), 1000, 1)?;
            if *played.get_or_insert_with(|| found.clone()) != found {
                bail!("{} lanes with {how} play other games", width.lanes());
            }
        }
    }
    Ok(())
}

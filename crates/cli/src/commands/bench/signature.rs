//! `ludex bench signature`: the pinned signature, which changes only when behaviour changes.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use ludex_game::{Game, Playouts, SignatureEffort, SimulatorConfig, joined, signature};
use ludex_gdl::{Rules, Source, load};
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
}

const EXAMPLES: &str = "Examples:
  ludex bench signature
  ludex bench signature my_game.kif --json

The signature hashes perft and seeded random games, state by state and by name. It is the same for all
engines, lane widths and processors, with machine code and with the interpreter. A change that only
makes things faster does not change it.
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
    let mut sheets: Vec<(String, Rules)> = Vec::new();
    for path in &arguments.games {
        let rules = read_rules(path).with_context(|| path.display().to_string())?;
        sheets.push((path.display().to_string(), rules));
    }
    if sheets.is_empty() {
        for (name, text) in SHEETS {
            let Ok(rules) = load(&Source::new(*name, *text)).playable() else { bail!("{name} has errors") };
            sheets.push(((*name).to_owned(), rules));
        }
    }
    let bar = ProgressBar::new((sheets.len() * (ENGINES.len() + 1)) as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let mut numbers = Vec::new();
    for (name, rules) in &sheets {
        match number(name, rules, &bar) {
            Ok(number) => numbers.push(number),
            Err(error) => {
                bar.finish_and_clear();
                report_error(&error.context(name.clone()));
                return Ok(Outcome::Failure);
            }
        }
    }
    bar.finish_and_clear();
    let all = joined(numbers.iter().copied());
    let mut out = stdout();
    if arguments.json {
        let games = sheets.iter().zip(&numbers);
        let games = games.map(|((name, _), number)| json!({ "game": name, "signature": number.to_string() }));
        let engines: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        let line =
            json!({ "signature": all.to_string(), "engines": engines, "games": games.collect::<Vec<_>>() });
        writeln!(out, "{line}")?;
    } else {
        writeln!(out, "{all}")?;
    }
    out.flush()?;
    Ok(Outcome::Success)
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

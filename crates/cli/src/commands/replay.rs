//! `ludex replay`: step through a match record, and check it against the rules.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ludex_arena::{MAX_RECORD_BYTES, MatchRecord, Store, Verdict, verify_record};
use ludex_gdl::{Source, load};
use ludex_library::About;
use ludex_reasoner::build;

use super::matches::result::result;
use super::matches::scene::{Scene, moves};
use crate::output::{count, stdout};
use crate::{Outcome, amount, input, terminal};

/// Step through a match record and check every state, move and goal again
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A match record, a log of `ludex serve`, or a store of many matches
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// In a store: the match with this number; without it all matches are listed
    #[arg(long, value_name = "NUMBER")]
    number: Option<i64>,

    /// The rules, for records that do not have them: a built-in game, or a path to a rule sheet
    #[arg(long, value_name = "GAME")]
    game: Option<PathBuf>,

    /// Go on by itself every S seconds (on the full screen: the next of 0.1, 0.25, 0.5, 1, 2, 5)
    #[arg(long, value_name = "S", value_parser = amount::seconds)]
    delay: Option<Duration>,

    /// Only verify; show no states
    #[arg(long, conflicts_with = "delay")]
    verify: bool,

    /// Lines of text instead of the full screen; without a terminal this is the default
    #[arg(long)]
    plain: bool,

    /// Draw in ASCII
    #[arg(long)]
    ascii: bool,
}

const EXAMPLES: &str = "Examples:
  ludex match connect_four --record match.json
  ludex replay match.json
  ludex replay match.json --delay 0.5
  ludex replay match.json --verify
  ludex replay results.db --number 17

On a terminal: the arrow keys step, Home and End jump, a number and Enter goes to that step, space
plays and pauses, `+` and `-` change the speed, `q` quits. Otherwise all states are printed. The reference interpreter replays the moves and the first
difference from the record is printed.
Exit codes: 0 the record is correct, 1 it is not, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let file = &arguments.file;
    let Some(record) =
        read(file, arguments.number).with_context(|| format!("cannot read {}", file.display()))?
    else {
        return list(file);
    };
    let (source, about) = rules(arguments, &record)?;
    let mut out = stdout();
    let scene = Scene::new(about, arguments.ascii);
    if !arguments.verify && !arguments.plain && terminal::is_interactive() {
        out.flush()?;
        terminal::replay(&scene, record.clone(), arguments.delay)?;
    } else if !arguments.verify {
        show(&scene, &record, arguments.delay, &mut out)?;
    }
    let Ok(rules) = load(&source).playable() else {
        bail!("the rules of the record have errors; `ludex check` shows those of a sheet");
    };
    let reference = build(rules, "reference")?;
    let outcome = match verify_record(&record, &*reference) {
        Verdict::Agrees => {
            let states = count(record.states.len(), "state");
            writeln!(out, "Verified: {states}, all moves and goals are as the rules say.")?;
            Outcome::Success
        }
        Verdict::Differs(difference) => {
            writeln!(out, "Not as the rules say: {difference}.")?;
            Outcome::Failure
        }
        Verdict::Unknown(failure) => {
            writeln!(out, "Could not be verified: {failure}.")?;
            Outcome::Failure
        }
    };
    out.flush()?;
    Ok(outcome)
}

/// Reads a record, or one of a store; `None` for a store without a number.
fn read(path: &Path, number: Option<i64>) -> Result<Option<MatchRecord>> {
    const SQLITE: &[u8] = b"SQLite format 3\0";
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    Read::by_ref(&mut file).take(SQLITE.len() as u64).read_to_end(&mut bytes)?;
    if bytes == SQLITE {
        let Some(number) = number else { return Ok(None) };
        let record = Store::open(path)?.record(number)?;
        return Ok(Some(record.with_context(|| format!("there is no match with the number {number}"))?));
    }
    if number.is_some() {
        bail!("--number is for stores, and this file is not a store");
    }
    file.take(MAX_RECORD_BYTES as u64).read_to_end(&mut bytes)?;
    Ok(Some(if MatchRecord::is_log(&bytes) {
        MatchRecord::from_log(&bytes)?
    } else {
        MatchRecord::read(&bytes)?
    }))
}

/// The matches of a store.
fn list(path: &Path) -> Result<Outcome> {
    const AT_ONCE: usize = 1000;
    let store = Store::open(path)?;
    let mut out = stdout();
    writeln!(out, "{:>6}  {:<24} {:>5} {:>6}  {:<12} players", "number", "game", "moves", "errors", "goals")?;
    let mut last = 0;
    loop {
        let rows = store.list(None, last, AT_ONCE)?;
        let Some(end) = rows.last() else { break };
        last = end.number;
        for row in rows {
            let goals: Vec<String> = row.goals.iter().map(u8::to_string).collect();
            let (goals, players) = (goals.join(" "), row.players.join(" "));
            let (number, game, moves, errors) = (row.number, row.game, row.moves, row.errors);
            writeln!(out, "{number:>6}  {game:<24} {moves:>5} {errors:>6}  {goals:<12} {players}")?;
        }
    }
    writeln!(out, "\n`ludex replay {} --number N` shows one", path.display())?;
    out.flush()?;
    Ok(Outcome::Success)
}

/// The rules of the record, and how its states are drawn.
fn rules(arguments: &Arguments, record: &MatchRecord) -> Result<(Source, Option<About>)> {
    if let Some(game) = &arguments.game {
        return Ok((input::read(game)?, input::about(game)?));
    }
    let Some(details) = &record.ludex else {
        bail!("the record does not contain the rules: name the game with --game");
    };
    // The description of a built-in game fits if the sheet is the same.
    let sheet = ludex_library::find(&details.game).filter(|sheet| sheet.text == details.rules);
    let about = sheet.map(|sheet| sheet.about()).transpose()?;
    Ok((Source::new(details.game.clone(), details.rules.as_bytes()), about))
}

/// Writes all states.
fn show(scene: &Scene, record: &MatchRecord, delay: Option<Duration>, out: &mut impl Write) -> Result<()> {
    for at in 0..=record.steps() {
        if let Some(delay) = delay.filter(|_| at > 0) {
            std::thread::sleep(delay);
        }
        writeln!(out, "{}", frame(scene, record, at))?;
        out.flush()?;
    }
    writeln!(out, "{}", result(record))?;
    Ok(())
}

/// A state with the moves that led to it.
fn frame(scene: &Scene, record: &MatchRecord, at: usize) -> String {
    let mut text = format!("{}, step {at} of {}", scene.title(record), record.steps());
    let moves = moves(record, at);
    if !moves.is_empty() {
        text += &format!(": {moves}");
    }
    text += "\n";
    let thinking = record.ludex.as_ref().and_then(|details| details.thinking.get(at.checked_sub(1)?));
    for (role, report) in record.role_names().iter().zip(thinking.into_iter().flatten()) {
        if let Some(value) = report.as_ref().and_then(|report| report.value) {
            text += &format!("{role} expects {value:.0}\n");
        }
    }
    let errors = record.errors.get(at).into_iter().flatten();
    for (role, error) in record.role_names().iter().zip(errors).filter(|(_, error)| !error.is_empty()) {
        text += &format!("{role}: {error}\n");
    }
    text + "\n" + &scene.board(record, at)
}

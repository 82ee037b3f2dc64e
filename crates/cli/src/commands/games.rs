//! `ludex games`: the built-in games.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use ludex_game::Game;
use ludex_gdl::{Rules, Source, load};
use ludex_library::{About, Kind, Sheet, sheets};
use ludex_reasoner::{Limits, Progress, Stats, build};
use serde::Serialize;

use super::show::state::draw;
use crate::output::{count, stdout};
use crate::{Outcome, input};

/// List the built-in games, or show one of them
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A game to show: its rules in a few sentences and the initial state
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print the rule sheet itself, for instance as a starting point
    #[arg(long, requires = "name", conflicts_with_all = ["json", "ascii"])]
    sheet: bool,

    /// Draw in ASCII
    #[arg(long, requires = "name")]
    ascii: bool,

    /// Only games for this many players
    #[arg(long, value_name = "N", conflicts_with = "name")]
    players: Option<usize>,

    /// Only games of this kind
    #[arg(long, value_name = "KIND", conflicts_with = "name", value_parser = kind)]
    kind: Option<Kind>,

    /// One JSON object per line
    #[arg(long, conflicts_with = "name")]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex games
  ludex games --players 2 --kind turn-taking
  ludex games othello
  ludex games othello --sheet > my_othello.kif

`gates` is the size of the circuit (propnet). `moves` is the mean branching factor: legal moves of
a role that has a choice. `length` is the mean number of steps. Both are measured in random playouts.
Exit codes: 0 success, 2 there is no such game.";

fn kind(text: &str) -> Result<Kind, String> {
    let known = Kind::ALL.into_iter().find(|kind| kind.as_str() == text);
    known.ok_or_else(|| format!("the kinds are {}", Kind::ALL.map(Kind::as_str).join(", ")))
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.name {
        None => list(arguments),
        Some(name) => {
            // The same error for an unknown name as in all commands.
            let sheet = match ludex_library::find(name) {
                Some(sheet) => sheet,
                None => return Err(input::unknown(name.as_ref())),
            };
            let mut out = stdout();
            if arguments.sheet {
                write!(out, "{}", sheet.text)?;
            } else {
                show(sheet, arguments.ascii, &mut out)?;
            }
            out.flush()?;
            Ok(Outcome::Success)
        }
    }
}

/// The header of the sheet, and the initial state.
fn show(sheet: &Sheet, ascii: bool, out: &mut impl Write) -> Result<()> {
    let about = sheet.about()?;
    let game = build(rules(sheet)?, "reference")?;
    writeln!(out, "{}\n", sheet.head())?;
    write!(out, "{}", draw(&*game, Some(&about), &game.initial(), ascii))?;
    Ok(())
}

fn rules(sheet: &Sheet) -> Result<Rules> {
    let loaded = load(&Source::new(sheet.name, sheet.text));
    loaded.playable().ok().with_context(|| format!("the sheet {} has errors", sheet.name))
}

/// A row of the table; programs read these field names, so they must not change.
#[derive(Debug, Serialize)]
struct Row {
    game: &'static str,
    title: String,
    players: usize,
    roles: Vec<String>,
    kind: &'static str,
    gates: usize,
    moves: f64,
    length: Option<f64>,
}

fn list(arguments: &Arguments) -> Result<Outcome> {
    let mut chosen: Vec<(&'static Sheet, About)> = Vec::new();
    for sheet in sheets() {
        let about = sheet.about()?;
        let players = arguments.players.is_none_or(|players| players == about.roles.len());
        if players && arguments.kind.is_none_or(|kind| about.kind == Some(kind)) {
            chosen.push((sheet, about));
        }
    }
    let mut out = stdout();
    let names = chosen.iter().map(|(sheet, _)| sheet.name.len()).max().unwrap_or(0).max(4);
    let titles = chosen.iter().map(|(_, about)| about.title.chars().count()).max().unwrap_or(0).max(5);
    if !arguments.json && !chosen.is_empty() {
        let (name, title) = ("name", "title");
        writeln!(out, "{name:<names$}  {title:<titles$}  players  kind            gates  moves  length")?;
    }
    let bar = ProgressBar::new(chosen.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    each_in_order(&chosen, |row| {
        let row = row?;
        bar.inc(1);
        bar.set_message(row.game);
        if arguments.json {
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            let length = row.length.map_or_else(|| "-".to_owned(), |length| format!("{length:.1}"));
            let Row { game, title, players, kind, gates, moves, .. } = &row;
            writeln!(
                out,
                "{game:<names$}  {title:<titles$}  {players:>7}  {kind:<13} {gates:>7} {moves:>6.1} {length:>7}"
            )?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    if !arguments.json {
        let sheet = if chosen.is_empty() { "" } else { "; `ludex games NAME` shows one" };
        writeln!(out, "\n{}{sheet}", count(chosen.len(), "game"))?;
    }
    out.flush()?;
    Ok(Outcome::Success)
}

/// Measures games on all cores and returns the rows in order.
fn each_in_order(
    chosen: &[(&'static Sheet, About)],
    mut each: impl FnMut(Result<Row>) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some((sheet, about)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if send.send((sheet.name, measure(sheet, about))).is_err() {
                        return; // the receiver is gone
                    }
                }
            });
        }
        drop(send);
        let mut ready = std::collections::BTreeMap::new();
        let mut expected = chosen.iter().map(|(sheet, _)| sheet.name).peekable();
        for (name, row) in receive {
            ready.insert(name, row);
            while let Some(row) = expected.peek().and_then(|name| ready.remove(name)) {
                expected.next();
                each(row)?;
            }
        }
        Ok(())
    })
}

fn measure(sheet: &Sheet, about: &About) -> Result<Row> {
    let rules = rules(sheet)?;
    let stats =
        Stats::new(&rules, &Limits::default(), &Progress::new()).with_context(|| sheet.name.to_owned())?;
    let game = build(rules, "circuit")?;
    Ok(Row {
        game: sheet.name,
        title: about.title.clone(),
        players: about.roles.len(),
        roles: about.roles.clone(),
        kind: about.kind.map_or("", Kind::as_str),
        gates: stats.circuit.size.gates.iter().sum(),
        moves: moves_per_turn(&*game)?,
        length: about.average_length,
    })
}

/// How many states are measured: at least the first number, in whole games; long games stop at the
/// second.
const STATES: usize = 300;
const LONGEST: usize = 1000;

/// Mean branching factor: legal moves of the roles that have a choice, in random playouts.
fn moves_per_turn(game: &dyn Game) -> Result<f64> {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut seen, mut choices, mut moves) = (0, 0usize, 0usize);
    while seen < STATES {
        let mut state = game.initial();
        for _ in 0..LONGEST {
            let view = game.view(&state)?;
            seen += 1;
            if view.terminal || view.legal.iter().any(Vec::is_empty) {
                break;
            }
            for legal in view.legal.iter().filter(|legal| legal.len() > 1) {
                choices += 1;
                moves += legal.len();
            }
            let joint: Vec<_> = view.legal.iter().map(|legal| legal[random.usize(..legal.len())]).collect();
            state = game.next(&state, &joint)?;
        }
    }
    Ok(if choices == 0 { 1.0 } else { moves as f64 / choices as f64 })
}

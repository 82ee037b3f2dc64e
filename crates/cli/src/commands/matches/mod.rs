//! `ludex match`: play a game between any players, watch it, keep the record.

pub(crate) mod interrupt;
mod json;
pub(crate) mod paper;
pub(crate) mod plain;
mod presence;
pub(crate) mod result;
pub(crate) mod scene;
mod seats;
mod summary;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ludex_arena::{Check, End, MatchRecord, MatchSetup, Observer, Rulebook, Store, run_match};
use ludex_library::About;
use ludex_reasoner::BuildOptions;

use crate::game::{self, EngineName};
use crate::output::{stdout, terminal_width};
use crate::publish::Publish;
use crate::terminal::{self, Adviser, People, Show, Shown};
use crate::{Outcome, amount, input, memory, waiting};

/// Play a match between any players
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// A player for each role, in the order of the roles (`mc`, `mc:each=64`, `http://host:port`, or
    /// `human` for a person at this terminal) or by name (`red=mc`); by default the strongest player
    /// against flat Monte Carlo
    #[arg(value_name = "[ROLE=]SPEC")]
    players: Vec<String>,

    /// Start clock in seconds
    #[arg(long = "start-clock", visible_alias = "start", value_name = "S", default_value = "1", value_parser = amount::seconds)]
    start: Duration,

    /// Play clock: seconds per move
    #[arg(long = "play-clock", visible_alias = "play", value_name = "S", default_value = "0.3", value_parser = amount::seconds)]
    play: Duration,

    /// Grace period after the play clock, in seconds
    #[arg(long, value_name = "S", default_value = "1", value_parser = amount::seconds)]
    grace: Duration,

    /// Playouts per move of built-in players, instead of clocks: the same seed gives the same match
    #[arg(long, value_name = "N", conflicts_with = "ponder", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,

    /// Seconds that people have for a move; as long as they like if omitted
    #[arg(long, value_name = "S", value_parser = amount::seconds)]
    human_clock: Option<Duration>,

    /// Seed of all random numbers; chosen at random and printed if omitted. Further matches count
    /// up from it
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Assign players to roles at random, by the seed
    #[arg(long)]
    shuffle: bool,

    /// Send scrambled names to players behind HTTP, so that names carry no hints
    #[arg(long)]
    scramble: bool,

    /// Pondering: built-in players also search while only others have a choice
    #[arg(long)]
    ponder: bool,

    /// Threads of each built-in player
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Memory of each search; if omitted, half of what is free, shared by the players, or 1GB with
    /// --playouts
    #[arg(long, value_name = "BYTES", value_parser = amount::memory)]
    memory: Option<usize>,

    /// Stay on the screen at the end of a match, to look back, until `q`
    #[arg(long)]
    stay: bool,

    /// Number of matches, played one after the other
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    matches: u64,

    /// Play on if a player behind HTTP does not answer before the first move
    #[arg(long)]
    keep_going: bool,

    /// Step limit: stop a match after this many steps
    #[arg(long, value_name = "N", default_value_t = MatchSetup::DEFAULT_MAX_STEPS)]
    max_steps: usize,

    /// Write the record to this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Add the result and the record to this store (SQLite); created if missing
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,

    /// One JSON object for each event; the last line is the record
    #[arg(long, conflicts_with = "quiet")]
    json: bool,

    /// Only the result
    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    publish: Publish,

    /// Lines of text instead of the full screen, for screen readers and scripts; without a terminal
    /// this is the default
    #[arg(long)]
    plain: bool,

    /// Draw in ASCII
    #[arg(long)]
    ascii: bool,
}

const EXAMPLES: &str = "Examples:
  ludex match connect_four
  ludex match connect_four human mc
  ludex match tic_tac_toe mc random --playouts 1000 --seed 7 --quiet
  ludex match connect_four red=mc yellow=random
  ludex match my_game.kif mc http://localhost:9147 --start-clock 10 --play-clock 5 --record match.json
  ludex match othello mc cadia-uct --publish http://127.0.0.1:9148/
  ludex match othello mc mc:each=16 --shuffle --matches 20 --store results.db --quiet

On a terminal the arrow keys step through the match, space pauses, `?` shows all keys; --stay keeps
the end of the match on the screen. `ludex play` is the short way to play yourself.

Clocks may have fractions of a second; for players behind HTTP they are rounded up, unless the player
is Ludex. Such players are asked with INFO before the first move. A late, illegal or garbled answer is
replaced by a random legal move and recorded. The reference interpreter checks every state and is the
authority. `ludex replay FILE` shows and verifies a record; `ludex players` lists the players.
Exit codes: 0 played, 1 the sheet has errors, a player is not there or a match could
not be finished, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.record.is_some() && arguments.matches > 1 {
        bail!("--record keeps one match; --store keeps many");
    }
    let page = arguments.publish.page()?;
    let mut out = stdout();
    let Some(rulebook) = rulebook(&arguments.game, &mut out)? else { return Ok(Outcome::Failure) };
    let about = input::about(&arguments.game)?;
    let people = People::new(arguments.human_clock);
    let mut setup = setup(arguments, &rulebook, &people)?;
    presence::warn_of_percepts(&**rulebook.game());
    if !presence::check(&mut setup, arguments.keep_going) {
        return Ok(Outcome::Failure);
    }
    let text = arguments.json || arguments.quiet;
    if text && terminal::has_people(&setup) {
        bail!("--json and --quiet leave a person no place to play; --record keeps the match as JSON");
    }
    let lines = arguments.plain || !terminal::is_interactive();
    // Whoever only watches lines of text gets a line for each step.
    let shown = !text && (!lines || terminal::has_people(&setup));
    let scene = scene::Scene::new(about.clone(), arguments.ascii);
    let adviser = Adviser::new(&setup, rulebook.game().role_count())?;
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    let mut store = arguments.store.as_deref().map(open).transpose()?;
    if lines || !shown {
        interrupt::stop_on_interrupt(&setup.abort, "the match is aborted");
    }
    drop(out); // views have their own
    let mut summary = summary::Summary::default();
    let mut outcome = Outcome::Success;
    for number in 0..arguments.matches {
        setup.seed = seed.wrapping_add(number);
        let mut view = view(arguments, about.as_ref(), &setup, number);
        let (record, quit) = if shown {
            // Who only watches gets the shell back at the end, unless they are looking back.
            let stay = arguments.stay || arguments.matches == 1 && terminal::has_people(&setup);
            let (rulebook, setup, scene, adviser) = (&rulebook, &setup, &scene, &adviser);
            let show = Show { rulebook, setup, scene, adviser, lines, stay, page: page.as_ref() };
            let Shown { record, quit } = terminal::show(&show, &people)?;
            leave_picture(&show, &record)?;
            (record, quit)
        } else {
            let record = match &page {
                Some(page) => run_match(&rulebook, &setup, &mut page.watch_match(&mut *view)),
                None => run_match(&rulebook, &setup, &mut *view),
            };
            (record?, false)
        };
        if let Some(path) = &arguments.record {
            write_record(path, &record)?;
        }
        // Only what is kept is reported.
        if let Some(store) = &mut store {
            store.append(&record)?;
        }
        if !shown {
            view.finish(&record)?;
        }
        summary.add(&record);
        if !record.is_completed && !quit && !resigned(&record) {
            outcome = Outcome::Failure;
        }
        if setup.abort.is_set() || quit {
            break;
        }
    }
    if arguments.matches > 1 && !arguments.json {
        let mut out = stdout();
        summary.write(&mut out)?;
        out.flush()?;
    }
    Ok(outcome)
}

/// The rules of a game, set up to be played; none if the sheet has errors, which are shown.
pub(crate) fn rulebook(path: &Path, out: &mut impl Write) -> Result<Option<Rulebook>> {
    let source = input::read(path)?;
    let Some(rules) = game::playable(&source, out)? else { return Ok(None) };
    let engine = EngineName("auto");
    let options = BuildOptions::default();
    let built = waiting::show(|progress| game::build_with(rules.clone(), &engine, &options, progress))?;
    if built.choice.engine != "batch" {
        game::tell(&engine, &built.choice);
    }
    let text = String::from_utf8_lossy(source.bytes());
    Ok(Some(Rulebook::with_game(&name(path), &text, rules, built.game)?))
}

/// The name of a game in records.
fn name(path: &Path) -> String {
    match input::built_in(path) {
        Some(sheet) => sheet.name.to_owned(),
        None => path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
    }
}

fn setup(arguments: &Arguments, rulebook: &Rulebook, people: &People) -> Result<MatchSetup> {
    if arguments.shuffle && seats::are_named(&arguments.players) {
        bail!("--shuffle assigns players to roles at random: do not name the roles");
    }
    let players = seats::players(&arguments.players, rulebook, people)?;
    Ok(MatchSetup {
        start_clock: arguments.start,
        play_clock: arguments.play,
        grace: arguments.grace,
        playouts: arguments.playouts,
        shuffle: arguments.shuffle,
        scramble: arguments.scramble,
        max_steps: arguments.max_steps,
        ponder: arguments.ponder,
        threads: usize::from(arguments.threads),
        memory: memory::of_player(arguments.memory, players.len(), arguments.playouts.is_none()),
        // Costs fractions of a millisecond per state with most sheets.
        check: Check::Everything,
        ..MatchSetup::new(players)
    })
}

fn open(path: &Path) -> Result<Store> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        bail!("cannot open {}: there is no folder {}", path.display(), folder.display());
    }
    Store::open(path).with_context(|| format!("cannot open {}", path.display()))
}

/// Writes a record atomically.
pub(crate) fn write_record(path: &Path, record: &MatchRecord) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> Result<()> {
        // As any new file: whoever may read those may read this one.
        let mut file = tempfile::Builder::new().make_in(folder, |path| File::create_new(path))?;
        writeln!(file, "{}", record.to_json())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Writes the last picture and the result where the full screen was.
fn leave_picture(show: &Show<'_>, record: &MatchRecord) -> Result<()> {
    if !show.lines {
        let mut out = stdout();
        let width = terminal_width();
        let result = scene::wrapped(&result::result(record), width);
        let heading = scene::wrapped(&plain::heading(show.scene, record), width);
        write!(out, "{heading}\n\n{}\n{result}\n", show.scene.board(record, record.steps()))?;
        out.flush()?;
    }
    Ok(())
}

/// Whether a person gave the match up.
fn resigned(record: &MatchRecord) -> bool {
    record.ludex.as_ref().is_some_and(|details| matches!(details.end, End::Resigned(_)))
}

/// After a match that people played: the last picture, the record, the outcome.
pub(crate) fn finish_shown(show: &Show<'_>, shown: Shown, file: Option<&Path>) -> Result<Outcome> {
    let Shown { record, quit } = shown;
    leave_picture(show, &record)?;
    if let Some(path) = file {
        write_record(path, &record)?;
    }
    let played = record.is_completed || quit || resigned(&record);
    Ok(if played { Outcome::Success } else { Outcome::Failure })
}

/// How a match is shown as text.
trait View: Observer {
    /// The match is over and kept: the result, or the error that ended the showing.
    fn finish(&mut self, record: &MatchRecord) -> Result<()>;
}

fn view(arguments: &Arguments, about: Option<&About>, setup: &MatchSetup, number: u64) -> Box<dyn View> {
    let paper = paper::Paper::new(setup.abort.clone());
    if arguments.json {
        Box::new(json::Json::new(paper))
    } else if arguments.quiet {
        Box::new(plain::Quiet::new(paper))
    } else {
        Box::new(plain::Plain::new(scene::Scene::new(about.cloned(), arguments.ascii), paper, number > 0))
    }
}

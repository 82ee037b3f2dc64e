//! `ludex play`: play a game yourself.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ludex_arena::{Check, MAX_RECORD_BYTES, MatchRecord, MatchSetup, Participant, Rulebook};
use ludex_engine::{HUMAN, default_player};
use ludex_search::is_chance;

use super::matches::{finish_shown, rulebook, scene::Scene};
use crate::output::stdout;
use crate::terminal::{self, People, Show};
use crate::{Outcome, amount, input, memory};

/// Play a game yourself, against the machine or with others at the same terminal
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// Who plays the other roles: one player for all of them, or one for each in the order of the
    /// roles; `ludex players` lists them
    #[arg(long, value_name = "SPEC")]
    against: Vec<String>,

    /// The role that you play, the first one if omitted; several for several people, `all` for all
    #[arg(long = "as", value_name = "ROLE")]
    roles: Vec<String>,

    /// Seconds that the machine thinks about a move, and about a hint
    #[arg(long, value_name = "S", default_value = "1", value_parser = amount::seconds)]
    play: Duration,

    /// Playouts per move of the machine, instead of seconds: with a seed, it plays the same again
    #[arg(long, value_name = "N", conflicts_with = "play", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,

    /// Memory of each search; if omitted, half of what is free, shared by the players, or 1GB with
    /// --playouts
    #[arg(long, value_name = "BYTES", value_parser = amount::memory)]
    memory: Option<usize>,

    /// Seconds that people have for a move; as long as they like if omitted
    #[arg(long, value_name = "S", value_parser = amount::seconds)]
    human_clock: Option<Duration>,

    /// Seed of all random numbers; chosen at random if omitted
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Go on from the end of this record, for example one that was saved in the middle of a match
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Write the record to this file at the end
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Lines of text instead of the full screen, for screen readers and scripts; without a terminal
    /// this is the default
    #[arg(long)]
    plain: bool,

    /// Draw in ASCII
    #[arg(long)]
    ascii: bool,
}

const EXAMPLES: &str = "Examples:
  ludex play connect_four                  you are red, the machine yellow
  ludex play chess --as black --play 5     the machine begins and thinks 5 seconds per move
  ludex play tic_tac_toe --as all          two people at one terminal
  ludex play chess_4p --against mc         you against three machines
  ludex play eight_puzzle                  a puzzle
  ludex play chess --resume chess-1.json   go on with a match that was saved
  printf '4\\n4\\nquit\\n' | ludex play connect_four --playouts 1000 --seed 1

Type the number of a move or any part that fits only one (`4`, `e2 e4`), or move the cursor with the
arrow keys and press Enter where moves name cells. Commands: hint, undo, moves, save, resign, help,
quit. `ludex match GAME human mc` is the long way, with clocks and all other options of a match.
Exit codes: 0 played or left with quit, 1 the sheet has errors or the input ended, 2 cannot read.";

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut out = stdout();
    let Some(rulebook) = rulebook(&arguments.game, &mut out)? else { return Ok(Outcome::Failure) };
    drop(out); // the screen has its own
    let about = input::about(&arguments.game)?;
    let people = People::new(arguments.human_clock);
    let setup = MatchSetup {
        // The machine need not be ready before a person is.
        start_clock: arguments.play.min(Duration::from_millis(200)),
        play_clock: arguments.play,
        playouts: arguments.playouts,
        seed: arguments.seed.unwrap_or_else(|| fastrand::u64(..1_000_000)),
        check: Check::Everything,
        memory: memory::of_player(arguments.memory, rulebook.seats(), arguments.playouts.is_none()),
        opening: arguments
            .resume
            .as_deref()
            .map_or_else(|| Ok(Vec::new()), |path| opening(path, &rulebook))?,
        ..MatchSetup::new(seats(arguments, rulebook.game().roles(), &people)?)
    };
    let scene = Scene::new(about, arguments.ascii);
    let adviser = terminal::Adviser::new(&setup, rulebook.game().role_count())?;
    let lines = arguments.plain || !terminal::is_interactive();
    let show = Show {
        rulebook: &rulebook,
        setup: &setup,
        scene: &scene,
        adviser: &adviser,
        lines,
        stay: true,
        page: None,
    };
    finish_shown(&show, terminal::show(&show, &people)?, arguments.record.as_deref())
}

/// The moves of a record of the same game.
fn opening(path: &Path, rulebook: &Rulebook) -> Result<Vec<Vec<String>>> {
    let mut bytes = Vec::new();
    let mut read = || File::open(path)?.take(MAX_RECORD_BYTES as u64).read_to_end(&mut bytes);
    read().with_context(|| format!("cannot read {}", path.display()))?;
    let record = MatchRecord::read(&bytes).with_context(|| format!("cannot read {}", path.display()))?;
    match record.ludex {
        Some(details) if details.rules != rulebook.text() => {
            bail!("{} is a record of another game, {}", path.display(), details.game)
        }
        _ => Ok(record.moves),
    }
}

/// Who plays each role but `random`.
fn seats(arguments: &Arguments, roles: &[String], people: &People) -> Result<Vec<Participant>> {
    let roles: Vec<&String> = roles.iter().filter(|role| !is_chance(role)).collect();
    let known = || roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ");
    let mut human = vec![false; roles.len()];
    for name in &arguments.roles {
        if name.eq_ignore_ascii_case("all") {
            human.fill(true);
            continue;
        }
        match roles.iter().position(|role| role.eq_ignore_ascii_case(name)) {
            Some(role) => human[role] = true,
            None => bail!("there is no role `{name}`; the roles are {}, or `all`", known()),
        }
    }
    if arguments.roles.is_empty()
        && let Some(first) = human.first_mut()
    {
        *first = true;
    }
    let others = human.iter().filter(|human| !**human).count();
    let against = &arguments.against;
    if against.len() > 1 && against.len() != others || others == 0 && !against.is_empty() {
        bail!(
            "{} players are given with --against, but {others} roles are free ({})",
            against.len(),
            known()
        );
    }
    let (mut next, default) = (against.iter().cycle(), default_player(roles.len()));
    let mut seats = Vec::new();
    for human in human {
        let spec = if human { HUMAN } else { next.next().map_or(default, String::as_str) };
        seats.push(people.participant(spec)?);
    }
    Ok(seats)
}

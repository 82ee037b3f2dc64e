//! `ludex new`: writes a small game that can be played and is meant to be changed.

mod skeleton;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use self::skeleton::Skeleton;
use crate::Outcome;
use crate::output::stdout;

/// Write a small playable game with comments, as a start for your own
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Name of the game: letters, digits and `_`; writes NAME.kif and NAME.toml in this folder
    #[arg(value_name = "NAME")]
    name: String,

    /// Number of players: 1 for a puzzle, more for a game in which they take turns
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u8).range(1..=skeleton::ROLES.len() as i64))]
    players: u8,

    /// Columns and rows of the board
    #[arg(long, value_name = "WxH", default_value = "4x4")]
    board: Size,
}

const EXAMPLES: &str = "Examples:
  ludex new my_game                       two players on a board of 4x4 cells
  ludex new my_puzzle --players 1 --board 3x5
  ludex new big --players 4 --board 8x8

What comes next:
  ludex check --watch my_game.kif         check it while you change it
  ludex show state my_game.kif            draw the first position
  ludex match my_game.kif                 watch two players

Two and more players place stones in turn; three in a row, column or diagonal win. One player walks
over the board and wants to enter every cell. Existing files are never overwritten.";

/// Shortest side: the rules are about three in a line.
const MIN_SIDE: usize = 3;
/// Longest side.
const MAX_SIDE: usize = 16;
/// Longest name.
const MAX_NAME: usize = 40;

/// The size of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    columns: usize,
    rows: usize,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (MIN_SIDE..=MAX_SIDE).contains(side));
        let sides = text.split_once(['x', 'X']).and_then(|(c, r)| Some((side(c)?, side(r)?)));
        sides
            .map(|(columns, rows)| Self { columns, rows })
            .ok_or_else(|| format!("write columns x rows, each from {MIN_SIDE} to {MAX_SIDE}, such as `4x4`"))
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let name = valid_name(&arguments.name)?;
    let skeleton = Skeleton {
        name,
        players: usize::from(arguments.players),
        columns: arguments.board.columns,
        rows: arguments.board.rows,
    };
    let (sheet, description) = (PathBuf::from(format!("{name}.kif")), PathBuf::from(format!("{name}.toml")));
    for file in [&sheet, &description] {
        if file.symlink_metadata().is_ok() {
            bail!("{} is there already and is not overwritten; choose another name", file.display());
        }
    }
    write_new(&sheet, &skeleton.sheet()?)?;
    write_new(&description, skeleton.description().as_bytes())?;
    let mut out = stdout();
    writeln!(out, "{name}.kif   the rules\n{name}.toml  title and board, for people\n")?;
    writeln!(out, "Change the rules and see what happens:")?;
    writeln!(out, "  ludex check --watch {name}.kif")?;
    writeln!(out, "  ludex show state {name}.kif")?;
    writeln!(out, "  ludex match {name}.kif")?;
    out.flush()?;
    Ok(Outcome::Success)
}

/// The name, if it can be that of a file, of a game, and a word of every program.
fn valid_name(name: &str) -> Result<&str> {
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if let Some(stem) = name.strip_suffix(".kif") {
        bail!("give the name without an ending: `ludex new {stem}`");
    }
    if !starts_well || !name.chars().all(allowed) || name.len() > MAX_NAME {
        bail!(
            "`{name}` cannot be the name of a game: use lower-case letters, digits and `_`, a letter first, \
             at most {MAX_NAME} in all, such as `my_game`"
        );
    }
    if ludex_library::find(name).is_some() {
        bail!("`{name}` is a built-in game; choose another name, so that the two are not confused");
    }
    Ok(name)
}

/// Writes a file that must not be there yet.
fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(bytes)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

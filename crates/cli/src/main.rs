//! The `ludex` program: a table of commands, one file each under `commands/`.

mod amount;
mod boards;
mod circuits;
mod commands;
mod game;
mod history;
mod input;
mod output;
mod waiting;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{
    bench, check, choose, completions, fmt, games, lab, matches, perft, players, replay, scramble, serve,
    show, trace,
};
use crate::output::Colour;

/// Set-up makes very many small allocations: this allocator takes a fifth off its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a command reports to the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// All is well.
    Good,
    /// The input was read and has errors, or a check did not pass.
    Bad,
    /// Something could not be read, written or understood.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(outcome as u8)
    }
}

/// General game player, referee and laboratory: hand it the rules of any game in GDL.
#[derive(Debug, Parser)]
#[command(name = "ludex", version, max_term_width = 100, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// When to use colours; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: Colour,
}

const EXAMPLES: &str = "Examples:
  ludex match connect_four               watch two players
  ludex games                            which games are built in?
  ludex show state connect_four --random 12
                                         what does the board look like?
  ludex check my_game.kif                what is wrong with this rule sheet?
  ludex show rules my_game.kif           one line in words for each rule
  ludex fmt my_game.kif                  put it into the canonical layout
  ludex move connect_four --play 2       what would a player do?
  ludex serve                            play for a game manager
  ludex lab run equal                    run an experiment
  ludex perft tic_tac_toe 9              how many ways are there to play?
  ludex trace record my_game.kif         random games, state by state
  ludex scramble my_game.kif --seed 7    hide what its names give away

GAME is the name of a built-in game or a path. `ludex COMMAND --help` explains a command. Exit codes: 0 good, 1 errors in the input, 2 cannot read.";

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Arguments),
    Check(check::Arguments),
    Fmt(fmt::Arguments),
    Games(games::Arguments),
    Lab(lab::Arguments),
    Match(matches::Arguments),
    Replay(replay::Arguments),
    #[command(name = "move")]
    Choose(choose::Arguments),
    Players(players::Arguments),
    Serve(serve::Arguments),
    Scramble(scramble::Arguments),
    Show(show::Arguments),
    Perft(perft::Arguments),
    Trace(trace::Arguments),
    Completions(completions::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    arguments.color.apply();
    let outcome = match arguments.command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Games(arguments) => games::run(&arguments),
        Command::Lab(arguments) => lab::run(&arguments),
        Command::Match(arguments) => matches::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Choose(arguments) => choose::run(&arguments),
        Command::Players(arguments) => players::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Scramble(arguments) => scramble::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        // Whoever read our output has seen enough: not an error.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::report_error(&error);
            Outcome::Failed.into()
        }
    }
}

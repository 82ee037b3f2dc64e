//! The `ludex` program: a table of commands, one file each under `commands/`.

mod amount;
mod boards;
mod circuits;
mod commands;
mod game;
mod history;
mod input;
mod output;
mod terminal;
mod waiting;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{
    bench, check, choose, completions, fmt, games, lab, matches, perft, play, players, replay, scramble,
    serve, show, trace,
};
use crate::output::Colour;

/// Set-up makes very many small allocations; this allocator makes it a fifth faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The result of a command, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Exit code 0.
    Success,
    /// Exit code 1: the input has errors, or a check did not pass.
    Failure,
    /// Exit code 2: something could not be read, written or parsed.
    Error,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(outcome as u8)
    }
}

/// General game player, referee and laboratory for games in the Game Description Language (GDL)
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
  ludex play connect_four                play against the machine
  ludex match connect_four               watch two players
  ludex games                            list the built-in games
  ludex show state connect_four --random 12
                                         draw the board after 12 random steps
  ludex check my_game.kif                report errors in a rule sheet
  ludex show rules my_game.kif           each rule in words, one per line
  ludex fmt my_game.kif                  format it in the canonical layout
  ludex move connect_four --play 2       search for the best move
  ludex serve                            play for a game manager
  ludex lab run equal                    run an experiment
  ludex perft tic_tac_toe 9              count the positions to depth 9
  ludex trace record my_game.kif         record random games, state by state
  ludex scramble my_game.kif --seed 7    obfuscate the names of a sheet

GAME is the name of a built-in game or a path. `ludex COMMAND --help` explains a command.
Exit codes: 0 success, 1 errors in the input, 2 cannot read.";

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Arguments),
    Check(check::Arguments),
    Fmt(fmt::Arguments),
    Games(games::Arguments),
    Lab(lab::Arguments),
    Play(play::Arguments),
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
        Command::Play(arguments) => play::run(&arguments),
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
        // The reader closed the pipe (`ludex games | head`): not an error.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::report_error(&error);
            Outcome::Error.into()
        }
    }
}

//! The `ludex` program: a table of commands, one file each under `commands/`.

mod amount;
mod boards;
mod circuits;
mod commands;
mod game;
mod help;
mod history;
mod input;
mod memory;
mod output;
mod publish;
mod terminal;
mod waiting;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ludex_game::Failure;
use ludex_reasoner::BuildError;

use crate::commands::{
    ask, bench, check, choose, completions, explain, fmt, games, lab, matches, new, perft, play, players,
    replay, scramble, serve, show, solve, tournament, trace, web,
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
    /// Exit code 1: the input has errors, a check failed, or something could not be finished.
    Failure,
    /// Exit code 2: wrong usage, or something could not be read or written.
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
  ludex web --open                       choose and play in a browser
  ludex games                            list the built-in games
  ludex show state connect_four --random 12
                                         draw the board after 12 random steps
  ludex new my_game                      write a small game, to be changed
  ludex check my_game.kif                report errors in a rule sheet
  ludex show rules my_game.kif           each rule in words, one per line
  ludex explain breakthrough             what is understood of a game
  ludex ask tic_tac_toe '(legal ?who ?move)'
                                         ask the rules any question
  ludex fmt my_game.kif                  format it in the canonical layout
  ludex move connect_four                search for the best move
  ludex solve hanoi                      solve a puzzle, with proof
  ludex tournament connect_four --players mc,cadia-uct,random
                                         everybody meets everybody
  ludex serve                            play for a game manager
  ludex lab run equal                    run an experiment
  ludex perft tic_tac_toe 9              count the positions to depth 9
  ludex trace record my_game.kif         record random games, state by state
  ludex scramble my_game.kif --seed 7    obfuscate the names of a sheet

GAME is the name of a built-in game or a path. `ludex COMMAND --help` explains a command.
Exit codes: 0 success; 1 errors in the input, a check that failed, or something that could not be
finished; 2 wrong usage, or something that cannot be read or written.";

#[derive(Debug, Subcommand)]
enum Command {
    Ask(ask::Arguments),
    Bench(bench::Arguments),
    Check(check::Arguments),
    Explain(explain::Arguments),
    Fmt(fmt::Arguments),
    Games(games::Arguments),
    Lab(lab::Arguments),
    Play(play::Arguments),
    Match(matches::Arguments),
    Replay(replay::Arguments),
    #[command(name = "move", visible_alias = "analyse")]
    Choose(choose::Arguments),
    Players(players::Arguments),
    Serve(serve::Arguments),
    Scramble(scramble::Arguments),
    Show(show::Arguments),
    Solve(solve::Arguments),
    New(new::Arguments),
    Perft(perft::Arguments),
    Tournament(tournament::Arguments),
    Trace(trace::Arguments),
    Web(web::Arguments),
    Completions(completions::Arguments),
}

fn main() -> ExitCode {
    let matches = help::reflowed(Arguments::command()).get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    arguments.color.apply();
    let outcome = match arguments.command {
        Command::Ask(arguments) => ask::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
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
        Command::Solve(arguments) => solve::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Tournament(arguments) => tournament::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::Web(arguments) => web::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        // The reader closed the pipe (`ludex games | head`): not an error.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::report_error(&error);
            let is_in_the_input =
                error.is::<input::Faulty>() || error.is::<BuildError>() || error.is::<Failure>();
            if is_in_the_input { Outcome::Failure.into() } else { Outcome::Error.into() }
        }
    }
}

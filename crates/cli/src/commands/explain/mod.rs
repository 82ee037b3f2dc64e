//! `ludex explain`: what is understood of a game from its rules and from random play.

mod words;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use ludex_game::Game;
use ludex_knowledge::{FeatureReport, FeatureSet, Measurements, PlayLimits, Scratch, Understanding};
use serde::Serialize;

use crate::game::{self, EngineName};
use crate::output::{report_error, stdout, terminal_width};
use crate::{Outcome, input};

/// Explain a game: boards, pieces, counters, turns, goals, sizes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in game, or a path to a rule sheet; `-` for standard input
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// Random games that confirm what the rules suggest
    #[arg(long, value_name = "N", default_value_t = PlayLimits::default().games)]
    games: usize,

    /// The same seed gives the same random games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Which engine runs the game
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName("auto"))]
    engine: EngineName,

    /// One JSON object, for programs
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  ludex explain breakthrough
  ludex explain checkers --games 200
  ludex explain my_game.kif --json

Structures are found by what the rules mean, not by their names, so a scrambled sheet is explained
as well as the original. What is confirmed by random play only may be wrong in states that random
play does not reach; what is proved is called proved.
Exit codes: 0 success, 1 the sheet has errors or the engine gave up, 2 cannot read.";

/// Steps of random play that `--games` may take in all.
const STEPS_OF_GAME: usize = 400;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let source = input::read(&arguments.game)?;
    let about = input::about(&arguments.game)?;
    let mut out = stdout();
    let Some(rules) = game::playable(&source, &mut out)? else { return Ok(Outcome::Failure) };
    let game = match game::build(rules, &arguments.engine) {
        Ok(game) => game,
        Err(error) => {
            report_error(&error);
            return Ok(Outcome::Failure);
        }
    };
    let limits = PlayLimits {
        games: arguments.games.max(1),
        steps: arguments.games.max(1).saturating_mul(STEPS_OF_GAME),
        seed: arguments.seed,
        ..PlayLimits::default()
    };
    let understood = Understanding::of(&*game, &limits)?;
    let features = features(&game, &understood);
    if arguments.json {
        let explanation = Explanation { understood: &understood, features: &features };
        writeln!(out, "{}", serde_json::to_string(&explanation)?)?;
    } else {
        let file = arguments.game.file_stem().map(|stem| stem.to_string_lossy());
        let title = about.as_ref().map_or(file.as_deref().unwrap_or(source.name()), |about| &about.title);
        write!(out, "{}", words::explain(title, &understood, &features, terminal_width()))?;
    }
    out.flush()?;
    Ok(Outcome::Success)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Explanation<'a> {
    #[serde(flatten)]
    understood: &'a Understanding,
    features: &'a [FeatureReport],
}

/// Candidate features, measured in the random games.
fn features(game: &Arc<dyn Game>, understood: &Understanding) -> Vec<FeatureReport> {
    let set = FeatureSet::new(game, understood);
    let mut measured = Measurements::new(&set, game.role_count());
    let mut scratch = Scratch::default();
    for played in &understood.games {
        measured.add(&set, played, &mut scratch);
    }
    measured.reports(&set)
}

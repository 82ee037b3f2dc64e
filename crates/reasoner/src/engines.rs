//! The table of engines, and the functions that build a game with one of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Failure, Game};
use ludex_gdl::Rules;

use crate::engine_choice::{Built, EngineChoice};
use crate::ground::Ground;
use crate::limits::{Limits, StopReason, errors_in};
use crate::progress::Progress;
use crate::reference::Reference;
use crate::rules_engine::RulesGame;
use crate::run::{BatchGame, BatchOptions, CircuitGame, Evaluation};
use crate::upgrading::Upgrading;

/// An engine that can run games.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Name in options and reports.
    pub name: &'static str,
    /// One line for help texts.
    pub summary: &'static str,
    build: Build,
}

/// How engines are built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Limits on building a circuit.
    pub limits: Limits,
    /// How `batch` runs a circuit.
    pub batch: BatchOptions,
    /// How `circuit` evaluates its gates; `None` chooses by the game.
    pub evaluation: Option<Evaluation>,
    /// How long `auto` waits for a circuit before it also sets up the other engines.
    pub head_start: Duration,
    /// How long `auto` waits for a circuit before it settles for another engine.
    pub patience: Duration,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            batch: BatchOptions::default(),
            evaluation: None,
            head_start: Duration::from_millis(40),
            patience: Duration::from_secs(10),
        }
    }
}

/// Arguments of the functions that build engines.
struct BuildRequest<'a> {
    rules: Rules,
    options: &'a BuildOptions,
    progress: &'a Progress,
    started: Instant,
}

/// A game, and why it got its engine, unless it was simply asked for.
type Made = (Arc<dyn Game>, Option<EngineChoice>);
type Build = fn(BuildRequest<'_>) -> Result<Made, Failure>;

/// All engines. The first is the authority that the others are tested against.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "reference",
        summary: "interprets the rules as written; slow; the authority that the other engines are tested against",
        build: |request| Ok((Arc::new(Reference::new(request.rules)?), None)),
    },
    Engine {
        name: "rules",
        summary: "query plans compiled from the rules; for sheets that cannot be grounded",
        build: |request| Ok((Arc::new(RulesGame::new(&request.rules)?), None)),
    },
    Engine {
        name: "circuit",
        summary: "the ground rules as gates (propnet); one state at a time",
        build: |request| {
            let evaluation = request.options.evaluation;
            let game = request.ground().and_then(|ground| CircuitGame::with_evaluation(ground, evaluation));
            let game = game.map_err(limit)?;
            let reason = format!("asked for; {} evaluation", game.evaluation().name());
            let choice =
                EngineChoice { engine: game.engine().name, reason, after: request.started.elapsed() };
            Ok((Arc::new(game), Some(choice)))
        },
    },
    Engine {
        name: "batch",
        summary: "the same gates, bit-sliced: hundreds of states at once",
        build: |request| {
            let game =
                request.ground().and_then(|ground| BatchGame::with_options(ground, request.options.batch));
            Ok((Arc::new(game.map_err(limit)?), None))
        },
    },
    Engine {
        name: "auto",
        summary: "`batch` if its circuit is ready in time, otherwise `rules`",
        build: |request| {
            let upgrading = Upgrading::with_progress(request.rules, request.options, request.progress)?;
            let built = upgrading.settle(request.options.patience);
            Ok((built.game, Some(built.choice)))
        },
    },
];

impl BuildRequest<'_> {
    fn ground(&self) -> Result<Ground, StopReason> {
        Ground::with_progress(&self.rules, &self.options.limits, self.progress)
    }
}

fn limit(reason: StopReason) -> Failure {
    Failure::Limit(reason.to_string())
}

/// Why no game was built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No engine has this name.
    #[error("there is no engine `{name}`; there is {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The known names.
        known: String,
    },
    /// The engine cannot run these rules.
    #[error("{engine}: {failure}")]
    Failed {
        /// Name of the engine.
        engine: &'static str,
        /// The reason.
        failure: Failure,
    },
}

/// Builds the game of these rules with the engine of this name.
pub fn build(rules: Rules, engine: &str) -> Result<Arc<dyn Game>, BuildError> {
    Ok(build_with(rules, engine, &BuildOptions::default(), &Progress::new())?.game)
}

/// Like [`build`], with options. Also gives the reason for the engine and takes a handle that can
/// watch or cancel set-up. Each call needs its own handle: a cancelled one stays cancelled.
pub fn build_with(
    rules: Rules,
    engine: &str,
    options: &BuildOptions,
    progress: &Progress,
) -> Result<Built, BuildError> {
    let Some(found) = ENGINES.iter().find(|known| known.name == engine) else {
        let known: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        return Err(BuildError::Unknown { name: engine.to_owned(), known: known.join(", ") });
    };
    let started = Instant::now();
    // Only the reference plays rules with errors, whatever was asked for: by its meaning.
    if rules.errors > 0 && found.name != ENGINES[0].name {
        let reason = errors_in(&rules);
        let game =
            Reference::new(rules).map_err(|failure| BuildError::Failed { engine: found.name, failure })?;
        let choice = EngineChoice { engine: ENGINES[0].name, reason, after: started.elapsed() };
        return Ok(Built { game: Arc::new(game), choice });
    }
    let made = (found.build)(BuildRequest { rules, options, progress, started });
    let (game, choice) = made.map_err(|failure| BuildError::Failed { engine: found.name, failure })?;
    let asked = || EngineChoice {
        engine: game.engine().name,
        reason: "asked for".to_owned(),
        after: started.elapsed(),
    };
    let choice = choice.unwrap_or_else(asked);
    Ok(Built { game, choice })
}

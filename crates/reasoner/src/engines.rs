//! The engines by name: one table, one function.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Failure, Game};
use ludex_gdl::Rules;

use crate::choice::{Built, Choice};
use crate::ground::Ground;
use crate::limits::{Limits, StopReason};
use crate::progress::Progress;
use crate::reference::Reference;
use crate::rules_engine::RulesGame;
use crate::run::{BatchGame, BatchOptions, CircuitGame, Evaluation};
use crate::upgrading::Upgrading;

/// An engine that games can be run with.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// As options and reports spell it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    build: Build,
}

/// How engines are built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// How much setting up a circuit may take.
    pub limits: Limits,
    /// How `batch` runs a circuit.
    pub batch: BatchOptions,
    /// How `circuit` computes it; if none, what suits the game.
    pub evaluation: Option<Evaluation>,
    /// How long `auto` waits for a circuit before other engines are set up beside it.
    pub head_start: Duration,
    /// How long it waits before it takes another engine for good.
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

/// What the functions that build engines are given.
struct Order<'a> {
    rules: Rules,
    options: &'a BuildOptions,
    progress: &'a Progress,
    started: Instant,
}

/// A game, and the reason for its engine if there is anything to say about it.
type Made = (Arc<dyn Game>, Option<Choice>);
type Build = fn(Order<'_>) -> Result<Made, Failure>;

/// All engines; the first is the one that the others must agree with.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "reference",
        summary: "carries the rules out as they are written; slow, to be believed",
        build: |order| Ok((Arc::new(Reference::new(order.rules)?), None)),
    },
    Engine {
        name: "rules",
        summary: "compiled plans over the facts of a state; for sheets that do not ground",
        build: |order| Ok((Arc::new(RulesGame::new(&order.rules)?), None)),
    },
    Engine {
        name: "circuit",
        summary: "the rules without variables, as gates; one state at a time",
        build: |order| {
            let evaluation = order.options.evaluation;
            let game = order.ground().and_then(|ground| CircuitGame::with_evaluation(ground, evaluation));
            let game = game.map_err(limit)?;
            let reason = format!("asked for; {} evaluation", game.evaluation().name());
            let choice = Choice { engine: game.engine(), reason, after: order.started.elapsed() };
            Ok((Arc::new(game), Some(choice)))
        },
    },
    Engine {
        name: "batch",
        summary: "the same gates for hundreds of states at once, one bit each",
        build: |order| {
            let game = order.ground().and_then(|ground| BatchGame::with_options(ground, order.options.batch));
            Ok((Arc::new(game.map_err(limit)?), None))
        },
    },
    Engine {
        name: "auto",
        summary: "`batch` if its circuit is ready soon, or else `rules`",
        build: |order| {
            let upgrading = Upgrading::with_progress(order.rules, order.options, order.progress)?;
            let built = upgrading.settle(order.options.patience);
            Ok((built.game, Some(built.choice)))
        },
    },
];

impl Order<'_> {
    fn ground(&self) -> Result<Ground, StopReason> {
        Ground::with_progress(&self.rules, &self.options.limits, self.progress)
    }
}

fn limit(reason: StopReason) -> Failure {
    Failure::Limit(reason.to_string())
}

/// Why there is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No engine has this name.
    #[error("there is no engine `{name}`; there is {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The engine cannot run these rules.
    #[error("{engine}: {failure}")]
    Failed {
        /// Name of the engine.
        engine: &'static str,
        /// Why.
        failure: Failure,
    },
}

/// The game of these rules, run by the engine with this name.
pub fn build(rules: Rules, engine: &str) -> Result<Arc<dyn Game>, BuildError> {
    Ok(build_with(rules, engine, &BuildOptions::default(), &Progress::new())?.game)
}

/// The same, with a say in how, the reason for the engine, and a handle to watch set-up or cancel it.
/// Each call needs a handle of its own: one that has been cancelled stays so.
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
    let made = (found.build)(Order { rules, options, progress, started });
    let (game, choice) = made.map_err(|failure| BuildError::Failed { engine: found.name, failure })?;
    let asked = || Choice { engine: game.engine(), reason: "asked for".to_owned(), after: started.elapsed() };
    let choice = choice.unwrap_or_else(asked);
    Ok(Built { game, choice })
}

//! The engines by name: one table, one function.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Failure, Game};
use ludex_gdl::Rules;

use crate::ground::Ground;
use crate::limits::{Limits, StopReason};
use crate::reference::Reference;
use crate::rules_engine::RulesGame;
use crate::run::{BatchGame, BatchOptions, CircuitGame};

/// An engine that games can be run with.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// As options and reports spell it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    build: Build,
}

type Build = fn(Rules, &BuildOptions) -> Result<Arc<dyn Game>, Failure>;

/// How engines are built.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// How much grounding may take.
    pub limits: Limits,
    /// How `batch` runs a circuit.
    pub batch: BatchOptions,
}

/// All engines; the first is the one that the others must agree with.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "reference",
        summary: "carries the rules out as they are written; slow, to be believed",
        build: |rules, _| Ok(Arc::new(Reference::new(rules)?)),
    },
    Engine {
        name: "rules",
        summary: "compiled plans over the facts of a state; for sheets that do not ground",
        build: |rules, _| Ok(Arc::new(RulesGame::new(&rules)?)),
    },
    Engine {
        name: "circuit",
        summary: "the rules without variables, as gates; one state at a time",
        build: |rules, options| {
            let game = Ground::new(&rules, &options.limits).and_then(CircuitGame::new);
            Ok(Arc::new(game.map_err(limit)?))
        },
    },
    Engine {
        name: "batch",
        summary: "the same gates for hundreds of states at once, one bit each",
        build: |rules, options| {
            let ground = Ground::new(&rules, &options.limits);
            let game = ground.and_then(|ground| BatchGame::with_options(ground, options.batch));
            Ok(Arc::new(game.map_err(limit)?))
        },
    },
    Engine { name: "auto", summary: "`batch` if the sheet grounds soon, or else `rules`", build: automatic },
];

/// How long `auto` tries to ground a sheet.
const PATIENCE: Duration = Duration::from_secs(10);

/// The fastest engine that can run the rules.
fn automatic(rules: Rules, options: &BuildOptions) -> Result<Arc<dyn Game>, Failure> {
    let limits = Limits { time: PATIENCE.min(options.limits.time), ..options.limits.clone() };
    let ground = Ground::new(&rules, &limits);
    match ground.and_then(|ground| BatchGame::with_options(ground, options.batch)) {
        Ok(game) => Ok(Arc::new(game)),
        Err(_) => Ok(Arc::new(RulesGame::new(&rules)?)),
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
    build_with(rules, engine, &BuildOptions::default())
}

/// The same, with a say in how.
pub fn build_with(rules: Rules, engine: &str, options: &BuildOptions) -> Result<Arc<dyn Game>, BuildError> {
    let Some(found) = ENGINES.iter().find(|known| known.name == engine) else {
        let known: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        return Err(BuildError::Unknown { name: engine.to_owned(), known: known.join(", ") });
    };
    (found.build)(rules, options).map_err(|failure| BuildError::Failed { engine: found.name, failure })
}

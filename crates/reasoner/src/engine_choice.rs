//! Which engine runs a game, and why.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ludex_game::Game;

/// The engine that was chosen for a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// Name of the engine.
    pub engine: &'static str,
    /// Why this engine, in words.
    pub reason: String,
    /// How long after the start of set-up the engine was ready.
    pub after: Duration,
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.after.as_secs_f64() * 1000.0;
        write!(f, "{}, ready after {milliseconds:.0} ms; {}", self.engine, self.reason)
    }
}

/// A game with the engine that runs it.
#[derive(Clone)]
pub struct Built {
    /// The game.
    pub game: Arc<dyn Game>,
    /// The engine, and why it was chosen.
    pub choice: EngineChoice,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_reasons_do_not_contradict_each_other() {
        let reason = "no circuit: not ready after 10.0 s (grounding)".to_owned();
        let choice = EngineChoice { engine: "rules", reason, after: Duration::from_millis(72) };
        assert_eq!(
            choice.to_string(),
            "rules, ready after 72 ms; no circuit: not ready after 10.0 s (grounding)"
        );
    }
}

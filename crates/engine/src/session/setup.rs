//! The thread that sets up engines: a guard and a thinker for each that is better than the last.
//!
//! A thread inside a slow engine cannot be moved to a better one, nor can it be ended. So a better
//! engine gets threads of its own, which follow the match from its start; the old ones end when
//! their call returns.
//!
//! The reference is for the guard alone as long as something better may come: it answers one thread
//! at a time, and its playouts are too slow to make the guard wait.

use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

use ludex_game::{Game, RoleId};
use ludex_gdl::Rules;
use ludex_reasoner::{Built, Reference, Upgrading};
use ludex_search::Stop;

use super::SessionOptions;
use super::guard::Guard;
use super::state::SharedState;
use super::thinker::Thinker;
use crate::runner::{MakeSearch, catch_panic};
use crate::spelling::Spelling;

/// How often set-up checks whether a better engine is ready.
const EVERY: Duration = Duration::from_millis(10);

const REFERENCE: &str = "reference";

/// What is needed to set up a session.
pub(super) struct Setup {
    pub shared: Arc<SharedState>,
    pub rules: Rules,
    pub role: RoleId,
    pub make: MakeSearch,
    pub options: SessionOptions,
    pub spelling: Arc<Spelling>,
}

impl Setup {
    /// Sets up engines until the best is there.
    pub(super) fn run(self) {
        let upgrading = catch_panic(|| {
            Upgrading::with_progress(self.rules.clone(), &self.options.build, &self.shared.progress)
        });
        let upgrading = match upgrading {
            Ok(Ok(upgrading)) => upgrading,
            Ok(Err(failure)) => return self.fail(failure.to_string()),
            Err(_) => return self.fail("set-up panicked".to_owned()),
        };
        let mut current = Built { game: upgrading.current(), choice: upgrading.choice() };
        let mut thinking = self.start_threads(&current, upgrading.is_settled());
        loop {
            // Settled is read first: an engine may become ready between the two calls.
            let settled = upgrading.is_settled();
            if let Some(upgrade) = upgrading.upgrade() {
                current = upgrade.built;
                thinking = self.start_threads(&current, settled);
                continue;
            }
            if settled {
                if !thinking {
                    self.think_with(&current.game);
                }
                self.shared.change(|state| state.settled = true);
                return;
            }
            let state = self.shared.lock();
            if state.closed {
                return;
            }
            drop(self.shared.wait(state, Some(EVERY)));
        }
    }

    fn fail(&self, reason: String) {
        self.shared.change(|state| {
            state.failure = Some(reason);
            state.settled = true;
        });
    }

    /// Starts a guard for this engine, and a thinker unless a better engine than the reference may
    /// still come; whether there is a thinker.
    fn start_threads(&self, built: &Built, settled: bool) -> bool {
        let generation = self.shared.change(|state| {
            state.generation += 1;
            state.choice = Some(built.choice.clone());
            state.stop.set();
            state.stop = Stop::new();
            state.generation
        });
        let guard = Guard {
            shared: Arc::clone(&self.shared),
            role: self.role,
            spelling: Arc::clone(&self.spelling),
            seed: self.options.seed,
            generation,
        };
        let game = Arc::clone(&built.game);
        self.spawn("guard", move || guard.run(game));
        let worth = settled || built.game.engine().name != REFERENCE;
        if worth {
            self.think_with(&built.game);
        }
        worth
    }

    /// Starts a thinker for this engine.
    fn think_with(&self, game: &Arc<dyn Game>) {
        let (generation, stop) = {
            let state = self.shared.lock();
            (state.generation, state.stop.clone())
        };
        let thinker = Thinker {
            shared: Arc::clone(&self.shared),
            role: self.role,
            spelling: Arc::clone(&self.spelling),
            make: Arc::clone(&self.make),
            options: self.options.clone(),
            generation,
            stop,
        };
        // The guard has the reference that is there; the thinker gets one of its own.
        let own = (game.engine().name == REFERENCE).then(|| self.rules.clone());
        let game = Arc::clone(game);
        self.spawn("think", move || {
            let own = own.and_then(|rules| Reference::new(rules).ok());
            thinker.run(own.map_or(game, |game| Arc::new(game)));
        });
    }

    fn spawn(&self, name: &str, work: impl FnOnce() + Send + 'static) {
        // Without a thread there is no answer from it; the others do what they can.
        if let Err(error) = Builder::new().name(name.to_owned()).spawn(work) {
            self.shared.change(|state| state.failure = Some(error.to_string()));
        }
    }
}

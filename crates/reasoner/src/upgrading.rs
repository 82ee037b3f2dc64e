//! The engine `auto`: starts with the first engine that is ready and moves to better ones later.
//!
//! # How
//! A thread builds the circuit. Most sheets need a few milliseconds for that, so it gets a head
//! start. After that, the other engines are set up too: `rules` on a second thread, and the
//! reference, which is ready at once, on this one. A player asks for an [`Upgrade`] between two
//! moves. Ids and states belong to the game that made them, so they stay valid until the player
//! switches; [`IdMap`] then translates states and moves by name.
//!
//! Callers that cannot switch engines during a match use [`Upgrading::settle`], which waits for the
//! best engine within a time limit.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludex_game::{Failure, Game, IdMap};
use ludex_gdl::Rules;

use crate::engine_choice::{Built, EngineChoice};
use crate::engines::BuildOptions;
use crate::ground::Ground;
use crate::progress::{Counts, Progress};
use crate::reference::Reference;
use crate::rules_engine::RulesGame;
use crate::run::BatchGame;

/// The engines of `auto`, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EngineTier {
    Reference,
    Rules,
    Batch,
}

impl EngineTier {
    fn engine(self) -> &'static str {
        match self {
            EngineTier::Reference => "reference",
            EngineTier::Rules => "rules",
            EngineTier::Batch => "batch",
        }
    }

    /// What the engine needs, for the reason why it is missing.
    fn what(self) -> &'static str {
        match self {
            EngineTier::Reference => "reference",
            EngineTier::Rules => "plans",
            EngineTier::Batch => "circuit",
        }
    }
}

/// Result of setting up one engine.
struct Answer {
    tier: EngineTier,
    game: Result<Arc<dyn Game>, String>,
    after: Duration,
}

/// A game whose better engines are still being set up.
pub struct Upgrading {
    inner: Mutex<Inner>,
    progress: Progress,
}

struct Inner {
    /// The engine that is in use.
    current: Built,
    setup: Setup,
}

/// State of the engines being set up.
struct Setup {
    answers: Receiver<Answer>,
    started: Instant,
    /// Which engine is in use.
    in_use: Option<EngineTier>,
    /// The best engine that is ready and not in use.
    better: Option<(EngineTier, Built)>,
    /// Engines still being set up.
    pending: Vec<EngineTier>,
    /// Engines that cannot run the game, each with the reason.
    refused: Vec<(EngineTier, String)>,
}

/// A better engine for a running game.
pub struct Upgrade {
    /// The game with the better engine.
    pub built: Built,
    /// Translates states and moves of the previous engine.
    pub ids: IdMap,
}

impl Upgrading {
    /// Starts to set up engines. Returns as soon as one of them can run the game.
    pub fn start(rules: Rules, options: &BuildOptions) -> Result<Self, Failure> {
        Self::with_progress(rules, options, &Progress::new())
    }

    /// Like [`start`](Self::start), with a handle on the building of the circuit.
    pub fn with_progress(rules: Rules, options: &BuildOptions, progress: &Progress) -> Result<Self, Failure> {
        let started = Instant::now();
        let (sender, answers) = channel();
        let mut setup =
            Setup { answers, started, in_use: None, better: None, pending: Vec::new(), refused: Vec::new() };
        let (for_batch, with, watched) = (rules.clone(), options.clone(), progress.clone());
        setup.spawn(EngineTier::Batch, &sender, move || {
            let ground = Ground::with_progress(&for_batch, &with.limits, &watched);
            let game = ground.and_then(|ground| BatchGame::with_options(ground, with.batch));
            game.map(|game| Arc::new(game) as Arc<dyn Game>).map_err(|reason| reason.to_string())
        });
        setup.wait(Some(options.head_start));
        if setup.better.is_none() {
            let for_rules = rules.clone();
            setup.spawn(EngineTier::Rules, &sender, move || {
                let game = RulesGame::new(&for_rules).map_err(|failure| failure.to_string())?;
                Ok(Arc::new(game))
            });
            let game = Reference::new(rules).map(|game| Arc::new(game) as Arc<dyn Game>);
            let game = game.map_err(|failure| failure.to_string());
            setup.enter(Answer { tier: EngineTier::Reference, game, after: started.elapsed() });
            setup.look();
        }
        // With no sender left here, the channel disconnects once all threads have ended.
        drop(sender);
        loop {
            if let Some(current) = setup.move_up() {
                return Ok(Self { inner: Mutex::new(Inner { current, setup }), progress: progress.clone() });
            }
            if setup.pending.is_empty() {
                return Err(Failure::Limit(setup.reasons(EngineTier::Reference)));
            }
            setup.wait(None);
        }
    }

    /// The game with the engine that is in use.
    pub fn current(&self) -> Arc<dyn Game> {
        Arc::clone(&self.inner().current.game)
    }

    /// The engine that is in use, and why.
    pub fn choice(&self) -> EngineChoice {
        self.inner().current.choice.clone()
    }

    /// Whether a better engine is ready.
    pub fn upgrade_ready(&self) -> bool {
        let setup = &mut self.inner().setup;
        setup.look();
        setup.better.is_some()
    }

    /// Whether no better engine can come any more.
    pub fn is_settled(&self) -> bool {
        let setup = &mut self.inner().setup;
        setup.look();
        setup.better.is_none() && !setup.may_improve()
    }

    /// Switches to a better engine if one is ready.
    pub fn upgrade(&self) -> Option<Upgrade> {
        let mut inner = self.inner();
        inner.setup.look();
        let built = inner.setup.move_up()?;
        let old = std::mem::replace(&mut inner.current, built.clone());
        let ids = IdMap::new(old.game, Arc::clone(&built.game));
        Some(Upgrade { built, ids })
    }

    /// Progress of the circuit.
    pub fn progress(&self) -> Counts {
        self.progress.counts()
    }

    /// Waits for the best engine, at most until `patience` has passed since the start; then takes
    /// the best one that is ready.
    pub fn settle(self, patience: Duration) -> Built {
        let mut inner = self.inner();
        let Inner { current, setup } = &mut *inner;
        setup.look();
        while setup.may_improve() {
            let for_circuit = setup.pending.contains(&EngineTier::Batch);
            let left = patience.saturating_sub(setup.started.elapsed());
            if for_circuit && left.is_zero() {
                let phase = self.progress.counts().phase.name();
                let reason = format!("not ready after {:.1} s ({phase})", patience.as_secs_f64());
                self.progress.cancel();
                setup.refuse(EngineTier::Batch, reason);
                continue;
            }
            setup.wait(for_circuit.then_some(left));
        }
        if let Some(built) = setup.move_up() {
            *current = built;
        }
        // Engines may have failed since this one was ready: update the reason.
        if let Some(tier) = setup.in_use.filter(|&tier| tier != EngineTier::Batch) {
            current.choice.reason = setup.reasons(tier);
        }
        current.clone()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A panic leaves no broken invariant behind, so poisoning is ignored.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cancels the building of the circuit.
impl Drop for Upgrading {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

impl Setup {
    /// Sets up an engine on its own thread.
    fn spawn(
        &mut self,
        tier: EngineTier,
        sender: &Sender<Answer>,
        build: impl FnOnce() -> Result<Arc<dyn Game>, String> + Send + 'static,
    ) {
        let (sender, started) = (sender.clone(), self.started);
        let work = move || {
            let game = build();
            // The receiver may be gone; then nobody needs the engine.
            let _ = sender.send(Answer { tier, game, after: started.elapsed() });
        };
        match std::thread::Builder::new().name(format!("set up {}", tier.engine())).spawn(work) {
            Ok(_) => self.pending.push(tier),
            Err(error) => self.refused.push((tier, error.to_string())),
        }
    }

    /// Processes the results that have arrived.
    fn look(&mut self) {
        while let Ok(answer) = self.answers.try_recv() {
            self.enter(answer);
        }
    }

    /// Waits for one result.
    fn wait(&mut self, longest: Option<Duration>) {
        let answer = match longest {
            Some(time) => self.answers.recv_timeout(time),
            None => self.answers.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match answer {
            Ok(answer) => self.enter(answer),
            Err(RecvTimeoutError::Timeout) => {}
            // A thread that ended without a result has panicked.
            Err(RecvTimeoutError::Disconnected) => {
                for tier in std::mem::take(&mut self.pending) {
                    self.refuse(tier, "set-up ended without an answer".to_owned());
                }
            }
        }
    }

    fn enter(&mut self, answer: Answer) {
        let Answer { tier, game, after } = answer;
        self.pending.retain(|&pending| pending != tier);
        match game {
            Err(reason) => self.refuse(tier, reason),
            Ok(game) if self.best() < Some(tier) => {
                let reason = match (tier, self.reasons(tier)) {
                    (EngineTier::Batch, _) => "its circuit is ready".to_owned(),
                    (_, reasons) if reasons.is_empty() => "ready first".to_owned(),
                    (_, reasons) => reasons,
                };
                let choice = EngineChoice { engine: tier.engine(), reason, after };
                self.better = Some((tier, Built { game, choice }));
            }
            Ok(_) => {}
        }
    }

    fn refuse(&mut self, tier: EngineTier, reason: String) {
        self.pending.retain(|&pending| pending != tier);
        if !self.refused.iter().any(|&(known, _)| known == tier) {
            self.refused.push((tier, reason));
        }
    }

    /// The best engine that is ready.
    fn best(&self) -> Option<EngineTier> {
        self.better.as_ref().map(|(tier, _)| *tier).max(self.in_use)
    }

    /// Whether an engine better than the best ready one is still being set up.
    fn may_improve(&self) -> bool {
        self.pending.iter().any(|&tier| Some(tier) > self.best())
    }

    /// Why no engine from `than` upwards was used.
    fn reasons(&self, than: EngineTier) -> String {
        let mut refused: Vec<&(EngineTier, String)> =
            self.refused.iter().filter(|(tier, _)| *tier >= than).collect();
        refused.sort_by_key(|(tier, _)| std::cmp::Reverse(*tier));
        let one = |(tier, reason): &(EngineTier, String)| format!("no {}: {reason}", tier.what());
        refused.into_iter().map(one).collect::<Vec<_>>().join("; ")
    }

    /// Makes the best ready engine the one in use.
    fn move_up(&mut self) -> Option<Built> {
        let (tier, built) = self.better.take()?;
        self.in_use = Some(tier);
        Some(built)
    }
}

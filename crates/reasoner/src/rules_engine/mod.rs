//! The engine `rules`: plays from the rules as they are, without grounding them.
//!
//! For sheets whose ground instances are too many to write down. Each question (is it over, what is
//! legal, what comes next, who gets what) is answered top-down, by compiled plans over the facts of
//! the current state, and every call within is answered once a state.
//!
//! | step | file |
//! |---|---|
//! | rules to clauses | `lower`, `program` |
//! | which condition comes next | `order`, `estimate` |
//! | clauses to steps | `compile`, `clause_code`, `code` |
//! | running them | `machine`, `steps`, `tabling`, with `memo` (calls), `facts` (the state), `shape` (stored relations), `keys` |
//! | what is done once | `setup`, `trial` (random play to learn from), `tune` (which plans cost less), `unfold` |
//! | play | `worker`, `expand`, `playout`, `registry` (numbers that the outside knows) |

mod clause_code;
mod code;
mod compile;
mod components;
mod cursor;
mod estimate;
mod expand;
mod facts;
mod interpreter;
mod keys;
mod lots;
mod lower;
mod memo;
mod order;
mod program;
mod registry;
mod setup;
mod shape;
mod steps;
mod tabling;
mod trial;
mod tune;
mod unfold;
mod worker;

use std::sync::{Arc, Mutex, PoisonError};

use ludex_game::{
    EngineInfo, FactId, Failure, Game, Goal, Model, MoveId, Simulator, SimulatorConfig, State, View,
};
use ludex_gdl::Rules;

use crate::limits::errors_in;
use crate::model::SheetModel;
use expand::RulesSimulator;
use registry::Registry;
use setup::CompiledRules;
use worker::{RulesWorker, lock, pack, unpack};

/// What the engine may use before it gives up with [`Failure::Limit`].
#[derive(Clone, Debug)]
pub struct RulesOptions {
    /// Different terms in all; rules with function symbols can make more and more.
    pub max_terms: usize,
    /// Sentences that are derived or asked for in one state.
    pub max_atoms: u64,
    /// Steps of the machine to answer one question about one state.
    pub max_steps: u64,
    /// Calls within calls.
    pub max_calls: usize,
    /// Seconds for set-up. When they run out while plans are tuned, the best so far are taken.
    pub max_setup_seconds: f64,
}

impl Default for RulesOptions {
    fn default() -> Self {
        Self {
            max_terms: 5_000_000,
            max_atoms: 20_000_000,
            max_steps: 10_000_000_000,
            max_calls: 1_000_000,
            max_setup_seconds: 60.0,
        }
    }
}

/// A game played from its rules.
#[derive(Debug)]
pub struct RulesGame {
    model: SheetModel,
    ready: Arc<CompiledRules>,
    roles: Vec<String>,
    initial: State,
    registry: Mutex<Registry>,
    /// Idle workers.
    pool: Mutex<Vec<RulesWorker>>,
}

impl RulesGame {
    /// Sets up a game within the usual limits.
    pub fn new(rules: &Rules) -> Result<Self, Failure> {
        Self::with_options(rules, &RulesOptions::default())
    }

    /// Sets up a game within limits of the caller's.
    pub fn with_options(rules: &Rules, options: &RulesOptions) -> Result<Self, Failure> {
        if rules.errors > 0 {
            return Err(Failure::Limit(errors_in(rules)));
        }
        let ready = Arc::new(setup::set_up(rules, options)?);
        let registry = Registry::new(rules.names.clone(), ready.terms.clone());
        let roles = ready.roles.iter().map(|&role| registry.text(role)).collect();
        let registry = Mutex::new(registry);
        let mut worker = RulesWorker::new(&ready);
        let initial = worker.state_of(&registry, &ready.initial);
        let model = SheetModel::new(Arc::new(rules.clone()));
        Ok(Self { model, ready, roles, initial, registry, pool: Mutex::new(vec![worker]) })
    }

    /// Runs something with a worker of the pool.
    fn with_worker<T>(&self, work: impl FnOnce(&mut RulesWorker) -> T) -> T {
        let free = self.pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = free.unwrap_or_else(|| RulesWorker::new(&self.ready));
        let result = work(&mut worker);
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        result
    }
}

impl Game for RulesGame {
    fn engine(&self) -> EngineInfo {
        EngineInfo::scalar("rules")
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn view(&self, state: &State) -> Result<View, Failure> {
        self.with_worker(|worker| {
            worker.set_state(&self.registry, state)?;
            worker.view(&self.registry, self.roles.len())
        })
    }

    fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure> {
        self.with_worker(|worker| {
            // The state first: setting it can renew the worker's numbers.
            worker.set_state(&self.registry, state)?;
            let joint = worker.joint(&self.registry, joint)?;
            let mut facts = Vec::new();
            worker.next(&joint, &mut facts)?;
            Ok(worker.state_of(&self.registry, &facts))
        })
    }

    fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure> {
        self.with_worker(|worker| {
            worker.set_state(&self.registry, state)?;
            (0..self.roles.len()).map(|role| worker.goal(&self.registry, role)).collect()
        })
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(&self.model)
    }

    fn move_name(&self, id: MoveId) -> String {
        let registry = lock(&self.registry);
        registry.moves.term(id.0).map(|term| registry.text(term)).unwrap_or_default()
    }

    fn find_move(&self, text: &str) -> Option<MoveId> {
        let mut registry = lock(&self.registry);
        let term = registry.read(text)?;
        self.ready.move_patterns.iter().find(|pattern| registry.fits(term, pattern))?;
        Some(MoveId(registry.moves.of(term)))
    }

    fn fact_name(&self, id: FactId) -> String {
        let registry = lock(&self.registry);
        registry.facts.term(id.0).map(|term| registry.text(term)).unwrap_or_default()
    }

    fn find_fact(&self, text: &str) -> Option<FactId> {
        let mut registry = lock(&self.registry);
        let term = registry.read(text)?;
        self.ready.fact_patterns.iter().find(|pattern| registry.fits(term, pattern))?;
        Some(FactId(registry.facts.of(term)))
    }

    fn facts(&self, state: &State) -> Vec<FactId> {
        unpack(state).collect()
    }

    fn state_with(&self, facts: &[FactId]) -> State {
        pack(&mut facts.iter().map(|fact| fact.0).collect())
    }

    fn simulator(self: Arc<Self>, config: SimulatorConfig) -> Box<dyn Simulator> {
        Box::new(RulesSimulator::new(self, config))
    }
}

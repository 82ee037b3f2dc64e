//! The engine `circuit`: one state at a time.
//!
//! Two evaluators give the same answers: one computes only what changes ([`Incremental`]), one computes
//! everything anew ([`Full`]). Which of them is faster depends on the game; set-up plays a few steps and
//! counts the work that each would have, so the choice is the same on every machine. States that follow
//! each other, as in a game that is played, are what the first is made for: an evaluator that is done with
//! a state is kept as it is, and the next question starts from there.

use std::sync::{Arc, Mutex};

use ludex_game::{
    Cursor, EngineInfo, FactId, Failure, Game, Goal, MoveId, RandomStep, Simulator, SimulatorConfig, State,
    View,
};

use super::answers::{Answers, Computed, Pool};
use super::cursor::CircuitCursor;
use super::dispatch::Width;
use super::incremental::{Incremental, Values};
use super::lanes::Lanes;
use super::machine::Machine;
use super::names::names_by_machine;
use super::network::{Layout, Network};
use super::options::{BatchOptions, Instructions, MachineCode};
use super::scalar::{Full, Scalar, ones};
use super::simulator::CircuitSimulator;
use crate::circuit::Circuit;
use crate::ground::Ground;
use crate::limits::StopReason;

/// How a circuit is computed for one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// All gates, for every state.
    Full,
    /// Only gates whose inputs change.
    Incremental,
}

impl Evaluation {
    /// As options and reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Evaluation::Full => "full",
            Evaluation::Incremental => "incremental",
        }
    }
}

/// The engine `circuit`.
pub struct CircuitGame {
    pub(super) machine: Machine,
    layout: Layout,
    /// None if all gates are computed for every state.
    network: Option<Network>,
    /// For goals and for many states at once.
    answers: Pool<1>,
    /// Evaluators that nobody uses at the moment, with the state that they computed last.
    values: Mutex<Vec<Values>>,
    lanes: Mutex<Vec<Lanes<1>>>,
}

impl CircuitGame {
    /// How states are expanded: in plain words, 64 at a time, as everything here needs no more.
    pub(super) const EXPANSION: BatchOptions = BatchOptions {
        width: Width::Lanes64,
        machine_code: MachineCode::Never,
        instructions: Instructions::Plain,
    };

    /// Builds the circuit of a grounded sheet.
    pub fn new(ground: Ground) -> Result<Self, StopReason> {
        Self::with_evaluation(ground, None)
    }

    /// The same, with a say in how it is computed. Circuits with loops are always computed in full.
    pub fn with_evaluation(ground: Ground, evaluation: Option<Evaluation>) -> Result<Self, StopReason> {
        let (machine, (layout, network)) = Machine::also(Circuit::new(ground)?, |circuit, ranks| {
            (Layout::new(circuit), Network::new(circuit, ranks))
        });
        let mut game = Self {
            machine,
            layout,
            network,
            answers: Pool::default(),
            values: Mutex::default(),
            lanes: Mutex::default(),
        };
        let wins = match evaluation {
            None => game.network.as_ref().is_some_and(|network| game.changes_are_few(network)),
            Some(evaluation) => evaluation == Evaluation::Incremental,
        };
        if !wins {
            game.network = None;
        }
        Ok(game)
    }

    /// How it is computed.
    pub fn evaluation(&self) -> Evaluation {
        if self.network.is_some() { Evaluation::Incremental } else { Evaluation::Full }
    }

    /// Plays a little and compares the work of both evaluators.
    fn changes_are_few(&self, network: &Network) -> bool {
        let mut values = Values::new(network);
        let mut random = fastrand::Rng::with_seed(1);
        let mut steps = 0u64;
        let mut cursor = CircuitCursor::new(self, Incremental::new(network, &mut values));
        for _ in 0..TRIALS {
            cursor.scalar.load_often(self.machine.initial().words());
            for _ in 0..TRIAL_STEPS {
                match cursor.random_step(&mut || random.u64(..)) {
                    Ok(RandomStep::Moved) => steps += 1,
                    _ => break,
                }
            }
        }
        let all = network.edges() + network.gates + 2 * (self.layout.words - self.layout.fact_words) * 64;
        values.work as f64 * CHANGE_COST < all as f64 * (steps + 1) as f64
    }

    /// Calls `work` with an evaluator.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut dyn Scalar) -> T) -> T {
        match &self.network {
            Some(network) => self.with_changes(network, |mut scalar| work(&mut scalar)),
            None => self.with_all_gates(|mut scalar| work(&mut scalar)),
        }
    }

    fn with_changes<T>(&self, network: &Network, work: impl FnOnce(Incremental<'_>) -> T) -> T {
        let mut values = take(&self.values).unwrap_or_else(|| Values::new(network));
        let result = work(Incremental::new(network, &mut values));
        put(&self.values, values);
        result
    }

    fn with_all_gates<T>(&self, work: impl FnOnce(Full<'_>) -> T) -> T {
        let mut lanes = take(&self.lanes).unwrap_or_else(|| Lanes::new(&self.machine.program));
        let result = work(Full::new(&self.machine, &self.layout, &mut lanes));
        put(&self.lanes, lanes);
        result
    }

    /// Calls `work` with a cursor, whose evaluator is known at compile time: in playouts the calls
    /// of a trait object would cost.
    pub(super) fn with_cursor<T>(&self, work: impl FnOnce(&mut dyn Cursor) -> T) -> T {
        match &self.network {
            Some(network) => self.with_changes(network, |scalar| work(&mut CircuitCursor::new(self, scalar))),
            None => self.with_all_gates(|scalar| work(&mut CircuitCursor::new(self, scalar))),
        }
    }

    fn computed(&self) -> Computed<'_> {
        Computed { machine: &self.machine, compiled: None }
    }
}

/// Playouts to try, and how many steps each may take.
const TRIALS: usize = 4;
const TRIAL_STEPS: usize = 60;
/// How much more a change costs than an input of a gate that is computed anew. With this number the faster way
/// was taken in all 19 games that were measured: full evaluation won in those with at most 6.4 times as many inputs as
/// changes, incremental in those with at least 8.6 times as many; see `docs/results/reasoner.md`.
const CHANGE_COST: f64 = 7.5;

fn take<T>(spare: &Mutex<Vec<T>>) -> Option<T> {
    spare.lock().ok().and_then(|mut spare| spare.pop())
}

fn put<T>(spare: &Mutex<Vec<T>>, one: T) {
    if let Ok(mut spare) = spare.lock() {
        spare.push(one);
    }
}

impl Game for CircuitGame {
    fn engine(&self) -> EngineInfo {
        EngineInfo::scalar("circuit")
    }

    fn view(&self, state: &State) -> Result<View, Failure> {
        let roles = self.machine.roles.len();
        Ok(self.with(|scalar| {
            scalar.load(state.words());
            scalar.look();
            if scalar.is_terminal() {
                return View { terminal: true, legal: vec![Vec::new(); roles] };
            }
            let moves =
                |role| ones(scalar.legal(role)).map(|rank| self.machine.move_at(role, rank)).collect();
            View { terminal: false, legal: (0..roles).map(moves).collect() }
        }))
    }

    fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure> {
        self.machine.check_joint(joint)?;
        Ok(self.with(|scalar| {
            scalar.load(state.words());
            for (role, &id) in joint.iter().enumerate() {
                scalar.make(role, self.machine.index_of(role, id));
            }
            scalar.step();
            State::from_words(scalar.facts())
        }))
    }

    fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure> {
        Ok(self.answers.goals(self.computed(), state))
    }

    fn simulator(self: Arc<Self>, config: SimulatorConfig) -> Box<dyn Simulator> {
        Box::new(CircuitSimulator::new(self, config))
    }

    names_by_machine!();
}

//! The engine `batch`: a circuit in lanes, for many states at once.

use std::sync::Arc;

use ludex_game::{EngineInfo, FactId, Failure, Game, Goal, MoveId, Simulator, SimulatorConfig, State, View};

use super::answers::{Answers, Computed, Pool};
use super::dispatch::Width;
use super::machine::Machine;
use super::names::names_by_machine;
use super::options::{BatchOptions, Instructions, MachineCode};
use super::simulator::BatchSimulator;
use crate::circuit::Circuit;
use crate::ground::Ground;
use crate::jit;
use crate::limits::StopReason;

/// The engine `batch`.
pub struct BatchGame {
    pub(super) machine: Machine,
    pub(super) options: BatchOptions,
    pub(super) compiled: Option<jit::CompiledCircuit>,
    answers: Box<dyn Answers>,
}

impl BatchGame {
    /// Builds the circuit of a grounded sheet, to be run in lanes; with machine code if asked for
    /// and possible on this processor.
    pub fn new(ground: Ground, width: Width, machine_code: MachineCode) -> Result<Self, StopReason> {
        Self::with_options(ground, BatchOptions { width, machine_code, ..BatchOptions::default() })
    }

    /// The same, with a say in everything.
    pub fn with_options(ground: Ground, options: BatchOptions) -> Result<Self, StopReason> {
        let options = options.possible();
        let machine = Machine::new(Circuit::for_play(ground)?);
        let compiled =
            jit::CompiledCircuit::new(&machine.program, options.width.words(), options.machine_code);
        let answers: Box<dyn Answers> = match options.width {
            Width::Lanes64 => Box::new(Pool::<1>::default()),
            Width::Lanes256 => Box::new(Pool::<4>::default()),
            Width::Lanes512 => Box::new(Pool::<8>::default()),
        };
        Ok(Self { machine, options, compiled, answers })
    }

    /// Bytes of machine code; 0 if the interpreter runs.
    pub fn code_bytes(&self) -> usize {
        self.compiled.as_ref().map_or(0, jit::CompiledCircuit::bytes)
    }

    fn computed(&self) -> Computed<'_> {
        Computed { machine: &self.machine, compiled: self.compiled.as_ref() }
    }
}

impl Game for BatchGame {
    fn engine(&self) -> EngineInfo {
        // Lanes of a plain word use nothing else, whatever is allowed.
        let instructions = match self.options.width {
            Width::Lanes64 => Instructions::Plain,
            Width::Lanes256 => self.options.instructions.min(Instructions::Avx2),
            Width::Lanes512 => self.options.instructions,
        };
        EngineInfo {
            name: "batch",
            lanes: self.options.width.lanes(),
            compiled: self.compiled.is_some(),
            instructions: instructions.name(),
        }
    }

    fn simulator(self: Arc<Self>, config: SimulatorConfig) -> Box<dyn Simulator> {
        Box::new(BatchSimulator::new(self, config))
    }

    fn view(&self, state: &State) -> Result<View, Failure> {
        Ok(self.answers.view(self.computed(), state))
    }

    fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure> {
        self.machine.check_joint(joint)?;
        let next = self.answers.next(self.computed(), state, joint);
        Ok(if self.machine.expects(state.words()) {
            next
        } else {
            self.machine.corrected(state, joint, &next)
        })
    }

    fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure> {
        Ok(self.answers.goals(self.computed(), state))
    }

    names_by_machine!();
}

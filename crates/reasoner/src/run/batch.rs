//! The engine `batch`: a circuit in lanes, for many states at once.

use ludex_game::{
    Child, Expansion, FactId, Failure, Game, Goal, Leaves, MoveId, Playouts, Request, Simulation, State,
    View, expand_one_by_one, joint_moves, play_one_by_one, simulate_one_by_one,
};

use super::answers::{Answers, Computed, Pool};
use super::dispatch::{Width, run};
use super::machine::Machine;
use super::names::names_by_machine;
use super::options::{BatchOptions, Instructions, MachineCode};
use super::playout::{Job, PlayoutTask};
use super::simulate::SimulationTask;
use crate::circuit::Circuit;
use crate::ground::Ground;
use crate::jit;
use crate::limits::StopReason;

/// The engine `batch`.
pub struct BatchGame {
    machine: Machine,
    options: BatchOptions,
    compiled: Option<jit::CompiledCircuit>,
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

    fn simulate_in_lanes(&self, simulation: &mut Simulation<'_, '_>, results: &mut Leaves) {
        let task = SimulationTask { machine: &self.machine, simulation, results };
        run(self.options, &self.machine.program, self.compiled.as_ref(), task);
    }

    fn computed(&self) -> Computed<'_> {
        Computed { machine: &self.machine, compiled: self.compiled.as_ref() }
    }
}

impl Game for BatchGame {
    fn engine(&self) -> &'static str {
        "batch"
    }

    fn lanes(&self) -> usize {
        self.options.width.lanes()
    }

    fn is_compiled(&self) -> bool {
        self.compiled.is_some()
    }

    fn instructions(&self) -> &'static str {
        // Lanes of a plain word use nothing else, whatever is allowed.
        match self.options.width {
            Width::Lanes64 => Instructions::Plain.name(),
            Width::Lanes256 => self.options.instructions.min(Instructions::Avx2).name(),
            Width::Lanes512 => self.options.instructions.name(),
        }
    }

    fn playouts(&self, request: &mut Request<'_>) -> Result<Playouts, Failure> {
        if !self.machine.expects(request.from.words()) {
            return play_one_by_one(self, request);
        }
        let from = self.machine.bits(request.from);
        let mut job = Job::new(&from, request);
        let task = PlayoutTask { setting: &self.machine.setting(), job: &mut job };
        Ok(run(self.options, &self.machine.program, self.compiled.as_ref(), task))
    }

    fn simulate(&self, simulation: &mut Simulation<'_, '_>, results: &mut Leaves) -> Result<(), Failure> {
        for leaf in simulation.leaves.iter().filter(|leaf| !leaf.joint.is_empty()) {
            self.machine.check_joint(leaf.joint)?;
        }
        let leaves = simulation.leaves;
        if leaves.iter().all(|leaf| self.machine.expects_playouts(leaf.from)) {
            self.simulate_in_lanes(simulation, results);
            return Ok(());
        }
        // What is under way comes to its end first.
        (simulation.leaves, simulation.keep_busy) = (&[], 0);
        self.simulate_in_lanes(simulation, results);
        let (finished, steps) = (results.finished().to_vec(), results.steps);
        simulation.leaves = leaves;
        simulate_one_by_one(self, simulation, results)?;
        results.finish(finished);
        results.steps += steps;
        Ok(())
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

    fn views(&self, states: &[State]) -> Result<Vec<View>, Failure> {
        Ok(self.answers.views(self.computed(), states))
    }

    fn expand(&self, state: &State, fixed: &[Option<MoveId>]) -> Result<Expansion, Failure> {
        if !self.machine.expects(state.words()) {
            return expand_one_by_one(self, state, fixed);
        }
        let joints = joint_moves(&self.view(state)?, fixed);
        let states = self.answers.successors(self.computed(), state, &joints);
        let views = self.answers.views(self.computed(), &states);
        let children = joints.into_iter().zip(states).zip(views);
        let child = |((joint, state), view)| Child { joint, state, view };
        Ok(Expansion { children: children.map(child).collect() })
    }

    names_by_machine!();
}

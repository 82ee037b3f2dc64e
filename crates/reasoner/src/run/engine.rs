//! The engines that run circuits: `circuit`, one state at a time, and `batch`, many.

use ludex_game::{
    Child, Expansion, FactId, Failure, Game, Goal, MoveId, Playouts, Request, State, View, joint_moves,
};

use super::answers::{Answers, Computed, Pool};
use super::dispatch::{Width, run};
use super::machine::Machine;
use super::options::{BatchOptions, Instructions};
use super::playout::{Interpreter, Job, play};
use super::transpose::Portable;
use crate::circuit::Circuit;
use crate::ground::Ground;
use crate::jit;
use crate::limits::StopReason;

/// The engine `circuit`.
pub struct CircuitGame {
    machine: Machine,
    answers: Pool<1>,
}

/// The engine `batch`.
pub struct BatchGame {
    machine: Machine,
    options: BatchOptions,
    compiled: Option<jit::Machine>,
    answers: Box<dyn Answers>,
}

impl CircuitGame {
    /// Builds the circuit of a grounded sheet.
    pub fn new(ground: Ground) -> Result<Self, StopReason> {
        Ok(Self { machine: Machine::new(Circuit::new(ground)?), answers: Pool::default() })
    }

    fn computed(&self) -> Computed<'_> {
        Computed { machine: &self.machine, compiled: None }
    }
}

impl BatchGame {
    /// Builds the circuit of a grounded sheet, to be run in lanes; with machine code if asked for
    /// and possible on this processor.
    pub fn new(ground: Ground, width: Width, compile: bool) -> Result<Self, StopReason> {
        Self::with_options(ground, BatchOptions { width, compile, ..BatchOptions::default() })
    }

    /// The same, with a say in everything.
    pub fn with_options(ground: Ground, options: BatchOptions) -> Result<Self, StopReason> {
        let options = options.possible();
        let machine = Machine::new(Circuit::new(ground)?);
        let compiled =
            if options.compile { jit::Machine::new(&machine.program, options.width.words()) } else { None };
        let answers: Box<dyn Answers> = match options.width {
            Width::Lanes64 => Box::new(Pool::<1>::default()),
            Width::Lanes256 => Box::new(Pool::<4>::default()),
            Width::Lanes512 => Box::new(Pool::<8>::default()),
        };
        Ok(Self { machine, options, compiled, answers })
    }

    /// Bytes of machine code; 0 if the interpreter runs.
    pub fn code_bytes(&self) -> usize {
        self.compiled.as_ref().map_or(0, jit::Machine::bytes)
    }

    fn computed(&self) -> Computed<'_> {
        Computed { machine: &self.machine, compiled: self.compiled.as_ref() }
    }
}

/// Answers and names: the same for both engines.
macro_rules! by_machine {
    () => {
        fn roles(&self) -> &[String] {
            &self.machine.roles
        }

        fn initial(&self) -> State {
            self.machine.initial()
        }

        fn view(&self, state: &State) -> Result<View, Failure> {
            Ok(self.answers.view(self.computed(), state))
        }

        fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure> {
            check_joint(&self.machine, joint)?;
            Ok(self.answers.next(self.computed(), state, joint))
        }

        fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure> {
            Ok(self.answers.goals(self.computed(), state))
        }

        fn views(&self, states: &[State]) -> Result<Vec<View>, Failure> {
            Ok(self.answers.views(self.computed(), states))
        }

        fn expand(&self, state: &State, fixed: &[Option<MoveId>]) -> Result<Expansion, Failure> {
            let joints = joint_moves(&self.view(state)?, fixed);
            let states = self.answers.successors(self.computed(), state, &joints);
            let views = self.answers.views(self.computed(), &states);
            let children = joints.into_iter().zip(states).zip(views);
            let child = |((joint, state), view)| Child { joint, state, view };
            Ok(Expansion { children: children.map(child).collect() })
        }

        fn move_name(&self, id: MoveId) -> String {
            self.machine.move_name(id)
        }

        fn find_move(&self, text: &str) -> Option<MoveId> {
            self.machine.find_move(text)
        }

        fn fact_name(&self, id: FactId) -> String {
            self.machine.fact_name(id)
        }

        fn find_fact(&self, text: &str) -> Option<FactId> {
            self.machine.find_fact(text)
        }

        fn facts(&self, state: &State) -> Vec<FactId> {
            let bits = self.machine.bits(state);
            (0..self.machine.fact_count()).filter(|&fact| bits[fact]).map(FactId::new).collect()
        }

        fn state_with(&self, facts: &[FactId]) -> State {
            let mut bits = vec![false; self.machine.fact_count()];
            for fact in facts {
                if let Some(bit) = bits.get_mut(fact.index()) {
                    *bit = true;
                }
            }
            self.machine.state(|fact| bits[fact])
        }
    };
}

impl Game for CircuitGame {
    fn engine(&self) -> &'static str {
        "circuit"
    }

    fn lanes(&self) -> usize {
        64
    }

    fn playouts(&self, request: &mut Request<'_>) -> Result<Playouts, Failure> {
        let from = self.machine.bits(request.from);
        let mut job = Job::new(&from, request);
        Ok(play::<1, Portable>(&self.machine.setting(), &Interpreter(&self.machine.program), &mut job))
    }

    by_machine!();
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
        let from = self.machine.bits(request.from);
        let mut job = Job::new(&from, request);
        Ok(run(self.options, &self.machine.setting(), self.compiled.as_ref(), &mut job))
    }

    by_machine!();
}

fn check_joint(machine: &Machine, joint: &[MoveId]) -> Result<(), Failure> {
    if joint.len() != machine.roles.len() {
        let (roles, moves) = (machine.roles.len(), joint.len());
        return Err(Failure::Misuse(format!("{moves} moves for {roles} roles")));
    }
    Ok(())
}

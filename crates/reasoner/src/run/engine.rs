//! The engines that run circuits: `circuit`, one state at a time, and `batch`, many.

use ludex_game::{
    Child, Expansion, FactId, Failure, Game, Goal, MoveId, Playouts, Request, State, View, joint_moves,
};

use super::dispatch::{Width, run};
use super::evaluate::Interpreter;
use super::machine::Machine;
use super::playout::{Job, play};
use crate::circuit::Circuit;
use crate::ground::Ground;
use crate::jit;
use crate::limits::StopReason;

/// The engine `circuit`.
pub struct CircuitGame {
    machine: Machine,
}

/// The engine `batch`.
pub struct BatchGame {
    machine: Machine,
    width: Width,
    compiled: Option<jit::Machine>,
}

impl CircuitGame {
    /// Builds the circuit of a grounded sheet.
    pub fn new(ground: Ground) -> Result<Self, StopReason> {
        Ok(Self { machine: Machine::new(Circuit::new(ground)?) })
    }
}

impl BatchGame {
    /// Builds the circuit of a grounded sheet, to be run in lanes; with machine code if asked for
    /// and possible on this processor.
    pub fn new(ground: Ground, width: Width, compile: bool) -> Result<Self, StopReason> {
        let machine = Machine::new(Circuit::new(ground)?);
        let compiled = if compile { jit::Machine::new(&machine.program, width.words()) } else { None };
        Ok(Self { machine, width, compiled })
    }

    /// Bytes of machine code; 0 if the interpreter runs.
    pub fn code_bytes(&self) -> usize {
        self.compiled.as_ref().map_or(0, jit::Machine::bytes)
    }
}

/// One lane's answers, and names: the same for both engines.
macro_rules! by_machine {
    () => {
        fn roles(&self) -> &[String] {
            &self.machine.roles
        }

        fn initial(&self) -> State {
            self.machine.initial()
        }

        fn view(&self, state: &State) -> Result<View, Failure> {
            Ok(self.machine.with_lanes(|lanes| {
                self.machine.load(lanes, 0, state);
                lanes.run(&self.machine.program.view);
                self.machine.view(lanes, 0)
            }))
        }

        fn next(&self, state: &State, joint: &[MoveId]) -> Result<State, Failure> {
            check_joint(&self.machine, joint)?;
            Ok(self.machine.with_lanes(|lanes| {
                self.machine.load(lanes, 0, state);
                lanes.run(&self.machine.program.view);
                self.machine.make(lanes, 0, joint);
                lanes.run(&self.machine.program.next);
                self.machine.next(lanes, 0)
            }))
        }

        fn goals(&self, state: &State) -> Result<Vec<Goal>, Failure> {
            Ok(self.machine.with_lanes(|lanes| {
                self.machine.load(lanes, 0, state);
                lanes.run(&self.machine.program.goals);
                self.machine.goals(lanes, 0)
            }))
        }

        fn views(&self, states: &[State]) -> Result<Vec<View>, Failure> {
            Ok(self.machine.views(states))
        }

        fn expand(&self, state: &State, fixed: &[Option<MoveId>]) -> Result<Expansion, Failure> {
            let joints = joint_moves(&self.view(state)?, fixed);
            let states = self.machine.successors(state, &joints);
            let views = self.machine.views(&states);
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
        let mut interpreter = Interpreter::<1>::new(&self.machine.program);
        Ok(play(&self.machine.setting(), &mut interpreter, &mut job))
    }

    by_machine!();
}

impl Game for BatchGame {
    fn engine(&self) -> &'static str {
        "batch"
    }

    fn lanes(&self) -> usize {
        self.width.lanes()
    }

    fn is_compiled(&self) -> bool {
        self.compiled.is_some()
    }

    fn playouts(&self, request: &mut Request<'_>) -> Result<Playouts, Failure> {
        let from = self.machine.bits(request.from);
        let mut job = Job::new(&from, request);
        Ok(run(self.width, &self.machine.setting(), self.compiled.as_ref(), &mut job))
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

//! Answers about single states and lists of them, from lanes of any width.
//!
//! The code that answers is the code that plays: the same width, the same machine code or interpreter.
//! So whoever compares answers with recorded play has checked the code that playouts run. A single
//! state is written into all lanes and the answer is read from one of them, which depends on the
//! state: that costs no more than using the first lane always, and no lane stays unchecked.

use std::sync::Mutex;

use ludex_game::{Goal, MoveId, State, View};

use super::evaluate::{Evaluator, Interpreter};
use super::lanes::Lanes;
use super::machine::Machine;
use crate::jit;

/// A circuit with the code that computes it.
#[derive(Clone, Copy)]
pub(crate) struct Computed<'a> {
    pub machine: &'a Machine,
    pub compiled: Option<&'a jit::Machine>,
}

/// What can be asked, whatever the width.
pub(crate) trait Answers: Send + Sync {
    fn view(&self, of: Computed<'_>, state: &State) -> View;
    fn next(&self, of: Computed<'_>, state: &State, joint: &[MoveId]) -> State;
    fn goals(&self, of: Computed<'_>, state: &State) -> Vec<Goal>;
    /// Views of many states, as many at once as there are lanes.
    fn views(&self, of: Computed<'_>, states: &[State]) -> Vec<View>;
    /// The states behind joint moves from one state, as many at once as there are lanes.
    fn successors(&self, of: Computed<'_>, state: &State, joints: &[Vec<MoveId>]) -> Vec<State>;
}

/// Lanes of `W` words that are used again.
#[derive(Default)]
pub(crate) struct Pool<const W: usize> {
    /// Lanes that nobody uses at the moment.
    spare: Mutex<Vec<Lanes<W>>>,
}

impl<const W: usize> Pool<W> {
    fn with<T>(&self, of: Computed<'_>, work: impl FnOnce(&mut Lanes<W>) -> T) -> T {
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut lanes = spare.unwrap_or_else(|| Lanes::new(&of.machine.program));
        lanes.rewind(&of.machine.program);
        let result = work(&mut lanes);
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(lanes);
        }
        result
    }

    /// The lane to read the answer about a state from.
    fn lane(state: &State) -> usize {
        // The high bits of a product are the well mixed ones.
        usize::try_from(state.hash_value() >> 48).unwrap_or(0) % Lanes::<W>::COUNT
    }
}

impl<const W: usize> Answers for Pool<W> {
    fn view(&self, of: Computed<'_>, state: &State) -> View {
        self.with(of, |lanes| {
            of.machine.load_all(lanes, state);
            view(of, lanes);
            of.machine.view(lanes, Self::lane(state))
        })
    }

    fn next(&self, of: Computed<'_>, state: &State, joint: &[MoveId]) -> State {
        self.with(of, |lanes| {
            of.machine.load_all(lanes, state);
            view(of, lanes);
            let lane = Self::lane(state);
            of.machine.make(lanes, lane, joint);
            next(of, lanes);
            of.machine.state_in(lanes, lane)
        })
    }

    fn goals(&self, of: Computed<'_>, state: &State) -> Vec<Goal> {
        self.with(of, |lanes| {
            of.machine.load_all(lanes, state);
            let program = &of.machine.program;
            match of.compiled {
                Some(machine) => jit::Compiled::new(machine, program).goals(lanes),
                None => Interpreter::new(program).goals(lanes),
            }
            of.machine.goals(lanes, Self::lane(state))
        })
    }

    fn views(&self, of: Computed<'_>, states: &[State]) -> Vec<View> {
        self.with(of, |lanes| {
            let mut views = Vec::with_capacity(states.len());
            for chunk in states.chunks(Lanes::<W>::COUNT) {
                for (lane, state) in chunk.iter().enumerate() {
                    of.machine.load(lanes, lane, state);
                }
                view(of, lanes);
                views.extend((0..chunk.len()).map(|lane| of.machine.view(lanes, lane)));
            }
            views
        })
    }

    fn successors(&self, of: Computed<'_>, state: &State, joints: &[Vec<MoveId>]) -> Vec<State> {
        self.with(of, |lanes| {
            of.machine.load_all(lanes, state);
            view(of, lanes);
            let mut states = Vec::with_capacity(joints.len());
            for chunk in joints.chunks(Lanes::<W>::COUNT) {
                // What was viewed stays; the state has moved on.
                of.machine.load_all(lanes, state);
                for (lane, joint) in chunk.iter().enumerate() {
                    of.machine.make(lanes, lane, joint);
                }
                next(of, lanes);
                states.extend((0..chunk.len()).map(|lane| of.machine.state_in(lanes, lane)));
            }
            states
        })
    }
}

fn view<const W: usize>(of: Computed<'_>, lanes: &mut Lanes<W>) {
    let program = &of.machine.program;
    match of.compiled {
        Some(machine) => jit::Compiled::new(machine, program).view(lanes),
        None => Interpreter::new(program).view(lanes),
    }
}

fn next<const W: usize>(of: Computed<'_>, lanes: &mut Lanes<W>) {
    let program = &of.machine.program;
    lanes.rows[program.reset as usize] = [0; W];
    match of.compiled {
        Some(machine) => jit::Compiled::new(machine, program).next(lanes),
        None => Interpreter::new(program).next(lanes),
    }
}

//! Answers about single states and lists of them, from lanes of any width.
//!
//! Whatever plays also answers: the same width, machine code or interpreter. So whoever compares answers
//! with recorded play has checked what makes the code of playouts. A single state is written into all lanes and the answer is read from one of them, which depends on the
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
    pub compiled: Option<&'a jit::CompiledCircuit>,
}

/// What can be asked, whatever the width.
pub(crate) trait Answers: Send + Sync {
    fn view(&self, of: Computed<'_>, state: &State) -> View;
    fn next(&self, of: Computed<'_>, state: &State, joint: &[MoveId]) -> State;
    fn goals(&self, of: Computed<'_>, state: &State) -> Vec<Goal>;
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
        // Steps of machine code leave the state where the interpreter does not look for it.
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
            of.run(lanes, Question::View);
            of.machine.view(lanes, Self::lane(state))
        })
    }

    fn next(&self, of: Computed<'_>, state: &State, joint: &[MoveId]) -> State {
        self.with(of, |lanes| {
            of.machine.load_all(lanes, state);
            of.run(lanes, Question::View);
            let lane = Self::lane(state);
            of.machine.make(lanes, lane, joint);
            of.run(lanes, Question::Next);
            of.machine.state_of(lanes, lane)
        })
    }

    fn goals(&self, of: Computed<'_>, state: &State) -> Vec<Goal> {
        self.with(of, |lanes| {
            of.machine.load_all(lanes, state);
            of.run(lanes, Question::Goals);
            of.machine.goals(lanes, Self::lane(state))
        })
    }
}

/// What to compute.
#[derive(Clone, Copy)]
enum Question {
    View,
    Next,
    Goals,
}

impl Computed<'_> {
    fn run<const W: usize>(self, lanes: &mut Lanes<W>, question: Question) {
        let program = &self.machine.program;
        match self.compiled {
            Some(machine) => ask(&mut jit::Compiled::new(machine, program), lanes, question, program.reset),
            None => ask(&mut Interpreter::<W>::new(program), lanes, question, program.reset),
        }
    }
}

fn ask<const W: usize>(
    evaluator: &mut impl Evaluator<W>,
    lanes: &mut Lanes<W>,
    question: Question,
    reset: u32,
) {
    match question {
        Question::View => evaluator.view(lanes),
        Question::Next => {
            // No lane starts again.
            lanes.rows[reset as usize] = [0; W];
            evaluator.next(lanes);
        }
        Question::Goals => evaluator.goals(lanes),
    }
}

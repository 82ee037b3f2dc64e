//! Machine code for the cones of a circuit: x86-64 with AVX-512 or AVX2.
//!
//! A cone is one straight line of instructions without jumps. [`lower`] decides what is kept in
//! registers; [`emit`] writes the instructions; [`memory`] makes them executable. Code for a cone with
//! loops is not made: the interpreter runs it.

mod emit;
mod lower;
mod memory;

use crate::run::{Code, Evaluator, Interpreter, Lanes, Program};
use emit::Isa;
use memory::{EmittedCode, Executable};

/// The machine code of a game for one width of lanes.
pub(crate) struct Machine {
    view: Option<Executable>,
    next: Option<Executable>,
    goals: Option<Executable>,
}

impl Machine {
    /// Translates a program for lanes of this many words, if this processor can run the result.
    pub(crate) fn new(program: &Program, words: usize) -> Option<Self> {
        let isa = Isa::for_words(words)?;
        let make = |code: &Code, outputs: &[u32]| {
            let plan = lower::lower(code, outputs, isa.registers())?;
            Executable::new(&EmittedCode { bytes: emit::emit(&plan, isa)?, slots: plan.slots, words })
        };
        Some(Self {
            view: make(&program.view, &program.kept_after_view()),
            next: make(&program.next, &program.kept_after_next()),
            goals: make(&program.goals, &program.kept_after_goals()),
        })
    }

    /// Bytes of machine code.
    pub(crate) fn bytes(&self) -> usize {
        [&self.view, &self.next, &self.goals].into_iter().flatten().map(Executable::len).sum()
    }
}

/// Runs machine code where there is some, the interpreter elsewhere.
pub(crate) struct Compiled<'a> {
    pub machine: &'a Machine,
    pub program: &'a Program,
}

impl<const W: usize> Evaluator<W> for Compiled<'_> {
    #[inline(always)]
    fn view(&self, lanes: &mut Lanes<W>) {
        match &self.machine.view {
            Some(code) => code.run(lanes),
            None => Interpreter(self.program).view(lanes),
        }
    }

    #[inline(always)]
    fn next(&self, lanes: &mut Lanes<W>) {
        match &self.machine.next {
            Some(code) => code.run(lanes),
            None => Interpreter(self.program).next(lanes),
        }
    }

    #[inline(always)]
    fn goals(&self, lanes: &mut Lanes<W>) {
        match &self.machine.goals {
            Some(code) => code.run(lanes),
            None => Interpreter(self.program).goals(lanes),
        }
    }
}

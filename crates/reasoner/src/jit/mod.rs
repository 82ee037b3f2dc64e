//! Machine code for the steps of a game: x86-64 with AVX-512 or AVX2.
//!
//! A line is straight instructions without jumps. [`lower`] decides what is kept in registers;
//! [`emit`] writes the instructions, with [`avx512`] and [`avx2`] for what those have; [`memory`]
//! makes them executable. There is no code for cones with loops: the interpreter runs them.

#[cfg(test)]
mod against_definition;
mod avx2;
mod avx512;
mod emit;
mod isa;
mod lower;
mod memory;
mod ternary;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::run::{
    Evaluator, Interpreter, Lanes, Line, MachineCode, Program, StepLines, goals, with_drawn_moves,
    with_given_moves,
};
use isa::Isa;
use memory::{EmittedCode, Executable};

/// How often goals are left to the interpreter before it pays to write machine code for them.
const GOALS_INTERPRETED: u32 = 32;

/// The machine code of a game for one width of lanes. Code is written when it is first needed:
/// playouts with random moves and steps with given moves have their own.
pub(crate) struct CompiledCircuit {
    isa: Isa,
    words: usize,
    drawn: OnceLock<Option<StepCode>>,
    given: OnceLock<Option<StepCode>>,
    goals: OnceLock<Option<Executable>>,
    /// How often the interpreter is still to compute goals.
    goals_to_interpret: AtomicU32,
}

struct StepCode {
    view: Executable,
    next: Executable,
    /// Slots that go from one to the other.
    slots: u32,
}

impl CompiledCircuit {
    /// Machine code for lanes of this many words, if it is wanted, this processor can run it and
    /// the program is one that can be translated. Code for random moves is there from the start
    /// where moves can be drawn.
    pub(crate) fn new(program: &Program, words: usize, wanted: MachineCode) -> Option<Self> {
        let goals_to_interpret = match wanted {
            MachineCode::Never => return None,
            MachineCode::WhenItPays => GOALS_INTERPRETED,
            MachineCode::AtOnce => 0,
        };
        let machine = Self {
            isa: Isa::for_words(words)?,
            words,
            drawn: OnceLock::new(),
            given: OnceLock::new(),
            goals: OnceLock::new(),
            goals_to_interpret: AtomicU32::new(goals_to_interpret),
        };
        let ready = match program.choice {
            Some(_) => machine.drawn(program).is_some(),
            None => machine.given(program).is_some(),
        };
        ready.then_some(machine)
    }

    fn translate(&self, program: &Program, line: &Line, slots: u32) -> Option<Executable> {
        let target = lower::Target {
            registers: self.isa.registers(),
            mixes_in_place: self.isa.mixes_in_place(),
            reset: program.reset,
            rows: slots,
        };
        let plan = lower::lower(line, target);
        let facts = u32::try_from(program.facts).ok()?;
        let bytes = emit::emit(&plan, self.isa, facts)?;
        let code = EmittedCode { bytes, rows: plan.rows as usize, facts: program.facts, words: self.words };
        Executable::new(&code)
    }

    fn step(&self, program: &Program, lines: Option<StepLines>) -> Option<StepCode> {
        let StepLines { view, next, slots } = lines?;
        let view = self.translate(program, &view, slots)?;
        Some(StepCode { view, next: self.translate(program, &next, slots)?, slots })
    }

    fn drawn(&self, program: &Program) -> Option<&StepCode> {
        self.drawn.get_or_init(|| self.step(program, with_drawn_moves(program))).as_ref()
    }

    fn given(&self, program: &Program) -> Option<&StepCode> {
        self.given.get_or_init(|| self.step(program, with_given_moves(program))).as_ref()
    }

    /// The code for goals; none as long as it does not pay.
    fn goals(&self, program: &Program) -> Option<&Executable> {
        if let Some(code) = self.goals.get() {
            return code.as_ref();
        }
        let left = self.goals_to_interpret.load(Ordering::Relaxed);
        if left > 0 {
            // A use that another thread counts at the same time does no harm.
            self.goals_to_interpret.store(left - 1, Ordering::Relaxed);
            return None;
        }
        // Goals may be asked for in the middle of a step.
        let steps = [&self.drawn, &self.given].into_iter().filter_map(|code| code.get()?.as_ref());
        let slots = u32::try_from(program.slots).unwrap_or(u32::MAX);
        let slots = steps.map(|code| code.slots).fold(slots, u32::max);
        self.goals.get_or_init(|| self.translate(program, &goals(program)?, slots)).as_ref()
    }

    /// Bytes of machine code that have been written.
    pub(crate) fn bytes(&self) -> usize {
        let steps = [&self.drawn, &self.given].into_iter().filter_map(|code| code.get()?.as_ref());
        let steps: usize = steps.map(|code| code.view.len() + code.next.len()).sum();
        steps + self.goals.get().and_then(|code| code.as_ref()).map_or(0, Executable::len)
    }
}

/// Runs machine code; what has none is left to the interpreter.
pub(crate) struct Compiled<'a> {
    machine: &'a CompiledCircuit,
    program: &'a Program,
}

impl<'a> Compiled<'a> {
    pub(crate) fn new(machine: &'a CompiledCircuit, program: &'a Program) -> Self {
        Self { machine, program }
    }
}

/// Runs the code of a step; the next state becomes the current one.
#[inline(always)]
fn step<const W: usize>(code: &Executable, lanes: &mut Lanes<W>) {
    code.run(lanes);
    std::mem::swap(&mut lanes.state, &mut lanes.other);
}

/// Leaves a cone to the interpreter: where its code does not pay yet, and for systems that allow
/// machine code at one time and not at another. It wants the current state in front.
#[cold]
#[inline(never)]
fn interpret<'a, const W: usize>(
    program: &'a Program,
    lanes: &mut Lanes<W>,
    cone: impl FnOnce(&mut Interpreter<'a, W>, &mut Lanes<W>),
) {
    if lanes.state != 0 {
        lanes.rows.copy_within(lanes.state..lanes.state + program.facts, 0);
        lanes.rewind(program);
    }
    cone(&mut Interpreter::new(program), lanes);
}

impl<const W: usize> Evaluator<W> for Compiled<'_> {
    #[inline(always)]
    fn view(&mut self, lanes: &mut Lanes<W>) {
        match self.machine.given(self.program) {
            Some(code) => code.view.run(lanes),
            None => interpret(self.program, lanes, |interpreter, lanes| interpreter.view(lanes)),
        }
    }

    #[inline(always)]
    fn next(&mut self, lanes: &mut Lanes<W>) {
        match self.machine.given(self.program) {
            Some(code) => step(&code.next, lanes),
            None => interpret(self.program, lanes, |interpreter, lanes| interpreter.next(lanes)),
        }
    }

    #[inline(always)]
    fn view_and_count(&mut self, lanes: &mut Lanes<W>) {
        if let Some(code) = self.machine.drawn(self.program) {
            code.view.run(lanes);
        }
    }

    #[inline(always)]
    fn find_and_next(&mut self, lanes: &mut Lanes<W>) {
        if let Some(code) = self.machine.drawn(self.program) {
            step(&code.next, lanes);
        }
    }

    #[inline(always)]
    fn goals(&mut self, lanes: &mut Lanes<W>) {
        match self.machine.goals(self.program) {
            Some(code) => code.run(lanes),
            None => interpret(self.program, lanes, |interpreter, lanes| interpreter.goals(lanes)),
        }
    }
}

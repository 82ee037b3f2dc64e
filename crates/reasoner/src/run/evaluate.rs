//! Who computes cones: the interpreter here, machine code in [`crate::jit`].

use std::marker::PhantomData;

use super::choose::{Scratch, count_all, find_all};
use super::code::Program;
use super::lanes::{Lanes, select};
use super::vector::{Plain, Vector};

/// Computes cones for all lanes. After a step the next state is the current one.
pub(crate) trait Evaluator<const W: usize> {
    /// Legal moves, and whether the game is over.
    fn view(&mut self, lanes: &mut Lanes<W>);
    /// The next state for the moves in the lanes; lanes in the row `reset` start again.
    fn next(&mut self, lanes: &mut Lanes<W>);
    /// Like `view`, with the counts of legal moves for a random choice.
    fn view_and_count(&mut self, lanes: &mut Lanes<W>);
    /// Like `next`, for the moves with the drawn numbers.
    fn find_and_next(&mut self, lanes: &mut Lanes<W>);
    /// Goals.
    fn goals(&mut self, lanes: &mut Lanes<W>);
}

/// The interpreter.
pub(crate) struct Interpreter<'a, const W: usize, V = Plain<W>> {
    program: &'a Program,
    scratch: Scratch<W>,
    vector: PhantomData<V>,
}

impl<'a, const W: usize, V: Vector<W>> Interpreter<'a, W, V> {
    pub(crate) fn new(program: &'a Program) -> Self {
        Self { program, scratch: Scratch::default(), vector: PhantomData }
    }
}

impl<const W: usize, V: Vector<W>> Evaluator<W> for Interpreter<'_, W, V> {
    #[inline(always)]
    fn view(&mut self, lanes: &mut Lanes<W>) {
        lanes.run(&self.program.view);
    }

    #[inline(always)]
    fn next(&mut self, lanes: &mut Lanes<W>) {
        lanes.run(&self.program.next);
        let reset = lanes.rows[self.program.reset as usize];
        for (fact, &output) in self.program.next_facts.iter().enumerate() {
            let value = lanes.get(output);
            lanes.rows[lanes.other + fact] = select(reset, [lanes.start[fact]; W], value);
        }
        let next = lanes.other..lanes.other + self.program.facts;
        lanes.rows.copy_within(next, lanes.state);
    }

    #[inline(always)]
    fn view_and_count(&mut self, lanes: &mut Lanes<W>) {
        self.view(lanes);
        if let Some(choice) = &self.program.choice {
            count_all::<W, V>(&mut lanes.rows, choice, &mut self.scratch);
        }
    }

    #[inline(always)]
    fn find_and_next(&mut self, lanes: &mut Lanes<W>) {
        if let Some(choice) = &self.program.choice {
            find_all::<W, V>(&mut lanes.rows, choice, &self.scratch);
        }
        self.next(lanes);
    }

    #[inline(always)]
    fn goals(&mut self, lanes: &mut Lanes<W>) {
        lanes.run(&self.program.goals);
    }
}

//! Who computes cones: the interpreter here, machine code in [`crate::jit`].

use std::marker::PhantomData;

use super::choose::Scratch;
use super::code::Program;
use super::lanes::{Lanes, Row, is_zero};
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
        V::interpret(&self.program.view, lanes);
    }

    #[inline(always)]
    fn next(&mut self, lanes: &mut Lanes<W>) {
        V::interpret(&self.program.next, lanes);
        V::take_over(self.program, lanes);
    }

    #[inline(always)]
    fn view_and_count(&mut self, lanes: &mut Lanes<W>) {
        self.view(lanes);
        if let Some(choice) = &self.program.choice {
            V::count(&mut lanes.rows, choice, &mut self.scratch);
        }
    }

    #[inline(always)]
    fn find_and_next(&mut self, lanes: &mut Lanes<W>) {
        if let Some(choice) = &self.program.choice {
            V::find(&mut lanes.rows, choice, &self.scratch);
        }
        self.next(lanes);
    }

    #[inline(always)]
    fn goals(&mut self, lanes: &mut Lanes<W>) {
        V::interpret(&self.program.goals, lanes);
    }
}

/// The next value of every fact becomes the current one, except for lanes that start again. In place: gates have been
/// computed, so only facts that others become have to be read first.
#[inline(always)]
pub(super) fn commit<const W: usize, V: Vector<W>>(program: &Program, lanes: &mut Lanes<W>) {
    // In most steps no lane starts again, where games are of one length.
    match is_zero(lanes.rows[program.reset as usize]) {
        true => commit_lanes::<W, V, false>(program, lanes),
        false => commit_lanes::<W, V, true>(program, lanes),
    }
}

#[inline(always)]
fn commit_lanes<const W: usize, V: Vector<W>, const SOME_START: bool>(
    program: &Program,
    lanes: &mut Lanes<W>,
) {
    let reset = V::load(&lanes.rows[program.reset as usize]);
    let rows = &mut lanes.rows[..];
    let (start, state, aside) = (&lanes.start[..], lanes.state, lanes.other);
    let write = |rows: &mut [Row<W>], fact: u32, to: usize, value: V| {
        rows[to] = match SOME_START {
            true => value.and_not(reset).or(V::load(&start[fact as usize]).and(reset)).store(),
            false => value.store(),
        };
    };
    // One kind after the other, so that nothing has to be decided in between.
    let outcomes = &program.outcomes;
    for (&(fact, slot, inverted), to) in outcomes.from_facts.iter().zip(aside..) {
        let value = V::load(&rows[state + slot as usize]);
        let value = if inverted { V::ones().and_not(value) } else { value };
        write(rows, fact, to, value);
    }
    for &(fact, slot) in &outcomes.straight {
        let value = V::load(&rows[slot as usize]);
        write(rows, fact, state + fact as usize, value);
    }
    for &(fact, slot) in &outcomes.inverted {
        let value = V::ones().and_not(V::load(&rows[slot as usize]));
        write(rows, fact, state + fact as usize, value);
    }
    for &(fact, constant) in &outcomes.constant {
        let value = if constant { V::ones() } else { V::zero() };
        write(rows, fact, state + fact as usize, value);
    }
    for (&(fact, ..), from) in outcomes.from_facts.iter().zip(aside..) {
        rows[state + fact as usize] = rows[from];
    }
}

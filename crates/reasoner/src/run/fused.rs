//! The steps of a playout as two straight lines of instructions: legal moves, the end of the game and the
//! counts of legal moves; then the moves for the drawn numbers, and the next state.
//!
//! Everything is written where it is first needed, so that what is computed is soon used.

use super::choice_code::{Counts, Writer};
use super::code::{Code, Op, Output, Program, slots_of};
use super::line::{Line, LineOp};

/// Two lines that make a step.
#[derive(Debug)]
pub(crate) struct StepLines {
    /// Legal moves and the end of the game; counts, if moves are to be drawn.
    pub view: Line,
    /// The next state.
    pub next: Line,
    /// Slots that they use.
    pub slots: u32,
}

/// The lines of a step with random moves: between them numbers are drawn. `None` for code with loops and
/// where a role has too many moves.
pub(crate) fn with_drawn_moves(program: &Program) -> Option<StepLines> {
    let choice = program.choice.as_ref()?;
    let (gates, next_gates) = (Gates::of(&program.view, program)?, Gates::of(&program.next, program)?);
    let (mut view, mut next) = (Line::default(), Line::default());
    let mut slots = number(program.slots);
    let mut done = vec![false; program.slots];
    let mut writer = Writer { line: &mut view, slots: &mut slots };
    let count = |role| {
        writer.count(role, |line, group| group.iter().for_each(|&slot| gates.write(slot, line, &mut done)))
    };
    let counts: Vec<Counts> = choice.roles.iter().map(count).collect();
    gates.write_all(&mut view, &mut done);
    let mut writer = Writer { line: &mut next, slots: &mut slots };
    choice.roles.iter().zip(&counts).for_each(|(role, counts)| writer.find(role, counts));
    next_gates.write_facts(program, &mut next);
    view.kept = choice.roles.iter().flat_map(|role| role.number()).map(number).collect();
    Some(step(program, view, next, slots))
}

/// The lines of a step with moves that somebody gives. `None` for code with loops.
pub(crate) fn with_given_moves(program: &Program) -> Option<StepLines> {
    let (gates, next_gates) = (Gates::of(&program.view, program)?, Gates::of(&program.next, program)?);
    let (mut view, mut next) = (Line::default(), Line::default());
    gates.write_all(&mut view, &mut vec![false; program.slots]);
    next_gates.write_facts(program, &mut next);
    view.kept = slots_of(program.legal.iter().flatten()).collect();
    // Whoever takes the moves of a ranking looks at these.
    view.kept.extend(program.choice.iter().flat_map(|choice| &choice.roles).flat_map(|role| &role.legal));
    Some(step(program, view, next, number(program.slots)))
}

/// The line of the goals. `None` for code with loops.
pub(crate) fn goals(program: &Program) -> Option<Line> {
    let mut line = Line { kept: slots_of(&program.goal_outputs).collect(), ..Line::default() };
    Gates::of(&program.goals, program)?.write_all(&mut line, &mut vec![false; program.slots]);
    line.drop_unused(number(program.slots));
    Some(line)
}

/// Leaves out what is not needed, the second line first: what it reads the first must keep.
fn step(program: &Program, mut view: Line, mut next: Line, slots: u32) -> StepLines {
    next.drop_unused(slots);
    view.kept.extend(slots_of([&program.terminal]));
    view.kept.extend(next.ops.iter().flat_map(|op| next.inputs(op)));
    view.drop_unused(slots);
    StepLines { view, next, slots }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The gates of a cone, by the slot that they give.
struct Gates<'a> {
    code: &'a Code,
    by_slot: Vec<Option<u32>>,
}

impl<'a> Gates<'a> {
    /// `None` if the code has loops.
    fn of(code: &'a Code, program: &Program) -> Option<Self> {
        let mut by_slot = vec![None; program.slots];
        for (at, op) in code.ops.iter().enumerate() {
            let Op::And { out, .. } = *op else { return None };
            by_slot[out as usize] = u32::try_from(at).ok();
        }
        Some(Self { code, by_slot })
    }

    /// Writes the gate of a slot behind all that it needs, as far as that is not written yet.
    fn write(&self, slot: u32, to: &mut Line, done: &mut [bool]) {
        // Slots to visit; a second visit comes when the inputs are done.
        let mut pending = vec![(slot, false)];
        while let Some((slot, inputs_done)) = pending.pop() {
            let Some(at) = self.by_slot.get(slot as usize).copied().flatten() else { continue };
            let Op::And { out, start, straight, inverted } = self.code.ops[at as usize] else { continue };
            let inputs = &self.code.pool[start as usize..(start + straight + inverted) as usize];
            if inputs_done {
                let (straight, inverted) = inputs.split_at(straight as usize);
                to.and(out, straight, inverted);
            } else if !std::mem::replace(&mut done[slot as usize], true) {
                pending.push((slot, true));
                pending.extend(inputs.iter().rev().map(|&input| (input, false)));
            }
        }
    }

    /// Writes all gates that are not written yet.
    fn write_all(&self, to: &mut Line, done: &mut [bool]) {
        for op in &self.code.ops {
            if let Op::And { out, .. } = *op {
                self.write(out, to, done);
            }
        }
    }

    /// Writes the next value of every fact behind what it needs.
    fn write_facts(&self, program: &Program, to: &mut Line) {
        let mut done = vec![false; program.slots];
        for (fact, value) in (0..).zip(&program.next_facts) {
            if let Output::Slot { slot, .. } = *value {
                self.write(slot, to, &mut done);
            }
            to.ops.push(LineOp::Commit { fact, value: *value });
        }
    }
}

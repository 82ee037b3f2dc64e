//! Uniform playouts from a single leaf, in all lanes at once: for flat Monte Carlo, benchmarks and
//! leaf parallelization.
//!
//! Lanes need no record of their leaf, so a finished lane restarts in the same step and goals are
//! summed by popcount, without work for single lanes.
//!
//! # One step
//! 1. View all lanes: legal moves, terminal.
//! 2. Choose a move for each role.
//! 3. Compute the next state.
//! 4. Lanes that were terminal copy the facts that goals depend on into a side buffer (at the same
//!    lane, so that a mask is enough) and restart; the buffer is scored when a lane is needed twice.
//! 5. The others take over the next state.

use ludex_game::Playouts;

use super::super::ages::Ages;
use super::super::choice::MoveRows;
use super::super::dispatch::Task;
use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not, count_ones, is_zero, not, or, select};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::vector::Vector;

/// Exactly `count` playouts from a state, each to its end.
pub(in super::super) struct OneLeafTask<'a> {
    pub machine: &'a Machine,
    /// How a uniform move is drawn in lanes.
    pub choice: &'a MoveRows,
    /// By fact: whether it holds at the start.
    pub from: &'a [bool],
    pub count: u64,
    pub max_steps: u32,
    pub seed: u64,
}

impl Task for OneLeafTask<'_> {
    type Output = Playouts;

    #[inline(always)]
    fn run<const W: usize, V: Vector<W>>(self, evaluator: &mut impl Evaluator<W>) -> Playouts {
        play::<W, V>(&self, evaluator)
    }
}

#[inline(always)]
fn play<const W: usize, V: Vector<W>>(task: &OneLeafTask<'_>, evaluator: &mut impl Evaluator<W>) -> Playouts {
    let program = &task.machine.program;
    let mut run = Run::<W>::new(task);
    while !is_zero(run.active) {
        evaluator.view_and_count(&mut run.lanes);
        let none = V::draw(&mut run.lanes.rows, task.choice, &mut run.random);
        let terminal = and(run.lanes.get(program.terminal), run.active);
        let stuck = and_not(and(none, run.active), terminal);
        let over = or(terminal, stuck);
        let cut = run.ages.too_old(run.step, and_not(run.active, over));
        let reset = or(over, cut);
        if !is_zero(terminal) {
            if !is_zero(and(run.filled, terminal)) {
                run.score(evaluator);
            }
            run.put_aside::<V>(terminal);
        }
        run.lanes.rows[program.reset as usize] = or(reset, not(run.active));
        evaluator.find_and_next(&mut run.lanes);
        run.step += 1;
        run.result.steps += u64::from(count_ones(and_not(run.active, reset)));
        if !is_zero(reset) {
            run.result.finished += u64::from(count_ones(terminal));
            run.result.stuck += u64::from(count_ones(stuck));
            run.result.cut_off += u64::from(count_ones(cut));
            run.restart(reset, task.count);
        }
    }
    run.score(evaluator);
    run.result
}

struct Run<'a, const W: usize> {
    machine: &'a Machine,
    lanes: Lanes<W>,
    /// Terminal states whose goals have not been scored.
    side: Lanes<W>,
    filled: Row<W>,
    support: &'a [u32],
    random: Random<W>,
    step: u64,
    /// Lanes with a playout that counts. When all playouts have been started, lanes that end stay
    /// idle: counting the first to end instead would favour short games.
    active: Row<W>,
    /// Playouts that have been started.
    launched: u64,
    ages: Ages<W>,
    result: Playouts,
}

impl<'a, const W: usize> Run<'a, W> {
    fn new(task: &OneLeafTask<'a>) -> Self {
        let program = &task.machine.program;
        let mut lanes = Lanes::new(program);
        for (fact, &holds) in task.from.iter().enumerate() {
            lanes.start[fact] = if holds { [u64::MAX; W] } else { [0; W] };
            lanes.rows[fact] = lanes.start[fact];
        }
        let roles = task.machine.roles.len();
        Self {
            machine: task.machine,
            lanes,
            side: Lanes::new(program),
            filled: [0; W],
            support: task.machine.goal_support(),
            random: Random::new(task.seed),
            step: 0,
            active: first_lanes(task.count),
            launched: task.count.min(Lanes::<W>::COUNT as u64),
            ages: Ages::new(task.max_steps),
            result: Playouts {
                goal_sums: vec![0; roles],
                faulty_goals: vec![0; roles],
                ..Playouts::default()
            },
        }
    }

    /// Copies the facts that goals depend on from terminal lanes to the side buffer.
    #[inline(always)]
    fn put_aside<V: Vector<W>>(&mut self, terminal: Row<W>) {
        let ended = V::load(&terminal);
        let first = self.lanes.state;
        let (from, to) = (&self.lanes.rows[first..], &mut self.side.rows[..]);
        for &fact in self.support {
            let (new, old) = (V::load(&from[fact as usize]), V::load(&to[fact as usize]));
            to[fact as usize] = new.and(ended).or(old.and_not(ended)).store();
        }
        self.filled = or(self.filled, terminal);
    }

    /// Restarts lanes that ended, as long as there are playouts to start.
    #[inline(always)]
    fn restart(&mut self, reset: Row<W>, count: u64) {
        self.ages.restart(self.step, reset);
        let ended = u64::from(count_ones(reset));
        match self.launched + ended <= count {
            true => self.launched += ended,
            false => self.restart_some(reset, count),
        }
    }

    #[cold]
    fn restart_some(&mut self, reset: Row<W>, count: u64) {
        for (word, &bits) in reset.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let lane = bits.trailing_zeros();
                bits &= bits - 1;
                if self.launched < count {
                    self.launched += 1;
                } else {
                    self.active[word] &= !(1 << lane);
                }
            }
        }
    }

    /// Scores the terminal states of the side buffer.
    #[inline(always)]
    fn score(&mut self, evaluator: &mut impl Evaluator<W>) {
        if is_zero(self.filled) {
            return;
        }
        evaluator.goals(&mut self.side);
        let (values, outputs) = (self.machine.goal_values(), &self.machine.program.goal_outputs);
        for role in 0..self.machine.roles.len() {
            // Lanes with one value, and with more.
            let (mut once, mut more) = ([0; W], [0; W]);
            for (&(of, value), &output) in values.iter().zip(outputs) {
                if of == role {
                    let row = self.side.get(output);
                    more = or(more, select(once, row, [0; W]));
                    once = or(once, row);
                    if value.is_none() {
                        more = or(more, row); // not a number: as bad as two
                    }
                }
            }
            let good = select(self.filled, and_not(once, more), [0; W]);
            let faulty = count_ones(and_not(self.filled, good));
            self.result.faulty_goals[role] += u64::from(faulty);
            for (&(of, value), &output) in values.iter().zip(outputs) {
                if let (true, Some(value)) = (of == role, value) {
                    let lanes = count_ones(select(good, self.side.get(output), [0; W]));
                    self.result.goal_sums[role] += u64::from(value) * u64::from(lanes);
                }
            }
        }
        self.filled = [0; W];
    }
}

/// The first `count` lanes.
fn first_lanes<const W: usize>(count: u64) -> Row<W> {
    std::array::from_fn(|word| match count.saturating_sub(64 * word as u64) {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    })
}

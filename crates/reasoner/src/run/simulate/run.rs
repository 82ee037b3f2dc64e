//! Playouts in all lanes, each from its own state, with the results of each.

use std::time::{Duration, Instant};

use ludex_game::Leaves;

use super::super::evaluate::Evaluator;
use super::super::lanes::{Row, and, and_not, count_ones, is_zero, not, or};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::vector::Vector;
use super::under_way::UnderWay;
use super::{Chooser, Ended};

/// What scoring takes, in steps; and what taking up new leaves takes.
const SCORING: f64 = 0.6;
const ARRIVING: f64 = 2.0;

/// What is asked of each playout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub max_steps: u32,
    pub discount: f64,
}

/// Playouts at work.
pub(super) struct Run<'a, const W: usize> {
    machine: &'a Machine,
    pub(super) way: &'a mut UnderWay<W>,
    /// Facts that goals look at.
    support: &'a [u32],
    limits: Limits,
    /// γⁿ, as far as it has been needed.
    discounts: Vec<f64>,
    /// By goal output: where it holds.
    outputs: Vec<Row<W>>,
    /// Time for goals and for what is learned from them, and time for steps.
    scoring: Duration,
    pub(super) stepping: Duration,
}

impl<'a, const W: usize> Run<'a, W> {
    pub(super) fn new(machine: &'a Machine, way: &'a mut UnderWay<W>, limits: Limits) -> Self {
        let support = machine.goal_support();
        let (discounts, outputs) = (vec![1.0], Vec::new());
        let (scoring, stepping) = (Duration::ZERO, Duration::ZERO);
        Self { machine, way, support, limits, discounts, outputs, scoring, stepping }
    }

    /// Plays until every lane has had its playouts; or, if there is a crew of lanes to be kept busy, until a good part of
    /// it is not.
    #[inline(always)]
    pub(super) fn play<V: Vector<W>, C: Chooser<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        chooser: &mut C,
        (random, crew): (&mut Random<W>, usize),
        results: &mut Leaves,
    ) {
        let reset = self.machine.program.reset as usize;
        let begun = Instant::now();
        self.start(chooser);
        while !is_zero(self.way.busy()) {
            let running = self.way.running;
            let Ended { terminal, stuck } =
                chooser.view::<V>(evaluator, &mut self.way.lanes, running, random);
            let over = or(terminal, stuck);
            let cut = self.way.ages.too_old(self.way.step, and_not(running, over));
            let ended = or(over, cut);
            // Who waits has been scored before it started again.
            if !C::WAITS && !is_zero(and(self.way.filled, terminal)) {
                self.score(evaluator, chooser, results);
            }
            if !is_zero(terminal) {
                self.put_aside::<V>(terminal);
            }
            let moving = and_not(running, ended);
            self.way.steps += u64::from(count_ones(moving));
            self.way.lanes.rows[reset] = not(moving);
            chooser.advance::<V>(evaluator, &mut self.way.lanes, moving, random);
            self.way.step += 1;
            if !is_zero(ended) {
                let lost = and_not(ended, terminal);
                if !is_zero(lost) {
                    chooser.lost(lost);
                }
                let again = self.end(ended);
                self.way.waiting = or(self.way.waiting, again);
                if crew > 0 && self.has_room(crew) {
                    break;
                }
                // Nobody is to start again, or too few to score the others for it.
                let is_early = is_zero(self.way.waiting) || count_ones(self.way.filled) < self.patience();
                if !C::WAITS || !is_early {
                    if C::WAITS {
                        self.score(evaluator, chooser, results);
                    }
                    self.way.due = or(self.way.due, std::mem::replace(&mut self.way.waiting, [0; W]));
                }
            }
            if !is_zero(self.way.due) {
                self.start(chooser);
            }
        }
        self.stepping = begun.elapsed().saturating_sub(self.scoring);
        self.score(evaluator, chooser, results);
        // What waited for that can begin with the next call.
        self.way.due = or(self.way.due, std::mem::replace(&mut self.way.waiting, [0; W]));
        results.finish(self.way.over.drain(..));
        chooser.done();
    }

    /// Whether so many lanes have nothing to do that new leaves are worth taking up.
    ///
    /// As in [`patience`](Self::patience): with a part `f` of the lanes idle before they are given leaves, half of that is idle on average; and
    /// if lanes are at work for `L` steps, taking up leaves, which takes as long as [`ARRIVING`] steps, happens every `f · L` steps.
    #[inline(always)]
    #[allow(clippy::cast_precision_loss, reason = "at most 512")]
    fn has_room(&self, crew: usize) -> bool {
        let length = self.way.mean_length() * f64::from(self.way.share);
        let part = (2.0 * ARRIVING / length).sqrt().clamp(0.125, 0.5);
        let busy = count_ones(self.way.busy()) as usize;
        crew.saturating_sub(busy) as f64 >= part * crew as f64
    }

    /// How many lanes may be idle before what they have come to is scored.
    ///
    /// With a part `f` of them idle before they are scored, half of that is idle on average; and if playouts have `L` steps,
    /// scoring, which takes about as long as [`SCORING`] steps, happens every `f · L` steps. `f/2 + SCORING/(f · L)` is least for
    /// `f = √(2 · SCORING / L)`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 512")]
    fn patience(&self) -> u32 {
        let part = (2.0 * SCORING / self.way.mean_length()).sqrt().clamp(0.125, 0.5);
        let busy = count_ones(or(self.way.running, self.way.filled));
        (f64::from(busy) * part) as u32
    }

    /// Takes what goals look at in terminal lanes to the side.
    #[inline(always)]
    fn put_aside<V: Vector<W>>(&mut self, terminal: Row<W>) {
        let way = &mut *self.way;
        let ended = V::load(&terminal);
        let (from, to) = (&way.lanes.rows[way.lanes.state..], &mut way.side.rows[..]);
        for &fact in self.support {
            let (new, old) = (V::load(&from[fact as usize]), V::load(&to[fact as usize]));
            to[fact as usize] = new.and(ended).or(old.and_not(ended)).store();
        }
        for_each_lane(terminal, |lane| {
            way.length[lane] = way.step - way.begun[lane];
            way.longest = way.longest.max(way.length[lane]);
        });
        way.filled = or(way.filled, terminal);
    }

    /// Playouts have ended in lanes. Gives those of them that are to start again.
    #[inline(always)]
    fn end(&mut self, ended: Row<W>) -> Row<W> {
        self.way.running = and_not(self.way.running, ended);
        self.way.ended += u64::from(count_ones(ended));
        let mut again = [0; W];
        for_each_lane(ended, |lane| again[lane / 64] |= u64::from(self.way.end(lane)) << (lane % 64));
        again
    }

    /// Playouts begin in lanes that are due; they are where they start from.
    #[inline(always)]
    fn start<C: Chooser<W>>(&mut self, chooser: &mut C) {
        let way = &mut *self.way;
        let turn = usize::try_from(way.step).unwrap_or(0) % way.first.len().max(1);
        let lanes = match way.first.get(turn) {
            Some(&first) if C::TAKES_TURNS => and(way.due, first),
            _ => way.due,
        };
        way.due = and_not(way.due, lanes);
        if is_zero(lanes) {
            return;
        }
        for_each_lane(lanes, |lane| way.begun[lane] = way.step);
        way.ages.restart(way.step, lanes);
        way.running = or(way.running, lanes);
        chooser.begin(lanes, &way.leaf);
    }

    /// Scores the terminal states of the side buffer, and tells who chose the moves.
    #[inline(always)]
    fn score(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        chooser: &mut impl Chooser<W>,
        results: &mut Leaves,
    ) {
        if !is_zero(self.way.filled) {
            let begun = Instant::now();
            self.find_goals(evaluator, results);
            chooser.scored(self.way.filled, &self.outputs);
            (self.way.filled, self.way.longest) = ([0; W], 0);
            self.scoring += begun.elapsed();
        }
    }

    /// Finds the goals of terminal states of the side buffer.
    #[inline(never)]
    fn find_goals(&mut self, evaluator: &mut impl Evaluator<W>, results: &mut Leaves) {
        evaluator.goals(&mut self.way.side);
        while (self.discounts.len() as u64) <= self.way.longest {
            let last = self.discounts.last().copied().unwrap_or(1.0);
            self.discounts.push(last * self.limits.discount);
        }
        self.outputs.clear();
        let outputs = &self.machine.program.goal_outputs;
        self.outputs.extend(outputs.iter().map(|&output| and(self.way.side.get(output), self.way.filled)));
        self.drop_faulty();
        for (&(role, value), &row) in self.machine.goal_values().iter().zip(&self.outputs) {
            let value = f64::from(value.unwrap_or(0));
            if value == 0.0 {
                continue;
            }
            for_each_lane(row, |lane| {
                let factor = self.discounts[usize::try_from(self.way.length[lane]).unwrap_or(0)];
                results.add(self.way.leaf[lane], role, value, factor);
            });
        }
    }

    /// Goals count only where a role has exactly one, and a number.
    fn drop_faulty(&mut self) {
        for role in 0..self.machine.roles.len() {
            let (mut once, mut more) = ([0; W], [0; W]);
            for (&(of, value), &row) in self.machine.goal_values().iter().zip(&self.outputs) {
                if of == role {
                    more = or(more, if value.is_some() { and(once, row) } else { row });
                    once = or(once, row);
                }
            }
            if !is_zero(more) {
                for (&(of, _), row) in self.machine.goal_values().iter().zip(&mut self.outputs) {
                    if of == role {
                        *row = and_not(*row, more);
                    }
                }
            }
        }
    }
}

/// Calls with every lane whose bit is set.
#[inline(always)]
pub(super) fn for_each_lane<const W: usize>(lanes: Row<W>, mut call: impl FnMut(usize)) {
    for (word, &bits) in lanes.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            call(64 * word + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

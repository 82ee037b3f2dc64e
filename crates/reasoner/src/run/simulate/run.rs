//! Playouts in all lanes, each from its own state, with the results of each.

use std::time::{Duration, Instant};

use ludex_game::LeafResults;

use super::super::evaluate::Evaluator;
use super::super::lanes::{Row, and, and_not, count_ones, is_zero, not, or};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::vector::Vector;
use super::in_flight::InFlight;
use super::{Chooser, Ended};

/// What scoring takes, in steps; and what taking up new leaves takes.
const SCORING: f64 = 0.45;
const ARRIVING: f64 = 4.0;

/// What is asked of each playout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub max_steps: u32,
    pub discount: f64,
}

/// Playouts at work.
pub(super) struct Run<'a, const W: usize> {
    machine: &'a Machine,
    pub(super) way: &'a mut InFlight<W>,
    /// Facts that goals look at; none if goals are found at once.
    support: Option<&'a [u32]>,
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
    pub(super) fn new(machine: &'a Machine, way: &'a mut InFlight<W>, limits: Limits) -> Self {
        let support = (!machine.has_simple_goals()).then(|| machine.goal_support());
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
        results: &mut LeafResults,
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
                self.score::<V>(evaluator, chooser, results);
            }
            if !is_zero(terminal) {
                self.put_aside::<V>(evaluator, terminal);
            }
            let moving = and_not(running, ended);
            self.way.steps += u64::from(count_ones(moving));
            self.way.lanes.rows[reset] = not(moving);
            chooser.advance::<V>(evaluator, &mut self.way.lanes, moving, random);
            if !is_zero(ended) {
                let lost = and_not(ended, terminal);
                results.endings.finished += u64::from(count_ones(terminal));
                if !is_zero(lost) {
                    results.endings.stuck += u64::from(count_ones(stuck));
                    results.endings.cut_off += u64::from(count_ones(cut));
                    chooser.lost(lost);
                }
                self.end(ended, lost);
            }
            self.way.step += 1;
            if !is_zero(ended) {
                if crew > 0 && self.has_room(crew) {
                    break;
                }
                // Nobody is to start again, or too few to score the others for it.
                let is_early = is_zero(self.way.waiting) || count_ones(self.way.filled) < self.patience();
                if !C::WAITS || !is_early {
                    if C::WAITS {
                        self.score::<V>(evaluator, chooser, results);
                    }
                    self.way.due = or(self.way.due, std::mem::replace(&mut self.way.waiting, [0; W]));
                }
            }
            if !is_zero(self.way.due) {
                self.start(chooser);
            }
        }
        self.stepping = begun.elapsed().saturating_sub(self.scoring);
        self.score::<V>(evaluator, chooser, results);
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

    /// Takes what goals look at in terminal lanes to the side; or the goals.
    #[inline(always)]
    fn put_aside<V: Vector<W>>(&mut self, evaluator: &mut impl Evaluator<W>, terminal: Row<W>) {
        let way = &mut *self.way;
        let ended = V::load(&terminal);
        let put = |to: &mut Row<W>, from: &Row<W>| {
            *to = V::load(from).and(ended).or(V::load(to).and_not(ended)).store();
        };
        match self.support {
            Some(support) => {
                let (from, to) = (&way.lanes.rows[way.lanes.state..], &mut way.side.rows[..]);
                support.iter().for_each(|&fact| put(&mut to[fact as usize], &from[fact as usize]));
            }
            None => {
                evaluator.goals(&mut way.lanes);
                let outputs = self.machine.program.goal_outputs.iter();
                way.goals.iter_mut().zip(outputs).for_each(|(to, &output)| put(to, &way.lanes.get(output)));
            }
        }
        way.filled = or(way.filled, terminal);
    }

    /// Playouts have ended in lanes, some of them lost. Those that are to start again wait for it.
    #[inline(always)]
    fn end(&mut self, ended: Row<W>, lost: Row<W>) {
        let way = &mut *self.way;
        way.running = and_not(way.running, ended);
        way.ended += u64::from(count_ones(ended));
        for (word, (bits, lost)) in ended.into_iter().zip(lost).enumerate() {
            let mut again = 0;
            for_each_bit(bits, |bit| {
                again |= u64::from(way.end(64 * word + bit, lost >> bit & 1 == 1)) << bit;
            });
            way.waiting[word] |= again;
        }
    }

    /// Playouts begin in lanes that are due; they are where they start from.
    #[inline(always)]
    fn start<C: Chooser<W>>(&mut self, chooser: &mut C) {
        let way = &mut *self.way;
        let turn = usize::try_from(way.step).unwrap_or(0) % way.first.len().max(1);
        let lanes = match way.first.get(turn) {
            Some(&first) if chooser.takes_turns() => and(way.due, first),
            _ => way.due,
        };
        way.due = and_not(way.due, lanes);
        if is_zero(lanes) {
            return;
        }
        for_each_lane(lanes, |lane| way.start(lane));
        way.ages.restart(way.step, lanes);
        way.running = or(way.running, lanes);
        chooser.begin(lanes, &way.plays);
    }

    /// Scores the terminal states of the side buffer, and tells who chose the moves.
    #[inline(always)]
    fn score<V: Vector<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        chooser: &mut impl Chooser<W>,
        results: &mut LeafResults,
    ) {
        if !is_zero(self.way.filled) {
            let begun = Instant::now();
            self.find_goals(evaluator, results);
            chooser.scored::<V>(self.way.filled, &self.outputs);
            (self.way.filled, self.way.longest) = ([0; W], 0);
            self.scoring += begun.elapsed();
        }
    }

    /// Finds the goals of terminal states of the side buffer.
    #[inline(never)]
    fn find_goals(&mut self, evaluator: &mut impl Evaluator<W>, results: &mut LeafResults) {
        if self.support.is_some() {
            evaluator.goals(&mut self.way.side);
            let outputs = self.machine.program.goal_outputs.iter();
            self.way.goals.iter_mut().zip(outputs).for_each(|(to, &output)| *to = self.way.side.get(output));
        }
        while self.discounts.len() <= self.way.longest as usize {
            let last = self.discounts.last().copied().unwrap_or(1.0);
            self.discounts.push(last * self.limits.discount);
        }
        self.outputs.clear();
        self.outputs.extend(self.way.goals.iter().map(|&row| and(row, self.way.filled)));
        self.drop_faulty(results);
        for (&(role, value), &row) in self.machine.goal_values().iter().zip(&self.outputs) {
            let value = f64::from(value.unwrap_or(0));
            if value == 0.0 {
                continue;
            }
            for_each_lane(row, |lane| {
                let play = self.way.plays[lane];
                results.add(play.leaf as usize, role, value, self.discounts[play.length as usize]);
            });
        }
    }

    /// Goals count only where a role has exactly one, and a number.
    fn drop_faulty(&mut self, results: &mut LeafResults) {
        for role in 0..self.machine.roles.len() {
            let (mut once, mut more) = ([0; W], [0; W]);
            for (&(of, value), &row) in self.machine.goal_values().iter().zip(&self.outputs) {
                if of == role {
                    more = or(more, if value.is_some() { and(once, row) } else { row });
                    once = or(once, row);
                }
            }
            let good = and_not(once, more);
            results.endings.faulty_goals[role] += u64::from(count_ones(and_not(self.way.filled, good)));
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
pub(in super::super) fn for_each_lane<const W: usize>(lanes: Row<W>, mut call: impl FnMut(usize)) {
    for (word, &bits) in lanes.iter().enumerate() {
        for_each_bit(bits, |bit| call(64 * word + bit));
    }
}

/// Calls with every bit that is set.
#[inline(always)]
fn for_each_bit(mut bits: u64, mut call: impl FnMut(usize)) {
    while bits != 0 {
        call(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

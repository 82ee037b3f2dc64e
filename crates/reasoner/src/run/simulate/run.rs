//! Playouts in all lanes, each from its own state, with the results of each.

use ludex_game::Leaves;

use super::super::ages::Ages;
use super::super::evaluate::Evaluator;
use super::super::lanes::{Lanes, Row, and, and_not, count_ones, is_zero, not, or};
use super::super::machine::Machine;
use super::super::random::Random;
use super::super::vector::Vector;
use super::{Chooser, Ended, Places};

/// What scoring takes, in steps.
const SCORING: f64 = 1.5;

/// What is asked of each leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub playouts: u32,
    pub max_steps: u32,
    pub discount: f64,
}

/// Playouts at work.
pub(super) struct Run<'a, const W: usize> {
    machine: &'a Machine,
    pub(super) lanes: &'a mut Lanes<W>,
    /// Terminal states whose goals have not been scored.
    side: &'a mut Lanes<W>,
    filled: Row<W>,
    /// Facts that goals look at.
    support: &'a [u32],
    limits: Limits,
    places: Places,
    /// Lanes with a playout.
    running: Row<W>,
    /// Lanes that start when others have been scored, and lanes that start as soon as it is their turn.
    waiting: Row<W>,
    due: Row<W>,
    /// By role: lanes in which it moves first, or everyone could.
    first: Vec<Row<W>>,
    /// By lane: playouts to come, the running one included.
    left: Vec<u32>,
    /// By lane: the step in which its playout began; how long that one took which is to be scored.
    begun: Vec<u64>,
    length: Vec<u64>,
    ages: Ages<W>,
    step: u64,
    /// Playouts that are over.
    ended: u64,
    /// γⁿ, as far as it has been needed.
    discounts: Vec<f64>,
    /// By goal output: where it holds.
    outputs: Vec<Row<W>>,
}

impl<'a, const W: usize> Run<'a, W> {
    pub(super) fn new(machine: &'a Machine, [lanes, side]: &'a mut [Lanes<W>; 2], limits: Limits) -> Self {
        Self {
            machine,
            lanes,
            side,
            filled: [0; W],
            support: machine.goal_support(),
            limits,
            places: Places::default(),
            running: [0; W],
            waiting: [0; W],
            due: [0; W],
            first: Vec::new(),
            left: Vec::new(),
            begun: Vec::new(),
            length: Vec::new(),
            ages: Ages::new(limits.max_steps),
            step: 0,
            ended: 0,
            discounts: vec![1.0],
            outputs: Vec::new(),
        }
    }

    /// Gets ready for the leaves that have arrived in the lanes.
    pub(super) fn set_up(&mut self, places: Places, results: &mut Leaves) {
        self.places = places;
        (self.running, self.waiting, self.due) = ([0; W], [0; W], [0; W]);
        self.first = vec![[0; W]; self.machine.roles.len()];
        self.left.clear();
        for lane in 0..places.lanes() {
            let leaf = places.leaf(lane);
            // Where the game is over there is nothing to repeat.
            let playouts = if results.is_terminal(leaf) { 1 } else { self.limits.playouts };
            if lane < places.leaves {
                results.count_playouts(leaf, playouts);
            }
            let share = places.share(lane, playouts);
            let bit = 1 << (lane % 64);
            if share > 0 {
                self.due[lane / 64] |= bit;
            }
            self.left.push(share);
            let mover = (0..self.first.len()).find(|&role| results.legal(leaf, role).len() > 1);
            for (role, row) in self.first.iter_mut().enumerate() {
                if mover.is_none_or(|mover| mover == role) {
                    row[lane / 64] |= bit;
                }
            }
        }
        let count = places.lanes();
        self.step = 0;
        self.begun = vec![0; count];
        self.length = vec![0; count];
        self.ages = Ages::new(self.limits.max_steps);
    }

    /// Plays until every lane has had its playouts.
    #[inline(always)]
    pub(super) fn play<V: Vector<W>, C: Chooser<W>>(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        mut chooser: C,
        random: &mut Random<W>,
        results: &mut Leaves,
    ) {
        let reset = self.machine.program.reset as usize;
        self.start(&mut chooser);
        while !is_zero(or(self.running, or(self.waiting, self.due))) {
            let Ended { terminal, stuck } = chooser.view::<V>(evaluator, self.lanes, self.running, random);
            let over = or(terminal, stuck);
            let cut = self.ages.too_old(self.step, and_not(self.running, over));
            let ended = or(over, cut);
            // Who waits has been scored before it started again.
            if !C::WAITS && !is_zero(and(self.filled, terminal)) {
                self.score(evaluator, &mut chooser, results);
            }
            if !is_zero(terminal) {
                self.put_aside::<V>(terminal);
            }
            let moving = and_not(self.running, ended);
            results.steps += u64::from(count_ones(moving));
            self.lanes.rows[reset] = not(moving);
            chooser.advance::<V>(evaluator, self.lanes, moving, random);
            self.step += 1;
            if !is_zero(ended) {
                let lost = and_not(ended, terminal);
                if !is_zero(lost) {
                    chooser.lost(lost);
                }
                self.waiting = or(self.waiting, self.end(ended));
                // Nobody is to start again, or too few to score the others for it.
                let is_early =
                    is_zero(self.waiting) || count_ones(self.filled) < self.patience(results.steps);
                if !C::WAITS || !is_early {
                    if C::WAITS {
                        self.score(evaluator, &mut chooser, results);
                    }
                    self.due = or(self.due, std::mem::replace(&mut self.waiting, [0; W]));
                }
            }
            if !is_zero(self.due) {
                self.start(&mut chooser);
            }
        }
        self.score(evaluator, &mut chooser, results);
        chooser.done();
    }

    /// How many lanes may be idle before what they have come to is scored.
    ///
    /// With a part `f` of them idle before they are scored, half of that is idle on average; and if playouts have `L` steps,
    /// scoring, which takes about as long as [`SCORING`] steps, happens every `f · L` steps. `f/2 + SCORING/(f · L)` is least for
    /// `f = √(2 · SCORING / L)`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 512")]
    #[allow(clippy::cast_precision_loss, reason = "a mean of small numbers")]
    fn patience(&self, steps: u64) -> u32 {
        let length = steps as f64 / self.ended.max(1) as f64;
        let part = (2.0 * SCORING / length.max(1.0)).sqrt().clamp(0.125, 0.5);
        let busy = count_ones(or(self.running, self.filled));
        (f64::from(busy) * part) as u32
    }

    /// Takes what goals look at in terminal lanes to the side.
    #[inline(always)]
    fn put_aside<V: Vector<W>>(&mut self, terminal: Row<W>) {
        let ended = V::load(&terminal);
        let first = self.lanes.state;
        let (from, to) = (&self.lanes.rows[first..], &mut self.side.rows[..]);
        for &fact in self.support {
            let (new, old) = (V::load(&from[fact as usize]), V::load(&to[fact as usize]));
            to[fact as usize] = new.and(ended).or(old.and_not(ended)).store();
        }
        for_each_lane(terminal, |lane| self.length[lane] = self.step - self.begun[lane]);
        self.filled = or(self.filled, terminal);
    }

    /// Playouts have ended in lanes. Gives those of them that are to start again.
    #[inline(always)]
    fn end(&mut self, ended: Row<W>) -> Row<W> {
        self.running = and_not(self.running, ended);
        self.ended += u64::from(count_ones(ended));
        let mut again = [0; W];
        for_each_lane(ended, |lane| {
            self.left[lane] -= 1;
            if self.left[lane] > 0 {
                again[lane / 64] |= 1 << (lane % 64);
            }
        });
        again
    }

    /// Playouts begin in lanes that are due; they are where they start from.
    #[inline(always)]
    fn start<C: Chooser<W>>(&mut self, chooser: &mut C) {
        let turn = usize::try_from(self.step).unwrap_or(0) % self.first.len().max(1);
        let lanes = match self.first.get(turn) {
            Some(&first) if C::TAKES_TURNS => and(self.due, first),
            _ => self.due,
        };
        self.due = and_not(self.due, lanes);
        if is_zero(lanes) {
            return;
        }
        for_each_lane(lanes, |lane| self.begun[lane] = self.step);
        self.ages.restart(self.step, lanes);
        self.running = or(self.running, lanes);
        chooser.begin(lanes);
    }

    /// Scores the terminal states of the side buffer, and tells who chose the moves.
    #[inline(always)]
    fn score(
        &mut self,
        evaluator: &mut impl Evaluator<W>,
        chooser: &mut impl Chooser<W>,
        results: &mut Leaves,
    ) {
        if !is_zero(self.filled) {
            self.find_goals(evaluator, results);
            chooser.scored(self.filled, &self.outputs);
            self.filled = [0; W];
        }
    }

    /// Finds the goals of terminal states of the side buffer.
    #[inline(never)]
    fn find_goals(&mut self, evaluator: &mut impl Evaluator<W>, results: &mut Leaves) {
        evaluator.goals(self.side);
        let longest = self.length.iter().max().copied().unwrap_or(0);
        while (self.discounts.len() as u64) <= longest {
            let last = self.discounts.last().copied().unwrap_or(1.0);
            self.discounts.push(last * self.limits.discount);
        }
        self.outputs.clear();
        let outputs = &self.machine.program.goal_outputs;
        self.outputs.extend(outputs.iter().map(|&output| and(self.side.get(output), self.filled)));
        self.drop_faulty();
        for (&(role, value), &row) in self.machine.goal_values().iter().zip(&self.outputs) {
            let value = f64::from(value.unwrap_or(0));
            if value == 0.0 {
                continue;
            }
            for_each_lane(row, |lane| {
                let factor = self.discounts[usize::try_from(self.length[lane]).unwrap_or(0)];
                results.add(self.places.leaf(lane), role, value, factor);
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

//! Expansion in lanes: all children of many states.
//!
//! # How
//! 1. View the parents, a lane for each, and list their joint moves.
//! 2. For as many children as there are lanes: write the parent of each into its lane, make its
//!    joint move, compute the next state, and view it.
//! 3. Transpose: states and legal moves become words for each lane. Goals are computed where a child
//!    is terminal.
//!
//! States go in and out by blocks of 64 × 64 bits ([`super::transpose`]), never bit by bit.

use std::any::Any;

use ludex_game::{ExpandOptions, Expansion, Failure, check_children};

use super::dispatch::Task;
use super::evaluate::Evaluator;
use super::lanes::{Lanes, Row, and, and_not, is_zero, or};
use super::machine::Machine;
use super::simulate::{for_each_lane, set_bits};
use super::transpose::{lanes_from_rows, rows_from_lanes, write_lanes};
use super::vector::Vector;

/// Rows of moves that are cleared together before each batch, in bytes: one at a time is faster where
/// there are more, because most of them are made in no lane.
const CLEARED_AT_ONCE: usize = 32 * 1024;

/// Memory of an expansion that is used again; it belongs to one machine and one width.
pub(super) type Kept = Option<Box<dyn Any + Send>>;

/// Expands states that the machine expects.
pub(super) struct ExpandTask<'a> {
    pub machine: &'a Machine,
    /// All states of the request, and which of them to expand.
    pub states: &'a [&'a [u64]],
    pub places: std::ops::Range<usize>,
    pub options: ExpandOptions,
    pub into: &'a mut Expansion,
    pub kept: &'a mut Kept,
}

impl Task for ExpandTask<'_> {
    type Output = Result<(), Failure>;

    #[inline(always)]
    fn run<const W: usize, V: Vector<W>>(self, evaluator: &mut impl Evaluator<W>) -> Result<(), Failure> {
        let kept = self.kept.take().and_then(|kept| kept.downcast::<ExpandLanes<W>>().ok());
        let mut lanes = kept.unwrap_or_else(|| Box::new(ExpandLanes::new(self.machine)));
        let mut run =
            Run { machine: self.machine, states: self.states, options: self.options, into: self.into };
        let result = run.expand::<W, V>(&mut lanes, evaluator, self.places);
        lanes.pending.clear();
        lanes.ranks.clear();
        *self.kept = Some(lanes);
        result
    }
}

/// Lanes, and lists that are filled again and again.
struct ExpandLanes<const W: usize> {
    lanes: Lanes<W>,
    /// By role and place in the order of ids: the slot of the move.
    slots: Vec<Vec<u32>>,
    /// Whether all move rows are cleared for each batch; if not, those that were made.
    clears_all: bool,
    made: Vec<u32>,
    /// By role: legal moves of the parents, as words for each lane.
    legal: Vec<Vec<u64>>,
    /// By role: the legal moves of a parent, as places in the order of ids.
    lists: Vec<Vec<u32>>,
    /// By child of the next batch: its parent, and for each role the place of its move.
    pending: Vec<u32>,
    ranks: Vec<u32>,
}

impl<const W: usize> ExpandLanes<W> {
    fn new(machine: &Machine) -> Self {
        let slots = |(role, &(first, count)): (usize, &(u32, u32))| {
            (0..count as usize).map(|rank| first + machine.index_at(role, rank)).collect()
        };
        let slots: Vec<Vec<u32>> = machine.program.moves.iter().enumerate().map(slots).collect();
        let rows: usize = slots.iter().map(Vec::len).sum();
        Self {
            lanes: Lanes::new(&machine.program),
            clears_all: rows * W * 8 <= CLEARED_AT_ONCE,
            made: Vec::new(),
            legal: vec![Vec::new(); slots.len()],
            lists: vec![Vec::new(); slots.len()],
            slots,
            pending: Vec::with_capacity(Lanes::<W>::COUNT),
            ranks: Vec::new(),
        }
    }

    /// No move is made in any lane.
    fn clear_moves(&mut self, machine: &Machine) {
        if self.clears_all {
            for &(first, count) in &machine.program.moves {
                self.lanes.rows[first as usize..(first + count) as usize].fill([0; W]);
            }
        }
        self.made.drain(..).for_each(|slot| self.lanes.rows[slot as usize] = [0; W]);
    }
}

/// An expansion at work.
struct Run<'a> {
    machine: &'a Machine,
    states: &'a [&'a [u64]],
    options: ExpandOptions,
    into: &'a mut Expansion,
}

impl Run<'_> {
    #[inline(always)]
    fn expand<const W: usize, V: Vector<W>>(
        &mut self,
        kept: &mut ExpandLanes<W>,
        evaluator: &mut impl Evaluator<W>,
        places: std::ops::Range<usize>,
    ) -> Result<(), Failure> {
        for first in places.clone().step_by(Lanes::<W>::COUNT) {
            let count = (places.end - first).min(Lanes::<W>::COUNT);
            let terminal = self.view_parents::<W, V>(kept, evaluator, first, count);
            for lane in 0..count {
                if terminal[lane / 64] >> (lane % 64) & 1 == 1 {
                    continue;
                }
                for (list, legal) in kept.lists.iter_mut().zip(&kept.legal) {
                    let words = legal.len() / count;
                    list.clear();
                    #[allow(clippy::cast_possible_truncation, reason = "slots are numbered with 32 bits")]
                    list.extend(set_bits(&legal[lane * words..][..words]).map(|rank| rank as u32));
                }
                if kept.lists.iter().all(|list| !list.is_empty()) {
                    check_children(kept.lists.iter().map(Vec::len))?;
                    self.list_children::<W, V>(kept, evaluator, first + lane);
                }
            }
        }
        self.make_children::<W, V>(kept, evaluator);
        Ok(())
    }

    /// Loads and views parents; gives the lanes in which the game is over.
    #[inline(always)]
    fn view_parents<const W: usize, V: Vector<W>>(
        &mut self,
        kept: &mut ExpandLanes<W>,
        evaluator: &mut impl Evaluator<W>,
        first: usize,
        count: usize,
    ) -> Row<W> {
        let program = &self.machine.program;
        let lanes = &mut kept.lanes;
        lanes.rewind(program);
        let words = (0..count).zip(self.states[first..].iter().copied());
        rows_from_lanes::<W, V>(words, &mut lanes.rows[..program.facts]);
        evaluator.view(lanes);
        for (role, legal) in kept.legal.iter_mut().enumerate() {
            let rows = self.machine.legal_in_order(role).map(|output| lanes.get(output));
            lanes_from_rows::<W, V>(rows, 0..count, legal);
        }
        lanes.get(program.terminal)
    }

    /// Lists the children of a parent, whose moves are in `lists`; makes them whenever there is one
    /// for each lane.
    #[inline(always)]
    fn list_children<const W: usize, V: Vector<W>>(
        &mut self,
        kept: &mut ExpandLanes<W>,
        evaluator: &mut impl Evaluator<W>,
        parent: usize,
    ) {
        let roles = kept.lists.len();
        let mut at = vec![0usize; roles];
        loop {
            #[allow(clippy::cast_possible_truncation, reason = "states of one call, far fewer than 2^32")]
            kept.pending.push(parent as u32);
            kept.ranks.extend(kept.lists.iter().zip(&at).map(|(list, &at)| list[at]));
            if kept.pending.len() == Lanes::<W>::COUNT {
                self.make_children::<W, V>(kept, evaluator);
            }
            let Some(role) = (0..roles).rev().find(|&role| at[role] + 1 < kept.lists[role].len()) else {
                return;
            };
            at[role] += 1;
            at[role + 1..].fill(0);
        }
    }

    /// Makes the pending children and adds them to the expansion.
    #[inline(always)]
    fn make_children<const W: usize, V: Vector<W>>(
        &mut self,
        kept: &mut ExpandLanes<W>,
        evaluator: &mut impl Evaluator<W>,
    ) {
        let count = kept.pending.len();
        if count == 0 {
            return;
        }
        let program = &self.machine.program;
        kept.lanes.rewind(program);
        let parents = (0..count).zip(kept.pending.iter().map(|&parent| self.states[parent as usize]));
        rows_from_lanes::<W, V>(parents, &mut kept.lanes.rows[..program.facts]);
        evaluator.view(&mut kept.lanes);
        kept.clear_moves(self.machine);
        let (roles, lanes) = (kept.slots.len(), &mut kept.lanes);
        for (lane, ranks) in kept.ranks.chunks(roles.max(1)).enumerate() {
            for (slots, &rank) in kept.slots.iter().zip(ranks) {
                let slot = slots[rank as usize];
                let row = &mut lanes.rows[slot as usize];
                if !kept.clears_all && is_zero(*row) {
                    kept.made.push(slot);
                }
                row[lane / 64] |= 1 << (lane % 64);
            }
        }
        lanes.rows[program.reset as usize] = [0; W];
        evaluator.next(lanes);
        evaluator.view(lanes);
        let terminal = lanes.get(program.terminal);
        let new = self.into.add_rows(count, self.options.legal);
        new.parents.copy_from_slice(&kept.pending);
        for (joint, ranks) in new.joints.chunks_mut(roles.max(1)).zip(kept.ranks.chunks(roles.max(1))) {
            for (role, (id, &rank)) in joint.iter_mut().zip(ranks).enumerate() {
                *id = self.machine.move_at(role, rank as usize);
            }
        }
        for (lane, is_terminal) in new.terminal.iter_mut().enumerate() {
            *is_terminal = terminal[lane / 64] >> (lane % 64) & 1 == 1;
        }
        let state = lanes.rows[lanes.state..lanes.state + program.facts].iter().copied();
        let width = program.facts.div_ceil(64);
        write_lanes::<W, V>(state, 0..count, new.words, (width, 0));
        if self.options.legal {
            let (stride, mut offset) = (new.legal.len() / count, 0);
            for (role, slots) in kept.slots.iter().enumerate() {
                let rows =
                    self.machine.legal_in_order(role).map(|output| and_not(lanes.get(output), terminal));
                write_lanes::<W, V>(rows, 0..count, new.legal, (stride, offset));
                offset += slots.len().div_ceil(64);
            }
        }
        let over = and(terminal, first_lanes(count));
        if self.options.goals && !is_zero(over) {
            evaluator.goals(lanes);
            write_goals(self.machine, lanes, over, new.goals);
        }
        kept.pending.clear();
        kept.ranks.clear();
    }
}

/// Writes goals of lanes, by lane and role, where a role has exactly one value that is a number.
fn write_goals<const W: usize>(machine: &Machine, lanes: &Lanes<W>, over: Row<W>, goals: &mut [u8]) {
    let roles = machine.roles.len();
    let outputs = || machine.goal_values().iter().zip(&machine.program.goal_outputs);
    for role in 0..roles {
        let (mut once, mut faulty) = ([0; W], [0; W]);
        for (&(_, value), &output) in outputs().filter(|((of, _), _)| *of == role) {
            let row = lanes.get(output);
            faulty = or(faulty, if value.is_some() { and(once, row) } else { row });
            once = or(once, row);
        }
        for (&(_, value), &output) in outputs().filter(|((of, _), _)| *of == role) {
            if let Some(value) = value {
                let row = and_not(and(lanes.get(output), over), faulty);
                for_each_lane(row, |lane| goals[lane * roles + role] = value);
            }
        }
    }
}

/// A row with this many lanes, from the first on.
fn first_lanes<const W: usize>(count: usize) -> Row<W> {
    std::array::from_fn(|word| match count.saturating_sub(64 * word) {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    })
}

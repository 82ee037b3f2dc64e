//! Lanes: the values of all slots for many states at once, one bit a state.

use super::code::{Output, Program};
use super::rows::Rows;

/// The values of one slot: `W` words of 64 lanes.
pub(crate) type Row<const W: usize> = [u64; W];

/// Values of all slots.
#[derive(Clone, Debug)]
pub(crate) struct Lanes<const W: usize> {
    pub rows: Rows<W>,
    /// Where the facts of the current state start, and where those of the next are written. The
    /// interpreter has the current state in front, always; machine code swaps the two.
    pub state: usize,
    pub other: usize,
    /// By fact: what it is in lanes that start again.
    pub start: Rows<W>,
}

impl<const W: usize> Lanes<W> {
    /// Number of lanes.
    pub(crate) const COUNT: usize = W * 64;

    pub(crate) fn new(program: &Program) -> Self {
        let rows = Rows::new(program.slots);
        Self { rows, state: 0, other: program.other as usize, start: Rows::new(program.facts) }
    }

    /// Back to how lanes are when they are new: the current state in front.
    pub(crate) fn rewind(&mut self, program: &Program) {
        (self.state, self.other) = (0, program.other as usize);
    }

    /// The value of an output.
    #[inline(always)]
    pub(crate) fn get(&self, output: Output) -> Row<W> {
        match output {
            Output::Constant(true) => [u64::MAX; W],
            Output::Constant(false) => [0; W],
            Output::Slot { slot, inverted: false } => self.row(slot),
            Output::Slot { slot, inverted: true } => not(self.row(slot)),
        }
    }

    /// The value of a slot.
    #[inline(always)]
    fn row(&self, slot: u32) -> Row<W> {
        let slot = slot as usize;
        let is_fact = slot < self.start.len();
        self.rows[if is_fact { self.state + slot } else { slot }]
    }

    /// Copies facts of the current state to the front, for those who read rows by their slots alone. What is lost there is
    /// of the state before, and to be written by the next step.
    #[inline(always)]
    pub(crate) fn bring_to_front(&mut self, facts: &[u32]) {
        if self.state != 0 {
            facts.iter().for_each(|&fact| self.rows[fact as usize] = self.rows[self.state + fact as usize]);
        }
    }

    /// Sets one lane of a slot.
    pub(crate) fn set(&mut self, slot: usize, lane: usize, value: bool) {
        let word = &mut self.rows[slot][lane / 64];
        let bit = 1 << (lane % 64);
        *word = if value { *word | bit } else { *word & !bit };
    }
}

#[inline(always)]
pub(crate) fn and<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

#[inline(always)]
pub(crate) fn and_not<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    std::array::from_fn(|i| a[i] & !b[i])
}

#[inline(always)]
pub(crate) fn or<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    std::array::from_fn(|i| a[i] | b[i])
}

#[inline(always)]
pub(crate) fn not<const W: usize>(a: Row<W>) -> Row<W> {
    std::array::from_fn(|i| !a[i])
}

/// Where the mask is set the one, elsewhere the other.
#[inline(always)]
pub(crate) fn select<const W: usize>(mask: Row<W>, one: Row<W>, other: Row<W>) -> Row<W> {
    std::array::from_fn(|i| (one[i] & mask[i]) | (other[i] & !mask[i]))
}

#[inline(always)]
pub(crate) fn is_zero<const W: usize>(a: Row<W>) -> bool {
    a.iter().fold(0, |x, &y| x | y) == 0
}

#[inline(always)]
pub(crate) fn count_ones<const W: usize>(a: Row<W>) -> u32 {
    a.iter().map(|w| w.count_ones()).sum()
}

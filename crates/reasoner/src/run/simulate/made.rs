//! Which moves are made in a step, where most are made in no lane: rows that are not written need not be cleared.

use super::super::lanes::Lanes;
use super::super::machine::Machine;

/// The slots of moves that are made in some lane.
#[derive(Default)]
pub(super) struct Made {
    /// None if it can be any of them.
    slots: Option<Vec<u32>>,
}

impl Made {
    /// Somebody else has made moves.
    pub(super) fn by_others(&mut self) {
        self.slots = None;
    }

    /// No move is made any more.
    pub(super) fn clear<const W: usize>(&mut self, machine: &Machine, lanes: &mut Lanes<W>) {
        match &mut self.slots {
            Some(slots) => slots.drain(..).for_each(|does| lanes.rows[does as usize] = [0; W]),
            None => {
                for &(first, count) in &machine.program.moves {
                    lanes.rows[first as usize..(first + count) as usize].fill([0; W]);
                }
                self.slots = Some(Vec::new());
            }
        }
    }

    /// This one is made; after [`clear`](Self::clear).
    #[inline(always)]
    pub(super) fn add(&mut self, does: u32) {
        if let Some(slots) = &mut self.slots {
            slots.push(does);
        }
    }

    /// These are made, each in some lane or none; after [`clear`](Self::clear).
    #[inline(always)]
    pub(super) fn add_all(&mut self, does: &[u32]) {
        if let Some(slots) = &mut self.slots {
            slots.extend_from_slice(does);
        }
    }
}

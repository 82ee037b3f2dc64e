//! Which moves are made in a step, where most are made in no lane: rows that are not written need not be cleared.

use super::super::lanes::Lanes;
use super::super::machine::Machine;

/// The slots of moves that are made in some lane.
#[derive(Default)]
pub(super) struct Made {
    /// By role: whether it can be any of its moves. Nothing is known as long as there are no roles.
    any: Vec<bool>,
    /// Moves beside those.
    slots: Vec<u32>,
}

impl Made {
    /// No move is made any more.
    pub(super) fn clear<const W: usize>(&mut self, machine: &Machine, lanes: &mut Lanes<W>) {
        self.clear_others(None, machine, lanes);
    }

    /// No move is made any more, or any move of one role, which all will be written.
    pub(super) fn clear_others<const W: usize>(
        &mut self,
        except: Option<usize>,
        machine: &Machine,
        lanes: &mut Lanes<W>,
    ) {
        let roles = &machine.program.moves;
        self.any.resize(roles.len(), true);
        for (role, (&(first, count), any)) in roles.iter().zip(&mut self.any).enumerate() {
            let is_excepted = except == Some(role);
            if std::mem::replace(any, is_excepted) && !is_excepted {
                lanes.rows[first as usize..(first + count) as usize].fill([0; W]);
            }
        }
        self.slots.drain(..).for_each(|does| lanes.rows[does as usize] = [0; W]);
    }

    /// Any move may be made.
    pub(super) fn by_others(&mut self) {
        self.any.fill(true);
    }

    /// This one is made; after [`clear`](Self::clear).
    #[inline(always)]
    pub(super) fn add(&mut self, does: u32) {
        self.slots.push(does);
    }

    /// These are made, each in some lane or none; after [`clear`](Self::clear).
    #[inline(always)]
    pub(super) fn add_all(&mut self, does: &[u32]) {
        self.slots.extend_from_slice(does);
    }
}

//! Which moves were made in playouts, and what came of them: a row for each move says in which lanes it was made, and is counted
//! against the rows of the goals when playouts are scored. No playout needs a history.

use std::ops::Range;

use ludex_game::Ranking;

use super::super::lanes::{Row, and_not, is_zero};
use super::super::machine::Machine;
use super::super::rows::Rows;
use super::super::tally::{Goals, Tallies};
use super::super::vector::Vector;

/// With more moves than this a branch for each costs less than writing two rows: 342 moves (checkers) were slower with it, 3,586
/// (skirmish) and 6,082 (amazons) faster.
const MANY: usize = 1024;

/// The moves made in the playouts of all lanes.
pub(super) struct Used<const W: usize> {
    /// By move of all roles: the lanes in which it was made in a playout that has not been counted yet; and what has been counted.
    rows: Rows<W>,
    counts: Vec<u64>,
    sums: Vec<u64>,
    roles: Vec<UsedByRole>,
    /// Where there are many, by move: its role, and whether it is among those that may have lanes.
    listing: Vec<(u16, bool)>,
}

/// The moves of one role.
struct UsedByRole {
    /// Its part of all moves.
    moves: Range<usize>,
    /// Where there are many: those that may have lanes, counted from its first.
    listed: Vec<u32>,
}

impl<const W: usize> Used<W> {
    pub(super) fn new(machine: &Machine) -> Self {
        let (mut roles, mut listing) = (Vec::new(), Vec::new());
        for (role, &(_, count)) in (0..).zip(&machine.program.moves) {
            let first = listing.len();
            listing.resize(first + count as usize, (role, false));
            roles.push(UsedByRole { moves: first..listing.len(), listed: Vec::new() });
        }
        let moves = listing.len();
        if moves <= MANY {
            listing.clear();
        }
        let [counts, sums] = [(); 2].map(|()| vec![0; moves]);
        Self { rows: Rows::new(moves), counts, sums, roles, listing }
    }

    /// Whether there are so many moves that most of them are made nowhere.
    pub(super) fn are_many(&self) -> bool {
        !self.listing.is_empty()
    }

    /// Playouts of lanes are over without an end of the game: what was made there does not count.
    #[cold]
    pub(super) fn forget(&mut self, lanes: Row<W>) {
        self.rows.iter_mut().for_each(|row| *row = and_not(*row, lanes));
        self.list_anew();
    }

    /// Only moves with lanes stay listed.
    fn list_anew(&mut self) {
        let Self { rows, roles, listing, .. } = self;
        for UsedByRole { moves, listed } in roles {
            listed.retain(|&at| {
                let at = moves.start + at as usize;
                listing[at].1 = !is_zero(rows[at]);
                listing[at].1
            });
        }
    }

    /// Where a move is made now.
    #[inline(always)]
    pub(super) fn note<V: Vector<W>>(&mut self, at: u32, made: V) {
        let at = at as usize;
        self.rows[at] = V::load(&self.rows[at]).or(made).store();
        if let Some((role, is_listed)) = self.listing.get_mut(at)
            && !std::mem::replace(is_listed, true)
        {
            let UsedByRole { moves, listed } = &mut self.roles[usize::from(*role)];
            listed.push(u32::try_from(at - moves.start).unwrap_or(u32::MAX));
        }
    }

    /// The rows of all moves, to note them where there are not many.
    #[inline(always)]
    pub(super) fn rows(&mut self) -> &mut [Row<W>] {
        &mut self.rows
    }

    /// Playouts of lanes are over: counts their moves, with the goals of those who made them, by role.
    #[inline(always)]
    pub(super) fn count<V: Vector<W>>(&mut self, over: Row<W>, goals: &[Goals<W>]) {
        let are_many = self.are_many();
        for (UsedByRole { moves, listed }, goals) in self.roles.iter().zip(goals) {
            let (counts, sums) = (&mut self.counts[moves.clone()], &mut self.sums[moves.clone()]);
            let (rows, moves) = (&mut self.rows[moves.clone()], are_many.then_some(&listed[..]));
            V::tally(Tallies { rows, counts, sums, moves }, over, goals);
        }
        self.list_anew();
    }

    /// Adds what has been counted to a ranking.
    pub(super) fn tell(&mut self, machine: &Machine, ranking: &mut Ranking) {
        for (role, UsedByRole { moves, .. }) in self.roles.iter().enumerate() {
            for (index, at) in (0..).zip(moves.clone()) {
                if self.counts[at] > 0 {
                    let tally = ranking.tally(role, machine.id_of(role, index));
                    tally.count += std::mem::take(&mut self.counts[at]);
                    tally.sum += std::mem::take(&mut self.sums[at]);
                }
            }
        }
    }
}

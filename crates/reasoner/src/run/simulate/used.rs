//! Which moves were made in playouts, and what came of them: a row for each move says in which lanes it was made, and is counted
//! against the rows of the goals when playouts are scored. No playout needs a history.

use ludex_game::{Ranking, Tally};

use super::super::lanes::{Row, and, and_not, count_ones, is_zero, or};
use super::super::machine::Machine;
use super::super::rows::Rows;
use super::super::vector::Vector;

/// With more moves than this a branch for each costs less than writing two rows: 342 moves (checkers) were slower with it, 3,586
/// (skirmish) and 6,082 (amazons) faster.
const MANY: usize = 1024;

/// The moves made in the playouts of all lanes.
pub(super) struct Used<const W: usize> {
    /// By move of all roles: the lanes in which it was made in this playout.
    rows: Rows<W>,
    /// By move: whose it is.
    role_of: Vec<u16>,
    /// Lanes whose playout has begun since moves were last noted: what is in their rows is of the one before.
    fresh: Row<W>,
    /// The rows that may have lanes: all, or where there are many those that are listed.
    touched: Vec<u32>,
    is_listed: Vec<bool>,
    /// By move: what has been counted.
    tallies: Vec<Tally>,
}

impl<const W: usize> Used<W> {
    pub(super) fn new(machine: &Machine) -> Self {
        let counts = machine.program.moves.iter().map(|&(_, count)| count as usize);
        let role_of: Vec<u16> =
            (0..).zip(counts).flat_map(|(role, count)| std::iter::repeat_n(role, count)).collect();
        let moves = role_of.len();
        let (touched, is_listed) = match moves > MANY {
            true => (Vec::new(), vec![false; moves]),
            false => ((0..).take(moves).collect(), Vec::new()),
        };
        let tallies = vec![Tally::default(); moves];
        Self { rows: Rows::new(moves), role_of, fresh: [0; W], touched, is_listed, tallies }
    }

    /// Whether there are so many moves that most of them are made nowhere.
    pub(super) fn are_many(&self) -> bool {
        !self.is_listed.is_empty()
    }

    /// Playouts begin in lanes.
    pub(super) fn begin(&mut self, lanes: Row<W>) {
        self.fresh = or(self.fresh, lanes);
        if self.are_many() {
            self.forget();
        }
    }

    /// Forgets what was made before playouts began, where not every row is written in every step.
    fn forget(&mut self) {
        let fresh = std::mem::replace(&mut self.fresh, [0; W]);
        let Self { rows, touched, is_listed, .. } = self;
        touched.retain(|&row| {
            let used = &mut rows[row as usize];
            *used = and_not(*used, fresh);
            let stays = !is_zero(*used);
            is_listed[row as usize] = stays;
            stays
        });
    }

    /// The lanes whose earlier moves do not count; they do after all moves have been noted.
    #[inline(always)]
    pub(super) fn take_fresh(&mut self) -> Row<W> {
        std::mem::replace(&mut self.fresh, [0; W])
    }

    /// Where a move is made now, among few moves. All have to be noted, with the lanes that are fresh.
    #[inline(always)]
    pub(super) fn note<V: Vector<W>>(&mut self, row: u32, made: V, fresh: V) {
        let used = &mut self.rows[row as usize];
        *used = V::load(used).and_not(fresh).or(made).store();
    }

    /// Where a move is made now, among many.
    #[inline(always)]
    pub(super) fn note_one_of_many<V: Vector<W>>(&mut self, row: u32, made: V) {
        let used = &mut self.rows[row as usize];
        *used = V::load(used).or(made).store();
        let is_listed = &mut self.is_listed[row as usize];
        if !*is_listed {
            *is_listed = true;
            self.touched.push(row);
        }
    }

    /// Playouts of lanes are over: counts their moves, with the goals of those who made them. `goals` by role: values, and the
    /// lanes that have them.
    #[inline(always)]
    pub(super) fn count(&mut self, over: Row<W>, goals: &[Vec<(u64, Row<W>)>]) {
        for &row in &self.touched {
            let used = and(self.rows[row as usize], over);
            let tally = &mut self.tallies[row as usize];
            tally.count += u64::from(count_ones(used));
            for (value, lanes) in &goals[usize::from(self.role_of[row as usize])] {
                tally.sum += value * u64::from(count_ones(and(used, *lanes)));
            }
        }
    }

    /// Adds what has been counted to a ranking.
    pub(super) fn tell(&mut self, machine: &Machine, ranking: &mut Ranking) {
        let moves = machine.program.moves.iter().enumerate();
        let moves = moves.flat_map(|(role, &(_, count))| (0..count).map(move |index| (role, index)));
        for ((role, index), counted) in moves.zip(&mut self.tallies) {
            if counted.count > 0 {
                let tally = ranking.tally(role, machine.id_of(role, index));
                tally.count += counted.count;
                tally.sum += counted.sum;
                *counted = Tally::default();
            }
        }
    }
}

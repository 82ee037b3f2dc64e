//! Which moves were made in playouts, and what came of them: a row for each move says in which lanes it was made, and is counted
//! against the rows of the goals when playouts are scored. No playout needs a history.

use ludex_game::Ranking;

use super::super::dispatch::has_vector_popcount;
use super::super::lanes::{Row, and, and_not, is_zero, or};
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
    /// By move: what has been counted, apart for every word of lanes; where there are many, also the moves of which
    /// something has been.
    counts: Rows<W>,
    sums: Rows<W>,
    counted: Vec<u32>,
    /// Whether the instruction that counts the bits of eight words may be used, where there is one.
    may_use_popcount: bool,
}

impl<const W: usize> Used<W> {
    pub(super) fn new(machine: &Machine, may_use_popcount: bool) -> Self {
        let counts = machine.program.moves.iter().map(|&(_, count)| count as usize);
        let role_of: Vec<u16> =
            (0..).zip(counts).flat_map(|(role, count)| std::iter::repeat_n(role, count)).collect();
        let moves = role_of.len();
        let (touched, is_listed) = match moves > MANY {
            true => (Vec::new(), vec![false; moves]),
            false => ((0..).take(moves).collect(), Vec::new()),
        };
        let [rows, counts, sums] = [(); 3].map(|()| Rows::new(moves));
        let (fresh, counted) = ([0; W], Vec::new());
        Self { rows, role_of, fresh, touched, is_listed, counts, sums, counted, may_use_popcount }
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
        popcount::count(self, over, goals);
    }

    #[inline(always)]
    fn count_words(&mut self, over: Row<W>, goals: &[Vec<(u64, Row<W>)>]) {
        let are_many = self.are_many();
        for &at in &self.touched {
            let row = at as usize;
            let used = and(self.rows[row], over);
            let (counts, sums) = (&mut self.counts[row], &mut self.sums[row]);
            if are_many && is_zero(*counts) && !is_zero(used) {
                self.counted.push(at);
            }
            *counts = std::array::from_fn(|w| counts[w] + u64::from(used[w].count_ones()));
            for (value, lanes) in &goals[usize::from(self.role_of[row])] {
                let of_value = and(used, *lanes);
                *sums = std::array::from_fn(|w| sums[w] + value * u64::from(of_value[w].count_ones()));
            }
        }
    }

    /// Adds what has been counted to a ranking.
    pub(super) fn tell(&mut self, machine: &Machine, ranking: &mut Ranking) {
        let first_of =
            |role: usize| machine.program.moves[..role].iter().map(|&(_, count)| count).sum::<u32>();
        let first: Vec<u32> = (0..machine.roles.len()).map(first_of).collect();
        let listed = std::mem::take(&mut self.counted);
        let rows = if self.are_many() { &listed } else { &self.touched };
        for &row in rows {
            let at = row as usize;
            let counts = std::mem::replace(&mut self.counts[at], [0; W]);
            if !is_zero(counts) {
                let sums = std::mem::replace(&mut self.sums[at], [0; W]);
                let role = usize::from(self.role_of[at]);
                let tally = ranking.tally(role, machine.id_of(role, row - first[role]));
                tally.count += counts.iter().sum::<u64>();
                tally.sum += sums.iter().sum::<u64>();
            }
        }
    }
}

/// Counting with an instruction for the bits of eight words, which some processors have.
#[allow(unsafe_code, reason = "calling code compiled for an instruction that was found at run time")]
mod popcount {
    use super::{Row, Used, has_vector_popcount};

    #[cfg(target_arch = "x86_64")]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt,lzcnt"
    )]
    fn with_instruction<const W: usize>(used: &mut Used<W>, over: Row<W>, goals: &[Vec<(u64, Row<W>)>]) {
        used.count_words(over, goals);
    }

    pub(super) fn count<const W: usize>(used: &mut Used<W>, over: Row<W>, goals: &[Vec<(u64, Row<W>)>]) {
        #[cfg(target_arch = "x86_64")]
        if used.may_use_popcount && has_vector_popcount() {
            // SAFETY: the processor has the instructions that the function was compiled for.
            return unsafe { with_instruction(used, over, goals) };
        }
        used.count_words(over, goals);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used<const W: usize>(moves: usize, random: &mut fastrand::Rng) -> Used<W> {
        let mut rows = Rows::new(moves);
        rows.iter_mut().for_each(|row| *row = std::array::from_fn(|_| random.u64(..) & random.u64(..)));
        Used {
            rows,
            role_of: (0..).take(moves).map(|at: u16| at % 2).collect(),
            fresh: [0; W],
            touched: (0..).take(moves).collect(),
            is_listed: Vec::new(),
            counts: Rows::new(moves),
            sums: Rows::new(moves),
            counted: Vec::new(),
            may_use_popcount: true,
        }
    }

    /// The instruction, where there is one, counts what is counted without it.
    #[test]
    fn bits_are_counted_alike_with_and_without_the_instruction() {
        let mut random = fastrand::Rng::with_seed(8);
        let mut one: Used<8> = used(50, &mut random);
        let mut other: Used<8> = used(50, &mut fastrand::Rng::with_seed(8));
        for _ in 0..3 {
            let mut row = || -> Row<8> { std::array::from_fn(|_| random.u64(..)) };
            let over = row();
            let goals = [vec![(100, row()), (30, row())], vec![(50, row())]];
            one.count(over, &goals);
            other.count_words(over, &goals);
        }
        assert!(one.counts.iter().any(|counts| !is_zero(*counts)));
        assert_eq!((&one.counts[..], &one.sums[..]), (&other.counts[..], &other.sums[..]));
        // By hand, for one move.
        let mut third: Used<8> = used(1, &mut random);
        third.count([1; 8], &[vec![(100, [1, 0, 0, 0, 0, 0, 0, 0])]]);
        let first = third.rows[0].map(|word| word & 1);
        assert_eq!(third.counts[0], first);
        assert_eq!(third.sums[0], [100 * first[0], 0, 0, 0, 0, 0, 0, 0]);
    }
}

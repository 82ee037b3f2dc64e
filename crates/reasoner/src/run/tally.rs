//! How often moves were made in playouts, and with which goals: bits of rows are counted, all lanes of a move at once.

use super::lanes::{Row, and, and_not, count_ones};

/// Goals of a role, and the lanes that have them.
pub(crate) type Goals<const W: usize> = Vec<(u64, Row<W>)>;

/// The moves of a role, and what is known of them.
pub(crate) struct Tallies<'a, const W: usize> {
    /// By move: the lanes in which it was made.
    pub rows: &'a mut [Row<W>],
    /// By move: in how many playouts it was made, and the sum of their goals.
    pub counts: &'a mut [u64],
    pub sums: &'a mut [u64],
    /// The moves that may have lanes; none if it is all.
    pub moves: Option<&'a [u32]>,
}

impl<const W: usize> Tallies<'_, W> {
    /// Counts moves in lanes whose playouts are over, and forgets that they were made there.
    #[inline(always)]
    pub(crate) fn count_by_word(self, over: Row<W>, goals: &Goals<W>) {
        let Self { rows, counts, sums, moves } = self;
        match moves {
            None => (0..rows.len())
                .for_each(|at| count(&mut rows[at], &mut counts[at], &mut sums[at], over, goals)),
            Some(moves) => moves.iter().map(|&at| at as usize).for_each(|at| {
                count(&mut rows[at], &mut counts[at], &mut sums[at], over, goals);
            }),
        }
    }
}

/// Counts one move.
#[inline(always)]
fn count<const W: usize>(row: &mut Row<W>, times: &mut u64, sum: &mut u64, over: Row<W>, goals: &Goals<W>) {
    let made = and(*row, over);
    *row = and_not(*row, over);
    *times += u64::from(count_ones(made));
    for &(value, lanes) in goals {
        *sum += value * u64::from(count_ones(and(made, lanes)));
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::count_by_row;

/// Counting with an instruction for the bits of eight words, which some processors have.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "an instruction that compilers do not use well for this, found at run time")]
mod x86 {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_mul_epu32,
        _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
        _mm512_shuffle_i64x2, _mm512_slli_epi64, _mm512_srli_epi64, _mm512_unpackhi_epi64,
        _mm512_unpacklo_epi64,
    };

    use super::{Goals, Row, Tallies};

    /// Rows whose words are added up together.
    const TOGETHER: usize = 8;

    /// Takes the lanes that are over out of a row. Gives for each of its words how many they were, and in the upper half of the word the
    /// sum of their goals.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn take(row: &mut Row<8>, over: __m512i, goals: &Goals<8>) -> __m512i {
        let lanes: __m512i = bytemuck::must_cast(*row);
        let made = _mm512_and_si512(lanes, over);
        *row = bytemuck::must_cast(_mm512_andnot_si512(over, lanes));
        let mut sum = _mm512_setzero_si512();
        for &(value, lanes) in goals {
            let of_value = _mm512_popcnt_epi64(_mm512_and_si512(made, bytemuck::must_cast(lanes)));
            sum = _mm512_add_epi64(sum, _mm512_mul_epu32(of_value, _mm512_set1_epi64(value.cast_signed())));
        }
        _mm512_add_epi64(_mm512_popcnt_epi64(made), _mm512_slli_epi64::<32>(sum))
    }

    /// The sums of the words of eight rows, in their order. All are halved in the same way three times: words beside each other, then
    /// pairs of them, then fours.
    #[target_feature(enable = "avx512f")]
    fn sums([a, b, c, d, e, f, g, h]: [__m512i; TOGETHER]) -> __m512i {
        let words = |a, b| _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let pairs = |a, b| {
            let (even, odd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xDD>(a, b));
            _mm512_add_epi64(even, odd)
        };
        let (first, second) = (pairs(words(a, b), words(c, d)), pairs(words(e, f), words(g, h)));
        pairs(first, second)
    }

    /// Adds eight numbers to eight others.
    #[target_feature(enable = "avx512f")]
    fn add(to: &mut [u64; TOGETHER], more: __m512i) {
        *to = bytemuck::must_cast(_mm512_add_epi64(bytemuck::must_cast(*to), more));
    }

    /// Counts moves as [`Tallies::count_by_word`] does; for processors with
    /// [`has_vector_popcount`](super::super::dispatch::has_vector_popcount).
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(crate) fn count_by_row(tallies: Tallies<'_, 8>, over: Row<8>, goals: &Goals<8>) {
        let Tallies { rows, counts, sums: goal_sums, moves } = tallies;
        let over = bytemuck::must_cast(over);
        let lower = u64::from(u32::MAX);
        if let Some(moves) = moves {
            for at in moves.iter().map(|&at| at as usize) {
                let both = _mm512_reduce_add_epi64(take(&mut rows[at], over, goals)).cast_unsigned();
                counts[at] += both & lower;
                goal_sums[at] += both >> 32;
            }
            return;
        }
        let (rows, last_rows) = rows.as_chunks_mut::<TOGETHER>();
        let whole = rows.len() * TOGETHER;
        let parts =
            counts.as_chunks_mut::<TOGETHER>().0.iter_mut().zip(goal_sums.as_chunks_mut::<TOGETHER>().0);
        for ([a, b, c, d, e, f, g, h], (counts, goal_sums)) in rows.iter_mut().zip(parts) {
            let sums = sums([
                take(a, over, goals),
                take(b, over, goals),
                take(c, over, goals),
                take(d, over, goals),
                take(e, over, goals),
                take(f, over, goals),
                take(g, over, goals),
                take(h, over, goals),
            ]);
            add(counts, _mm512_and_si512(sums, _mm512_set1_epi64(lower.cast_signed())));
            add(goal_sums, _mm512_srli_epi64::<32>(sums));
        }
        for (at, row) in (whole..).zip(last_rows) {
            let both = _mm512_reduce_add_epi64(take(row, over, goals)).cast_unsigned();
            counts[at] += both & lower;
            goal_sums[at] += both >> 32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vector::{Plain, Vector};
    use super::*;

    /// Rows of moves, and what is counted.
    struct Moves {
        rows: Vec<Row<8>>,
        counts: Vec<u64>,
        sums: Vec<u64>,
    }

    impl Moves {
        fn new(moves: usize, random: &mut fastrand::Rng) -> Self {
            let mut row = || std::array::from_fn(|_| random.u64(..) & random.u64(..));
            let rows = (0..moves).map(|_| row()).collect();
            Self { rows, counts: vec![0; moves], sums: vec![0; moves] }
        }

        fn some<'a>(&'a mut self, moves: Option<&'a [u32]>) -> Tallies<'a, 8> {
            Tallies { rows: &mut self.rows, counts: &mut self.counts, sums: &mut self.sums, moves }
        }
    }

    /// The instruction, where there is one, counts what is counted without it.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn bits_are_counted_alike_with_and_without_the_instruction() {
        if !crate::run::has_avx512() {
            eprintln!("skipped: this processor has no AVX-512");
            return;
        }
        let mut random = fastrand::Rng::with_seed(8);
        let mut one = Moves::new(50, &mut random);
        let mut other = Moves::new(50, &mut fastrand::Rng::with_seed(8));
        let some: Vec<u32> = (0..50).filter(|at| at % 7 != 3).collect();
        for moves in [None, Some(&some[..]), None] {
            let mut row = || -> Row<8> { std::array::from_fn(|_| random.u64(..)) };
            let over = row();
            let goals = vec![(100, row()), (30, row())];
            super::super::vector::Avx512::tally(one.some(moves), over, &goals);
            other.some(moves).count_by_word(over, &goals);
        }
        assert!(one.sums.iter().all(|&sum| sum > 0));
        assert_eq!((one.counts, one.sums, one.rows), (other.counts, other.sums, other.rows));
    }

    #[test]
    fn a_move_counts_once_with_the_goal_of_its_lane() {
        let mut moves = Moves::new(3, &mut fastrand::Rng::with_seed(9));
        let before = moves.rows.clone();
        let goals = vec![(100, [1, 0, 0, 0, 0, 0, 0, 0]), (50, [0, 1, 0, 0, 0, 0, 0, 0])];
        Plain::<8>::tally(moves.some(Some(&[0, 2])), [1; 8], &goals);
        let first_lanes = |at: usize| before[at].map(|word| word & 1);
        for at in [0, 2] {
            let count: u64 = first_lanes(at).iter().sum();
            let sum = 100 * first_lanes(at)[0] + 50 * first_lanes(at)[1];
            assert_eq!((moves.counts[at], moves.sums[at]), (count, sum));
            // What has been counted is not counted again.
            assert_eq!(moves.rows[at], before[at].map(|word| word & !1));
        }
        assert_eq!((moves.counts[1], moves.rows[1]), (0, before[1]), "not asked for");
    }

    #[test]
    fn without_goals_moves_count_all_the_same() {
        let mut moves = Moves::new(1, &mut fastrand::Rng::with_seed(10));
        let made = count_ones(moves.rows[0]);
        Plain::<8>::tally(moves.some(None), [u64::MAX; 8], &Vec::new());
        assert_eq!((moves.counts[0], moves.sums[0]), (u64::from(made), 0));
    }
}

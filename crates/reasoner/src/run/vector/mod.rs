//! A row in a register, with the instructions that there are for it.
//!
//! Compilers do find vector instructions in loops over words, but in chains of adders they mix them with
//! moves of single words; so the few operations that the choice of moves needs are named here.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "vector instructions that compilers do not find: see above")]
mod x86;

use super::choice::MoveRows;
use super::choose::{Scratch, count_all, find_all, find_and_note_all};
use super::code::{Code, Program};
use super::draw::draw_all;
use super::evaluate::commit;
use super::lanes::{Lanes, Row, is_zero};
use super::random::Random;
use super::tally::{Goals, Tallies};

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

/// A row of `W` words as one value.
pub(crate) trait Vector<const W: usize>: Copy {
    fn load(row: &Row<W>) -> Self;
    fn store(self) -> Row<W>;
    fn and(self, other: Self) -> Self;
    /// This one, where the other is not set.
    fn and_not(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Sum of three bits, and difference of a - b - c.
    fn xor3(self, b: Self, c: Self) -> Self;
    /// Carry of three bits.
    fn carry(self, b: Self, c: Self) -> Self;
    /// Borrow of a - b - c.
    fn borrow(self, b: Self, c: Self) -> Self;
    /// Sum of every word.
    fn add_words(self, other: Self) -> Self;
    /// Every word shifted to the left.
    fn shift<const BITS: u32>(self) -> Self;
    /// Every word rotated to the left by 23 bits.
    fn rotate_23(self) -> Self;
    /// Every word rotated to the left by 45 bits.
    fn rotate_45(self) -> Self;
    /// In every word: the upper half of each group of `2 · BITS` bits of this one and the lower half of the other change places.
    fn exchange<const BITS: u32>(self, other: Self) -> (Self, Self);
    /// A bit for every word that is not zero.
    fn words(self) -> u8;

    /// Draws for every role a number below the count of its moves, in its place: [`draw_all`], compiled in `target_kernels`.
    fn draw(rows: &mut [Row<W>], choice: &MoveRows, random: &mut Random<W>) -> Row<W>;
    /// Computes a cone: the interpreter, compiled in `target_kernels`.
    fn interpret(code: &Code, lanes: &mut Lanes<W>);
    /// The facts of the next state become those of the current one: [`commit`], compiled in `target_kernels`.
    fn take_over(program: &Program, lanes: &mut Lanes<W>);
    /// Counts legal moves: [`count_all`], compiled in `target_kernels`.
    fn count(rows: &mut [Row<W>], choice: &MoveRows, scratch: &mut Scratch<W>);
    /// Finds the moves with the drawn numbers: [`find_all`], compiled in `target_kernels`.
    fn find(rows: &mut [Row<W>], choice: &MoveRows, scratch: &Scratch<W>);
    /// Finds them and notes them: [`find_and_note_all`], compiled in `target_kernels`.
    fn find_and_note(
        rows: &mut [Row<W>],
        found: (&MoveRows, &Scratch<W>),
        active: Row<W>,
        noted: (&mut [Row<W>], u32),
    );

    /// Counts moves of playouts: [`Tallies`], compiled in `target_kernels`.
    fn tally(tallies: Tallies<'_, W>, over: Row<W>, goals: &Goals<W>);

    /// Whether no bit is set.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.words() == 0
    }

    #[inline(always)]
    fn zero() -> Self {
        Self::load(&[0; W])
    }

    #[inline(always)]
    fn ones() -> Self {
        Self::load(&[u64::MAX; W])
    }
}

/// The lower half of every group of `2 · bits` bits.
const fn lower_halves(bits: u32) -> u64 {
    u64::MAX / ((1 << bits) + 1)
}

/// With what every processor has.
#[derive(Clone, Copy)]
pub(crate) struct Plain<const W: usize>(Row<W>);

impl<const W: usize> Plain<W> {
    #[inline(always)]
    fn each(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| operation(self.0[i], other.0[i])))
    }
}

impl<const W: usize> Vector<W> for Plain<W> {
    #[inline(never)]
    fn interpret(code: &Code, lanes: &mut Lanes<W>) {
        code.shaped().run(lanes);
    }

    #[inline(never)]
    fn take_over(program: &Program, lanes: &mut Lanes<W>) {
        commit::<W, Self>(program, lanes);
    }

    #[inline(never)]
    fn draw(rows: &mut [Row<W>], choice: &MoveRows, random: &mut Random<W>) -> Row<W> {
        draw_all::<W, Self>(rows, choice, random)
    }

    #[inline(never)]
    fn count(rows: &mut [Row<W>], choice: &MoveRows, scratch: &mut Scratch<W>) {
        count_all::<W, Self>(rows, choice, scratch);
    }

    #[inline(never)]
    fn find(rows: &mut [Row<W>], choice: &MoveRows, scratch: &Scratch<W>) {
        find_all::<W, Self>(rows, choice, scratch);
    }

    #[inline(never)]
    fn find_and_note(
        rows: &mut [Row<W>],
        found: (&MoveRows, &Scratch<W>),
        active: Row<W>,
        noted: (&mut [Row<W>], u32),
    ) {
        find_and_note_all::<W, Self>(rows, found, active, noted);
    }

    #[inline(never)]
    fn tally(tallies: Tallies<'_, W>, over: Row<W>, goals: &Goals<W>) {
        tallies.count_by_word(over, goals);
    }

    #[inline(always)]
    fn load(row: &Row<W>) -> Self {
        Self(*row)
    }

    #[inline(always)]
    fn store(self) -> Row<W> {
        self.0
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.each(other, |a, b| a & b)
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.each(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.each(other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.each(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    #[inline(always)]
    fn carry(self, b: Self, c: Self) -> Self {
        self.and(b).or(c.and(self.or(b)))
    }

    #[inline(always)]
    fn borrow(self, b: Self, c: Self) -> Self {
        b.or(c).and_not(self).or(b.and(c))
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        self.each(other, u64::wrapping_add)
    }

    #[inline(always)]
    fn shift<const BITS: u32>(self) -> Self {
        Self(self.0.map(|word| word << BITS))
    }

    #[inline(always)]
    fn rotate_23(self) -> Self {
        Self(self.0.map(|word| word.rotate_left(23)))
    }

    #[inline(always)]
    fn rotate_45(self) -> Self {
        Self(self.0.map(|word| word.rotate_left(45)))
    }

    #[inline(always)]
    fn exchange<const BITS: u32>(self, other: Self) -> (Self, Self) {
        let moved = self.each(other, |a, b| (a >> BITS ^ b) & lower_halves(BITS));
        (self.each(moved, |a, moved| a ^ moved << BITS), other.xor(moved))
    }

    #[inline(always)]
    fn words(self) -> u8 {
        self.0.iter().rev().fold(0, |words, &word| words << 1 | u8::from(word != 0))
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        is_zero(self.0)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
#[allow(unsafe_code, reason = "code for vector instructions is called where the processor has them")]
mod tests {
    use super::*;
    use crate::run::{has_avx2, has_avx512};

    /// Every operation, on random rows, must give what plain words give.
    #[inline(always)]
    fn same_as_plain<const W: usize, V: Vector<W>>() {
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..100 {
            let rows: [Row<W>; 3] = std::array::from_fn(|_| std::array::from_fn(|_| random.u64(..)));
            let [a, b, c] = rows.map(|row| V::load(&row));
            let [x, y, z] = rows.map(|row| Plain::load(&row));
            let found = [
                a.and(b),
                a.and_not(b),
                a.or(b),
                a.xor(b),
                a.xor3(b, c),
                a.carry(b, c),
                a.borrow(b, c),
                a.add_words(b),
                a.shift::<17>(),
                a.rotate_23(),
                a.rotate_45(),
                a.exchange::<4>(b).0,
                a.exchange::<32>(b).1,
                V::zero(),
                V::ones(),
            ];
            let expected = [
                x.and(y),
                x.and_not(y),
                x.or(y),
                x.xor(y),
                x.xor3(y, z),
                x.carry(y, z),
                x.borrow(y, z),
                x.add_words(y),
                x.shift::<17>(),
                x.rotate_23(),
                x.rotate_45(),
                x.exchange::<4>(y).0,
                x.exchange::<32>(y).1,
                Plain::zero(),
                Plain::ones(),
            ];
            for (at, (found, expected)) in found.into_iter().zip(expected).enumerate() {
                assert_eq!(found.store(), expected.store(), "operation {at}");
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    fn with_avx512() {
        same_as_plain::<8, Avx512>();
    }

    #[target_feature(enable = "avx2")]
    fn with_avx2() {
        same_as_plain::<4, Avx2>();
    }

    #[test]
    fn vectors_compute_what_words_do() {
        if has_avx512() {
            // SAFETY: the processor has AVX-512.
            unsafe { with_avx512() };
        } else {
            eprintln!("skipped: this processor has no AVX-512");
        }
        if has_avx2() {
            // SAFETY: the processor has AVX2.
            unsafe { with_avx2() };
        } else {
            eprintln!("skipped: this processor has no AVX2");
        }
    }

    #[test]
    fn plain_words_compute_what_the_names_say() {
        let bits = |a: u64, b: u64, c: u64| [a, b, c].map(|bit| Plain::load(&[bit.wrapping_neg()]));
        for index in 0..8u64 {
            let (a, b, c) = (index >> 2 & 1, index >> 1 & 1, index & 1);
            let [x, y, z] = bits(a, b, c);
            assert_eq!(x.xor3(y, z).store()[0] & 1, (a + b + c) % 2);
            assert_eq!(x.carry(y, z).store()[0] & 1, (a + b + c) / 2);
            assert_eq!(x.borrow(y, z).store()[0] & 1, u64::from(a < b + c));
            assert_eq!(x.and_not(y).store()[0] & 1, a & (1 - b));
        }
    }
}

//! A row in a register, with the instructions that there are for it.
//!
//! Compilers do find vector instructions in loops over words, but in chains of adders they mix them with
//! moves of single words; so the few operations that the choice of moves needs are named here.

use super::choice::Choice;
use super::choose::{Scratch, count_all, find_all};
use super::code::{Code, Program};
use super::draw::draw_all;
use super::evaluate::commit;
use super::lanes::{Lanes, Row, is_zero};
use super::random::Random;

/// A row of `W` words as one value.
pub(crate) trait Vector<const W: usize>: Copy {
    /// Whether these are vectors of AVX-512: then its other instructions are allowed as well, if the processor has them.
    const IS_AVX512: bool = false;

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

    /// Draws for every role a number below the count of its moves, in its place: [`draw_all`], compiled apart.
    fn draw(rows: &mut [Row<W>], choice: &Choice, random: &mut Random<W>) -> Row<W>;
    /// Computes a cone: the interpreter, compiled apart.
    fn interpret(code: &Code, lanes: &mut Lanes<W>);
    /// The facts of the next state become those of the current one: [`commit`], compiled apart.
    fn take_over(program: &Program, lanes: &mut Lanes<W>);
    /// Counts legal moves: [`count_all`], compiled apart.
    fn count(rows: &mut [Row<W>], choice: &Choice, scratch: &mut Scratch<W>);
    /// Finds the moves with the drawn numbers: [`find_all`], compiled apart.
    fn find(rows: &mut [Row<W>], choice: &Choice, scratch: &Scratch<W>);

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
    fn draw(rows: &mut [Row<W>], choice: &Choice, random: &mut Random<W>) -> Row<W> {
        draw_all::<W, Self>(rows, choice, random)
    }

    #[inline(never)]
    fn count(rows: &mut [Row<W>], choice: &Choice, scratch: &mut Scratch<W>) {
        count_all::<W, Self>(rows, choice, scratch);
    }

    #[inline(never)]
    fn find(rows: &mut [Row<W>], choice: &Choice, scratch: &Scratch<W>) {
        find_all::<W, Self>(rows, choice, scratch);
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

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "vector instructions that compilers do not find: see above")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
        _mm256_or_si256, _mm256_set1_epi64x, _mm256_sll_epi64, _mm256_slli_epi64, _mm256_srl_epi64,
        _mm256_srli_epi64, _mm256_testz_si256, _mm256_xor_si256, _mm512_add_epi64, _mm512_and_si512,
        _mm512_andnot_si512, _mm512_or_si512, _mm512_rol_epi64, _mm512_set1_epi64, _mm512_sll_epi64,
        _mm512_slli_epi64, _mm512_srli_epi64, _mm512_ternarylogic_epi64, _mm512_test_epi64_mask,
        _mm512_xor_si512,
    };

    use super::super::apart::{avx2, avx512};
    use super::{Choice, Code, Lanes, Plain, Program, Random, Row, Scratch, Vector, lower_halves};

    /// 512 lanes with AVX-512. Only for code that is compiled for it and runs where it is there.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512(__m512i);

    // SAFETY (all calls): functions of this type are only called in code that is compiled for AVX-512 and
    // that was chosen because the processor has it. No instruction here touches memory.
    impl Vector<8> for Avx512 {
        const IS_AVX512: bool = true;

        #[inline(always)]
        fn interpret(code: &Code, lanes: &mut Lanes<8>) {
            unsafe { avx512::interpret(code, lanes) }
        }

        #[inline(always)]
        fn take_over(program: &Program, lanes: &mut Lanes<8>) {
            unsafe { avx512::take_over(program, lanes) }
        }

        #[inline(always)]
        fn draw(rows: &mut [Row<8>], choice: &Choice, random: &mut Random<8>) -> Row<8> {
            unsafe { avx512::draw(rows, choice, random) }
        }

        #[inline(always)]
        fn count(rows: &mut [Row<8>], choice: &Choice, scratch: &mut Scratch<8>) {
            unsafe { avx512::count(rows, choice, scratch) }
        }

        #[inline(always)]
        fn find(rows: &mut [Row<8>], choice: &Choice, scratch: &Scratch<8>) {
            unsafe { avx512::find(rows, choice, scratch) }
        }

        #[inline(always)]
        fn load(row: &Row<8>) -> Self {
            Self(bytemuck::must_cast(*row))
        }

        #[inline(always)]
        fn store(self) -> Row<8> {
            bytemuck::must_cast(self.0)
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Self(unsafe { _mm512_and_si512(self.0, other.0) })
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Self(unsafe { _mm512_andnot_si512(other.0, self.0) })
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Self(unsafe { _mm512_or_si512(self.0, other.0) })
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Self(unsafe { _mm512_xor_si512(self.0, other.0) })
        }

        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            Self(unsafe { _mm512_ternarylogic_epi64::<0b1001_0110>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn carry(self, b: Self, c: Self) -> Self {
            Self(unsafe { _mm512_ternarylogic_epi64::<0b1110_1000>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn borrow(self, b: Self, c: Self) -> Self {
            Self(unsafe { _mm512_ternarylogic_epi64::<0b1000_1110>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn add_words(self, other: Self) -> Self {
            Self(unsafe { _mm512_add_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn shift<const BITS: u32>(self) -> Self {
            let bits = i32::try_from(BITS).unwrap_or(64);
            Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(bits)) })
        }

        #[inline(always)]
        fn rotate_23(self) -> Self {
            Self(unsafe { _mm512_rol_epi64::<23>(self.0) })
        }

        #[inline(always)]
        fn rotate_45(self) -> Self {
            Self(unsafe { _mm512_rol_epi64::<45>(self.0) })
        }

        #[inline(always)]
        fn exchange<const BITS: u32>(self, other: Self) -> (Self, Self) {
            unsafe {
                let mask = _mm512_set1_epi64(lower_halves(BITS).cast_signed());
                let shifted = _mm512_srli_epi64::<BITS>(self.0);
                // (a xor b) and c
                let moved = _mm512_ternarylogic_epi64::<0b0010_1000>(shifted, other.0, mask);
                let low = _mm512_xor_si512(self.0, _mm512_slli_epi64::<BITS>(moved));
                (Self(low), Self(_mm512_xor_si512(other.0, moved)))
            }
        }

        #[inline(always)]
        fn words(self) -> u8 {
            unsafe { _mm512_test_epi64_mask(self.0, self.0) }
        }
    }

    /// 256 lanes with AVX2. Only for code that is compiled for it and runs where it is there.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256i);

    // SAFETY (all calls): as above, for AVX2.
    impl Vector<4> for Avx2 {
        #[inline(always)]
        fn interpret(code: &Code, lanes: &mut Lanes<4>) {
            unsafe { avx2::interpret(code, lanes) }
        }

        #[inline(always)]
        fn take_over(program: &Program, lanes: &mut Lanes<4>) {
            unsafe { avx2::take_over(program, lanes) }
        }

        #[inline(always)]
        fn draw(rows: &mut [Row<4>], choice: &Choice, random: &mut Random<4>) -> Row<4> {
            unsafe { avx2::draw(rows, choice, random) }
        }

        #[inline(always)]
        fn count(rows: &mut [Row<4>], choice: &Choice, scratch: &mut Scratch<4>) {
            unsafe { avx2::count(rows, choice, scratch) }
        }

        #[inline(always)]
        fn find(rows: &mut [Row<4>], choice: &Choice, scratch: &Scratch<4>) {
            unsafe { avx2::find(rows, choice, scratch) }
        }

        #[inline(always)]
        fn load(row: &Row<4>) -> Self {
            Self(bytemuck::must_cast(*row))
        }

        #[inline(always)]
        fn store(self) -> Row<4> {
            bytemuck::must_cast(self.0)
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Self(unsafe { _mm256_and_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Self(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Self(unsafe { _mm256_or_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Self(unsafe { _mm256_xor_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            self.xor(b).xor(c)
        }

        #[inline(always)]
        fn carry(self, b: Self, c: Self) -> Self {
            // a xor ((a xor b) and (a xor c))
            self.xor(self.xor(b).and(self.xor(c)))
        }

        #[inline(always)]
        fn borrow(self, b: Self, c: Self) -> Self {
            // b xor ((b xor c) and not (a xor b))
            b.xor(b.xor(c).and_not(self.xor(b)))
        }

        #[inline(always)]
        fn add_words(self, other: Self) -> Self {
            Self(unsafe { _mm256_add_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn shift<const BITS: u32>(self) -> Self {
            let bits = i32::try_from(BITS).unwrap_or(64);
            Self(unsafe { _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(bits)) })
        }

        #[inline(always)]
        fn rotate_23(self) -> Self {
            Self(unsafe { _mm256_or_si256(_mm256_slli_epi64::<23>(self.0), _mm256_srli_epi64::<41>(self.0)) })
        }

        #[inline(always)]
        fn rotate_45(self) -> Self {
            Self(unsafe { _mm256_or_si256(_mm256_slli_epi64::<45>(self.0), _mm256_srli_epi64::<19>(self.0)) })
        }

        #[inline(always)]
        fn exchange<const BITS: u32>(self, other: Self) -> (Self, Self) {
            unsafe {
                let mask = Self(_mm256_set1_epi64x(lower_halves(BITS).cast_signed()));
                let bits = _mm_cvtsi32_si128(i32::try_from(BITS).unwrap_or(64));
                let moved = Self(_mm256_srl_epi64(self.0, bits)).xor(other).and(mask);
                (self.xor(Self(_mm256_sll_epi64(moved.0, bits))), other.xor(moved))
            }
        }

        #[inline(always)]
        fn words(self) -> u8 {
            Plain(self.store()).words()
        }

        #[inline(always)]
        fn is_zero(self) -> bool {
            unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
        }
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
        }
        if has_avx2() {
            // SAFETY: the processor has AVX2.
            unsafe { with_avx2() };
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

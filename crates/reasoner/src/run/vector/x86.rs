//! Rows in registers of x86-64: 512 bits with AVX-512, 256 bits with AVX2.
//!
//! Unsafe code: vector instructions that compilers do not find.

use std::arch::x86_64::{
    __m256i, __m512i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_or_si256, _mm256_set1_epi64x, _mm256_sll_epi64, _mm256_slli_epi64, _mm256_srl_epi64,
    _mm256_srli_epi64, _mm256_testz_si256, _mm256_xor_si256, _mm512_add_epi64, _mm512_and_si512,
    _mm512_andnot_si512, _mm512_or_si512, _mm512_rol_epi64, _mm512_set1_epi64, _mm512_sll_epi64,
    _mm512_slli_epi64, _mm512_srli_epi64, _mm512_ternarylogic_epi64, _mm512_test_epi64_mask,
    _mm512_xor_si512,
};

use super::{
    Code, Goals, Lanes, MoveRows, Plain, Program, Random, Row, Scratch, Tallies, Vector, lower_halves,
};
use crate::run::dispatch::has_vector_popcount;
use crate::run::tally::count_by_row;
use crate::run::target_kernels::{avx2, avx512};

/// 512 lanes with AVX-512. Only for code that is compiled for it and runs where it is there.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

// SAFETY (all calls): functions of this type are only called in code that is compiled for AVX-512 and
// that was chosen because the processor has it. No instruction here touches memory.
impl Vector<8> for Avx512 {
    #[inline(always)]
    fn interpret(code: &Code, lanes: &mut Lanes<8>) {
        unsafe { avx512::interpret(code, lanes) }
    }

    #[inline(always)]
    fn take_over(program: &Program, lanes: &mut Lanes<8>) {
        unsafe { avx512::take_over(program, lanes) }
    }

    #[inline(always)]
    fn draw(rows: &mut [Row<8>], choice: &MoveRows, random: &mut Random<8>) -> Row<8> {
        unsafe { avx512::draw(rows, choice, random) }
    }

    #[inline(always)]
    fn count(rows: &mut [Row<8>], choice: &MoveRows, scratch: &mut Scratch<8>) {
        unsafe { avx512::count(rows, choice, scratch) }
    }

    #[inline(always)]
    fn find(rows: &mut [Row<8>], choice: &MoveRows, scratch: &Scratch<8>) {
        unsafe { avx512::find(rows, choice, scratch) }
    }

    #[inline(always)]
    fn find_and_note(
        rows: &mut [Row<8>],
        found: (&MoveRows, &Scratch<8>),
        active: Row<8>,
        noted: (&mut [Row<8>], u32),
    ) {
        unsafe { avx512::find_and_note(rows, found, active, noted) }
    }

    #[inline(always)]
    fn tally(tallies: Tallies<'_, 8>, over: Row<8>, goals: &Goals<8>) {
        if has_vector_popcount() {
            // The one instruction that not every processor with AVX-512 has.
            return unsafe { count_by_row(tallies, over, goals) };
        }
        unsafe { avx512::tally(tallies, over, goals) }
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
    fn draw(rows: &mut [Row<4>], choice: &MoveRows, random: &mut Random<4>) -> Row<4> {
        unsafe { avx2::draw(rows, choice, random) }
    }

    #[inline(always)]
    fn count(rows: &mut [Row<4>], choice: &MoveRows, scratch: &mut Scratch<4>) {
        unsafe { avx2::count(rows, choice, scratch) }
    }

    #[inline(always)]
    fn find(rows: &mut [Row<4>], choice: &MoveRows, scratch: &Scratch<4>) {
        unsafe { avx2::find(rows, choice, scratch) }
    }

    #[inline(always)]
    fn find_and_note(
        rows: &mut [Row<4>],
        found: (&MoveRows, &Scratch<4>),
        active: Row<4>,
        noted: (&mut [Row<4>], u32),
    ) {
        unsafe { avx2::find_and_note(rows, found, active, noted) }
    }

    #[inline(always)]
    fn tally(tallies: Tallies<'_, 4>, over: Row<4>, goals: &Goals<4>) {
        unsafe { avx2::tally(tallies, over, goals) }
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

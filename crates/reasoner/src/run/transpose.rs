//! Between bit planes (one bit of every lane's number) and numbers (all bits of one lane).

use super::lanes::Row;

/// Turns planes into numbers and back, with what the processor has for it.
pub(crate) trait Transpose<const W: usize> {
    /// One number a lane.
    fn to_numbers(planes: &[Row<W>], numbers: &mut [u16]);
    /// The lowest bits of the numbers, a plane each.
    fn to_planes(numbers: &[u16], planes: &mut [Row<W>]);
}

/// Works everywhere.
pub(crate) struct Portable;

impl<const W: usize> Transpose<W> for Portable {
    #[inline(always)]
    fn to_numbers(planes: &[Row<W>], numbers: &mut [u16]) {
        numbers.fill(0);
        for (word, numbers) in numbers.chunks_mut(64).enumerate() {
            for (quarter, numbers) in numbers.chunks_mut(16).enumerate() {
                for (bit, plane) in planes.iter().enumerate() {
                    #[allow(
                        clippy::cast_possible_truncation,
                        reason = "sixteen lanes of the word are wanted"
                    )]
                    let lanes = (plane[word] >> (16 * quarter)) as u16;
                    for (lane, number) in numbers.iter_mut().enumerate() {
                        *number |= if lanes & (1 << lane) != 0 { 1 << bit } else { 0 };
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn to_planes(numbers: &[u16], planes: &mut [Row<W>]) {
        for (word, numbers) in numbers.chunks(64).enumerate() {
            for (bit, plane) in planes.iter_mut().enumerate() {
                let mut value = 0u64;
                for (four, numbers) in numbers.chunks_exact(4).enumerate() {
                    // Four bits in a word, sixteen apart, are brought together.
                    let packed = numbers
                        .iter()
                        .enumerate()
                        .fold(0u64, |w, (i, &n)| w | u64::from(n >> bit & 1) << (16 * i));
                    let gathered = (packed | packed >> 15 | packed >> 30 | packed >> 45) & 0xF;
                    value |= gathered << (4 * four);
                }
                plane[word] = value;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "mask registers turn planes into numbers in one instruction for 32 lanes")]
mod avx512 {
    use std::arch::x86_64::{
        __m512i, _mm512_loadu_si512, _mm512_maskz_set1_epi16, _mm512_or_si512, _mm512_set1_epi16,
        _mm512_setzero_si512, _mm512_storeu_si512, _mm512_test_epi16_mask,
    };

    use super::{Row, Transpose};

    /// With AVX-512 BW. Only to be used in code that is compiled for it and runs where it is there.
    pub(crate) struct Avx512;

    impl<const W: usize> Transpose<W> for Avx512 {
        #[inline(always)]
        fn to_numbers(planes: &[Row<W>], numbers: &mut [u16]) {
            for (half, numbers) in numbers.chunks_exact_mut(32).enumerate() {
                // SAFETY: the caller runs on a processor with AVX-512 BW; the store writes exactly
                // the 32 numbers of the chunk.
                unsafe {
                    let mut all: __m512i = _mm512_setzero_si512();
                    for (bit, plane) in planes.iter().enumerate() {
                        let mask = half_word(plane, half);
                        all = _mm512_or_si512(all, _mm512_maskz_set1_epi16(mask, 1 << bit));
                    }
                    _mm512_storeu_si512(numbers.as_mut_ptr().cast(), all);
                }
            }
        }

        #[inline(always)]
        fn to_planes(numbers: &[u16], planes: &mut [Row<W>]) {
            for plane in planes.iter_mut() {
                *plane = [0; W];
            }
            for (half, numbers) in numbers.chunks_exact(32).enumerate() {
                // SAFETY: as above; the load reads exactly the 32 numbers of the chunk.
                let all = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) };
                for (bit, plane) in planes.iter_mut().enumerate() {
                    // SAFETY: as above.
                    let mask = unsafe { _mm512_test_epi16_mask(all, _mm512_set1_epi16(1 << bit)) };
                    plane[half / 2] |= u64::from(mask) << (32 * (half % 2));
                }
            }
        }
    }

    #[inline(always)]
    fn half_word<const W: usize>(plane: &Row<W>, half: usize) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "32 lanes of the word are wanted")]
        let mask = (plane[half / 2] >> (32 * (half % 2))) as u32;
        mask
    }
}

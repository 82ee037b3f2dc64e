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

#[cfg(test)]
mod tests {
    use super::*;

    /// Planes and what they mean: bit `bit` of the number of a lane is the lane's bit of plane `bit`.
    fn by_definition<const W: usize>(planes: &[Row<W>]) -> Vec<u16> {
        let bit = |lane: usize, plane: &Row<W>| plane[lane / 64] >> (lane % 64) & 1 == 1;
        let number = |lane: usize| {
            planes.iter().enumerate().fold(0, |n, (at, plane)| n | u16::from(bit(lane, plane)) << at)
        };
        (0..64 * W).map(number).collect()
    }

    fn random_planes<const W: usize>(count: usize, random: &mut fastrand::Rng) -> Vec<Row<W>> {
        (0..count).map(|_| std::array::from_fn(|_| random.u64(..))).collect()
    }

    /// Turns planes into numbers and back; the numbers must be what the definition says.
    fn there_and_back<const W: usize, T: Transpose<W>>(planes: &[Row<W>]) {
        let mut numbers = vec![u16::MAX; 64 * W];
        T::to_numbers(planes, &mut numbers);
        assert_eq!(numbers, by_definition(planes), "{} planes of {W} words", planes.len());
        let mut back = vec![[u64::MAX; W]; planes.len()];
        T::to_planes(&numbers, &mut back);
        assert_eq!(back, planes, "{} planes of {W} words", planes.len());
    }

    #[test]
    fn numbers_are_what_planes_say_everywhere() {
        let mut random = fastrand::Rng::with_seed(5);
        for count in 1..=16 {
            there_and_back::<1, Portable>(&random_planes(count, &mut random));
            there_and_back::<4, Portable>(&random_planes(count, &mut random));
            there_and_back::<8, Portable>(&random_planes(count, &mut random));
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    #[allow(unsafe_code, reason = "code for AVX-512 is called where the processor has it")]
    fn vectors_say_the_same() {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn with_avx512<const W: usize>(planes: &[Row<W>]) {
            there_and_back::<W, Avx512>(planes);
        }
        if !super::super::dispatch::has_avx512() {
            return; // nothing to compare on this processor
        }
        let mut random = fastrand::Rng::with_seed(6);
        for count in 1..=16 {
            // SAFETY: the processor has AVX-512 with BW.
            unsafe {
                with_avx512::<1>(&random_planes(count, &mut random));
                with_avx512::<4>(&random_planes(count, &mut random));
                with_avx512::<8>(&random_planes(count, &mut random));
            }
        }
    }
}

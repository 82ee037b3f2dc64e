//! One of the legal moves for every lane, uniformly at random, without looking at single lanes.
//!
//! # How
//! 1. Count: seven legal rows at a time are added to a three-bit number by full adders, one bit a
//!    row; the numbers of all groups are added up to the count of legal moves, bit plane by bit plane.
//! 2. Draw: the planes are turned into one number a lane, which is multiplied with sixteen random
//!    bits; the high half is a number below the count. Lemire's rejection makes it exactly uniform
//!    (Fast random integer generation in an interval, ACM TOMACS 2019); a rejected lane draws again.
//! 3. Find: the groups are subtracted from the drawn number; where it falls below zero the move lies
//!    in the group. There the legal rows are subtracted one by one from what was left: the borrow that
//!    comes out marks the chosen move.
//!
//! # Cost
//! For n moves and k = log2(n) planes about (8 + 2k) / 7 operations a move for the count and
//! (4k + 50) / 7 for the search; a group that no lane chooses costs only its subtraction.

use super::code::Output;
use super::lanes::{Lanes, Row, and, and_not, is_zero, not, or, xor};
use super::random::Random;

/// Room for the numbers of groups and lanes, kept between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<const W: usize> {
    groups: Vec<[Row<W>; 3]>,
    counts: Vec<u16>,
    draws: Vec<u16>,
}

/// Moves in a group: as many as a three-bit number can count.
const GROUP: usize = 7;
/// The largest number of bit planes: 16-bit numbers are drawn.
pub(crate) const MAX_PLANES: usize = 14;

/// Chooses a move for every lane and writes it to the rows of the role's moves, which start at
/// `first`. Gives the lanes that have no legal move; nothing is chosen there.
#[inline(always)]
pub(crate) fn choose<const W: usize>(
    lanes: &mut Lanes<W>,
    legal: &[Output],
    first: u32,
    scratch: &mut Scratch<W>,
    random: &mut Random,
) -> Row<W> {
    // The number of planes is a constant inside, so that they stay in registers.
    match usize::BITS - legal.len().leading_zeros() {
        0 => not([0; W]),
        1 => planes::<W, 1>(lanes, legal, first, scratch, random),
        2 => planes::<W, 2>(lanes, legal, first, scratch, random),
        3 => planes::<W, 3>(lanes, legal, first, scratch, random),
        4 => planes::<W, 4>(lanes, legal, first, scratch, random),
        5 => planes::<W, 5>(lanes, legal, first, scratch, random),
        6 => planes::<W, 6>(lanes, legal, first, scratch, random),
        7 => planes::<W, 7>(lanes, legal, first, scratch, random),
        8 => planes::<W, 8>(lanes, legal, first, scratch, random),
        9 => planes::<W, 9>(lanes, legal, first, scratch, random),
        10 => planes::<W, 10>(lanes, legal, first, scratch, random),
        11 => planes::<W, 11>(lanes, legal, first, scratch, random),
        12 => planes::<W, 12>(lanes, legal, first, scratch, random),
        13 => planes::<W, 13>(lanes, legal, first, scratch, random),
        _ => planes::<W, MAX_PLANES>(lanes, legal, first, scratch, random),
    }
}

#[inline(always)]
fn planes<const W: usize, const K: usize>(
    lanes: &mut Lanes<W>,
    legal: &[Output],
    first: u32,
    scratch: &mut Scratch<W>,
    random: &mut Random,
) -> Row<W> {
    // 1. Count.
    scratch.groups.clear();
    let mut count = [[0u64; W]; K];
    for chunk in legal.chunks(GROUP) {
        let row = |at: usize| chunk.get(at).map_or([0; W], |&output| lanes.get(output));
        let (a, b) = add3(row(0), row(1), row(2));
        let (c, d) = add3(row(3), row(4), row(5));
        let (ones, e) = add3(a, c, row(6));
        let (twos, fours) = add3(b, d, e);
        let group = [ones, twos, fours];
        scratch.groups.push(group);
        let mut carry = [0; W];
        for (bit, plane) in count.iter_mut().enumerate() {
            let (sum, next) = add3(*plane, group.get(bit).copied().unwrap_or([0; W]), carry);
            *plane = sum;
            carry = next;
        }
    }
    let none = not(count.iter().fold([0; W], |any, &plane| or(any, plane)));
    // 2. Draw.
    let mut rest = draw::<W, K>(&count, scratch, random);
    // 3. Find.
    for (group, chunk) in legal.chunks(GROUP).enumerate() {
        let numbers = scratch.groups[group];
        let before = rest;
        let mut borrow = [0; W];
        for (bit, plane) in rest.iter_mut().enumerate() {
            let (difference, next) = subtract3(*plane, numbers.get(bit).copied().unwrap_or([0; W]), borrow);
            *plane = difference;
            borrow = next;
        }
        let here = borrow;
        let slot = first as usize + group * GROUP;
        if is_zero(here) {
            for row in &mut lanes.rows[slot..slot + chunk.len()] {
                *row = [0; W];
            }
            continue;
        }
        let mut left: [Row<W>; 3] = std::array::from_fn(|bit| before.get(bit).copied().unwrap_or([0; W]));
        for (at, &output) in chunk.iter().enumerate() {
            let mut take = and(lanes.get(output), here);
            for plane in &mut left {
                let was = *plane;
                *plane = xor(was, take);
                take = and_not(take, was);
            }
            lanes.rows[slot + at] = take;
        }
    }
    none
}

/// For every lane a number below its count, as bit planes.
#[inline(always)]
fn draw<const W: usize, const K: usize>(
    count: &[Row<W>; K],
    scratch: &mut Scratch<W>,
    random: &mut Random,
) -> [Row<W>; K] {
    let total = 64 * W;
    scratch.counts.resize(total, 0);
    scratch.draws.resize(total, 0);
    for word in 0..W {
        for quarter in 0..4 {
            let numbers = &mut scratch.counts[64 * word + 16 * quarter..][..16];
            numbers.fill(0);
            for (bit, plane) in count.iter().enumerate() {
                #[allow(clippy::cast_possible_truncation, reason = "sixteen lanes of the word are wanted")]
                let lanes = (plane[word] >> (16 * quarter)) as u16;
                for (lane, number) in numbers.iter_mut().enumerate() {
                    *number |= if lanes & (1 << lane) != 0 { 1 << bit } else { 0 };
                }
            }
        }
    }
    random.fill(&mut scratch.draws);
    for (counts, draws) in scratch.counts.chunks(32).zip(scratch.draws.chunks_mut(32)) {
        let mut suspicious = false;
        for (&count, &draw) in counts.iter().zip(draws.iter()) {
            suspicious |= low_half(draw, count) < count;
        }
        // Rare: only a low half below the count can be one of the surplus draws, those below the
        // remainder of 2^16 divided by the count, which must not count.
        if suspicious {
            for (&count, draw) in counts.iter().zip(draws.iter_mut()) {
                while count > 1 && u32::from(low_half(*draw, count)) < 0x1_0000 % u32::from(count) {
                    *draw = random.sixteen_bits();
                }
            }
        }
        for (&count, draw) in counts.iter().zip(draws.iter_mut()) {
            #[allow(clippy::cast_possible_truncation, reason = "the high half of the product")]
            let high = ((u32::from(*draw) * u32::from(count)) >> 16) as u16;
            *draw = high;
        }
    }
    let mut planes = [[0u64; W]; K];
    for word in 0..W {
        for (bit, plane) in planes.iter_mut().enumerate() {
            let numbers = &scratch.draws[64 * word..][..64];
            let mut value = 0u64;
            for (lane, &number) in numbers.iter().enumerate() {
                value |= u64::from(number >> bit & 1) << lane;
            }
            plane[word] = value;
        }
    }
    planes
}

/// The low sixteen bits of a product.
#[inline(always)]
fn low_half(draw: u16, count: u16) -> u16 {
    draw.wrapping_mul(count)
}

/// Sum and carry of three bits.
#[inline(always)]
fn add3<const W: usize>(a: Row<W>, b: Row<W>, c: Row<W>) -> (Row<W>, Row<W>) {
    let sum = std::array::from_fn(|i| a[i] ^ b[i] ^ c[i]);
    let carry = std::array::from_fn(|i| (a[i] & b[i]) | (c[i] & (a[i] | b[i])));
    (sum, carry)
}

/// Difference and borrow of a - b - c.
#[inline(always)]
fn subtract3<const W: usize>(a: Row<W>, b: Row<W>, c: Row<W>) -> (Row<W>, Row<W>) {
    let difference = std::array::from_fn(|i| a[i] ^ b[i] ^ c[i]);
    let borrow = std::array::from_fn(|i| (!a[i] & (b[i] | c[i])) | (b[i] & c[i]));
    (difference, borrow)
}

//! One of the legal moves for every lane and role, uniformly at random, without looking at single
//! lanes.
//!
//! # How
//! 1. Count: seven legal rows at a time are added to a three-bit number by full adders, one bit a
//!    row; the numbers of all groups are added up to the count of legal moves, bit plane by bit plane.
//! 2. Draw: the planes are turned into one number a lane, which is multiplied with sixteen random
//!    bits; the high half is a number below the count. Lemire's rejection makes it exactly uniform
//!    (Fast random integer generation in an interval, ACM TOMACS 2019); a rejected lane draws again.
//!    Where no lane lets two roles choose at once, as in games with turns, one draw serves all roles.
//! 3. Find: the groups are subtracted from the drawn number; where it falls below zero the move lies
//!    in the group. There the legal rows are subtracted one by one from what was left: the borrow that
//!    comes out marks the chosen move.
//!
//! # Cost
//! For n moves and k = log2(n) planes about (8 + 2k) / 7 operations a move for the count and
//! (4k + 50) / 7 for the search; a group that no lane chooses costs only its subtraction.

use super::code::{Output, Program};
use super::lanes::{Lanes, Row, and, and_not, is_zero, not, or, select, xor};
use super::random::Random;
use super::transpose::Transpose;

/// Room for the numbers of groups and lanes, kept between calls.
#[derive(Clone, Debug)]
pub(crate) struct Scratch<const W: usize> {
    roles: Vec<RoleScratch<W>>,
    counts: Vec<u16>,
    draws: Vec<u16>,
}

#[derive(Clone, Debug)]
struct RoleScratch<const W: usize> {
    groups: Vec<[Row<W>; 3]>,
    /// First the count of legal moves, then the drawn number.
    planes: [Row<W>; MAX_PLANES],
    used: usize,
}

/// Moves in a group: as many as a three-bit number can count.
const GROUP: usize = 7;
/// The largest number of bit planes: 16-bit numbers are drawn.
pub(crate) const MAX_PLANES: usize = 14;

impl<const W: usize> Scratch<W> {
    pub(crate) fn new(roles: usize) -> Self {
        let role = RoleScratch { groups: Vec::new(), planes: [[0; W]; MAX_PLANES], used: 0 };
        Self { roles: vec![role; roles], counts: vec![0; 64 * W], draws: vec![0; 64 * W] }
    }
}

/// Calls a function with the number of planes as a constant, so that they stay in registers.
macro_rules! with_planes {
    ($planes:expr, $function:ident::<$w:ident>($($argument:expr),*)) => {
        match $planes {
            0 | 1 => $function::<$w, 1>($($argument),*),
            2 => $function::<$w, 2>($($argument),*),
            3 => $function::<$w, 3>($($argument),*),
            4 => $function::<$w, 4>($($argument),*),
            5 => $function::<$w, 5>($($argument),*),
            6 => $function::<$w, 6>($($argument),*),
            7 => $function::<$w, 7>($($argument),*),
            8 => $function::<$w, 8>($($argument),*),
            9 => $function::<$w, 9>($($argument),*),
            10 => $function::<$w, 10>($($argument),*),
            11 => $function::<$w, 11>($($argument),*),
            12 => $function::<$w, 12>($($argument),*),
            13 => $function::<$w, 13>($($argument),*),
            _ => $function::<$w, MAX_PLANES>($($argument),*),
        }
    };
}

/// Whether all roles have few enough moves.
pub(crate) fn can_choose(program: &Program) -> bool {
    program.legal.iter().all(|moves| moves.len() < 1 << MAX_PLANES)
}

/// Chooses a move for every role in every lane and writes it to the rows of the role's moves. Gives
/// the lanes in which some role has no legal move.
#[inline(always)]
pub(crate) fn choose<const W: usize, T: Transpose<W>>(
    lanes: &mut Lanes<W>,
    program: &Program,
    scratch: &mut Scratch<W>,
    random: &mut Random,
) -> Row<W> {
    let mut stuck = [0; W];
    // Lanes in which one role has a choice, and in which two have.
    let (mut one, mut two) = ([0; W], [0; W]);
    for (role, legal) in scratch.roles.iter_mut().zip(&program.legal) {
        let used = (usize::BITS - legal.len().leading_zeros()).max(1) as usize;
        role.used = used.min(MAX_PLANES);
        with_planes!(role.used, count::<W>(lanes, legal, role));
        let more = role.planes[1..role.used].iter().fold([0; W], |any, &plane| or(any, plane));
        stuck = or(stuck, not(or(more, role.planes[0])));
        two = or(two, and(one, more));
        one = or(one, more);
    }
    if is_zero(two) {
        draw_once::<W, T>(scratch, random);
    } else {
        for role in 0..scratch.roles.len() {
            let used = scratch.roles[role].used;
            let planes = scratch.roles[role].planes;
            let drawn = draw::<W, T>(&planes[..used], &mut scratch.counts, &mut scratch.draws, random);
            scratch.roles[role].planes = drawn;
        }
    }
    for ((role, legal), &(first, _)) in scratch.roles.iter().zip(&program.legal).zip(&program.moves) {
        with_planes!(role.used, find::<W>(lanes, legal, first, role));
    }
    stuck
}

/// Counts the legal moves of a role.
#[inline(always)]
fn count<const W: usize, const K: usize>(lanes: &Lanes<W>, legal: &[Output], role: &mut RoleScratch<W>) {
    role.groups.clear();
    let mut count = [[0u64; W]; K];
    for chunk in legal.chunks(GROUP) {
        let row = |at: usize| chunk.get(at).map_or([0; W], |&output| lanes.get(output));
        let (a, b) = add3(row(0), row(1), row(2));
        let (c, d) = add3(row(3), row(4), row(5));
        let (ones, e) = add3(a, c, row(6));
        let (twos, fours) = add3(b, d, e);
        let group = [ones, twos, fours];
        role.groups.push(group);
        let mut carry = [0; W];
        for (bit, plane) in count.iter_mut().enumerate() {
            let (sum, next) = add3(*plane, group.get(bit).copied().unwrap_or([0; W]), carry);
            *plane = sum;
            carry = next;
        }
    }
    role.planes[..K].copy_from_slice(&count);
}

/// Finds the move with the drawn number among the legal ones.
#[inline(always)]
fn find<const W: usize, const K: usize>(
    lanes: &mut Lanes<W>,
    legal: &[Output],
    first: u32,
    role: &RoleScratch<W>,
) {
    let mut rest: [Row<W>; K] = std::array::from_fn(|bit| role.planes[bit]);
    for (group, chunk) in legal.chunks(GROUP).enumerate() {
        let numbers = role.groups[group];
        let before = rest;
        let mut borrow = [0; W];
        for (bit, plane) in rest.iter_mut().enumerate() {
            let number = numbers.get(bit).copied().unwrap_or([0; W]);
            let (difference, next) = subtract3(*plane, number, borrow);
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
}

/// Draws for all roles at once: in every lane the number is for the role that has a choice there.
#[inline(always)]
fn draw_once<const W: usize, T: Transpose<W>>(scratch: &mut Scratch<W>, random: &mut Random) {
    let mut merged = [[0; W]; MAX_PLANES];
    let mut chooses = Vec::with_capacity(scratch.roles.len());
    let used = scratch.roles.iter().map(|r| r.used).max().unwrap_or(1);
    for role in &scratch.roles {
        let mask = role.planes[1..role.used].iter().fold([0; W], |any, &plane| or(any, plane));
        for (all, &plane) in merged[..role.used].iter_mut().zip(&role.planes) {
            *all = or(*all, and(plane, mask));
        }
        chooses.push(mask);
    }
    let drawn = draw::<W, T>(&merged[..used], &mut scratch.counts, &mut scratch.draws, random);
    for (role, mask) in scratch.roles.iter_mut().zip(chooses) {
        for (plane, &number) in role.planes[..role.used].iter_mut().zip(&drawn) {
            *plane = select(mask, number, [0; W]);
        }
    }
}

/// For every lane a number below its count (0 where the count is 0), as bit planes.
#[inline(always)]
fn draw<const W: usize, T: Transpose<W>>(
    count: &[Row<W>],
    counts: &mut [u16],
    draws: &mut [u16],
    random: &mut Random,
) -> [Row<W>; MAX_PLANES] {
    T::to_numbers(count, counts);
    random.fill(draws);
    for (counts, draws) in counts.chunks(32).zip(draws.chunks_mut(32)) {
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
    let mut planes = [[0; W]; MAX_PLANES];
    T::to_planes(draws, &mut planes[..count.len()]);
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

#[cfg(test)]
mod tests {
    use super::super::transpose::Portable;
    use super::*;

    /// Lanes with every count from 1 to 9 of legal moves among 20, spread by chance: how often is
    /// each legal move chosen? Chi-square over all, for the numbers of moves that lanes have.
    #[test]
    fn every_legal_move_is_equally_likely() {
        const MOVES: usize = 20;
        let mut generator = fastrand::Rng::with_seed(3);
        let mut lanes: Lanes<1> = Lanes::new(2 * MOVES);
        let mut counts = [0usize; 64];
        for (lane, count) in counts.iter_mut().enumerate() {
            let wanted = 1 + lane % 9;
            let mut moves: Vec<usize> = (0..MOVES).collect();
            generator.shuffle(&mut moves);
            for &legal in &moves[..wanted] {
                lanes.set(legal, lane, true);
            }
            *count = wanted;
        }
        let output =
            |slot: usize| Output::Slot { slot: u32::try_from(slot).expect("small"), inverted: false };
        let legal: Vec<Output> = (0..MOVES).map(output).collect();
        let first = u32::try_from(MOVES).expect("small");
        let program = Program { legal: vec![legal], moves: vec![(first, first)], ..Program::empty() };
        let (mut scratch, mut random) = (Scratch::new(1), Random::new(11));
        let mut chosen = vec![[0u32; 64]; MOVES];
        const DRAWS: u32 = 20_000;
        for _ in 0..DRAWS {
            let stuck = choose::<1, Portable>(&mut lanes, &program, &mut scratch, &mut random);
            assert_eq!(stuck, [0]);
            let mut all = 0u64;
            for (at, hits) in chosen.iter_mut().enumerate() {
                let row = lanes.rows[MOVES + at][0];
                assert_eq!(row & !lanes.rows[at][0], 0, "an illegal move was chosen");
                assert_eq!(all & row, 0, "two moves were chosen");
                all |= row;
                for (lane, hit) in hits.iter_mut().enumerate() {
                    *hit += u32::try_from(row >> lane & 1).expect("a bit");
                }
            }
            assert_eq!(all, u64::MAX, "a lane chose nothing");
        }
        let (mut chi_square, mut freedom) = (0.0, 0.0);
        for (lane, &count) in counts.iter().enumerate() {
            let expected = f64::from(DRAWS) / count as f64;
            for at in (0..MOVES).filter(|&at| lanes.rows[at][0] >> lane & 1 == 1) {
                chi_square += (f64::from(chosen[at][lane]) - expected).powi(2) / expected;
            }
            freedom += (count - 1) as f64;
        }
        // For many degrees of freedom chi-square is normal: mean f, variance 2f.
        let deviation = (chi_square - freedom) / (2.0f64 * freedom).sqrt();
        assert!(deviation.abs() < 4.0, "{chi_square} for {freedom} degrees of freedom");
    }

    #[test]
    fn a_lane_without_legal_moves_is_told() {
        let mut lanes: Lanes<1> = Lanes::new(4);
        lanes.set(0, 3, true);
        let output = |slot| Output::Slot { slot, inverted: false };
        let program =
            Program { legal: vec![vec![output(0), output(1)]], moves: vec![(2, 2)], ..Program::empty() };
        let stuck = choose::<1, Portable>(&mut lanes, &program, &mut Scratch::new(1), &mut Random::new(1));
        assert_eq!(stuck, [!(1 << 3)]);
        assert_eq!((lanes.rows[2], lanes.rows[3]), ([1 << 3], [0]));
    }
}

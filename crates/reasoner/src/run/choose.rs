//! One of the legal moves for every lane and role, uniformly at random, without looking at single
//! lanes.
//!
//! # How
//! 1. Count: seven legal rows at a time are added to a three-bit number by full adders, one bit a
//!    row; nine such groups to a six-bit number; the numbers of these blocks to the count.
//! 2. Draw a number below the count ([`super::draw`]).
//! 3. Find: the blocks are subtracted from the drawn number; where it falls below zero the move lies
//!    in the block. In the same way the groups of the block, and then the moves of the group: the borrow
//!    that comes out marks the chosen move.
//!
//! # Cost
//! About 3 operations a move for the count and 7 for the search; the machine code for it is written by
//! [`super::choice_code`].

use super::choice::{BLOCK, GROUP, MAX_PLANES, MoveRows, RoleChoice};
use super::lanes::Row;
use super::vector::Vector;

/// Room for the numbers of groups and blocks, kept between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<const W: usize> {
    roles: Vec<RoleScratch<W>>,
}

#[derive(Clone, Debug, Default)]
struct RoleScratch<const W: usize> {
    groups: Vec<[Row<W>; 3]>,
    blocks: Vec<[Row<W>; 6]>,
}

/// Counts the legal moves of every role; the counts go to their slots.
#[inline(always)]
pub(crate) fn count_all<const W: usize, V: Vector<W>>(
    rows: &mut [Row<W>],
    choice: &MoveRows,
    scratch: &mut Scratch<W>,
) {
    scratch.roles.resize_with(choice.roles.len(), RoleScratch::default);
    for (role, scratch) in choice.roles.iter().zip(&mut scratch.roles) {
        count::<W, V>(rows, role, scratch);
    }
}

/// Finds the moves with the drawn numbers and writes the rows of moves made.
#[inline(always)]
pub(crate) fn find_all<const W: usize, V: Vector<W>>(
    rows: &mut [Row<W>],
    choice: &MoveRows,
    scratch: &Scratch<W>,
) {
    for (role, scratch) in choice.roles.iter().zip(&scratch.roles) {
        find::<W, V>(rows, role, scratch, V::ones(), |_, _| ());
    }
}

/// The same for some lanes only; adds the moves made to `noted`, by slot from `first` on. What was just written is still at hand: to
/// go through the moves again takes twice as long as finding them.
#[inline(always)]
pub(crate) fn find_and_note_all<const W: usize, V: Vector<W>>(
    rows: &mut [Row<W>],
    (choice, scratch): (&MoveRows, &Scratch<W>),
    active: Row<W>,
    (noted, first): (&mut [Row<W>], u32),
) {
    let mut note = |does: u32, made: V| {
        let row = &mut noted[(does - first) as usize];
        *row = V::load(row).or(made).store();
    };
    for (role, scratch) in choice.roles.iter().zip(&scratch.roles) {
        find::<W, V>(rows, role, scratch, V::load(&active), &mut note);
    }
}

#[inline(always)]
fn count<const W: usize, V: Vector<W>>(rows: &mut [Row<W>], role: &RoleChoice, scratch: &mut RoleScratch<W>) {
    scratch.groups.clear();
    scratch.blocks.clear();
    for block in role.legal.chunks(GROUP * BLOCK) {
        let mut sum = [V::zero(); 6];
        for group in block.chunks(GROUP) {
            let number: [V; 3] = count_group(rows, group);
            scratch.groups.push(number.map(V::store));
            add(&mut sum, &number);
        }
        scratch.blocks.push(sum.map(V::store));
    }
    let total = &mut rows[role.number()];
    match scratch.blocks.as_slice() {
        [block] => total.iter_mut().zip(block).for_each(|(to, &from)| *to = from),
        blocks => {
            let mut sum = [V::zero(); MAX_PLANES];
            for block in blocks {
                add(&mut sum[..total.len()], &block.map(|row| V::load(&row)));
            }
            total.iter_mut().zip(sum).for_each(|(to, from)| *to = from.store());
        }
    }
}

#[inline(always)]
fn count_group<const W: usize, V: Vector<W>>(rows: &[Row<W>], group: &[u32]) -> [V; 3] {
    let row = |at: usize| match group.get(at) {
        Some(&slot) => V::load(&rows[slot as usize]),
        None => V::zero(),
    };
    let rows: [V; GROUP] = match group.first_chunk::<GROUP>() {
        Some(whole) => whole.map(|slot| V::load(&rows[slot as usize])),
        None => std::array::from_fn(row),
    };
    let [r0, r1, r2, r3, r4, r5, r6] = rows;
    let (a, b) = (r0.xor3(r1, r2), r0.carry(r1, r2));
    let (c, d) = (r3.xor3(r4, r5), r3.carry(r4, r5));
    let (ones, e) = (a.xor3(c, r6), a.carry(c, r6));
    [ones, b.xor3(d, e), b.carry(d, e)]
}

/// Adds a number to one with at least as many bits.
#[inline(always)]
fn add<const W: usize, V: Vector<W>>(to: &mut [V], number: &[V]) {
    let mut carry = V::zero();
    let (low, high) = to.split_at_mut(number.len().min(to.len()));
    for (plane, &bit) in low.iter_mut().zip(number) {
        (*plane, carry) = (plane.xor3(bit, carry), plane.carry(bit, carry));
    }
    for plane in high {
        (*plane, carry) = (plane.xor(carry), plane.and(carry));
    }
}

#[inline(always)]
fn find<const W: usize, V: Vector<W>>(
    rows: &mut [Row<W>],
    role: &RoleChoice,
    scratch: &RoleScratch<W>,
    active: V,
    mut note: impl FnMut(u32, V),
) {
    let mut rest = [V::zero(); MAX_PLANES];
    rest.iter_mut().zip(&rows[role.number()]).for_each(|(to, from)| *to = V::load(from));
    let moves = role.legal.chunks(GROUP * BLOCK).zip(role.does.chunks(GROUP * BLOCK));
    let one_block = scratch.blocks.len() == 1;
    let groups = scratch.groups.chunks(BLOCK);
    for ((block, (legal, does)), groups) in scratch.blocks.iter().zip(moves).zip(groups) {
        let mut left: [V; 6] = std::array::from_fn(|bit| rest[bit]);
        let here = match one_block {
            true => active,
            false => subtract(&mut rest[..role.planes], &block.map(|row| V::load(&row))).and(active),
        };
        let moves = legal.chunks(GROUP).zip(does.chunks(GROUP));
        for (group, (legal, does)) in groups.iter().zip(moves) {
            let number = [left[0], left[1], left[2]];
            let here = here.and(subtract(&mut left, &group.map(|row| V::load(&row))));
            find_in_group(rows, (legal, does), number, here, &mut note);
        }
    }
}

/// Subtracts a number with fewer or as many bits; gives the borrow.
#[inline(always)]
fn subtract<const W: usize, V: Vector<W>>(from: &mut [V], number: &[V]) -> V {
    let mut borrow = V::zero();
    let (low, high) = from.split_at_mut(number.len().min(from.len()));
    for (plane, &bit) in low.iter_mut().zip(number) {
        (*plane, borrow) = (plane.xor3(bit, borrow), plane.borrow(bit, borrow));
    }
    for plane in high {
        (*plane, borrow) = (plane.xor(borrow), borrow.and_not(*plane));
    }
    borrow
}

/// Counts a number down at every legal move: the move at which it is zero is the chosen one. Behind it the
/// number is the largest, so that it does not come to zero again.
#[inline(always)]
fn find_in_group<const W: usize, V: Vector<W>>(
    rows: &mut [Row<W>],
    (legal, does): (&[u32], &[u32]),
    mut number: [V; 3],
    here: V,
    note: &mut impl FnMut(u32, V),
) {
    for (&legal, &does) in legal.iter().zip(does) {
        let mut take = V::load(&rows[legal as usize]);
        for plane in &mut number {
            let was = *plane;
            *plane = was.xor(take);
            take = take.and_not(was);
        }
        let made = take.and(here);
        rows[does as usize] = made.store();
        note(does, made);
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::draw_all;
    use super::super::random::Random;
    use super::super::vector::Plain;
    use super::*;

    /// Count, draw and find; gives the lanes in which some role has no legal move.
    fn choose<const W: usize>(rows: &mut [Row<W>], choice: &MoveRows, random: &mut Random<W>) -> Row<W> {
        let mut scratch = Scratch::default();
        count_all::<W, Plain<W>>(rows, choice, &mut scratch);
        let stuck = draw_all::<W, Plain<W>>(rows, choice, random);
        find_all::<W, Plain<W>>(rows, choice, &scratch);
        stuck
    }

    /// Rows for moves that are legal in some lanes; rows of moves made behind them.
    fn rows_of(moves: usize, slots: &mut u32) -> (Vec<Row<1>>, MoveRows) {
        let number = |n: usize| u32::try_from(n).expect("small");
        let legal: Vec<Option<u32>> = (0..number(moves)).map(Some).collect();
        *slots = number(2 * moves);
        let choice = MoveRows::new(&[legal], &[(number(moves), number(moves))], slots).expect("few moves");
        (vec![[0]; *slots as usize], choice)
    }

    /// Lanes with every count of legal moves, spread by chance: how often is each legal move chosen? Chi-square
    /// over all, for a role with one block of moves and for one with several.
    #[test]
    fn every_legal_move_is_equally_likely() {
        let mut generator = fastrand::Rng::with_seed(3);
        for moves in [20, 150] {
            let mut slots = 0;
            let (mut rows, choice) = rows_of(moves, &mut slots);
            let mut counts = [0usize; 64];
            for (lane, count) in counts.iter_mut().enumerate() {
                let mut order: Vec<usize> = (0..moves).collect();
                generator.shuffle(&mut order);
                *count = 1 + lane % 19;
                order[..*count].iter().for_each(|&legal| rows[legal][0] |= 1 << lane);
            }
            let mut random = Random::new(11);
            let mut chosen = vec![[0u32; 64]; moves];
            const DRAWS: u32 = 20_000;
            for _ in 0..DRAWS {
                assert_eq!(choose(&mut rows, &choice, &mut random), [0]);
                let mut all = 0u64;
                for (at, hits) in chosen.iter_mut().enumerate() {
                    let row = rows[moves + at][0];
                    assert_eq!(row & !rows[at][0], 0, "an illegal move was chosen");
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
                for at in (0..moves).filter(|&at| rows[at][0] >> lane & 1 == 1) {
                    chi_square += (f64::from(chosen[at][lane]) - expected).powi(2) / expected;
                }
                freedom += (count - 1) as f64;
            }
            // For many degrees of freedom chi-square is normal: mean f, variance 2f.
            let deviation = (chi_square - freedom) / (2.0f64 * freedom).sqrt();
            assert!(deviation.abs() < 4.0, "{chi_square} for {freedom} degrees of freedom");
        }
    }

    #[test]
    fn a_lane_without_legal_moves_is_told() {
        let (mut rows, choice) = rows_of(2, &mut 0);
        rows[0] = [1 << 3];
        let stuck = choose(&mut rows, &choice, &mut Random::new(1));
        assert_eq!(stuck, [!(1 << 3)]);
        assert_eq!((rows[2], rows[3]), ([1 << 3], [0]));
    }
}

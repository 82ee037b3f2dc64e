//! 64 rows of 64 bits become 64 columns: from a bit for each lane to a word for each lane, and back.
//!
//! Halves, quarters, … are exchanged: six rounds of 32 exchanges (Warren, Hacker's Delight, 7-3).

use super::lanes::Row;
use super::vector::Vector;

/// Bit `j` of word `i` and bit `i` of word `j` change places, for all words of the rows side by side: so the
/// exchanges become vector instructions. Eight rows at a time stay in registers for three rounds.
#[inline(always)]
pub(super) fn transpose<const W: usize, V: Vector<W>>(block: &mut [Row<W>; 64]) {
    for first in 0..8 {
        three_rounds::<W, V, 32, 16, 8>(block, first, 8);
    }
    for first in 0..8 {
        three_rounds::<W, V, 4, 2, 1>(block, 8 * first, 1);
    }
}

#[inline(always)]
fn three_rounds<const W: usize, V: Vector<W>, const A: u32, const B: u32, const C: u32>(
    block: &mut [Row<W>; 64],
    first: usize,
    step: usize,
) {
    let [a, b, c, d, e, f, g, h]: [V; 8] = std::array::from_fn(|at| V::load(&block[first + step * at]));
    let ((a, e), (b, f)) = (a.exchange::<A>(e), b.exchange::<A>(f));
    let ((c, g), (d, h)) = (c.exchange::<A>(g), d.exchange::<A>(h));
    let ((a, c), (b, d)) = (a.exchange::<B>(c), b.exchange::<B>(d));
    let ((e, g), (f, h)) = (e.exchange::<B>(g), f.exchange::<B>(h));
    let ((a, b), (c, d)) = (a.exchange::<C>(b), c.exchange::<C>(d));
    let ((e, f), (g, h)) = (e.exchange::<C>(f), g.exchange::<C>(h));
    for (at, row) in [a, b, c, d, e, f, g, h].into_iter().enumerate() {
        block[first + step * at] = row.store();
    }
}

/// Words for some lanes out of rows: bit `i` of word `b` of a lane is what row `64 b + i` says of it.
/// `into` gets `rows.len() / 64`, rounded up, words a lane; lane by lane.
#[inline(always)]
pub(super) fn lanes_from_rows<const W: usize, V: Vector<W>>(
    rows: impl ExactSizeIterator<Item = Row<W>>,
    lanes: impl ExactSizeIterator<Item = usize> + Clone,
    into: &mut Vec<u64>,
) {
    let blocks = rows.len().div_ceil(64);
    into.clear();
    into.resize(blocks * lanes.len(), 0);
    write_lanes::<W, V>(rows, lanes, into, (blocks, 0));
}

/// The same, into a table with `stride` words a lane, from the word `offset` on. Words of a block in
/// which nothing is set are not written: they must be zero.
#[inline(always)]
pub(super) fn write_lanes<const W: usize, V: Vector<W>>(
    rows: impl ExactSizeIterator<Item = Row<W>>,
    lanes: impl ExactSizeIterator<Item = usize> + Clone,
    into: &mut [u64],
    (stride, offset): (usize, usize),
) {
    let mut block = [[0u64; W]; 64];
    let (mut filled, mut any, mut number) = (0, 0u64, offset);
    let last = rows.len();
    for (at, row) in (1..).zip(rows) {
        block[filled] = row;
        filled += 1;
        any |= row.iter().fold(0, |any, word| any | word);
        if filled < 64 && at < last {
            continue;
        }
        // Blocks without a set bit, such as the moves of a role that waits, are skipped.
        if any != 0 {
            block[filled..].fill([0; W]);
            transpose::<W, V>(&mut block);
            for (at, lane) in lanes.clone().enumerate() {
                into[at * stride + number] = block[lane % 64][lane / 64 % W];
            }
        }
        (filled, any, number) = (0, 0, number + 1);
    }
}

/// Rows out of the words of lanes: the way back. Lanes that are not there are zero.
#[inline(always)]
pub(super) fn rows_from_lanes<'a, const W: usize, V: Vector<W>>(
    lanes: impl Iterator<Item = (usize, &'a [u64])> + Clone,
    rows: &mut [Row<W>],
) {
    for (b, chunk) in rows.chunks_mut(64).enumerate() {
        let mut block = [[0u64; W]; 64];
        for (lane, words) in lanes.clone() {
            block[lane % 64][lane / 64 % W] = words.get(b).copied().unwrap_or(0);
        }
        transpose::<W, V>(&mut block);
        chunk.copy_from_slice(&block[..chunk.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::vector::Plain;
    use super::*;

    #[test]
    fn rows_become_lanes_and_rows_again() {
        let mut random = fastrand::Rng::with_seed(4);
        for (count, lanes) in [(1, 512), (64, 512), (65, 3), (200, 300)] {
            let rows: Vec<Row<8>> = (0..count).map(|_| std::array::from_fn(|_| random.u64(..))).collect();
            let blocks = usize::div_ceil(count, 64);
            let mut words = Vec::new();
            lanes_from_rows::<8, Plain<8>>(rows.iter().copied(), 0..lanes, &mut words);
            assert_eq!(words.len(), lanes * blocks);
            for lane in 0..lanes {
                for (at, row) in rows.iter().enumerate() {
                    let expected = row[lane / 64] >> (lane % 64) & 1;
                    assert_eq!(words[lane * blocks + at / 64] >> (at % 64) & 1, expected);
                }
            }
            let mut back = vec![[u64::MAX; 8]; count];
            rows_from_lanes::<8, Plain<8>>((0..lanes).zip(words.chunks(blocks)), &mut back);
            for (row, back) in rows.iter().zip(&back) {
                for lane in 0..512 {
                    let expected = if lane < lanes { row[lane / 64] >> (lane % 64) & 1 } else { 0 };
                    assert_eq!(back[lane / 64] >> (lane % 64) & 1, expected);
                }
            }
        }
    }
}

//! 64 rows of 64 bits become 64 columns: from a bit for each lane to a word for each lane, and back.
//!
//! Halves, quarters, … are exchanged: six rounds of 32 exchanges (Warren, Hacker's Delight, 7-3).

use super::lanes::Row;

/// Bit `j` of word `i` and bit `i` of word `j` change places, for all words of the rows side by side: so the
/// exchanges become vector instructions.
#[inline(always)]
fn transpose<const W: usize>(block: &mut [Row<W>; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_FFFF_FFFFu64;
    while width != 0 {
        let mut at = 0;
        while at < 64 {
            let (low, high) = (block[at], block[at + width]);
            let exchanged: Row<W> = std::array::from_fn(|w| (low[w] >> width ^ high[w]) & mask);
            block[at] = std::array::from_fn(|w| low[w] ^ exchanged[w] << width);
            block[at + width] = std::array::from_fn(|w| high[w] ^ exchanged[w]);
            at = (at + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

/// Words for each lane out of rows: bit `i` of word `b` of a lane is what row `64 b + i` says of it.
/// `into` gets `rows.len() / 64`, rounded up, words a lane; lane by lane.
#[inline(always)]
pub(super) fn lanes_from_rows<const W: usize>(
    rows: impl ExactSizeIterator<Item = Row<W>>,
    lanes: usize,
    into: &mut Vec<u64>,
) {
    let blocks = rows.len().div_ceil(64);
    into.clear();
    into.resize(blocks * lanes, 0);
    let mut block = [[0u64; W]; 64];
    let (mut filled, mut any, mut number) = (0, 0u64, 0);
    let last = rows.len();
    for (at, row) in (1..).zip(rows) {
        block[filled] = row;
        filled += 1;
        any |= row.iter().fold(0, |any, word| any | word);
        if filled < 64 && at < last {
            continue;
        }
        // Where nothing is set, as in the moves of those who wait, there is nothing to do.
        if any != 0 {
            block[filled..].fill([0; W]);
            transpose(&mut block);
            for w in 0..lanes.div_ceil(64) {
                for (lane, row) in (64 * w..lanes).zip(&block) {
                    into[lane * blocks + number] = row[w];
                }
            }
        }
        (filled, any, number) = (0, 0, number + 1);
    }
}

/// Rows out of the words of lanes: the way back. Lanes without words are zero.
#[inline(always)]
pub(super) fn rows_from_lanes<'a, const W: usize>(
    lanes: usize,
    words: impl Fn(usize) -> &'a [u64],
    rows: &mut [Row<W>],
) {
    for (b, chunk) in rows.chunks_mut(64).enumerate() {
        let mut block = [[0u64; W]; 64];
        for w in 0..W {
            for (lane, row) in (64 * w..lanes).zip(&mut block) {
                row[w] = words(lane).get(b).copied().unwrap_or(0);
            }
        }
        transpose(&mut block);
        chunk.copy_from_slice(&block[..chunk.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_lanes_and_rows_again() {
        let mut random = fastrand::Rng::with_seed(4);
        for (count, lanes) in [(1, 512), (64, 512), (65, 3), (200, 300)] {
            let rows: Vec<Row<8>> = (0..count).map(|_| std::array::from_fn(|_| random.u64(..))).collect();
            let blocks = usize::div_ceil(count, 64);
            let mut words = Vec::new();
            lanes_from_rows(rows.iter().copied(), lanes, &mut words);
            assert_eq!(words.len(), lanes * blocks);
            for lane in 0..lanes {
                for (at, row) in rows.iter().enumerate() {
                    let expected = row[lane / 64] >> (lane % 64) & 1;
                    assert_eq!(words[lane * blocks + at / 64] >> (at % 64) & 1, expected);
                }
            }
            let mut back = vec![[u64::MAX; 8]; count];
            rows_from_lanes(lanes, |lane| &words[lane * blocks..(lane + 1) * blocks], &mut back);
            for (row, back) in rows.iter().zip(&back) {
                for lane in 0..512 {
                    let expected = if lane < lanes { row[lane / 64] >> (lane % 64) & 1 } else { 0 };
                    assert_eq!(back[lane / 64] >> (lane % 64) & 1, expected);
                }
            }
        }
    }
}

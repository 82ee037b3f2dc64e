//! A random number below a count for every lane, all lanes at once on bit planes.
//!
//! The count c is multiplied with R random bits r; the high part ⌊c·r / 2^R⌋ is below c. It is
//! exactly uniform after Lemire's rejection (Fast random integer generation in an interval, ACM TOMACS
//! 2019): a product whose low part is below 2^R mod c is drawn again. Only low parts below c can be
//! that, and R leaves twelve bits more than the count has, so that few lanes need a look.

use super::choice::{MAX_PLANES, MoveRows};
use super::lanes::{Row, is_zero};
use super::random::Random;
use super::vector::Vector;

/// Random bits beyond those of the count.
const SURPLUS: usize = 12;

/// Draws for every role a number below its count and puts it in the count's place. Gives the lanes in
/// which some role has no legal move.
///
/// Where no lane lets two roles choose at once, as in games with turns, one draw serves all roles.
#[inline(always)]
pub(crate) fn draw_all<const W: usize, V: Vector<W>>(
    rows: &mut [Row<W>],
    choice: &MoveRows,
    random: &mut Random<W>,
) -> Row<W> {
    let mut stuck = V::zero();
    // Lanes in which one role has a choice, and in which two have.
    let (mut one, mut two) = (V::zero(), V::zero());
    for role in &choice.roles {
        let planes = &rows[role.number()];
        let more = several::<W, V>(planes);
        stuck = stuck.or(V::ones().and_not(more.or(V::load(&planes[0]))));
        two = two.or(one.and(more));
        one = one.or(more);
    }
    // One draw for all roles, or one for each: in one loop, so that the code for it is there once.
    let together = is_zero(two.store());
    let mut drawn = [[0; W]; MAX_PLANES];
    for draws in 0..if together { 1 } else { choice.roles.len() } {
        let drawing = if together { &choice.roles[..] } else { &choice.roles[draws..=draws] };
        drawn.fill([0; W]);
        let mut planes = 1;
        for role in drawing {
            let counts = &rows[role.number()];
            let chooses = several::<W, V>(counts);
            for (all, plane) in drawn.iter_mut().zip(counts) {
                *all = V::load(all).or(V::load(plane).and(chooses)).store();
            }
            planes = planes.max(role.planes);
        }
        draw_planes::<W, V>(&mut drawn, planes, random);
        for role in drawing {
            let planes = &mut rows[role.number()];
            let chooses = several::<W, V>(planes);
            for (plane, drawn) in planes.iter_mut().zip(&drawn) {
                *plane = V::load(drawn).and(chooses).store();
            }
        }
    }
    stuck.store()
}

/// Lanes whose count is two or more.
#[inline(always)]
fn several<const W: usize, V: Vector<W>>(planes: &[Row<W>]) -> V {
    planes[1..].iter().fold(V::zero(), |any, plane| any.or(V::load(plane)))
}

/// Calls [`draw`] with the number of planes as a constant, so that they stay in registers; some numbers
/// share the code of the next larger one.
#[inline(always)]
fn draw_planes<const W: usize, V: Vector<W>>(
    counts: &mut [Row<W>; MAX_PLANES],
    planes: usize,
    random: &mut Random<W>,
) {
    match planes {
        0 | 1 => counts.fill([0; W]),
        2 | 3 => draw::<W, V, 3>(counts, random),
        4 => draw::<W, V, 4>(counts, random),
        5 => draw::<W, V, 5>(counts, random),
        6 => draw::<W, V, 6>(counts, random),
        7 | 8 => draw::<W, V, 8>(counts, random),
        9 | 10 => draw::<W, V, 10>(counts, random),
        _ => draw::<W, V, MAX_PLANES>(counts, random),
    }
}

#[inline(always)]
fn draw<const W: usize, V: Vector<W>, const K: usize>(planes: &mut [Row<W>], random: &mut Random<W>) {
    let rows: [Row<W>; K] = std::array::from_fn(|bit| planes.get(bit).copied().unwrap_or([0; W]));
    let count: [V; K] = std::array::from_fn(|bit| V::load(&rows[bit]));
    let mut stream = random.stream::<V>();
    let mut high = [V::zero(); K];
    // Lowest bits of the product, and lanes in which its other low bits are all zero.
    let mut low = [[0; W]; K];
    let mut small = V::ones();
    for low in &mut low {
        *low = add_and_halve(&mut high, &count, stream.row()).store();
    }
    for _ in 0..SURPLUS {
        small = small.and_not(add_and_halve(&mut high, &count, stream.row()));
    }
    random.take(&stream);
    for (plane, high) in planes.iter_mut().zip(&high) {
        *plane = high.store();
    }
    let small = small.and(several::<W, V>(&rows)).store();
    if !is_zero(small) {
        reject(&rows, &low, small, planes, random);
    }
}

/// One step of the multiplication: the count is added where the random bit is set, then the lowest bit
/// leaves to the right.
#[inline(always)]
fn add_and_halve<const W: usize, V: Vector<W>, const K: usize>(
    high: &mut [V; K],
    count: &[V; K],
    random: V,
) -> V {
    let first = count[0].and(random);
    let (lowest, mut carry) = (high[0].xor(first), high[0].and(first));
    for bit in 1..K {
        let (a, b) = (high[bit], count[bit].and(random));
        high[bit - 1] = a.xor3(b, carry);
        carry = a.carry(b, carry);
    }
    high[K - 1] = carry;
    lowest
}

/// Draws again in lanes whose product must not count.
#[cold]
#[inline(never)]
fn reject<const W: usize>(
    count: &[Row<W>],
    low: &[Row<W>],
    small: Row<W>,
    planes: &mut [Row<W>],
    random: &mut Random<W>,
) {
    let bits = count.len() + SURPLUS;
    for (word, &lanes) in small.iter().enumerate() {
        let mut lanes = lanes;
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let number = |planes: &[Row<W>]| {
                planes.iter().rev().fold(0u64, |number, plane| number << 1 | (plane[word] >> lane & 1))
            };
            let (count, mut low) = (number(count), number(low));
            let surplus = (1u64 << bits) % count;
            let mut high = None;
            while low < surplus {
                let product = count * (random.word() >> (64 - bits));
                low = product & ((1 << bits) - 1);
                high = Some(product >> bits);
            }
            if let Some(high) = high {
                for (bit, plane) in planes.iter_mut().enumerate() {
                    plane[word] = plane[word] & !(1 << lane) | (high >> bit & 1) << lane;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vector::Plain;
    use super::*;

    /// Every count from 1 to 30 in the lanes: is every number below it equally likely? Chi-square over all.
    #[test]
    fn all_numbers_below_the_count_are_equally_likely() {
        let counts: Vec<u64> = (0..64).map(|lane| 1 + lane % 30).collect();
        let planes: Vec<Row<1>> =
            (0..5).map(|bit| [(0..64).map(|lane| (counts[lane] >> bit & 1) << lane).sum()]).collect();
        let mut random: Random<1> = Random::new(5);
        let mut hits = vec![[0u32; 30]; 64];
        const DRAWS: u32 = 30_000;
        for _ in 0..DRAWS {
            let mut drawn = [[0]; MAX_PLANES];
            drawn[..5].copy_from_slice(&planes);
            draw_planes::<1, Plain<1>>(&mut drawn, 5, &mut random);
            for (lane, hits) in hits.iter_mut().enumerate() {
                let number = (0..5).map(|bit| (drawn[bit][0] >> lane & 1) << bit).sum::<u64>();
                assert!(number < counts[lane], "{number} of {}", counts[lane]);
                hits[usize::try_from(number).expect("small")] += 1;
            }
        }
        let (mut chi_square, mut freedom) = (0.0, 0.0);
        for (lane, &count) in counts.iter().enumerate() {
            let expected = f64::from(DRAWS) / count as f64;
            let seen = hits[lane].iter().take(usize::try_from(count).expect("small"));
            chi_square += seen.map(|&n| (f64::from(n) - expected).powi(2) / expected).sum::<f64>();
            freedom += (count - 1) as f64;
        }
        // For many degrees of freedom chi-square is normal: mean f, variance 2f.
        let deviation = (chi_square - freedom) / (2.0f64 * freedom).sqrt();
        assert!(deviation.abs() < 4.0, "{chi_square} for {freedom} degrees of freedom");
    }

    /// With three choices and fourteen random bits, 2^14 mod 3 = 1: only the product 0 is rejected.
    #[test]
    fn what_must_not_count_is_drawn_again() {
        let count: [Row<1>; 2] = [[u64::MAX], [u64::MAX]];
        let low: [Row<1>; 2] = [[0b110], [0b100]];
        let mut planes = vec![[0b1010u64], [0b1100u64]];
        let before = planes.clone();
        // Lane 0 has the low part 0 and is rejected; lanes 1 and 2 have 1 and 3 and stay.
        reject(&count, &low, [0b111], &mut planes, &mut Random::new(1));
        assert!(before.iter().zip(&planes).all(|(a, b)| a[0] & !1 == b[0] & !1));
        let mut seen = [0u32; 3];
        for seed in 0..300 {
            let mut planes = before.clone();
            reject(&count, &low, [1], &mut planes, &mut Random::new(seed));
            seen[usize::try_from((planes[0][0] & 1) + 2 * (planes[1][0] & 1)).expect("small")] += 1;
        }
        assert!(seen.iter().all(|&n| n > 60), "{seen:?}");
    }
}

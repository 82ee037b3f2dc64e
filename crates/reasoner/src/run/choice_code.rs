//! The same choice as in [`super::choose`], written as instructions, so that it becomes part of the
//! machine code of the cones: rows stay in registers between computing, counting and choosing them.

use super::choice::{BLOCK, GROUP, RoleChoice};
use super::line::{Line, LineOp, Mix};

/// Writes instructions on new slots.
pub(super) struct Writer<'a> {
    pub line: &'a mut Line,
    /// The next free slot.
    pub slots: &'a mut u32,
}

/// A number in bit planes; a missing plane is zero in all lanes.
pub(super) type Number = Vec<Option<u32>>;

/// The numbers of a role that finding needs from counting.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// By block: its own number, and those of its groups.
    blocks: Vec<(Number, Vec<Number>)>,
}

impl Writer<'_> {
    fn slot(&mut self) -> u32 {
        *self.slots += 1;
        *self.slots - 1
    }

    fn mix(&mut self, mix: Mix, a: u32, b: u32, c: u32) -> u32 {
        let out = self.slot();
        self.line.ops.push(LineOp::Mix { out, mix, inputs: [a, b, c] });
        out
    }

    fn and(&mut self, straight: &[u32], inverted: &[u32]) -> u32 {
        let out = self.slot();
        self.line.and(out, straight, inverted);
        out
    }

    /// Sum and carry of up to three bits.
    fn add3(&mut self, bits: [Option<u32>; 3]) -> (Option<u32>, Option<u32>) {
        let there: Vec<u32> = bits.into_iter().flatten().collect();
        match *there.as_slice() {
            [] => (None, None),
            [a] => (Some(a), None),
            [a, b] => (Some(self.mix(Mix::Xor, a, b, b)), Some(self.and(&[a, b], &[]))),
            [a, b, c, ..] => (Some(self.mix(Mix::Xor3, a, b, c)), Some(self.mix(Mix::Carry, a, b, c))),
        }
    }

    /// The sum of two numbers, at most `planes` bits of it.
    fn add(&mut self, one: &Number, other: &Number, planes: usize) -> Number {
        let mut sum = Number::new();
        let mut carry = None;
        for bit in 0..planes {
            let of = |number: &Number| number.get(bit).copied().flatten();
            let (a, b) = (of(one), of(other));
            if a.or(b).or(carry).is_none() && bit >= one.len().max(other.len()) {
                break;
            }
            let (digit, next) = self.add3([a, b, carry]);
            sum.push(digit);
            carry = next;
        }
        sum
    }

    fn count_group(&mut self, legal: &[u32]) -> Number {
        let row = |at: usize| legal.get(at).copied();
        let (a, b) = self.add3([row(0), row(1), row(2)]);
        let (c, d) = self.add3([row(3), row(4), row(5)]);
        let (ones, e) = self.add3([a, c, row(6)]);
        let (twos, fours) = self.add3([b, d, e]);
        vec![ones, twos, fours]
    }

    /// Counts legal moves; `before` is called before each group, to write what it needs.
    pub(super) fn count(&mut self, role: &RoleChoice, mut before: impl FnMut(&mut Line, &[u32])) -> Counts {
        let mut counts = Counts::default();
        let mut total = Number::new();
        for block in role.legal.chunks(GROUP * BLOCK) {
            let mut sum = Number::new();
            let mut groups = Vec::new();
            for group in block.chunks(GROUP) {
                before(self.line, group);
                let number = self.count_group(group);
                sum = self.add(&sum, &number, 6);
                groups.push(number);
            }
            total = self.add(&total, &sum, role.planes);
            counts.blocks.push((sum, groups));
        }
        for (bit, slot) in role.number().enumerate() {
            let slot = u32::try_from(slot).unwrap_or(u32::MAX);
            match total.get(bit).copied().flatten() {
                Some(plane) => self.line.and(slot, &[plane], &[]),
                // Never set: the AND of a row and its inverse would do, but there may be no row.
                None => self.line.ops.push(LineOp::Mix { out: slot, mix: Mix::Xor, inputs: [slot; 3] }),
            }
        }
        counts
    }

    /// Difference and borrow of a number and one with fewer or as many bits.
    fn subtract(&mut self, from: &[u32], number: &Number) -> (Vec<u32>, Option<u32>) {
        let mut difference = Vec::with_capacity(from.len());
        let mut borrow: Option<u32> = None;
        for (bit, &a) in from.iter().enumerate() {
            let b = number.get(bit).copied().flatten();
            match (b, borrow) {
                (None, None) => difference.push(a),
                (Some(b), None) | (None, Some(b)) => {
                    difference.push(self.mix(Mix::Xor, a, b, b));
                    borrow = Some(self.and(&[b], &[a]));
                }
                (Some(b), Some(c)) => {
                    difference.push(self.mix(Mix::Xor3, a, b, c));
                    borrow = Some(self.mix(Mix::Borrow, a, b, c));
                }
            }
        }
        (difference, borrow)
    }

    /// Writes the rows of moves made, from the drawn number. Numbers that nobody needs any more are
    /// written too; whoever takes the code over leaves them out.
    pub(super) fn find(&mut self, role: &RoleChoice, counts: &Counts) {
        let mut rest: Vec<u32> = role.number().map(|slot| u32::try_from(slot).unwrap_or(u32::MAX)).collect();
        let moves = role.legal.chunks(GROUP * BLOCK).zip(role.does.chunks(GROUP * BLOCK));
        let one_block = counts.blocks.len() == 1;
        for ((block, groups), (legal, does)) in counts.blocks.iter().zip(moves) {
            let mut left: Vec<u32> = rest.iter().take(6).copied().collect();
            let mut in_block = None;
            if !one_block {
                (rest, in_block) = self.subtract(&rest, block);
            }
            let one_group = one_block && groups.len() == 1;
            for (group, (legal, does)) in groups.iter().zip(legal.chunks(GROUP).zip(does.chunks(GROUP))) {
                let number = left.clone();
                let mut here: Vec<u32> = in_block.into_iter().collect();
                if !one_group {
                    let (difference, borrow) = self.subtract(&left, group);
                    left = difference;
                    here.extend(borrow);
                    if here.len() > 1 {
                        here = vec![self.and(&here, &[])];
                    }
                }
                self.find_in_group(legal, does, &number, &here);
            }
        }
    }

    fn find_in_group(&mut self, legal: &[u32], does: &[u32], number: &[u32], here: &[u32]) {
        // As many bits as the largest number has that can be drawn in this group.
        let bits = (usize::BITS - (legal.len() - 1).leading_zeros()) as usize;
        let mut number = number[..bits.min(number.len())].to_vec();
        for (&legal, &does) in legal.iter().zip(does) {
            let with_here = |row: u32| [row].into_iter().chain(here.iter().copied()).collect::<Vec<u32>>();
            // A number of three bits needs the borrow into its third for both purposes.
            match *number.as_slice() {
                [a, b, c] => {
                    let borrow = self.and(&[legal], &[a, b]);
                    self.line.and(does, &with_here(borrow), &[c]);
                    let ones = self.mix(Mix::Xor, a, legal, legal);
                    let twos = self.mix(Mix::XorAndNot, b, legal, a);
                    number = vec![ones, twos, self.mix(Mix::Xor, c, borrow, borrow)];
                }
                [a, b] => {
                    self.line.and(does, &with_here(legal), &[a, b]);
                    let ones = self.mix(Mix::Xor, a, legal, legal);
                    number = vec![ones, self.mix(Mix::XorAndNot, b, legal, a)];
                }
                [a] => {
                    self.line.and(does, &with_here(legal), &[a]);
                    number = vec![self.mix(Mix::Xor, a, legal, legal)];
                }
                _ => self.line.and(does, &with_here(legal), &[]),
            }
        }
    }
}

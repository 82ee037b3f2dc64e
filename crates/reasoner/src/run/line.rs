//! A straight line of instructions: what becomes machine code.

use super::code::Output;

/// One instruction on slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineOp {
    /// Slot `out` is the AND of straight inputs and of the inverses of others; where they lie in the
    /// pool.
    And { out: u32, start: u32, straight: u32, inverted: u32 },
    /// Slot `out` is a function of three others.
    Mix { out: u32, mix: Mix, inputs: [u32; 3] },
    /// The next value of a fact: in lanes that start again what it is at the start, else the output.
    Commit { fact: u32, value: Output },
}

/// Functions of three inputs, beside AND, that arithmetic on bit planes needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mix {
    /// a xor b; the third input does not matter.
    Xor,
    /// a xor b xor c: the sum of three bits, and the difference a - b - c.
    Xor3,
    /// The carry of a + b + c.
    Carry,
    /// The borrow of a - b - c.
    Borrow,
    /// a xor (b and not c).
    XorAndNot,
}

/// Instructions from first to last.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub ops: Vec<LineOp>,
    pub pool: Vec<u32>,
    /// Slots that are read after it.
    pub kept: Vec<u32>,
}

impl Line {
    /// Adds an AND.
    pub(crate) fn and(&mut self, out: u32, straight: &[u32], inverted: &[u32]) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let start = number(self.pool.len());
        self.pool.extend(straight.iter().chain(inverted));
        let (straight, inverted) = (number(straight.len()), number(inverted.len()));
        self.ops.push(LineOp::And { out, start, straight, inverted });
    }

    /// The slots that an instruction reads.
    pub(crate) fn inputs<'a>(&'a self, op: &'a LineOp) -> &'a [u32] {
        match op {
            &LineOp::And { start, straight, inverted, .. } => {
                &self.pool[start as usize..(start + straight + inverted) as usize]
            }
            LineOp::Mix { inputs, .. } => inputs,
            LineOp::Commit { value: Output::Slot { slot, .. }, .. } => std::slice::from_ref(slot),
            LineOp::Commit { .. } => &[],
        }
    }

    /// Leaves out instructions whose results nobody reads, here or later.
    pub(super) fn drop_unused(&mut self, slots: u32) {
        let mut needed = vec![false; slots as usize];
        self.kept.iter().for_each(|&slot| needed[slot as usize] = true);
        let mut ops = Vec::with_capacity(self.ops.len());
        for op in self.ops.iter().rev() {
            let stays = match *op {
                LineOp::And { out, .. } | LineOp::Mix { out, .. } => needed[out as usize],
                LineOp::Commit { .. } => true,
            };
            if stays {
                self.inputs(op).iter().for_each(|&slot| needed[slot as usize] = true);
                ops.push(*op);
            }
        }
        ops.reverse();
        self.ops = ops;
    }
}

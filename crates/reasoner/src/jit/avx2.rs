//! Instructions of AVX2: rows of 256 bits, functions of two inputs.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::emit::Emitter;
use super::lower::{Committed, Input, RegisterSource};
use crate::run::Mix;

impl Emitter {
    /// The target is none of the inputs here.
    pub(super) fn mix_avx2(&mut self, target: Register, mix: Mix, inputs: [RegisterSource; 3]) -> Option<()> {
        let (xor, and) = (Code::VEX_Vpxor_ymm_ymm_ymmm256, Code::VEX_Vpand_ymm_ymm_ymmm256);
        let and_not = Code::VEX_Vpandn_ymm_ymm_ymmm256;
        let (row, other) = (self.isa.spare(), self.isa.second_spare());
        let [a, b, c] = inputs;
        let (a, b, c) = (self.in_register(a, row)?, self.in_register(b, row)?, self.in_register(c, row)?);
        match mix {
            Mix::Xor => self.three(xor, target, a, b),
            Mix::Xor3 => {
                self.three(xor, target, a, b)?;
                self.three(xor, target, target, c)
            }
            // a xor ((a xor b) and (a xor c))
            Mix::Carry => {
                self.three(xor, target, a, b)?;
                self.three(xor, other, a, c)?;
                self.three(and, target, target, other)?;
                self.three(xor, target, target, a)
            }
            // The same with not a: b xor (not (a xor b) and (b xor c))
            Mix::Borrow => {
                self.three(xor, target, a, b)?;
                self.three(xor, other, b, c)?;
                self.three(and_not, target, target, other)?;
                self.three(xor, target, target, b)
            }
            Mix::XorAndNot => {
                self.three(and_not, target, c, b)?;
                self.three(xor, target, target, a)
            }
        }
    }

    pub(super) fn and_avx2(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
        // A straight input first, if there is one, saves an inversion.
        let first = inputs.iter().position(|input| !input.inverted).unwrap_or(0);
        self.take(target, *inputs.get(first)?)?;
        if inputs[first].inverted {
            self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, target, target, self.isa.ones())?;
        }
        let others = inputs.iter().enumerate().filter(|&(at, _)| at != first);
        others.map(|(_, &input)| input).try_for_each(|input| self.join_avx2(target, input))
    }

    pub(super) fn join_avx2(&mut self, target: Register, input: Input) -> Option<()> {
        if !input.inverted {
            return self.with_source(Code::VEX_Vpand_ymm_ymm_ymmm256, target, target, input.source);
        }
        let register = match input.source {
            RegisterSource::Register(number) => self.isa.register(number),
            RegisterSource::Row(slot) => {
                self.load(self.isa.spare(), slot)?;
                self.isa.spare()
            }
        };
        self.three(Code::VEX_Vpandn_ymm_ymm_ymmm256, target, register, target)
    }

    /// Puts the next value of a fact into the target; `start` is the row that says whether it holds
    /// at the start.
    pub(super) fn commit_avx2(
        &mut self,
        target: Register,
        value: Committed,
        reset: Register,
        start: MemoryOperand,
    ) -> Option<()> {
        let (xor, and) = (Code::VEX_Vpxor_ymm_ymm_ymmm256, Code::VEX_Vpand_ymm_ymm_ymmm256);
        let code = Code::VEX_Vmovdqu_ymm_ymmm256;
        self.add(&Instruction::with2(code, target, start).ok()?)?;
        match value {
            Committed::Constant(false) => self.three(and, target, target, reset)?,
            Committed::Constant(true) => {
                // (at start) or not reset = not (reset and not (at start))
                self.three(Code::VEX_Vpandn_ymm_ymm_ymmm256, target, target, reset)?;
                self.three(xor, target, target, self.isa.ones())?;
            }
            // value xor (reset and (value xor at start))
            Committed::Value(Input { source, inverted }) => {
                let mut value = self.in_register(source, self.isa.spare())?;
                if inverted {
                    self.three(xor, self.isa.spare(), value, self.isa.ones())?;
                    value = self.isa.spare();
                }
                self.three(xor, target, target, value)?;
                self.three(and, target, target, reset)?;
                self.three(xor, target, target, value)?;
            }
        }
        Some(())
    }
}

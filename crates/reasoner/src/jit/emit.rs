//! Writes instructions. Arguments: rdi points to the first row, rsi to the facts of the current
//! state, rdx to those of the next, rcx to the rows of the facts where lanes start again.

use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

use super::isa::Isa;
use super::lower::{Committed, Input, RegisterCode, RegisterSource, RegisterStep};
use crate::run::Mix;

/// The machine code of a plan; `None` if it cannot be encoded.
pub(super) fn emit(plan: &RegisterCode, isa: Isa, facts: u32) -> Option<Vec<u8>> {
    // Offsets are 32 bits.
    if i64::from(plan.rows) * isa.bytes() > i64::from(i32::MAX) {
        return None;
    }
    let mut emitter = Emitter { isa, facts, encoder: Encoder::new(64), position: 0 };
    if isa == Isa::Avx2 {
        let ones = isa.ones();
        emitter.three(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ones, ones, ones)?;
    }
    for step in &plan.steps {
        match step {
            RegisterStep::Load { register, row } => emitter.load(isa.register(*register), *row)?,
            RegisterStep::Store { register, row } => emitter.store(isa.register(*register), *row)?,
            RegisterStep::And { register, inputs } => emitter.and(isa.register(*register), inputs)?,
            RegisterStep::AndMore { register, inputs } => {
                emitter.and_more(isa.register(*register), inputs)?
            }
            RegisterStep::Mix { register, mix, inputs } => {
                emitter.mix(isa.register(*register), *mix, *inputs)?
            }
            RegisterStep::Commit { register, fact, value, reset } => {
                emitter.commit(isa.register(*register), *fact, *value, isa.register(*reset))?;
            }
        }
    }
    // The caller's code may use older vector instructions: leave the upper halves clean.
    emitter.add(&Instruction::with(Code::VEX_Vzeroupper))?;
    emitter.add(&Instruction::with(Code::Retnq))?;
    Some(emitter.encoder.take_buffer())
}

/// Writes instructions; what an instruction set does in its own way is in the files named after
/// them.
pub(super) struct Emitter {
    pub(super) isa: Isa,
    /// Rows below are those of facts.
    facts: u32,
    encoder: Encoder,
    position: u64,
}

impl Emitter {
    pub(super) fn add(&mut self, instruction: &Instruction) -> Option<()> {
        let length = self.encoder.encode(instruction, self.position).ok()?;
        self.position += length as u64;
        Some(())
    }

    pub(super) fn memory(&self, row: u32) -> MemoryOperand {
        let base = if row < self.facts { Register::RSI } else { Register::RDI };
        MemoryOperand::with_base_displ(base, i64::from(row) * self.isa.bytes())
    }

    pub(super) fn load(&mut self, register: Register, slot: u32) -> Option<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymm_ymmm256,
        };
        let memory = self.memory(slot);
        self.add(&Instruction::with2(code, register, memory).ok()?)
    }

    pub(super) fn store(&mut self, register: Register, row: u32) -> Option<()> {
        let memory = self.memory(row);
        self.store_at(register, memory)
    }

    pub(super) fn store_at(&mut self, register: Register, memory: MemoryOperand) -> Option<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymmm256_ymm,
        };
        self.add(&Instruction::with2(code, memory, register).ok()?)
    }

    /// An instruction with three registers.
    pub(super) fn three(&mut self, code: Code, target: Register, a: Register, b: Register) -> Option<()> {
        self.add(&Instruction::with3(code, target, a, b).ok()?)
    }

    /// `target` becomes the AND of inputs, some of them inverted.
    pub(super) fn and(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
        if inputs.is_empty() {
            return match self.isa {
                Isa::Avx512 => self.ternary_registers(target, target, target, 0xFF),
                Isa::Avx2 => self.copy(target, self.isa.ones()),
            };
        }
        match self.isa {
            Isa::Avx512 => self.and_avx512(target, inputs),
            Isa::Avx2 => self.and_avx2(target, inputs),
        }
    }

    /// `target` becomes the AND of itself and inputs, some of them inverted.
    pub(super) fn and_more(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
        match self.isa {
            Isa::Avx512 => {
                let (registers, slots) =
                    inputs.iter().partition(|i| matches!(i.source, RegisterSource::Register(_)));
                self.rest_avx512(target, false, registers, slots)
            }
            Isa::Avx2 => inputs.iter().try_for_each(|&input| self.join_avx2(target, input)),
        }
    }

    /// Copies an input to a register, without inverting it.
    pub(super) fn take(&mut self, target: Register, input: Input) -> Option<()> {
        match input.source {
            RegisterSource::Row(slot) => self.load(target, slot),
            RegisterSource::Register(number) => {
                let from = self.isa.register(number);
                if from == target { Some(()) } else { self.copy(target, from) }
            }
        }
    }

    pub(super) fn copy(&mut self, target: Register, from: Register) -> Option<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymm_ymmm256,
        };
        self.add(&Instruction::with2(code, target, from).ok()?)
    }

    /// `target` becomes a function of three inputs.
    pub(super) fn mix(&mut self, target: Register, mix: Mix, inputs: [RegisterSource; 3]) -> Option<()> {
        match (self.isa, mix) {
            (_, Mix::Xor) if inputs[0] == inputs[1] => self.three(self.xor(), target, target, target),
            (_, Mix::Xor) => {
                let [a, b, _] = inputs;
                let (a, b) = if matches!(a, RegisterSource::Register(_)) { (a, b) } else { (b, a) };
                let a = self.in_register(a, self.isa.spare())?;
                self.with_source(self.xor(), target, a, b)
            }
            (Isa::Avx512, _) => self.mix_avx512(target, mix, inputs),
            (Isa::Avx2, _) => self.mix_avx2(target, mix, inputs),
        }
    }

    pub(super) fn xor(&self) -> Code {
        match self.isa {
            Isa::Avx512 => Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
            Isa::Avx2 => Code::VEX_Vpxor_ymm_ymm_ymmm256,
        }
    }

    /// A register with the value of a source; a row is loaded into `spare`.
    pub(super) fn in_register(&mut self, source: RegisterSource, spare: Register) -> Option<Register> {
        match source {
            RegisterSource::Register(number) => Some(self.isa.register(number)),
            RegisterSource::Row(row) => {
                self.load(spare, row)?;
                Some(spare)
            }
        }
    }

    /// Writes the next value of a fact.
    pub(super) fn commit(
        &mut self,
        target: Register,
        fact: u32,
        value: Committed,
        reset: Register,
    ) -> Option<()> {
        let start = MemoryOperand::with_base_displ(Register::RCX, i64::from(fact) * self.isa.bytes());
        match self.isa {
            Isa::Avx512 => self.commit_avx512(target, value, reset, start)?,
            Isa::Avx2 => self.commit_avx2(target, value, reset, start)?,
        }
        let next = MemoryOperand::with_base_displ(Register::RDX, i64::from(fact) * self.isa.bytes());
        self.store_at(target, next)
    }

    pub(super) fn with_source(
        &mut self,
        code: Code,
        target: Register,
        a: Register,
        b: RegisterSource,
    ) -> Option<()> {
        match b {
            RegisterSource::Register(number) => self.three(code, target, a, self.isa.register(number)),
            RegisterSource::Row(slot) => {
                let memory = self.memory(slot);
                self.add(&Instruction::with3(code, target, a, memory).ok()?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_encoded() {
        let row = RegisterSource::Row(3);
        let (a, b) = (RegisterSource::Register(0), RegisterSource::Register(1));
        let input = |source, inverted| Input { source, inverted };
        let steps = [
            RegisterStep::Load { register: 1, row: 2 },
            RegisterStep::Store { register: 1, row: 7 },
            RegisterStep::And { register: 2, inputs: vec![] },
            RegisterStep::And {
                register: 2,
                inputs: vec![input(row, true), input(a, false), input(b, true)],
            },
            RegisterStep::AndMore { register: 2, inputs: vec![input(row, true), input(a, false)] },
            RegisterStep::Mix { register: 2, mix: Mix::Xor, inputs: [row, a, a] },
            RegisterStep::Mix { register: 2, mix: Mix::Xor3, inputs: [a, row, b] },
            RegisterStep::Mix { register: 2, mix: Mix::Borrow, inputs: [b, a, row] },
            RegisterStep::Commit { register: 2, fact: 4, value: Committed::Constant(true), reset: 1 },
            RegisterStep::Commit {
                register: 2,
                fact: 4,
                value: Committed::Value(input(row, true)),
                reset: 1,
            },
            RegisterStep::Commit { register: 0, fact: 4, value: Committed::Value(input(b, false)), reset: 1 },
        ];
        for step in steps {
            for isa in [Isa::Avx512, Isa::Avx2] {
                let text = format!("{step:?} with {isa:?}");
                assert!(
                    emit(&RegisterCode { steps: vec![step.clone()], rows: 10 }, isa, 5).is_some(),
                    "{text}"
                );
            }
        }
    }
}

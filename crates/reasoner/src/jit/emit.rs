//! Writes instructions. The first argument (rdi) points to the first slot.

use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

use super::lower::{Input, Plan, Source, Step};
use crate::run::{has_avx2, has_avx512};

/// Which instructions are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isa {
    /// 512 bits a slot, 32 registers, any function of three inputs in one instruction.
    Avx512,
    /// 256 bits a slot, 16 registers.
    Avx2,
}

impl Isa {
    /// The instructions for lanes of this many words, if the processor has them.
    pub(super) fn for_words(words: usize) -> Option<Self> {
        match words {
            8 if has_avx512() => Some(Isa::Avx512),
            4 if has_avx2() => Some(Isa::Avx2),
            _ => None,
        }
    }

    /// Registers for values; the others are the emitter's own.
    pub(super) fn registers(self) -> u8 {
        match self {
            Isa::Avx512 => 31,
            Isa::Avx2 => 14,
        }
    }

    fn bytes(self) -> i64 {
        match self {
            Isa::Avx512 => 64,
            Isa::Avx2 => 32,
        }
    }

    fn register(self, number: u8) -> Register {
        match self {
            Isa::Avx512 => Register::ZMM0 + u32::from(number),
            Isa::Avx2 => Register::YMM0 + u32::from(number),
        }
    }

    /// A register that holds no value.
    fn spare(self) -> Register {
        self.register(self.registers())
    }

    /// A register with all bits set, with AVX2 only.
    fn ones(self) -> Register {
        self.register(self.registers() + 1)
    }
}

/// The machine code of a plan; `None` if it cannot be encoded.
pub(super) fn emit(plan: &Plan, isa: Isa) -> Option<Vec<u8>> {
    // Offsets are 32 bits.
    if plan.slots as i64 * isa.bytes() > i64::from(i32::MAX) {
        return None;
    }
    let mut emitter = Emitter { isa, encoder: Encoder::new(64), position: 0 };
    if isa == Isa::Avx2 {
        let ones = isa.ones();
        emitter.three(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ones, ones, ones)?;
    }
    for step in &plan.steps {
        match step {
            Step::Load { register, slot } => emitter.load(isa.register(*register), *slot)?,
            Step::Store { register, slot } => emitter.store(isa.register(*register), *slot)?,
            Step::And { register, inputs } => emitter.and(isa.register(*register), inputs)?,
            Step::AndMore { register, inputs } => emitter.and_more(isa.register(*register), inputs)?,
        }
    }
    // The caller's code may use older vector instructions: leave the upper halves clean.
    emitter.add(&Instruction::with(Code::VEX_Vzeroupper))?;
    emitter.add(&Instruction::with(Code::Retnq))?;
    Some(emitter.encoder.take_buffer())
}

struct Emitter {
    isa: Isa,
    encoder: Encoder,
    position: u64,
}

impl Emitter {
    fn add(&mut self, instruction: &Instruction) -> Option<()> {
        let length = self.encoder.encode(instruction, self.position).ok()?;
        self.position += length as u64;
        Some(())
    }

    fn memory(&self, slot: u32) -> MemoryOperand {
        MemoryOperand::with_base_displ(Register::RDI, i64::from(slot) * self.isa.bytes())
    }

    fn load(&mut self, register: Register, slot: u32) -> Option<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymm_ymmm256,
        };
        let memory = self.memory(slot);
        self.add(&Instruction::with2(code, register, memory).ok()?)
    }

    fn store(&mut self, register: Register, slot: u32) -> Option<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymmm256_ymm,
        };
        let memory = self.memory(slot);
        self.add(&Instruction::with2(code, memory, register).ok()?)
    }

    /// An instruction with three registers.
    fn three(&mut self, code: Code, target: Register, a: Register, b: Register) -> Option<()> {
        self.add(&Instruction::with3(code, target, a, b).ok()?)
    }

    /// `target` becomes the AND of inputs, some of them inverted.
    fn and(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
        match self.isa {
            Isa::Avx512 => self.and_avx512(target, inputs),
            Isa::Avx2 => self.and_avx2(target, inputs),
        }
    }

    /// `target` becomes the AND of itself and inputs, some of them inverted.
    fn and_more(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
        match self.isa {
            Isa::Avx512 => {
                let (registers, slots) = inputs.iter().partition(|i| matches!(i.source, Source::Register(_)));
                self.rest_avx512(target, false, registers, slots)
            }
            Isa::Avx2 => inputs.iter().try_for_each(|&input| self.join_avx2(target, input)),
        }
    }

    fn and_avx512(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
        // Registers and slots in pairs: one instruction takes one of each.
        let (mut registers, mut slots): (Vec<Input>, Vec<Input>) =
            inputs.iter().partition(|i| matches!(i.source, Source::Register(_)));
        // The first value goes into the target with as much as fits beside it.
        let first = registers.pop();
        let Some(first) = first else {
            let first = slots.pop()?;
            self.take(target, first)?;
            return self.rest_avx512(target, first.inverted, registers, slots);
        };
        let (Source::Register(number), second) = (first.source, slots.pop().or_else(|| registers.pop()))
        else {
            return None;
        };
        let Some(second) = second else {
            self.take(target, first)?;
            return self.rest_avx512(target, first.inverted, registers, slots);
        };
        let a = self.isa.register(number);
        match (first.inverted, second.inverted) {
            (false, false) => {
                self.with_source(Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, target, a, second.source)?
            }
            (true, false) => {
                self.with_source(Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64, target, a, second.source)?
            }
            (_, true) => {
                // No single instruction: second goes to the target, then first joins it.
                self.take(target, second)?;
                registers.push(first);
                return self.rest_avx512(target, true, registers, slots);
            }
        }
        self.rest_avx512(target, false, registers, slots)
    }

    /// Joins further inputs to the target, whose own value is to be inverted first if `inverted`.
    fn rest_avx512(
        &mut self,
        target: Register,
        mut inverted: bool,
        mut registers: Vec<Input>,
        mut slots: Vec<Input>,
    ) -> Option<()> {
        loop {
            let (one, two) = match (registers.pop(), slots.pop()) {
                (None, None) => break,
                (Some(one), None) => (one, registers.pop()),
                (None, Some(one)) => (one, None),
                (Some(one), Some(two)) => (one, Some(two)),
            };
            match two {
                // Function of (target, register, other): true where all have the wanted value.
                Some(two) => {
                    let Source::Register(number) = one.source else { return None };
                    let index =
                        u32::from(!inverted) << 2 | u32::from(!one.inverted) << 1 | u32::from(!two.inverted);
                    self.ternary(target, self.isa.register(number), two.source, 1 << index)?;
                }
                None => {
                    // The middle input is ignored: both of its values count.
                    let index = u32::from(!inverted) << 2 | u32::from(!one.inverted);
                    self.ternary(target, target, one.source, 1 << index | 1 << (index | 2))?;
                }
            }
            inverted = false;
        }
        if inverted {
            self.ternary_registers(target, target, target, 0x0F)?;
        }
        Some(())
    }

    /// Copies an input to a register, without inverting it.
    fn take(&mut self, target: Register, input: Input) -> Option<()> {
        match input.source {
            Source::Slot(slot) => self.load(target, slot),
            Source::Register(number) => {
                let from = self.isa.register(number);
                if from == target {
                    return Some(());
                }
                let code = match self.isa {
                    Isa::Avx512 => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
                    Isa::Avx2 => Code::VEX_Vmovdqu_ymm_ymmm256,
                };
                self.add(&Instruction::with2(code, target, from).ok()?)
            }
        }
    }

    fn with_source(&mut self, code: Code, target: Register, a: Register, b: Source) -> Option<()> {
        match b {
            Source::Register(number) => self.three(code, target, a, self.isa.register(number)),
            Source::Slot(slot) => {
                let memory = self.memory(slot);
                self.add(&Instruction::with3(code, target, a, memory).ok()?)
            }
        }
    }

    fn ternary(&mut self, target: Register, a: Register, b: Source, table: u32) -> Option<()> {
        match b {
            Source::Register(number) => self.ternary_registers(target, a, self.isa.register(number), table),
            Source::Slot(slot) => {
                let memory = self.memory(slot);
                let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
                self.add(&Instruction::with4(code, target, a, memory, table).ok()?)
            }
        }
    }

    fn ternary_registers(&mut self, target: Register, a: Register, b: Register, table: u32) -> Option<()> {
        let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
        self.add(&Instruction::with4(code, target, a, b, table).ok()?)
    }

    fn and_avx2(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
        // A straight input first, if there is one, saves an inversion.
        let first = inputs.iter().position(|input| !input.inverted).unwrap_or(0);
        self.take(target, *inputs.get(first)?)?;
        if inputs[first].inverted {
            self.three(Code::VEX_Vpxor_ymm_ymm_ymmm256, target, target, self.isa.ones())?;
        }
        let others = inputs.iter().enumerate().filter(|&(at, _)| at != first);
        others.map(|(_, &input)| input).try_for_each(|input| self.join_avx2(target, input))
    }

    fn join_avx2(&mut self, target: Register, input: Input) -> Option<()> {
        if !input.inverted {
            return self.with_source(Code::VEX_Vpand_ymm_ymm_ymmm256, target, target, input.source);
        }
        let register = match input.source {
            Source::Register(number) => self.isa.register(number),
            Source::Slot(slot) => {
                self.load(self.isa.spare(), slot)?;
                self.isa.spare()
            }
        };
        self.three(Code::VEX_Vpandn_ymm_ymm_ymmm256, target, register, target)
    }
}

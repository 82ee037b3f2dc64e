//! Writes instructions. Arguments: rdi points to the first row, rsi to the facts of the current state, rdx
//! to those of the next, rcx to a word for each fact that says whether it holds at the start.

use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

use super::lower::{Committed, Input, Plan, Source, Step};
use super::ternary;
use crate::run::{Mix, has_avx2, has_avx512};

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
            Isa::Avx2 => 13,
        }
    }

    /// Whether a mix may be computed in a register of its inputs.
    pub(super) fn mixes_in_place(self) -> bool {
        self == Isa::Avx512
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

    /// A second one, with AVX2 only.
    fn second_spare(self) -> Register {
        self.register(self.registers() + 1)
    }

    /// A register with all bits set, with AVX2 only.
    fn ones(self) -> Register {
        self.register(self.registers() + 2)
    }
}

/// The machine code of a plan; `None` if it cannot be encoded.
pub(super) fn emit(plan: &Plan, isa: Isa, facts: u32) -> Option<Vec<u8>> {
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
            Step::Load { register, row } => emitter.load(isa.register(*register), *row)?,
            Step::Store { register, row } => emitter.store(isa.register(*register), *row)?,
            Step::And { register, inputs } => emitter.and(isa.register(*register), inputs)?,
            Step::AndMore { register, inputs } => emitter.and_more(isa.register(*register), inputs)?,
            Step::Mix { register, mix, inputs } => emitter.mix(isa.register(*register), *mix, *inputs)?,
            Step::Commit { register, fact, value, reset } => {
                emitter.commit(isa.register(*register), *fact, *value, isa.register(*reset))?;
            }
        }
    }
    // The caller's code may use older vector instructions: leave the upper halves clean.
    emitter.add(&Instruction::with(Code::VEX_Vzeroupper))?;
    emitter.add(&Instruction::with(Code::Retnq))?;
    Some(emitter.encoder.take_buffer())
}

struct Emitter {
    isa: Isa,
    /// Rows below are those of facts.
    facts: u32,
    encoder: Encoder,
    position: u64,
}

impl Emitter {
    fn add(&mut self, instruction: &Instruction) -> Option<()> {
        let length = self.encoder.encode(instruction, self.position).ok()?;
        self.position += length as u64;
        Some(())
    }

    fn memory(&self, row: u32) -> MemoryOperand {
        let base = if row < self.facts { Register::RSI } else { Register::RDI };
        MemoryOperand::with_base_displ(base, i64::from(row) * self.isa.bytes())
    }

    fn load(&mut self, register: Register, slot: u32) -> Option<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymm_ymmm256,
        };
        let memory = self.memory(slot);
        self.add(&Instruction::with2(code, register, memory).ok()?)
    }

    fn store(&mut self, register: Register, row: u32) -> Option<()> {
        let memory = self.memory(row);
        self.store_at(register, memory)
    }

    fn store_at(&mut self, register: Register, memory: MemoryOperand) -> Option<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymmm256_ymm,
        };
        self.add(&Instruction::with2(code, memory, register).ok()?)
    }

    /// An instruction with three registers.
    fn three(&mut self, code: Code, target: Register, a: Register, b: Register) -> Option<()> {
        self.add(&Instruction::with3(code, target, a, b).ok()?)
    }

    /// `target` becomes the AND of inputs, some of them inverted.
    fn and(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
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
            Source::Row(slot) => self.load(target, slot),
            Source::Register(number) => {
                let from = self.isa.register(number);
                if from == target { Some(()) } else { self.copy(target, from) }
            }
        }
    }

    fn copy(&mut self, target: Register, from: Register) -> Option<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymm_ymmm256,
        };
        self.add(&Instruction::with2(code, target, from).ok()?)
    }

    /// `target` becomes a function of three inputs.
    fn mix(&mut self, target: Register, mix: Mix, inputs: [Source; 3]) -> Option<()> {
        match (self.isa, mix) {
            (_, Mix::Xor) if inputs[0] == inputs[1] => self.three(self.xor(), target, target, target),
            (_, Mix::Xor) => {
                let [a, b, _] = inputs;
                let (a, b) = if matches!(a, Source::Register(_)) { (a, b) } else { (b, a) };
                let a = self.in_register(a, self.isa.spare())?;
                self.with_source(self.xor(), target, a, b)
            }
            (Isa::Avx512, _) => self.mix_avx512(target, mix, inputs),
            (Isa::Avx2, _) => self.mix_avx2(target, mix, inputs),
        }
    }

    fn xor(&self) -> Code {
        match self.isa {
            Isa::Avx512 => Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
            Isa::Avx2 => Code::VEX_Vpxor_ymm_ymm_ymmm256,
        }
    }

    fn mix_avx512(&mut self, target: Register, mix: Mix, inputs: [Source; 3]) -> Option<()> {
        let is_row = |s: &Source| matches!(s, Source::Row(_));
        let is_target = |s: &Source| matches!(s, Source::Register(n) if self.isa.register(*n) == target);
        // The instruction overwrites its first input: one that is in the target already, or is loaded there.
        let first = inputs.iter().position(is_target).or_else(|| inputs.iter().position(is_row)).unwrap_or(0);
        self.take(target, Input { source: inputs[first], inverted: false })?;
        // A row can only come last.
        let [mut second, mut third] = [(first + 1) % 3, (first + 2) % 3];
        if is_row(&inputs[second]) {
            (second, third) = (third, second);
        }
        // A row that is in the target now is read from there.
        let source = |at: usize| if inputs[at] == inputs[first] { None } else { Some(inputs[at]) };
        let table = ternary::permuted(ternary::table(mix), [first, second, third]);
        let second = match source(second) {
            None => target,
            Some(Source::Register(number)) => self.isa.register(number),
            Some(Source::Row(_)) => return None,
        };
        match source(third) {
            None => self.ternary_registers(target, second, target, table),
            Some(third) => self.ternary(target, second, third, table),
        }
    }

    /// A register with the value of a source; a row is loaded into `spare`.
    fn in_register(&mut self, source: Source, spare: Register) -> Option<Register> {
        match source {
            Source::Register(number) => Some(self.isa.register(number)),
            Source::Row(row) => {
                self.load(spare, row)?;
                Some(spare)
            }
        }
    }

    /// The target is none of the inputs here.
    fn mix_avx2(&mut self, target: Register, mix: Mix, inputs: [Source; 3]) -> Option<()> {
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

    /// Writes the next value of a fact.
    fn commit(&mut self, target: Register, fact: u32, value: Committed, reset: Register) -> Option<()> {
        let next = MemoryOperand::with_base_displ(Register::RDX, i64::from(fact) * self.isa.bytes());
        let at_start = i64::from(fact) * 8;
        match self.isa {
            Isa::Avx512 => {
                // Function of (value, reset, at start).
                let table: u32 = match value {
                    Committed::Constant(true) => 0b1011_1011,
                    Committed::Constant(false) => 0b1000_1000,
                    Committed::Value(Input { inverted: false, .. }) => 0b1011_1000,
                    Committed::Value(Input { inverted: true, .. }) => 0b1000_1011,
                };
                if let Committed::Value(input) = value {
                    self.take(target, input)?;
                }
                let start =
                    MemoryOperand::new(Register::RCX, Register::None, 1, at_start, 1, true, Register::None);
                let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
                self.add(&Instruction::with4(code, target, reset, start, table).ok()?)?;
            }
            Isa::Avx2 => {
                let (xor, and) = (Code::VEX_Vpxor_ymm_ymm_ymmm256, Code::VEX_Vpand_ymm_ymm_ymmm256);
                let start = MemoryOperand::with_base_displ(Register::RCX, at_start);
                let code = Code::VEX_Vpbroadcastq_ymm_xmmm64;
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
            }
        }
        self.store_at(target, next)
    }

    fn with_source(&mut self, code: Code, target: Register, a: Register, b: Source) -> Option<()> {
        match b {
            Source::Register(number) => self.three(code, target, a, self.isa.register(number)),
            Source::Row(slot) => {
                let memory = self.memory(slot);
                self.add(&Instruction::with3(code, target, a, memory).ok()?)
            }
        }
    }

    fn ternary(&mut self, target: Register, a: Register, b: Source, table: u32) -> Option<()> {
        match b {
            Source::Register(number) => self.ternary_registers(target, a, self.isa.register(number), table),
            Source::Row(slot) => {
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
            Source::Row(slot) => {
                self.load(self.isa.spare(), slot)?;
                self.isa.spare()
            }
        };
        self.three(Code::VEX_Vpandn_ymm_ymm_ymmm256, target, register, target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_encoded() {
        let row = Source::Row(3);
        let (a, b) = (Source::Register(0), Source::Register(1));
        let input = |source, inverted| Input { source, inverted };
        let steps = [
            Step::Load { register: 1, row: 2 },
            Step::Store { register: 1, row: 7 },
            Step::And { register: 2, inputs: vec![] },
            Step::And { register: 2, inputs: vec![input(row, true), input(a, false), input(b, true)] },
            Step::AndMore { register: 2, inputs: vec![input(row, true), input(a, false)] },
            Step::Mix { register: 2, mix: Mix::Xor, inputs: [row, a, a] },
            Step::Mix { register: 2, mix: Mix::Xor3, inputs: [a, row, b] },
            Step::Mix { register: 2, mix: Mix::Borrow, inputs: [b, a, row] },
            Step::Commit { register: 2, fact: 4, value: Committed::Constant(true), reset: 1 },
            Step::Commit { register: 2, fact: 4, value: Committed::Value(input(row, true)), reset: 1 },
            Step::Commit { register: 0, fact: 4, value: Committed::Value(input(b, false)), reset: 1 },
        ];
        for step in steps {
            for isa in [Isa::Avx512, Isa::Avx2] {
                let text = format!("{step:?} with {isa:?}");
                assert!(emit(&Plan { steps: vec![step.clone()], rows: 10 }, isa, 5).is_some(), "{text}");
            }
        }
    }
}

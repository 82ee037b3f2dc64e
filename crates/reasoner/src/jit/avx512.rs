//! Instructions of AVX-512: rows of 512 bits, and any function of three inputs in one instruction.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::emit::Emitter;
use super::lower::{Committed, Input, RegisterSource};
use super::ternary;
use crate::run::Mix;

impl Emitter {
    pub(super) fn and_avx512(&mut self, target: Register, inputs: &[Input]) -> Option<()> {
        // Registers and slots in pairs: one instruction takes one of each.
        let (mut registers, mut slots): (Vec<Input>, Vec<Input>) =
            inputs.iter().partition(|i| matches!(i.source, RegisterSource::Register(_)));
        // The first value goes into the target with as much as fits beside it.
        let first = registers.pop();
        let Some(first) = first else {
            let first = slots.pop()?;
            self.take(target, first)?;
            return self.rest_avx512(target, first.inverted, registers, slots);
        };
        let (RegisterSource::Register(number), second) =
            (first.source, slots.pop().or_else(|| registers.pop()))
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
    pub(super) fn rest_avx512(
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
                    let RegisterSource::Register(number) = one.source else { return None };
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

    pub(super) fn mix_avx512(
        &mut self,
        target: Register,
        mix: Mix,
        inputs: [RegisterSource; 3],
    ) -> Option<()> {
        let is_row = |s: &RegisterSource| matches!(s, RegisterSource::Row(_));
        let is_target =
            |s: &RegisterSource| matches!(s, RegisterSource::Register(n) if self.isa.register(*n) == target);
        // The instruction overwrites its first input: one that is in the target already, or is
        // loaded there.
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
            Some(RegisterSource::Register(number)) => self.isa.register(number),
            Some(RegisterSource::Row(_)) => return None,
        };
        match source(third) {
            None => self.ternary_registers(target, second, target, table),
            Some(third) => self.ternary(target, second, third, table),
        }
    }

    pub(super) fn ternary(
        &mut self,
        target: Register,
        a: Register,
        b: RegisterSource,
        table: u32,
    ) -> Option<()> {
        match b {
            RegisterSource::Register(number) => {
                self.ternary_registers(target, a, self.isa.register(number), table)
            }
            RegisterSource::Row(slot) => {
                let memory = self.memory(slot);
                let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
                self.add(&Instruction::with4(code, target, a, memory, table).ok()?)
            }
        }
    }

    pub(super) fn ternary_registers(
        &mut self,
        target: Register,
        a: Register,
        b: Register,
        table: u32,
    ) -> Option<()> {
        let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
        self.add(&Instruction::with4(code, target, a, b, table).ok()?)
    }

    /// Puts the next value of a fact into the target; `start` is the row that says whether it holds
    /// at the start.
    pub(super) fn commit_avx512(
        &mut self,
        target: Register,
        value: Committed,
        reset: Register,
        start: MemoryOperand,
    ) -> Option<()> {
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
        let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
        self.add(&Instruction::with4(code, target, reset, start, table).ok()?)
    }
}

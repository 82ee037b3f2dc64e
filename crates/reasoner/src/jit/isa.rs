//! What machine code is made of: instruction sets and their registers.

use iced_x86::Register;

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
            Isa::Avx2 => 13,
        }
    }

    /// Whether a mix may be computed in a register of its inputs.
    pub(super) fn mixes_in_place(self) -> bool {
        self == Isa::Avx512
    }

    pub(super) fn bytes(self) -> i64 {
        match self {
            Isa::Avx512 => 64,
            Isa::Avx2 => 32,
        }
    }

    pub(super) fn register(self, number: u8) -> Register {
        match self {
            Isa::Avx512 => Register::ZMM0 + u32::from(number),
            Isa::Avx2 => Register::YMM0 + u32::from(number),
        }
    }

    /// A register that holds no value.
    pub(super) fn spare(self) -> Register {
        self.register(self.registers())
    }

    /// A second one, with AVX2 only.
    pub(super) fn second_spare(self) -> Register {
        self.register(self.registers() + 1)
    }

    /// A register with all bits set, with AVX2 only.
    pub(super) fn ones(self) -> Register {
        self.register(self.registers() + 2)
    }
}

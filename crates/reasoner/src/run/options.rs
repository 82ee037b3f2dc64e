//! How circuits are run in lanes: how many at once, with which instructions, as machine code or not.
//!
//! None of it changes an answer, and playouts depend on the width and the seed alone; so every
//! combination can be measured and verified on one machine.

use super::dispatch::{Width, has_avx2, has_avx512};

/// The most that code for lanes may use of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// What every processor has.
    Plain,
    /// Vectors of 256 bits.
    Avx2,
    /// Vectors of 512 bits.
    Avx512,
}

impl Instructions {
    /// All of them, the least first.
    pub const ALL: [Instructions; 3] = [Instructions::Plain, Instructions::Avx2, Instructions::Avx512];

    /// The most that this processor has.
    pub fn best() -> Self {
        if has_avx512() {
            Instructions::Avx512
        } else if has_avx2() {
            Instructions::Avx2
        } else {
            Instructions::Plain
        }
    }

    /// Whether this processor has them.
    pub fn is_available(self) -> bool {
        self <= Self::best()
    }

    /// As options and reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Instructions::Plain => "plain",
            Instructions::Avx2 => "avx2",
            Instructions::Avx512 => "avx512",
        }
    }

    /// As many lanes as one of their registers holds.
    pub fn width(self) -> Width {
        match self {
            Instructions::Plain => Width::Lanes64,
            Instructions::Avx2 => Width::Lanes256,
            Instructions::Avx512 => Width::Lanes512,
        }
    }
}

/// When machine code takes the place of the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineCode {
    /// Never.
    Never,
    /// At once for the steps of a game, after some uses for what is used once a game: writing code takes as long as
    /// many uses, and many a circuit has most of its gates there.
    WhenItPays,
    /// Before the first use of anything.
    AtOnce,
}

/// How the engine `batch` runs a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchOptions {
    /// How many states at once.
    pub width: Width,
    /// The most that may be used; what the processor does not have is not used either.
    pub instructions: Instructions,
    /// When to make machine code, where the instructions have registers of this width.
    pub machine_code: MachineCode,
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self::with_instructions(Instructions::best())
    }
}

impl BatchOptions {
    /// The width that suits the instructions, and machine code.
    pub fn with_instructions(instructions: Instructions) -> Self {
        Self { width: instructions.width(), instructions, machine_code: MachineCode::WhenItPays }
    }

    /// What of it this processor can do.
    pub(crate) fn possible(self) -> Self {
        let instructions = self.instructions.min(Instructions::best());
        // Machine code is made for registers that hold a row: wider ones than allowed must not be used.
        let fits = self.width <= instructions.width();
        let machine_code = if fits { self.machine_code } else { MachineCode::Never };
        Self { instructions, machine_code, ..self }
    }
}

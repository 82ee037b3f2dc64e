//! Which width of lanes to use, and code compiled for what the processor has.
//!
//! The same Rust code is compiled once for any processor and once for each vector extension; the
//! choice is made at run time.

use super::code::Program;
use super::evaluate::{Evaluator, Interpreter};
use super::options::{BatchOptions, Instructions};
use super::vector::{Plain, Vector};
use crate::jit::{Compiled, CompiledCircuit};

/// How many lanes are run at once, and with which instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// 64 lanes in plain words: any processor.
    Lanes64,
    /// 256 lanes; with AVX2 where the processor has it.
    Lanes256,
    /// 512 lanes; with AVX-512 or AVX2 where the processor has it.
    Lanes512,
}

impl Width {
    /// All widths.
    pub const ALL: [Width; 3] = [Width::Lanes64, Width::Lanes256, Width::Lanes512];

    /// The widest that this processor has instructions for.
    pub fn best() -> Self {
        Instructions::best().width()
    }

    /// The width with this many lanes.
    pub fn with_lanes(lanes: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|width| width.lanes() == lanes)
    }

    /// Number of lanes.
    pub fn lanes(self) -> usize {
        match self {
            Width::Lanes64 => 64,
            Width::Lanes256 => 256,
            Width::Lanes512 => 512,
        }
    }

    /// Words of 64 lanes.
    pub(crate) fn words(self) -> usize {
        self.lanes() / 64
    }
}

/// Whether the processor has every feature that code for AVX-512 is compiled with.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
}

/// Whether the processor has every feature that code for AVX2 is compiled with.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
}

/// Whether there is an instruction that counts the bits of eight words.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_vector_popcount() -> bool {
    has_avx512() && is_x86_feature_detected!("avx512vpopcntdq")
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_avx512() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_avx2() -> bool {
    false
}

/// Work in lanes, for any width, any vectors, and whoever computes cones.
pub(crate) trait Task {
    /// What comes of it.
    type Output;

    /// Does it. Implementations are inlined into code that is compiled for the vectors.
    fn run<const W: usize, V: Vector<W>>(self, evaluator: &mut impl Evaluator<W>) -> Self::Output;
}

/// Runs a task with machine code where there is some, otherwise with the interpreter. No instruction
/// is used that the options do not allow.
pub(crate) fn run<T: Task>(
    options: BatchOptions,
    program: &Program,
    compiled: Option<&CompiledCircuit>,
    task: T,
) -> T::Output {
    // Never more than the processor has, whatever the options say.
    let instructions = options.instructions.min(Instructions::best());
    match options.width {
        Width::Lanes64 => run_with::<1, Plain<1>, T>(program, compiled, task),
        #[cfg(target_arch = "x86_64")]
        _ => vectors::run(options.width, instructions, program, compiled, task),
        #[cfg(not(target_arch = "x86_64"))]
        Width::Lanes256 => run_with::<4, Plain<4>, T>(program, compiled, task),
        #[cfg(not(target_arch = "x86_64"))]
        Width::Lanes512 => run_with::<8, Plain<8>, T>(program, compiled, task),
    }
}

/// The same with one kind of vectors.
#[inline(always)]
fn run_with<const W: usize, V: Vector<W>, T: Task>(
    program: &Program,
    compiled: Option<&CompiledCircuit>,
    task: T,
) -> T::Output {
    match compiled {
        Some(machine) => task.run::<W, V>(&mut Compiled::new(machine, program)),
        None => task.run::<W, V>(&mut Interpreter::<W, V>::new(program)),
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "calling code compiled for vector instructions that were found at run time")]
mod vectors {
    use super::super::vector::{Avx2, Avx512, Plain};
    use super::{CompiledCircuit, Instructions, Program, Task, Width, run_with};

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn run512_avx512<T: Task>(program: &Program, compiled: Option<&CompiledCircuit>, task: T) -> T::Output {
        run_with::<8, Avx512, T>(program, compiled, task)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn run512_avx2<T: Task>(program: &Program, compiled: Option<&CompiledCircuit>, task: T) -> T::Output {
        run_with::<8, Plain<8>, T>(program, compiled, task)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn run256_avx2<T: Task>(program: &Program, compiled: Option<&CompiledCircuit>, task: T) -> T::Output {
        run_with::<4, Avx2, T>(program, compiled, task)
    }

    /// Runs with the best instructions for this width that are allowed and that the processor has.
    pub(super) fn run<T: Task>(
        width: Width,
        allowed: Instructions,
        program: &Program,
        compiled: Option<&CompiledCircuit>,
        task: T,
    ) -> T::Output {
        match (width, allowed.min(Instructions::best())) {
            // SAFETY (all three): the processor has the instructions that the function was compiled for.
            (Width::Lanes512, Instructions::Avx512) => unsafe { run512_avx512(program, compiled, task) },
            (Width::Lanes512, Instructions::Avx2) => unsafe { run512_avx2(program, compiled, task) },
            (Width::Lanes256, Instructions::Avx2 | Instructions::Avx512) => unsafe {
                run256_avx2(program, compiled, task)
            },
            (Width::Lanes512, Instructions::Plain) => run_with::<8, Plain<8>, T>(program, compiled, task),
            (Width::Lanes256, Instructions::Plain) => run_with::<4, Plain<4>, T>(program, compiled, task),
            (Width::Lanes64, _) => run_with::<1, Plain<1>, T>(program, compiled, task),
        }
    }
}

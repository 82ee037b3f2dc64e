//! Which width of lanes to use, and code compiled for what the processor has.
//!
//! The same Rust code is compiled once for any processor and once for each vector extension; the
//! choice is made at run time.

use ludex_game::Playouts;

use super::options::{BatchOptions, Instructions};
use super::playout::{Evaluator, Interpreter, Job, Setting, play};
use super::transpose::Portable;
use crate::jit::{Compiled, Machine};

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

#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2")
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_avx512() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_avx2() -> bool {
    false
}

/// Runs playouts with machine code where there is some, otherwise with the interpreter. No instruction
/// is used that the options do not allow.
pub(crate) fn run(
    options: BatchOptions,
    setting: &Setting<'_>,
    compiled: Option<&Machine>,
    job: &mut Job<'_, '_>,
) -> Playouts {
    let program = setting.program;
    match compiled {
        Some(machine) => vectors::run(options, setting, &Compiled { machine, program }, job),
        None => vectors::run(options, setting, &Interpreter(program), job),
    }
}

/// An evaluator for every width.
pub(crate) trait AnyWidth: Evaluator<1> + Evaluator<4> + Evaluator<8> {}

impl<E: Evaluator<1> + Evaluator<4> + Evaluator<8>> AnyWidth for E {}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "calling code compiled for vector instructions that were found at run time")]
mod vectors {
    use super::super::transpose::Avx512;
    use super::{AnyWidth, BatchOptions, Instructions, Job, Playouts, Portable, Setting, Width, play};

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn play512_avx512(setting: &Setting<'_>, evaluator: &impl AnyWidth, job: &mut Job<'_, '_>) -> Playouts {
        play::<8, Avx512>(setting, evaluator, job)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn play512_avx2(setting: &Setting<'_>, evaluator: &impl AnyWidth, job: &mut Job<'_, '_>) -> Playouts {
        play::<8, Portable>(setting, evaluator, job)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn play256_avx2(setting: &Setting<'_>, evaluator: &impl AnyWidth, job: &mut Job<'_, '_>) -> Playouts {
        play::<4, Portable>(setting, evaluator, job)
    }

    pub(super) fn run(
        options: BatchOptions,
        setting: &Setting<'_>,
        evaluator: &impl AnyWidth,
        job: &mut Job<'_, '_>,
    ) -> Playouts {
        // Never more than the processor has, whatever the options say.
        let available = options.instructions.min(Instructions::best());
        match (options.width, available) {
            (Width::Lanes64, _) => play::<1, Portable>(setting, evaluator, job),
            (Width::Lanes256, Instructions::Plain) => play::<4, Portable>(setting, evaluator, job),
            (Width::Lanes512, Instructions::Plain) => play::<8, Portable>(setting, evaluator, job),
            // SAFETY (all three): the processor has the instructions that the function was compiled for.
            (Width::Lanes256, _) => unsafe { play256_avx2(setting, evaluator, job) },
            (Width::Lanes512, Instructions::Avx2) => unsafe { play512_avx2(setting, evaluator, job) },
            (Width::Lanes512, Instructions::Avx512) => unsafe { play512_avx512(setting, evaluator, job) },
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod vectors {
    use super::{AnyWidth, BatchOptions, Job, Playouts, Portable, Setting, Width, play};

    pub(super) fn run(
        options: BatchOptions,
        setting: &Setting<'_>,
        evaluator: &impl AnyWidth,
        job: &mut Job<'_, '_>,
    ) -> Playouts {
        match options.width {
            Width::Lanes64 => play::<1, Portable>(setting, evaluator, job),
            Width::Lanes256 => play::<4, Portable>(setting, evaluator, job),
            Width::Lanes512 => play::<8, Portable>(setting, evaluator, job),
        }
    }
}

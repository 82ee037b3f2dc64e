//! Which width of lanes to use, and code compiled for what the processor has.
//!
//! The same Rust code is compiled once for any processor and once for each vector extension; the
//! choice is made at run time.

use ludex_game::Playouts;

use super::evaluate::Interpreter;
use super::options::{BatchOptions, Instructions};
use super::playout::{Job, Setting, play};
use super::vector::{Plain, Vector};
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
    // Never more than the processor has, whatever the options say.
    let instructions = options.instructions.min(Instructions::best());
    match options.width {
        Width::Lanes64 => run_width::<1>(instructions, setting, compiled, job),
        Width::Lanes256 => run_width::<4>(instructions, setting, compiled, job),
        Width::Lanes512 => run_width::<8>(instructions, setting, compiled, job),
    }
}

/// The same for one width.
fn run_width<const W: usize>(
    instructions: Instructions,
    setting: &Setting<'_>,
    compiled: Option<&Machine>,
    job: &mut Job<'_, '_>,
) -> Playouts {
    #[cfg(target_arch = "x86_64")]
    if let Some(result) = vectors::run::<W>(instructions, setting, compiled, job) {
        return result;
    }
    run_with::<W, Plain<W>>(setting, compiled, job)
}

/// The same with one kind of vectors.
#[inline(always)]
fn run_with<const W: usize, V: Vector<W>>(
    setting: &Setting<'_>,
    compiled: Option<&Machine>,
    job: &mut Job<'_, '_>,
) -> Playouts {
    let program = setting.program;
    match compiled {
        Some(machine) => play::<W, V>(setting, &mut Compiled::new(machine, program), job),
        None => play::<W, V>(setting, &mut Interpreter::<W, V>::new(program), job),
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "calling code compiled for vector instructions that were found at run time")]
mod vectors {
    use super::super::vector::{Avx2, Avx512, Plain};
    use super::{Instructions, Job, Machine, Playouts, Setting, run_with};

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn run512_avx512(setting: &Setting<'_>, compiled: Option<&Machine>, job: &mut Job<'_, '_>) -> Playouts {
        run_with::<8, Avx512>(setting, compiled, job)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn run512_avx2(setting: &Setting<'_>, compiled: Option<&Machine>, job: &mut Job<'_, '_>) -> Playouts {
        run_with::<8, Plain<8>>(setting, compiled, job)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn run256_avx2(setting: &Setting<'_>, compiled: Option<&Machine>, job: &mut Job<'_, '_>) -> Playouts {
        run_with::<4, Avx2>(setting, compiled, job)
    }

    /// Runs with instructions for this width that are allowed and that the processor has; `None` if there are
    /// none.
    pub(super) fn run<const W: usize>(
        allowed: Instructions,
        setting: &Setting<'_>,
        compiled: Option<&Machine>,
        job: &mut Job<'_, '_>,
    ) -> Option<Playouts> {
        match (W, allowed.min(Instructions::best())) {
            // SAFETY (all three): the processor has the instructions that the function was compiled for.
            (8, Instructions::Avx512) => Some(unsafe { run512_avx512(setting, compiled, job) }),
            (8, Instructions::Avx2) => Some(unsafe { run512_avx2(setting, compiled, job) }),
            (4, Instructions::Avx2 | Instructions::Avx512) => {
                Some(unsafe { run256_avx2(setting, compiled, job) })
            }
            _ => None,
        }
    }
}

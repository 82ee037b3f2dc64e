//! Which width of lanes to use, and code compiled for what the processor has.
//!
//! The same Rust code is compiled once for any processor and once for each vector extension; the
//! choice is made at run time.

use ludex_game::Playouts;

use super::playout::{Interpreter, Job, Setting, play};
use super::transpose::Portable;

/// How many lanes are run at once, and with which instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        if has_avx512() {
            Width::Lanes512
        } else if has_avx2() {
            Width::Lanes256
        } else {
            Width::Lanes64
        }
    }

    /// Number of lanes.
    pub fn lanes(self) -> usize {
        match self {
            Width::Lanes64 => 64,
            Width::Lanes256 => 256,
            Width::Lanes512 => 512,
        }
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

/// Runs playouts with the interpreter.
pub(crate) fn interpret(width: Width, setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Playouts {
    match width {
        Width::Lanes64 => play::<1, Portable>(setting, &Interpreter(setting.program), job),
        Width::Lanes256 => vectors::play256(setting, job),
        Width::Lanes512 => vectors::play512(setting, job),
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "calling code compiled for vector instructions, 20 to 100 times faster than plain words"
)]
mod vectors {
    use super::super::transpose::Avx512;
    use super::{Interpreter, Job, Playouts, Portable, Setting, has_avx2, has_avx512, play};

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn play512_avx512(setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Playouts {
        play::<8, Avx512>(setting, &Interpreter(setting.program), job)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn play512_avx2(setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Playouts {
        play::<8, Portable>(setting, &Interpreter(setting.program), job)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn play256_avx2(setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Playouts {
        play::<4, Portable>(setting, &Interpreter(setting.program), job)
    }

    pub(super) fn play512(setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Playouts {
        if has_avx512() {
            // SAFETY: the processor has the instructions that the function was compiled for.
            unsafe { play512_avx512(setting, job) }
        } else if has_avx2() {
            // SAFETY: as above.
            unsafe { play512_avx2(setting, job) }
        } else {
            play::<8, Portable>(setting, &Interpreter(setting.program), job)
        }
    }

    pub(super) fn play256(setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Playouts {
        if has_avx2() {
            // SAFETY: the processor has the instructions that the function was compiled for.
            unsafe { play256_avx2(setting, job) }
        } else {
            play::<4, Portable>(setting, &Interpreter(setting.program), job)
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod vectors {
    use super::{Interpreter, Job, Playouts, Portable, Setting, play};

    pub(super) fn play512(setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Playouts {
        play::<8, Portable>(setting, &Interpreter(setting.program), job)
    }

    pub(super) fn play256(setting: &Setting<'_>, job: &mut Job<'_, '_>) -> Playouts {
        play::<4, Portable>(setting, &Interpreter(setting.program), job)
    }
}

//! Random playouts for benchmarks: from the first state, with the time they took.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use ludex_game::{Game, Playouts, Request};
use ludex_gdl::{Rules, load};

use crate::input;

/// The rules of a sheet without errors.
pub(super) fn read_rules(path: &Path) -> Result<Rules> {
    let loaded = load(&input::read(path)?);
    match loaded.playable() {
        Ok(rules) => Ok(rules),
        Err(_) => bail!("the sheet has errors; `ludex check` shows them"),
    }
}

/// Longest playout that is followed to its end.
const MAX_STEPS: u32 = 1000;

/// Uniformly random playouts.
pub(super) fn playouts(game: &dyn Game, count: u64, seed: u64) -> Result<Playouts> {
    let from = game.initial();
    let mut request = Request { from: &from, count, max_steps: MAX_STEPS, seed, policy: None };
    Ok(game.playouts(&mut request)?)
}

/// Time that this thread has used.
#[cfg(unix)]
pub(super) fn thread_time() -> Duration {
    cpu_time(rustix::time::ClockId::ThreadCPUTime)
}

/// Time that all threads have used.
#[cfg(unix)]
pub(super) fn process_time() -> Duration {
    cpu_time(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn cpu_time(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Elsewhere the time on the clock has to do.
#[cfg(not(unix))]
pub(super) fn process_time() -> Duration {
    thread_time()
}

/// Elsewhere the time on the clock has to do.
#[cfg(not(unix))]
pub(super) fn thread_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

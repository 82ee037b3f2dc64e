//! Time that was computed, not waited: rates by it hardly depend on what else the machine does.

use std::time::Duration;

/// Time that this thread has used.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    cpu_time(rustix::time::ClockId::ThreadCPUTime)
}

/// Time that all threads have used.
#[cfg(unix)]
pub fn process_time() -> Duration {
    cpu_time(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn cpu_time(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Elsewhere the time on the clock has to do.
#[cfg(not(unix))]
pub fn process_time() -> Duration {
    thread_time()
}

/// Elsewhere the time on the clock has to do.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

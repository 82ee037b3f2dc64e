//! CPU time instead of wall-clock time: rates measured with it hardly depend on the machine's load.

use std::time::Duration;

/// CPU time that the current thread has used.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    cpu_time(rustix::time::ClockId::ThreadCPUTime)
}

/// CPU time that all threads of the process have used.
#[cfg(unix)]
pub fn process_time() -> Duration {
    cpu_time(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn cpu_time(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Wall-clock time, since CPU clocks are read only on Unix.
#[cfg(not(unix))]
pub fn process_time() -> Duration {
    thread_time()
}

/// Wall-clock time, since CPU clocks are read only on Unix.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

//! Limits: how much grounding may take, and why it stopped. Reaching one is an answer, not a crash.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much grounding a game may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Ground atoms.
    pub atoms: usize,
    /// Instances of rules.
    pub instances: usize,
    /// Bytes that tables and instances may take, as counted by themselves.
    pub bytes: usize,
    /// Time for the whole set-up.
    pub time: Duration,
    /// Set by another thread to stop the work.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            atoms: 20_000_000,
            instances: 40_000_000,
            bytes: 4 << 30,
            time: Duration::from_secs(60),
            cancel: None,
        }
    }
}

/// Why set-up stopped before it was done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopReason {
    /// Too many ground atoms.
    #[error("more than {0} ground atoms")]
    Atoms(usize),
    /// Too many instances of rules.
    #[error("more than {0} instances of rules")]
    Instances(usize),
    /// Too much memory.
    #[error("more than {} MiB of memory", .0 >> 20)]
    Bytes(usize),
    /// Too much time.
    #[error("more than {} seconds", .0.as_secs())]
    Time(Duration),
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// The rules have something that cannot be grounded.
    #[error("{0}")]
    Unsupported(String),
}

/// Watches over one piece of work.
#[derive(Debug)]
pub(crate) struct Watch {
    limits: Limits,
    started: Instant,
    ticks: u32,
}

impl Watch {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { limits: limits.clone(), started: Instant::now(), ticks: 0 }
    }

    /// Counts what has been made so far; looks at the clock now and then.
    pub(crate) fn check(&mut self, atoms: usize, instances: usize, bytes: usize) -> Result<(), StopReason> {
        if atoms > self.limits.atoms {
            return Err(StopReason::Atoms(self.limits.atoms));
        }
        if instances > self.limits.instances {
            return Err(StopReason::Instances(self.limits.instances));
        }
        if bytes > self.limits.bytes {
            return Err(StopReason::Bytes(self.limits.bytes));
        }
        self.tick()
    }

    /// Looks at the clock and the cancel flag, though not every time.
    pub(crate) fn tick(&mut self) -> Result<(), StopReason> {
        self.ticks = self.ticks.wrapping_add(1);
        if !self.ticks.is_multiple_of(256) {
            return Ok(());
        }
        if self.limits.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(StopReason::Cancelled);
        }
        if self.started.elapsed() > self.limits.time {
            return Err(StopReason::Time(self.limits.time));
        }
        Ok(())
    }
}

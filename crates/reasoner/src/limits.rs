//! Limits: how much set-up may take, and why it stopped. Reaching one is an answer, not a crash.

use std::time::{Duration, Instant};

use crate::progress::{Phase, Progress};

/// How much setting up a game may take, from rules to a circuit.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Ground atoms.
    pub atoms: usize,
    /// Instances of rules.
    pub instances: usize,
    /// Bytes that tables, instances and gates may take, as counted by themselves.
    pub bytes: usize,
    /// Time for the whole set-up.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { atoms: 20_000_000, instances: 40_000_000, bytes: 4 << 30, time: Duration::from_secs(60) }
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

/// Watches over one piece of work: its limits, its clock, and whoever may want to know or to stop it.
///
/// A watch goes along with the work from grounding to the last pass, so that time and memory are
/// limited as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    limits: Limits,
    started: Instant,
    progress: Progress,
    ticks: u32,
    /// Memory of what is finished but still needed: added to what the work at hand counts.
    kept: usize,
}

/// How many ticks pass between looks at the clock.
const TICKS: u32 = 256;

impl Watch {
    pub(crate) fn new(limits: &Limits, progress: &Progress) -> Self {
        Self {
            limits: limits.clone(),
            started: Instant::now(),
            progress: progress.clone(),
            ticks: 0,
            kept: 0,
        }
    }

    /// A watch over an attempt that may take less than is left: given up as soon as it turns out
    /// larger than `instances` or to take longer than `time`.
    pub(crate) fn attempt(&self, instances: usize, time: Duration) -> Self {
        let left = self.limits.time.saturating_sub(self.started.elapsed());
        let limits = Limits {
            instances: instances.min(self.limits.instances),
            time: time.min(left),
            ..self.limits.clone()
        };
        Self { kept: self.kept, ..Self::new(&limits, &self.progress) }
    }

    /// Says what is being done now.
    pub(crate) fn enter(&self, phase: Phase) {
        self.progress.enter(phase);
    }

    /// Counts the memory of something that stays while the work goes on.
    pub(crate) fn keep(&mut self, bytes: usize) {
        self.kept = bytes;
    }

    /// Counts what has been grounded so far; looks at the clock now and then.
    pub(crate) fn check(&mut self, atoms: usize, instances: usize, bytes: usize) -> Result<(), StopReason> {
        if atoms > self.limits.atoms {
            return Err(StopReason::Atoms(self.limits.atoms));
        }
        if instances > self.limits.instances {
            return Err(StopReason::Instances(self.limits.instances));
        }
        self.hold(bytes)?;
        self.tick_and(|progress, kept| progress.grounded(atoms, instances, kept + bytes))
    }

    /// Counts the gates made so far; looks at the clock now and then.
    pub(crate) fn check_gates(&mut self, gates: usize, bytes: usize) -> Result<(), StopReason> {
        self.hold(bytes)?;
        self.tick_and(|progress, kept| progress.built(gates, kept + bytes))
    }

    fn hold(&self, bytes: usize) -> Result<(), StopReason> {
        match self.kept.saturating_add(bytes) > self.limits.bytes {
            true => Err(StopReason::Bytes(self.limits.bytes)),
            false => Ok(()),
        }
    }

    /// Looks at the clock and the cancel flag, though not every time.
    pub(crate) fn tick(&mut self) -> Result<(), StopReason> {
        self.tick_and(|_, _| {})
    }

    fn tick_and(&mut self, report: impl FnOnce(&Progress, usize)) -> Result<(), StopReason> {
        self.ticks = self.ticks.wrapping_add(1);
        if !self.ticks.is_multiple_of(TICKS) {
            return Ok(());
        }
        report(&self.progress, self.kept);
        self.look()
    }

    /// Looks at the clock and the cancel flag now; for work that comes in large pieces.
    pub(crate) fn look(&self) -> Result<(), StopReason> {
        if self.progress.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        if self.started.elapsed() > self.limits.time {
            return Err(StopReason::Time(self.limits.time));
        }
        Ok(())
    }
}

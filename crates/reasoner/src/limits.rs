//! Limits on set-up, and why it stopped. Reaching a limit is a typed error, not a crash.

use std::time::{Duration, Instant};

use ludex_gdl::Rules;

use crate::progress::{Phase, Progress};

/// Limits on setting up a game, from rules to a circuit.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Ground atoms.
    pub atoms: usize,
    /// Rule instances.
    pub instances: usize,
    /// Bytes of tables, instances and gates, by their own estimates.
    pub bytes: usize,
    /// Wall-clock time for the whole set-up.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { atoms: 20_000_000, instances: 40_000_000, bytes: 4 << 30, time: Duration::from_secs(60) }
    }
}

/// Why only the reference plays a sheet with errors.
pub(crate) fn errors_in(rules: &Rules) -> String {
    let errors = if rules.errors == 1 { "an error" } else { "errors" };
    format!("the sheet has {errors} (`ludex check` shows them): only `reference` plays it")
}

/// Why set-up stopped before it was done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopReason {
    /// Too many ground atoms.
    #[error("more than {0} ground atoms")]
    Atoms(usize),
    /// Too many rule instances.
    #[error("more than {0} instances of rules")]
    Instances(usize),
    /// Too much memory.
    #[error("more than {} MiB of memory", .0 >> 20)]
    Bytes(usize),
    /// Too much time.
    #[error("more than {} seconds", .0.as_secs())]
    Time(Duration),
    /// An attempt exceeded its work budget.
    #[error("more than {0} steps of work")]
    Work(u64),
    /// Cancelled through [`Progress`].
    #[error("cancelled")]
    Cancelled,
    /// The rules use something that grounding does not support.
    #[error("{0}")]
    Unsupported(String),
}

/// Checks the limits, the clock and the cancel flag during set-up, and reports progress.
///
/// One watch covers everything from grounding to the last circuit pass, so that time and memory are
/// limited as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    limits: Limits,
    started: Instant,
    progress: Progress,
    ticks: u64,
    /// Ticks after which an attempt gives up.
    work: u64,
    /// Bytes of finished results that are still needed, added to those of the work in progress.
    kept: usize,
}

/// Ticks between looks at the clock: reading it costs more than a typical tick of work.
const TICKS: u64 = 256;

impl Watch {
    pub(crate) fn new(limits: &Limits, progress: &Progress) -> Self {
        Self {
            limits: limits.clone(),
            started: Instant::now(),
            progress: progress.clone(),
            ticks: 0,
            work: u64::MAX,
            kept: 0,
        }
    }

    /// A watch over an attempt with smaller limits: it gives up beyond `instances` instances or
    /// `work` ticks. Work is counted, not timed, so that which attempt succeeds, and thus the
    /// resulting circuit, does not depend on the clock.
    pub(crate) fn attempt(&self, instances: usize, work: u64) -> Self {
        let left = self.limits.time.saturating_sub(self.started.elapsed());
        let instances = instances.min(self.limits.instances);
        let limits = Limits { instances, time: left, ..self.limits.clone() };
        Self { kept: self.kept, work, ..Self::new(&limits, &self.progress) }
    }

    /// Maximum number of rule instances.
    pub(crate) fn instances(&self) -> usize {
        self.limits.instances
    }

    /// Reports the current phase.
    pub(crate) fn enter(&self, phase: Phase) {
        self.progress.enter(phase);
    }

    /// Sets the bytes of results that stay in memory while the work goes on.
    pub(crate) fn keep(&mut self, bytes: usize) {
        self.kept = bytes;
    }

    /// Checks the limits on grounding; looks at the clock every [`TICKS`] calls.
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

    /// Checks the memory taken by gates; looks at the clock every [`TICKS`] calls.
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

    /// Looks at the clock and the cancel flag every [`TICKS`] calls.
    pub(crate) fn tick(&mut self) -> Result<(), StopReason> {
        self.tick_and(|_, _| {})
    }

    fn tick_and(&mut self, report: impl FnOnce(&Progress, usize)) -> Result<(), StopReason> {
        self.ticks += 1;
        if !self.ticks.is_multiple_of(TICKS) {
            return Ok(());
        }
        if self.ticks > self.work {
            return Err(StopReason::Work(self.work));
        }
        report(&self.progress, self.kept);
        self.look()
    }

    /// Looks at the clock and the cancel flag at once, for work that comes in large pieces.
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

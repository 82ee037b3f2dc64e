//! Progress of set-up: written by the working thread, readable and cancellable from any other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

/// The phases of set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Not started.
    Waiting,
    /// Finding the ground atoms and rule instances.
    Grounding,
    /// Building gates from instances.
    Gates,
    /// Simplifying the circuit.
    Passes,
    /// The circuit is done.
    Ready,
}

impl Phase {
    const ALL: [Phase; 5] = [Phase::Waiting, Phase::Grounding, Phase::Gates, Phase::Passes, Phase::Ready];

    /// A word or two for users.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Waiting => "waiting",
            Phase::Grounding => "grounding",
            Phase::Gates => "building gates",
            Phase::Passes => "simplifying",
            Phase::Ready => "ready",
        }
    }
}

/// How far set-up has come. The counts are those of the current attempt: they fall when grounding
/// starts over with the rules in another form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The current phase.
    pub phase: Phase,
    /// Ground atoms.
    pub atoms: usize,
    /// Rule instances.
    pub instances: usize,
    /// Gates.
    pub gates: usize,
    /// Bytes in use, by the estimates of tables, instances and gates.
    pub bytes: usize,
}

/// A shared handle on set-up. The working thread writes; any thread may read or cancel.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    phase: AtomicU8,
    atoms: AtomicUsize,
    instances: AtomicUsize,
    gates: AtomicUsize,
    bytes: AtomicUsize,
}

impl Progress {
    /// A handle on work that has not started.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop. It soon ends with [`StopReason::Cancelled`](crate::StopReason).
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// The current counts. Each is updated now and then, independently of the others.
    pub fn counts(&self) -> Counts {
        let load = |n: &AtomicUsize| n.load(Ordering::Relaxed);
        Counts {
            phase: Phase::ALL[usize::from(self.0.phase.load(Ordering::Relaxed)).min(Phase::ALL.len() - 1)],
            atoms: load(&self.0.atoms),
            instances: load(&self.0.instances),
            gates: load(&self.0.gates),
            bytes: load(&self.0.bytes),
        }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.0.phase.store(phase as u8, Ordering::Relaxed);
    }

    pub(crate) fn grounded(&self, atoms: usize, instances: usize, bytes: usize) {
        self.0.atoms.store(atoms, Ordering::Relaxed);
        self.0.instances.store(instances, Ordering::Relaxed);
        self.0.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn built(&self, gates: usize, bytes: usize) {
        self.0.gates.store(gates, Ordering::Relaxed);
        self.0.bytes.store(bytes, Ordering::Relaxed);
    }
}

//! Progress: what set-up is doing, for another thread to read, and a way to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

/// What set-up is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing yet.
    Waiting,
    /// Finding the ground atoms and instances of rules.
    Grounding,
    /// Turning instances into gates.
    Gates,
    /// Making the circuit smaller.
    Passes,
    /// The circuit is done.
    Ready,
}

impl Phase {
    const ALL: [Phase; 5] = [Phase::Waiting, Phase::Grounding, Phase::Gates, Phase::Passes, Phase::Ready];

    /// In a word or two, for people.
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

/// How far set-up has come. Counts are those of the attempt under way: grounding may start over with
/// rules in another form, and then they fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// What is being done.
    pub phase: Phase,
    /// Ground atoms.
    pub atoms: usize,
    /// Instances of rules.
    pub instances: usize,
    /// Gates.
    pub gates: usize,
    /// Bytes in use, as tables, instances and gates count them themselves.
    pub bytes: usize,
}

/// A handle on set-up: copies share what they say. The thread that does the work writes, any thread
/// may read or cancel.
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
    /// Nothing done so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop; it ends soon after with [`StopReason::Cancelled`](crate::StopReason).
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// How far it is. The numbers are written now and then, each for itself.
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

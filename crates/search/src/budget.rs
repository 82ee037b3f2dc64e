//! Limits of a search: time, playouts, memory, and a stop flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::look::Watch;

/// A flag that stops a search from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks every search with this flag to stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Clears the flag for the next search.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The limits of one call of [`Search::think`](crate::Search::think). The first limit reached ends
/// the call.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Time to return by. A search measures its steps and does not start one that would end too
    /// late.
    pub deadline: Option<Instant>,
    /// Playouts to run in this call; searches without playouts count positions. The same seed,
    /// number and state give the same result.
    pub playouts: Option<u64>,
    /// Memory limit of the search, in bytes.
    pub memory: usize,
    /// Flag that stops the search at once.
    pub stop: Stop,
    /// Where other threads ask what the search knows so far.
    pub watch: Watch,
}

impl Budget {
    /// Default memory limit in bytes: 1 GiB.
    pub const DEFAULT_MEMORY: usize = 1 << 30;

    /// Searches until a deadline.
    pub fn until(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), playouts: None, ..Self::playouts(0) }
    }

    /// Searches for a number of playouts, whatever time they take.
    pub fn playouts(count: u64) -> Self {
        Self {
            deadline: None,
            playouts: Some(count),
            memory: Self::DEFAULT_MEMORY,
            stop: Stop::new(),
            watch: Watch::new(),
        }
    }
}

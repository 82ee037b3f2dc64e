//! How long a search may think, and how much it may remember.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A flag that ends thinking from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all who look at it to end.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Takes it back, for the next time.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What one call of [`Search::think`](crate::Search::think) may use. Whatever comes first ends it.
#[derive(Clone, Debug)]
pub struct Budget {
    /// When to be back. A search keeps its own account of how long its steps take and does not begin
    /// one that would end later.
    pub deadline: Option<Instant>,
    /// How many playouts to run in this call; searches that do not play out count positions. The same
    /// seed, number and state give the same result.
    pub playouts: Option<u64>,
    /// Bytes that the search may hold on to.
    pub memory: usize,
    /// Set by others who want an end at once.
    pub stop: Stop,
}

impl Budget {
    /// Bytes for a search if nobody says otherwise.
    pub const DEFAULT_MEMORY: usize = 1 << 30;

    /// Thinks until a moment.
    pub fn until(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), playouts: None, memory: Self::DEFAULT_MEMORY, stop: Stop::new() }
    }

    /// Thinks for a number of playouts, however long they take.
    pub fn playouts(count: u64) -> Self {
        Self { deadline: None, playouts: Some(count), memory: Self::DEFAULT_MEMORY, stop: Stop::new() }
    }
}

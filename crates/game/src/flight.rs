//! What an engine keeps between the calls of a simulation.

use std::any::Any;
use std::fmt;

/// What an engine keeps from one call to the next: memory, and playouts that are not over. It means nothing to others.
#[derive(Default)]
pub struct Flight(Option<Box<dyn Any + Send>>);

impl Flight {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was kept, if it is of this kind.
    pub fn take<T: Any + Send>(&mut self) -> Option<Box<T>> {
        self.0.take()?.downcast().ok()
    }

    /// Keeps something for the next call.
    pub fn keep<T: Any + Send>(&mut self, kept: Box<T>) {
        self.0 = Some(kept);
    }
}

impl fmt::Debug for Flight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Flight(..)" } else { "Flight" })
    }
}

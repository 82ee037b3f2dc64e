//! Deadlines of searches that work in batches: none begins that would end too late.

use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::search::StopReason;

/// How long batches take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// What a batch may take: the longest of late.
    batch: Duration,
}

impl Pace {
    /// A call begins. A batch that once took longer than this whole call must not stop the search
    /// for good, so its time counts half from now on.
    pub(crate) fn begin(&mut self, budget: &Budget) {
        let time = budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if time.is_some_and(|time| self.batch >= time) {
            self.batch /= 2;
        }
    }

    /// Whether another batch may begin: when it does, otherwise why not. `left` is how many playouts
    /// are allowed still.
    pub(crate) fn next(&self, budget: &Budget, left: Option<u64>) -> Result<Instant, StopReason> {
        if left == Some(0) {
            return Err(StopReason::Playouts);
        }
        if budget.stop.is_set() {
            return Err(StopReason::Requested);
        }
        let now = Instant::now();
        match budget.deadline {
            Some(deadline) if now + self.batch >= deadline => Err(StopReason::Time),
            _ => Ok(now),
        }
    }

    /// What a batch may take.
    pub(crate) fn time(&self) -> Duration {
        self.batch
    }

    /// A batch ended.
    pub(crate) fn done(&mut self, begun: Instant) {
        self.batch = begun.elapsed().max(self.batch - self.batch / 16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_a_reason() {
        let mut pace = Pace::default();
        let budget = Budget::playouts(3);
        assert!(pace.next(&budget, Some(1)).is_ok());
        assert_eq!(pace.next(&budget, Some(0)), Err(StopReason::Playouts));
        budget.stop.set();
        assert_eq!(pace.next(&budget, Some(1)), Err(StopReason::Requested));
        pace.batch = Duration::from_secs(1000);
        let soon = Budget::until(Instant::now() + Duration::from_secs(600));
        assert_eq!(pace.next(&soon, None), Err(StopReason::Time));
        pace.begin(&soon);
        assert!(pace.next(&soon, None).is_ok(), "an estimate that is too long is halved");
    }
}

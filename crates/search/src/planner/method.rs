//! What a method of the planner is: work in slices, on what all methods share.

use std::cell::Cell;
use std::time::Instant;

use ludex_game::Failure;

use super::problem::Problem;
use super::record::Record;
use crate::budget::Stop;

/// A way to look for plans.
pub(crate) trait Method: Send {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Works until the slice is over, or there is nothing left to do.
    fn work(&mut self, slice: &Slice<'_>) -> Result<Status, Failure>;
}

/// How a slice of work ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is more to do.
    Working,
    /// It has done all that it can; what it proved is in the record.
    Done,
    /// It cannot go on, for this reason.
    GaveUp(String),
}

/// What a method may use in a slice of work.
pub(crate) struct Slice<'a> {
    pub problem: &'a Problem,
    pub record: &'a Record,
    /// When the slice ends.
    pub until: Option<Instant>,
    /// Nodes that it may take.
    pub nodes: u64,
    /// Bytes that the method may use in all.
    pub memory: usize,
    pub stop: &'a Stop,
    /// Nodes that it has taken.
    pub taken: Cell<u64>,
}

impl Slice<'_> {
    /// Counts nodes of the method.
    pub(crate) fn count(&self, nodes: u64) {
        self.taken.set(self.taken.get() + nodes);
        self.record.add_nodes(nodes);
    }

    /// Whether to return.
    pub(crate) fn is_over(&self) -> bool {
        self.taken.get() >= self.nodes
            || self.stop.is_set()
            || self.until.is_some_and(|until| Instant::now() >= until)
            || self.record.is_settled()
    }
}

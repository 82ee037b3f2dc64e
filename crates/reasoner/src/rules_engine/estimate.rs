//! Estimates: how many tuples a condition will give, and what it costs to find out.
//!
//! Stored relations are counted. For the facts of states a few states are counted that have occurred in
//! play; what calls cost and give is taken from the same play once there is some.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Mode;
use super::program::RelationId;
use super::shape::Shape;
use super::tabling::Cost;
use crate::term::{TermId, Terms};

/// What a condition gives for each way in which the conditions before it hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Tuples; below 1 for a test that fails now and then.
    pub rows: f64,
    /// Steps of the machine.
    pub cost: f64,
}

/// What is known from play.
#[derive(Debug, Default)]
pub(super) struct Experience {
    /// Some states.
    pub states: Vec<Vec<TermId>>,
    /// What calls cost.
    pub calls: FxHashMap<(RelationId, Vec<Mode>), Cost>,
    counted: RefCell<FxHashMap<Shape, (f64, f64)>>,
}

impl Experience {
    /// Facts of a shape for a key that some fact has.
    pub(super) fn facts(&self, shape: &Shape, terms: &Terms) -> Estimate {
        let (rows, keys) = self.count(shape, terms);
        if rows == 0.0 {
            return Estimate { rows: 0.5, cost: 2.0 };
        }
        Estimate { rows: rows / keys.max(1.0), cost: 2.0 }
    }

    /// Mean number of facts that fit and of different keys among them.
    fn count(&self, shape: &Shape, terms: &Terms) -> (f64, f64) {
        if let Some(&known) = self.counted.borrow().get(shape) {
            return known;
        }
        let (mut rows, mut keys) = (0usize, 0usize);
        let mut row = Vec::new();
        for state in &self.states {
            let mut seen = FxHashSet::default();
            for &fact in state {
                if shape.extract(terms, &[fact], &mut row) {
                    rows += 1;
                    seen.insert(row[..shape.keys.len()].to_vec());
                }
            }
            keys += seen.len();
        }
        let states = self.states.len().max(1);
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let counted = (rows as f64 / states as f64, keys as f64 / states as f64);
        self.counted.borrow_mut().insert(shape.clone(), counted);
        counted
    }

    /// A call of a kind that has been made before.
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) fn call(&self, relation: RelationId, modes: &[Mode]) -> Option<Estimate> {
        let cost = self.calls.get(&(relation, modes.to_vec())).filter(|cost| cost.calls > 0)?;
        let calls = cost.calls as f64;
        let rows = cost.answers as f64 / calls;
        // Calls that were answered before cost no more than looking them up.
        let share = calls / (cost.uses.max(cost.calls)) as f64;
        Some(Estimate { rows, cost: 4.0 + share * cost.work as f64 / calls })
    }
}

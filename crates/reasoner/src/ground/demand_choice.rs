//! Choices for computing on demand: which relations, and in which order conditions call them.
//!
//! Both go by what an earlier grounding had found before it was given up. How many rows a condition
//! is expected to match is measured there: rows by different values of the places that have values.
//! That tells apart what belongs together (the two ends of a line) and what is independent, as the
//! mere number of rows cannot.

use rustc_hash::FxHashSet;

use super::plan::{expected_matches, place};
use super::program::{NormalLiteral, NormalPattern, NormalProgram, Rel, is_keyword};
use super::reach::GivenUp;
use super::table::IndexKey;
use crate::term::TermId;

/// Which relations the demand transformation applies to, and the row counts it orders joins by.
pub(crate) struct DemandChoice {
    /// By relation: whether it is computed on demand.
    on_demand: Vec<bool>,
    before: GivenUp,
}

/// A relation that cannot have more rows than this is small.
const SMALL: usize = 4096;
/// Expected number of rows of relations that the earlier grounding had not come to.
const UNKNOWN: f64 = 512.0;

impl DemandChoice {
    /// Chooses what to compute on demand after computing everything turned out too much, or cannot
    /// be done: whatever the first state does not need and was not done by then.
    pub(crate) fn new(program: &NormalProgram, before: GivenUp) -> Self {
        let count = program.relations.len();
        let mut is_derived = vec![false; count];
        for rule in program.rules.iter().filter(|rule| !rule.body.is_empty()) {
            is_derived[rule.head.0 as usize] = true;
        }
        let needed_first = program.needed_by_first_state();
        let is_complete = |relation: usize| before.is_complete.get(relation).copied().unwrap_or(false);
        let on_demand = (0..count).map(|relation| {
            let info = &program.relations[relation];
            let may = info.symbol.is_none_or(|symbol| !is_keyword(symbol))
                && (1..=64).contains(&info.arity)
                && is_derived[relation]
                && !needed_first[relation];
            info.given != 0 || may && !is_complete(relation)
        });
        let mut choice = Self { on_demand: on_demand.collect(), before };
        choice.leave_small(program);
        choice
    }

    /// Leaves out what cannot become large, and needs nothing that can: its demands would cost more
    /// than all of it.
    fn leave_small(&mut self, program: &NormalProgram) {
        let mut needs: Vec<Vec<Rel>> = vec![Vec::new(); program.relations.len()];
        for rule in &program.rules {
            needs[rule.head.0 as usize].extend(rule.body.iter().filter_map(NormalLiteral::relation));
        }
        let is_small: Vec<bool> = (0..program.relations.len())
            .map(|r| program.relations[r].given == 0 && self.most_rows(r).is_some_and(|most| most <= SMALL))
            .collect();
        loop {
            let leave = |r: &usize| {
                let known = |&need: &Rel| !self.is_on_demand(need) || need as usize == *r;
                self.on_demand[*r] && is_small[*r] && needs[*r].iter().all(known)
            };
            let left: Vec<usize> = (0..needs.len()).filter(leave).collect();
            if left.is_empty() {
                return;
            }
            left.into_iter().for_each(|relation| self.on_demand[relation] = false);
        }
    }

    /// How many rows there could be with the values that have been found for each place.
    fn most_rows(&self, relation: usize) -> Option<usize> {
        let table = self.before.tables.get(relation).filter(|table| table.active_count() > 0)?;
        let distinct = |column: usize| {
            let rows = (0..table.len()).filter_map(|row| u32::try_from(row).ok());
            let values: FxHashSet<TermId> = rows.map(|row| table.row(row)[column]).collect();
            values.len()
        };
        let arity = table.row(0).len();
        Some((0..arity).fold(1usize, |product, column| product.saturating_mul(distinct(column))))
    }

    /// Whether a relation is computed on demand.
    pub(crate) fn is_on_demand(&self, relation: Rel) -> bool {
        self.on_demand.get(relation as usize).copied().unwrap_or(false)
    }

    /// How many rows a condition is expected to match once these variables have values.
    pub(crate) fn expected(
        &mut self,
        relation: Rel,
        arguments: &[NormalPattern],
        bound: &FxHashSet<u32>,
    ) -> f64 {
        let is_complete = self.before.is_complete.get(relation as usize).copied().unwrap_or(false);
        let found = self.before.tables.get_mut(relation as usize).filter(|t| t.active_count() > 0);
        let Some(table) = found else {
            return expected_matches(if is_complete { 1.0 } else { UNKNOWN }, arguments, bound);
        };
        let mut key = IndexKey::default();
        let mut fresh = FxHashSet::default();
        for (column, argument) in arguments.iter().enumerate() {
            let path = vec![u16::try_from(column).unwrap_or(u16::MAX)];
            place(argument, path, bound, &mut fresh, &mut key, &mut Vec::new());
        }
        let index = table.index(&key, &self.before.terms);
        match table.mean_matches(index) {
            // The earlier grounding may have stopped before it found rows of this shape.
            found if found == 0.0 && !is_complete => expected_matches(UNKNOWN, arguments, bound),
            found => found,
        }
    }
}

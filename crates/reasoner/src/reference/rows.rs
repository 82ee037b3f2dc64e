//! Lists of ground sentences: facts of the sheet, the state and the moves, answers to questions.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::pattern::{OPEN, PatternValue, ReferencePattern};
use crate::term::{TermId, Terms};
use ludex_gdl::Symbol;

/// The arguments of one sentence.
pub(super) type Row = Arc<[TermId]>;

/// Sentences of one relation, each once, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct RelationRows {
    rows: Vec<Row>,
    /// The same rows; left empty while there are so few that looking through them is quicker.
    known: FxHashSet<Row>,
    /// By position: which rows have a term there. Made when it is first asked for.
    by_position: Vec<OnceLock<FxHashMap<TermId, Vec<u32>>>>,
}

/// Up to this many rows are compared one by one.
const FEW: usize = 8;

impl RelationRows {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Row> {
        self.rows.get(at)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    pub(super) fn contains(&self, row: &[TermId]) -> bool {
        match self.rows.len() <= FEW {
            true => self.rows.iter().any(|known| **known == *row),
            false => self.known.contains(row),
        }
    }

    /// Adds a row; returns whether it is new.
    pub(super) fn insert(&mut self, row: &[TermId]) -> Option<Row> {
        if self.contains(row) {
            return None;
        }
        self.by_position.clear();
        let row: Row = row.into();
        self.rows.push(row.clone());
        match self.rows.len() {
            ..=FEW => {}
            few if few == FEW + 1 => self.known.extend(self.rows.iter().cloned()),
            _ => {
                self.known.insert(row.clone());
            }
        }
        Some(row)
    }

    /// No more rows come: gets ready for [`RelationRows::candidates`].
    pub(super) fn finish(&mut self) {
        let positions = self.rows.first().map_or(0, |row| row.len());
        self.by_position.resize_with(positions, OnceLock::new);
    }

    /// Rows among which are all that have the terms of `key` where it is not [`OPEN`].
    pub(super) fn candidates(&self, key: &[TermId]) -> impl Iterator<Item = &Row> {
        let (mut chosen, mut all): (&[u32], &[Row]) = (&[], &self.rows);
        if self.rows.len() > FEW {
            for ((position, index), &term) in self.by_position.iter().enumerate().zip(key) {
                if term == OPEN {
                    continue;
                }
                let index = index.get_or_init(|| self.index(position));
                let rows = index.get(&term).map_or(&[][..], |rows| rows);
                if !all.is_empty() || rows.len() < chosen.len() {
                    (chosen, all) = (rows, &[]);
                }
            }
        }
        chosen.iter().filter_map(|&at| self.rows.get(at as usize)).chain(all)
    }

    fn index(&self, position: usize) -> FxHashMap<TermId, Vec<u32>> {
        let mut index: FxHashMap<TermId, Vec<u32>> = FxHashMap::default();
        for (row, at) in self.rows.iter().zip(0u32..) {
            if let Some(&term) = row.get(position) {
                index.entry(term).or_default().push(at);
            }
        }
        index
    }

    /// The ways in which patterns for the arguments match a row: adds the values of the variables
    /// to `found`, only the first ones if that is enough. Says how many rows were looked at.
    pub(super) fn find(
        &self,
        patterns: &[ReferencePattern],
        values: &[TermId],
        terms: &Terms,
        first: bool,
        found: &mut Vec<Box<[TermId]>>,
    ) -> u64 {
        let mut key = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            key.push(match pattern.value(values, terms) {
                PatternValue::Known(term) => term,
                PatternValue::Open => OPEN,
                PatternValue::UnheardOf => return 1,
            });
        }
        if !key.contains(&OPEN) {
            if self.contains(&key) {
                found.push(values.into());
            }
            return 1;
        }
        let mut tried = 1;
        let mut scratch: Vec<TermId> = values.to_vec();
        for row in self.candidates(&key) {
            tried += 1;
            scratch.copy_from_slice(values);
            if patterns.iter().zip(row.iter()).all(|(p, &term)| p.matches(term, &mut scratch, terms)) {
                found.push(scratch.as_slice().into());
                if first {
                    break;
                }
            }
        }
        tried
    }
}

/// What is given from outside: the facts of a state, and the moves that the roles make.
#[derive(Debug, Default)]
pub(super) struct World {
    /// All facts, as rows of one.
    all: RelationRows,
    /// Arguments of facts, by name and number of arguments.
    by_name: FxHashMap<(Symbol, usize), RelationRows>,
    /// Rows of role and move.
    pub(super) moves: RelationRows,
}

impl World {
    /// The world in which exactly these facts hold, without moves.
    pub(super) fn new(facts: impl Iterator<Item = TermId>, terms: &Terms) -> Self {
        let mut world = Self::default();
        for fact in facts {
            let arguments = terms.arguments(fact);
            world.all.insert(&[fact]);
            world.by_name.entry((terms.symbol(fact), arguments.len())).or_default().insert(arguments);
        }
        #[allow(clippy::iter_over_hash_type, reason = "each is finished by itself")]
        for rows in world.by_name.values_mut() {
            rows.finish();
        }
        world
    }

    /// [`RelationRows::find`] for a fact of the state.
    pub(super) fn find_fact(
        &self,
        patterns: &[ReferencePattern],
        values: &[TermId],
        terms: &Terms,
        first: bool,
        found: &mut Vec<Box<[TermId]>>,
    ) -> u64 {
        match patterns {
            [ReferencePattern::Compound(symbol, arguments)] => {
                match self.by_name.get(&(*symbol, arguments.len())) {
                    Some(rows) => rows.find(arguments, values, terms, first, found),
                    None => 1,
                }
            }
            _ => self.all.find(patterns, values, terms, first, found),
        }
    }
}

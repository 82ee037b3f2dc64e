//! Tabling: queries with their answers so far and the frames that wait for more.

use rustc_hash::FxHashMap;

use super::program::Scope;
use super::rows::RelationRows;
use crate::term::TermId;

/// A question that was asked: its scope, and its number among those of this scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableId {
    pub(super) scope: Scope,
    pub(super) at: u32,
}

#[derive(Debug, Default)]
pub(super) struct AnswerTable {
    pub(super) answers: RelationRows,
    /// Rules that go on with each new answer.
    pub(super) waiting: Vec<RuleFrame>,
    /// No more answers come.
    pub(super) complete: bool,
}

/// A partly evaluated rule: some conditions are done, and variables have values.
#[derive(Clone, Debug)]
pub(super) struct RuleFrame {
    /// The query it works for.
    pub(super) owner: TableId,
    pub(super) plan: usize,
    /// How many conditions of the plan are done.
    pub(super) done: usize,
    pub(super) values: Box<[TermId]>,
}

/// The questions of one scope.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) tables: Vec<AnswerTable>,
    /// By relation: its questions.
    known: Vec<FxHashMap<Box<[TermId]>, u32>>,
    /// How many sentences and questions are kept.
    pub(super) size: usize,
}

impl Memory {
    /// Remembers nothing yet, of this many relations.
    pub(super) fn new(relations: usize) -> Self {
        let mut memory = Self::default();
        memory.known.resize_with(relations, FxHashMap::default);
        memory
    }

    pub(super) fn forget(&mut self) {
        self.size = 0;
        if !self.tables.is_empty() {
            self.tables.clear();
            self.known.iter_mut().for_each(FxHashMap::clear);
        }
    }

    /// The number of a question, if it was asked before.
    pub(super) fn find(&self, relation: usize, key: &[TermId]) -> Option<u32> {
        self.known[relation].get(key).copied()
    }

    /// A question that is asked for the first time gets a number and an empty table.
    pub(super) fn add(&mut self, relation: usize, key: &[TermId]) -> u32 {
        let at = u32::try_from(self.tables.len()).unwrap_or(u32::MAX);
        self.known[relation].insert(key.into(), at);
        self.tables.push(AnswerTable::default());
        at
    }
}

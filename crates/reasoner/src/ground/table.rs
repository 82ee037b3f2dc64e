//! Tables: the rows of a relation, each once, with indexes on the places that joins look at.
//!
//! A place is a path: a column, then argument positions inside compound terms. An index covers the
//! rows that have certain functions at certain places, and finds them by the values at others.

use hashbrown::HashTable;
use ludex_gdl::Symbol;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

use crate::hash::{hash, spread, upper};
use crate::term::{TermId, Terms};

/// Column, then positions inside.
pub(crate) type Path = Box<[u16]>;

/// What rows an index covers and by what it finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexKey {
    /// Places that must hold a function with this name and number of arguments.
    pub functions: Vec<(Path, Symbol, usize)>,
    /// Places whose values are the key.
    pub values: Vec<Path>,
}

/// Rows by the hash of their key. Those with the same hash are a chain, in the order of activation:
/// two numbers a hash and one a row, where a list of its own would take ten times as much.
#[derive(Debug, Default)]
struct ChainIndex {
    key: IndexKey,
    /// First and last row of each chain.
    chains: FxHashMap<u64, (u32, u32)>,
    /// By row: the next one of its chain, or [`END`].
    next: Vec<u32>,
    /// Number of rows.
    rows: usize,
}

/// The end of a chain.
const END: u32 = u32::MAX;

/// The rows of one relation.
///
/// A row may be *known* only by name, because a negation mentions it; it takes part in joins, and
/// enters the indexes, once it is *active*.
#[derive(Debug)]
pub(crate) struct GroundTable {
    arity: usize,
    cells: Vec<TermId>,
    count: usize,
    /// Rows by their values, with a part of the hash: most look-ups and all growing are done by it.
    lookup: HashTable<(u32, u32)>,
    active: Vec<bool>,
    active_count: usize,
    indexes: Vec<ChainIndex>,
}

pub(crate) fn hash_terms(terms: impl Iterator<Item = TermId>) -> u64 {
    hash(terms.map(|term| term.0))
}

impl GroundTable {
    pub(crate) fn new(arity: usize) -> Self {
        Self {
            arity,
            cells: Vec::new(),
            count: 0,
            lookup: HashTable::new(),
            active: Vec::new(),
            active_count: 0,
            indexes: Vec::new(),
        }
    }

    /// Number of rows, active or not.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn active_count(&self) -> usize {
        self.active_count
    }

    pub(crate) fn is_active(&self, row: u32) -> bool {
        self.active[row as usize]
    }

    pub(crate) fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.arity;
        &self.cells[start..start + self.arity]
    }

    /// The row with these values, if it is known.
    pub(crate) fn find(&self, values: &[TermId]) -> Option<u32> {
        self.find_by(hash_terms(values.iter().copied()), values)
    }

    fn find_by(&self, hash: u64, values: &[TermId]) -> Option<u32> {
        let part = upper(hash);
        let found = self.lookup.find(spread(part), |&(own, row)| own == part && self.row(row) == values);
        found.map(|&(_, row)| row)
    }

    /// The row with these values, added if new.
    pub(crate) fn intern(&mut self, values: &[TermId]) -> u32 {
        let hash = hash_terms(values.iter().copied());
        if let Some(row) = self.find_by(hash, values) {
            return row;
        }
        let row = super::program::number(self.count);
        self.cells.extend_from_slice(values);
        self.count += 1;
        self.active.push(false);
        let part = upper(hash);
        self.lookup.insert_unique(spread(part), (part, row), |&(part, _)| spread(part));
        row
    }

    /// Lets a row take part in joins; false if it did already.
    pub(crate) fn activate(&mut self, row: u32, terms: &Terms) -> bool {
        if std::mem::replace(&mut self.active[row as usize], true) {
            return false;
        }
        self.active_count += 1;
        let start = row as usize * self.arity;
        let cells = &self.cells[start..start + self.arity];
        for index in &mut self.indexes {
            index.add(row, cells, terms);
        }
        true
    }

    /// The number of the index with this key, built if there is none.
    pub(crate) fn index(&mut self, key: &IndexKey, terms: &Terms) -> usize {
        if let Some(found) = self.indexes.iter().position(|index| index.key == *key) {
            return found;
        }
        let mut index = ChainIndex { key: key.clone(), ..ChainIndex::default() };
        for row in 0..self.count {
            if self.active[row] {
                let start = row * self.arity;
                index.add(super::program::number(row), &self.cells[start..start + self.arity], terms);
            }
        }
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// The first row that may have this key: most do, by rare chance one does not.
    pub(crate) fn first_candidate(&self, index: usize, hash: u64) -> Option<u32> {
        self.indexes[index].chains.get(&hash).map(|&(first, _)| first)
    }

    /// The next row that may have the same key as this one.
    pub(crate) fn next_candidate(&self, index: usize, row: u32) -> Option<u32> {
        Some(self.indexes[index].next[row as usize]).filter(|&next| next != END)
    }

    /// How many rows an index finds by one key, on average.
    pub(crate) fn mean_matches(&self, index: usize) -> f64 {
        let index = &self.indexes[index];
        index.rows as f64 / index.chains.len().max(1) as f64
    }

    /// Bytes in use, roughly: a slot of a hash table is taken at least every other time.
    pub(crate) fn bytes(&self) -> usize {
        let indexes: usize = self.indexes.iter().map(|i| i.next.len() * 4 + i.chains.len() * 32).sum();
        self.cells.len() * 4 + self.count * 15 + indexes
    }
}

impl ChainIndex {
    fn add(&mut self, row: u32, cells: &[TermId], terms: &Terms) {
        let fits = self.key.functions.iter().all(|(path, symbol, arity)| {
            at(cells, path, terms)
                .is_some_and(|t| terms.symbol(t) == *symbol && terms.arguments(t).len() == *arity)
        });
        if !fits {
            return;
        }
        let values = self.key.values.iter().filter_map(|path| at(cells, path, terms));
        let hash = hash_terms(values);
        self.rows += 1;
        if self.next.len() <= row as usize {
            self.next.resize(row as usize + 1, END);
        }
        match self.chains.entry(hash) {
            Entry::Vacant(free) => {
                free.insert((row, row));
            }
            Entry::Occupied(mut chain) => {
                let last = &mut chain.get_mut().1;
                self.next[*last as usize] = row;
                *last = row;
            }
        }
    }
}

/// The term at a place, if the row reaches so far.
pub(crate) fn at(cells: &[TermId], path: &[u16], terms: &Terms) -> Option<TermId> {
    let (&column, rest) = path.split_first()?;
    let mut term = *cells.get(usize::from(column))?;
    for &position in rest {
        term = *terms.arguments(term).get(usize::from(position))?;
    }
    Some(term)
}

//! Tables: the rows of a relation, each once, with indexes on the places that joins look at.
//!
//! A place is a path: a column, then argument positions inside compound terms. An index covers the
//! rows that have certain functions at certain places, and finds them by the values at others.

use hashbrown::HashTable;
use ludex_gdl::Symbol;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

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

#[derive(Debug, Default)]
struct Index {
    key: IndexKey,
    rows: FxHashMap<u64, Vec<u32>>,
}

/// The rows of one relation.
///
/// A row may be *known* only by name, because a negation mentions it; it takes part in joins, and
/// enters the indexes, once it is *active*.
#[derive(Debug)]
pub(crate) struct Table {
    arity: usize,
    cells: Vec<TermId>,
    count: usize,
    lookup: HashTable<u32>,
    active: Vec<bool>,
    active_count: usize,
    indexes: Vec<Index>,
}

pub(crate) fn hash_terms(terms: impl Iterator<Item = TermId>) -> u64 {
    let mut hasher = FxHasher::default();
    for term in terms {
        hasher.write_u32(term.0);
    }
    hasher.finish()
}

impl Table {
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
        let hash = hash_terms(values.iter().copied());
        self.lookup.find(hash, |&row| self.row(row) == values).copied()
    }

    /// The row with these values, added if new.
    pub(crate) fn intern(&mut self, values: &[TermId]) -> u32 {
        if let Some(row) = self.find(values) {
            return row;
        }
        let row = super::normal::number(self.count);
        self.cells.extend_from_slice(values);
        self.count += 1;
        self.active.push(false);
        let hash = hash_terms(values.iter().copied());
        let (cells, arity) = (&self.cells, self.arity);
        self.lookup.insert_unique(hash, row, |&row| {
            let start = row as usize * arity;
            hash_terms(cells[start..start + arity].iter().copied())
        });
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
        let mut index = Index { key: key.clone(), rows: FxHashMap::default() };
        for row in 0..self.count {
            if self.active[row] {
                let start = row * self.arity;
                index.add(super::normal::number(row), &self.cells[start..start + self.arity], terms);
            }
        }
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// Rows that may have this key: those that do, and by rare chance others.
    pub(crate) fn candidates(&self, index: usize, hash: u64) -> &[u32] {
        self.indexes[index].rows.get(&hash).map_or(&[], Vec::as_slice)
    }

    /// Bytes in use, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.cells.len() * 4 + self.count * (8 + 8 * self.indexes.len())
    }
}

impl Index {
    fn add(&mut self, row: u32, cells: &[TermId], terms: &Terms) {
        let fits = self.key.functions.iter().all(|(path, symbol, arity)| {
            at(cells, path, terms)
                .is_some_and(|t| terms.symbol(t) == *symbol && terms.arguments(t).len() == *arity)
        });
        if !fits {
            return;
        }
        let values = self.key.values.iter().filter_map(|path| at(cells, path, terms));
        self.rows.entry(hash_terms(values)).or_default().push(row);
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

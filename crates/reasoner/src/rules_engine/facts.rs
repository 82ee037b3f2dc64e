//! Facts: the current state, seen through every shape that the code asks for.
//!
//! Each fact gets a number when it is first met, and for each shape its key and its read values are
//! worked out once. In a state an index is built only when it is asked for: its facts are chained
//! by key, which takes a few instructions a fact.

use super::code::PlanCode;
use super::keys::{Keys, NONE, place};
use super::shape::Shape;
use crate::term::{TermId, Terms};

/// Facts seen through a shape.
#[derive(Debug)]
struct FactIndex {
    keys: Keys,
    key_width: usize,
    width: usize,
    /// By fact: its key, or [`NONE`] if it does not fit.
    key_of: Vec<u32>,
    /// By fact: read values.
    outs: Vec<u32>,
    /// By key: the one fact that has it, where the shape makes it out.
    only: Vec<u32>,
    /// When the chains were built.
    built: u32,
    /// By key: when its chain was built, and its first fact.
    chains: Vec<(u32, u32)>,
    /// By fact: the next in its chain.
    next: Vec<u32>,
}

/// The facts of the current state.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// By fact.
    terms: Vec<TermId>,
    /// By term: its fact, or [`NONE`].
    of_term: Vec<u32>,
    /// By fact: the last time it was there.
    present: Vec<u32>,
    current: Vec<u32>,
    time: u32,
    indexes: Vec<FactIndex>,
    row: Vec<u32>,
}

impl Facts {
    /// With an index for each shape of the code.
    pub(super) fn new(code: &PlanCode) -> Self {
        let index = |shape: &Shape| FactIndex {
            keys: Keys::new(shape.keys.len()),
            key_width: shape.keys.len(),
            width: shape.outs.len(),
            key_of: Vec::new(),
            outs: Vec::new(),
            only: Vec::new(),
            built: 0,
            chains: Vec::new(),
            next: Vec::new(),
        };
        Self { indexes: code.fact_shapes.iter().map(index).collect(), ..Self::default() }
    }

    /// The number of a fact.
    #[inline]
    pub(super) fn number(&mut self, code: &PlanCode, terms: &Terms, term: TermId) -> u32 {
        match self.of_term.get(term.index()) {
            Some(&fact) if fact != NONE => fact,
            _ => self.meet(code, terms, term),
        }
    }

    fn meet(&mut self, code: &PlanCode, terms: &Terms, term: TermId) -> u32 {
        let fact = u32::try_from(self.terms.len()).unwrap_or(NONE);
        self.terms.push(term);
        self.present.push(0);
        *place(&mut self.of_term, term.0, NONE) = fact;
        for (shape, index) in code.fact_shapes.iter().zip(&mut self.indexes) {
            let fits = shape.extract(terms, &[term], &mut self.row);
            let key = if fits { index.keys.intern(&self.row[..index.key_width]) } else { NONE };
            index.key_of.push(key);
            index.next.push(NONE);
            if fits {
                *place(&mut index.only, key, NONE) = fact;
                place(&mut index.chains, key, (0, NONE));
                index.outs.extend_from_slice(&self.row[index.key_width..]);
            } else {
                index.outs.extend(std::iter::repeat_n(NONE, index.width));
            }
        }
        fact
    }

    /// The current state has exactly the facts that are added from now on.
    pub(super) fn start(&mut self, time: u32) {
        self.time = time;
        self.current.clear();
    }

    /// Adds a fact to the current state.
    #[inline]
    pub(super) fn add(&mut self, fact: u32) {
        if std::mem::replace(&mut self.present[fact as usize], self.time) != self.time {
            self.current.push(fact);
        }
    }

    /// Whether the one fact with a key is there.
    #[inline]
    pub(super) fn has(&self, index: u32, key: &[u32]) -> bool {
        let index = &self.indexes[index as usize];
        let key = index.keys.find(key) as usize;
        match index.only.get(key) {
            Some(&fact) if fact != NONE => self.present[fact as usize] == self.time,
            _ => false,
        }
    }

    /// The first fact with a key, or [`NONE`].
    #[inline]
    pub(super) fn first(&mut self, index: u32, key: &[u32]) -> u32 {
        let index = &mut self.indexes[index as usize];
        if index.built != self.time {
            index.build(&self.current, self.time);
        }
        let key = index.keys.find(key) as usize;
        match index.chains.get(key) {
            Some(&(time, first)) if time == self.time => first,
            _ => NONE,
        }
    }

    /// The next fact with the same key, or [`NONE`].
    #[inline]
    pub(super) fn after(&self, index: u32, fact: u32) -> u32 {
        self.indexes[index as usize].next[fact as usize]
    }

    /// What is read of a fact.
    #[inline]
    pub(super) fn outs(&self, index: u32, fact: u32) -> &[u32] {
        let index = &self.indexes[index as usize];
        let start = fact as usize * index.width;
        &index.outs[start..start + index.width]
    }
}

impl FactIndex {
    fn build(&mut self, current: &[u32], time: u32) {
        self.built = time;
        for &fact in current {
            let key = self.key_of[fact as usize];
            if key != NONE {
                let chain = &mut self.chains[key as usize];
                self.next[fact as usize] = if chain.0 == time { chain.1 } else { NONE };
                *chain = (time, fact);
            }
        }
    }
}

//! Shapes: how a condition looks at the tuples of a relation.
//!
//! A condition with some of its variables bound asks for the tuples that have certain names and
//! constants in certain places, certain values in others, and reads what stands in the rest. Places
//! are paths, which may lead into compound terms: in `(true (cell ?x 1 ?p))` the value of `?p`
//! stands at path 0, 2.

use ludex_gdl::Symbol;

use super::keys::{Keys, NONE};
use super::program::RulesPattern;
use crate::term::{TermId, Terms};

/// Position of an argument, position in that argument, and so on.
pub(super) type Path = Vec<u16>;

/// What must be the case at a path, whatever the values of variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Check {
    Is(TermId),
    Functor(Symbol, usize),
    SameAs(Path),
}

/// Which tuples a condition asks for, and what it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    checks: Vec<(Path, Check)>,
    /// Where the known values stand.
    pub keys: Vec<Path>,
    /// Where the values stand that are read.
    pub outs: Vec<Path>,
    /// Some place is neither checked nor known nor read: a key may belong to several tuples even if
    /// nothing is read.
    pub ignores: bool,
}

/// A shape with the variables that give its keys and get what is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The shape.
    pub shape: Shape,
    /// By key: a variable or a ground term.
    pub key_values: Vec<RulesPattern>,
    /// By read value.
    pub out_variables: Vec<usize>,
    general: bool,
}

/// How a variable stands to a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Its value is known.
    Bound,
    /// It gets its value here.
    Open,
    /// Its value does not matter.
    Ignored,
}

impl Reading {
    /// The shape of a condition with these arguments, with ground terms as checks.
    pub(super) fn new(arguments: &[RulesPattern], standing: &dyn Fn(usize) -> Standing) -> Self {
        Self::with(arguments, standing, false)
    }

    /// The same with ground terms as keys, so that conditions that differ in them share a shape.
    pub(super) fn general(arguments: &[RulesPattern], standing: &dyn Fn(usize) -> Standing) -> Self {
        Self::with(arguments, standing, true)
    }

    fn with(arguments: &[RulesPattern], standing: &dyn Fn(usize) -> Standing, general: bool) -> Self {
        let mut reading = Self { general, ..Self::default() };
        let mut first: Vec<(usize, Path)> = Vec::new();
        for (position, argument) in arguments.iter().enumerate() {
            let mut path = vec![u16::try_from(position).unwrap_or(u16::MAX)];
            reading.add(argument, &mut path, standing, &mut first);
        }
        // An ignored variable in several places still says that they are the same.
        reading
    }

    fn add(
        &mut self,
        pattern: &RulesPattern,
        path: &mut Path,
        standing: &dyn Fn(usize) -> Standing,
        first: &mut Vec<(usize, Path)>,
    ) {
        match pattern {
            RulesPattern::Ground(term) if !self.general => {
                self.shape.checks.push((path.clone(), Check::Is(*term)));
            }
            RulesPattern::Ground(_) => {
                self.shape.keys.push(path.clone());
                self.key_values.push(pattern.clone());
            }
            RulesPattern::Variable(v) if standing(*v) == Standing::Bound => {
                self.shape.keys.push(path.clone());
                self.key_values.push(pattern.clone());
            }
            RulesPattern::Variable(v) => {
                if let Some((_, earlier)) = first.iter().find(|(known, _)| known == v) {
                    self.shape.checks.push((path.clone(), Check::SameAs(earlier.clone())));
                    return;
                }
                first.push((*v, path.clone()));
                if standing(*v) == Standing::Open {
                    self.shape.outs.push(path.clone());
                    self.out_variables.push(*v);
                } else {
                    self.shape.ignores = true;
                }
            }
            RulesPattern::Compound(symbol, arguments) => {
                self.shape.checks.push((path.clone(), Check::Functor(*symbol, arguments.len())));
                for (position, argument) in arguments.iter().enumerate() {
                    path.push(u16::try_from(position).unwrap_or(u16::MAX));
                    self.add(argument, path, standing, first);
                    path.pop();
                }
            }
        }
    }
}

fn value(terms: &Terms, row: &[TermId], path: &[u16]) -> Option<TermId> {
    let mut at = *row.get(usize::from(path[0]))?;
    for &position in &path[1..] {
        at = *terms.arguments(at).get(usize::from(position))?;
    }
    Some(at)
}

impl Shape {
    /// Keys and read values of a tuple, one after the other, if the tuple fits.
    pub(super) fn extract(&self, terms: &Terms, row: &[TermId], into: &mut Vec<u32>) -> bool {
        into.clear();
        for (path, check) in &self.checks {
            let Some(found) = value(terms, row, path) else { return false };
            let good = match check {
                Check::Is(term) => found == *term,
                Check::Functor(symbol, arity) => {
                    terms.symbol(found) == *symbol && terms.arguments(found).len() == *arity
                }
                Check::SameAs(other) => value(terms, row, other) == Some(found),
            };
            if !good {
                return false;
            }
        }
        for path in self.keys.iter().chain(&self.outs) {
            match value(terms, row, path) {
                Some(found) => into.push(found.0),
                None => return false,
            }
        }
        true
    }
}

/// A stored relation: all its tuples, one after the other.
#[derive(Debug, Default)]
pub(super) struct TupleStore {
    /// Number of arguments.
    pub arity: usize,
    /// Number of tuples.
    pub count: usize,
    /// Their values.
    pub values: Vec<TermId>,
}

impl TupleStore {
    fn rows(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.count).map(|row| &self.values[row * self.arity..(row + 1) * self.arity])
    }
}

/// A stored relation seen through a shape: read values by key.
#[derive(Debug)]
pub(super) struct StoredIndex {
    keys: Keys,
    /// By key: where its read values start, counted in tuples; one more at the end.
    starts: Vec<u32>,
    /// Read values, tuple after tuple, those of a key together.
    outs: Vec<u32>,
}

impl StoredIndex {
    /// Goes through all tuples once to count and once to fill.
    pub(super) fn new(store: &TupleStore, shape: &Shape, terms: &Terms) -> Self {
        let (key_width, out_width) = (shape.keys.len(), shape.outs.len());
        let mut keys = Keys::new(key_width);
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut all_outs = Vec::new();
        let mut row_values = Vec::new();
        for row in store.rows() {
            if shape.extract(terms, row, &mut row_values) {
                let key = keys.intern(&row_values[..key_width]);
                found.push((key, u32::try_from(found.len()).unwrap_or(NONE)));
                all_outs.extend_from_slice(&row_values[key_width..]);
            }
        }
        found.sort_unstable();
        // What is not read can make tuples look the same.
        found.dedup_by_key(|(key, at)| {
            let at = *at as usize * out_width;
            (*key, all_outs[at..at + out_width].to_vec())
        });
        let count = found.last().map_or(0, |(key, _)| *key as usize + 1);
        let mut starts = vec![0u32; count + 1];
        let mut outs = Vec::with_capacity(found.len() * out_width);
        for (key, at) in found {
            starts[key as usize + 1] += 1;
            let at = at as usize * out_width;
            outs.extend_from_slice(&all_outs[at..at + out_width]);
        }
        for key in 0..count {
            starts[key + 1] += starts[key];
        }
        Self { keys, starts, outs }
    }

    /// The tuples of a key: from, to.
    #[inline]
    pub(super) fn range(&self, key: &[u32]) -> (u32, u32) {
        let number = self.keys.find(key) as usize;
        match self.starts.get(number..number.saturating_add(2)) {
            Some(&[from, to]) => (from, to),
            _ => (0, 0),
        }
    }

    /// What is read of a tuple.
    #[inline]
    pub(super) fn row(&self, row: u32, width: u32) -> &[u32] {
        let start = row as usize * width as usize;
        &self.outs[start..start + width as usize]
    }

    /// Tuples in all, and keys that have some.
    pub(super) fn counts(&self) -> (usize, usize) {
        let used = self.starts.windows(2).filter(|w| w[0] < w[1]).count();
        (self.starts.last().copied().unwrap_or(0) as usize, used)
    }
}

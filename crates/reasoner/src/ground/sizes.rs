//! Sizes of tables, measured in an earlier grounding, and what they say about joins.
//!
//! Facts of all kinds are rows of one table. What a condition may match are those of its shape:
//! rows with the same functions at the same places. Sizes are measured for each shape.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use ludex_gdl::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

use super::program::{NormalLiteral, NormalPattern, NormalProgram, Rel};
use super::table::{GroundTable, at};
use crate::term::Terms;

/// A relation, and the functions that a condition has at which places.
type Shape = (Rel, Functions);
type Functions = Vec<(Vec<u16>, Symbol)>;

/// Places of a condition with their variables; those without one hold constants.
type Places = Vec<(Vec<u16>, Option<u32>)>;

/// What was measured of a shape.
#[derive(Debug, Default)]
struct MeasuredShape {
    rows: f64,
    /// By place: the number of different values.
    distinct: FxHashMap<Vec<u16>, f64>,
}

/// Sizes of tables, from an earlier grounding.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    shapes: FxHashMap<Shape, MeasuredShape>,
}

impl Sizes {
    /// Measures the tables that the conditions of a program look at.
    pub(crate) fn measure(program: &NormalProgram, tables: &[GroundTable], terms: &Terms) -> Self {
        let mut sizes = Self::default();
        for literal in program.rules.iter().flat_map(|r| &r.body) {
            if let NormalLiteral::Holds(relation, arguments) = literal {
                let (shape, places) = shape(*relation, arguments);
                if let Entry::Vacant(free) = sizes.shapes.entry(shape) {
                    let table = tables.get(*relation as usize);
                    let measured = table.map(|table| measure(table, &free.key().1, &places, terms));
                    free.insert(measured.unwrap_or_default());
                }
            }
        }
        sizes
    }

    /// Expected number of rows of the join of some conditions: the product of their sizes, divided
    /// for each variable by the number of its values once for every condition but the most
    /// selective, and by the number of values where a condition has a constant.
    pub(crate) fn join(&self, literals: &[&NormalLiteral]) -> f64 {
        let mut product = 1.0;
        let mut values: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for literal in literals {
            let NormalLiteral::Holds(relation, arguments) = literal else { continue };
            let (shape, places) = shape(*relation, arguments);
            let Some(measured) = self.shapes.get(&shape) else { continue };
            product *= measured.rows.max(1.0);
            let mut own: BTreeMap<u32, f64> = BTreeMap::new();
            for (path, variable) in places {
                let count = measured.distinct.get(&path).copied().unwrap_or(1.0).max(1.0);
                match variable {
                    Some(variable) => drop(own.insert(variable, count)),
                    None => product /= count,
                }
            }
            for (variable, count) in own {
                values.entry(variable).or_default().push(count);
            }
        }
        for counts in values.values_mut() {
            counts.sort_by(f64::total_cmp);
            product /= counts.iter().skip(1).product::<f64>();
        }
        product.max(1.0)
    }
}

impl Sizes {
    /// By variable of some conditions: how many values it can have.
    pub(crate) fn domains<'a>(
        &self,
        literals: impl Iterator<Item = &'a NormalLiteral>,
    ) -> FxHashMap<u32, f64> {
        let mut domains: FxHashMap<u32, f64> = FxHashMap::default();
        for literal in literals {
            let NormalLiteral::Holds(relation, arguments) = literal else { continue };
            let (shape, places) = shape(*relation, arguments);
            let Some(measured) = self.shapes.get(&shape) else { continue };
            for (path, variable) in places {
                let (Some(variable), Some(&count)) = (variable, measured.distinct.get(&path)) else {
                    continue;
                };
                let least = domains.entry(variable).or_insert(count.max(1.0));
                *least = least.min(count.max(1.0));
            }
        }
        domains
    }
}

/// The shape of a condition, and its places.
fn shape(relation: Rel, arguments: &[NormalPattern]) -> (Shape, Places) {
    fn visit(pattern: &NormalPattern, path: &[u16], functions: &mut Functions, places: &mut Places) {
        match pattern {
            NormalPattern::Ground(_) => places.push((path.to_vec(), None)),
            NormalPattern::Variable(v) => places.push((path.to_vec(), Some(*v))),
            NormalPattern::Apply(symbol, arguments) => {
                functions.push((path.to_vec(), *symbol));
                for (position, argument) in (0..).zip(arguments) {
                    visit(argument, &[path, &[position]].concat(), functions, places);
                }
            }
        }
    }
    let (mut functions, mut places) = (Vec::new(), Vec::new());
    for (column, argument) in (0..).zip(arguments) {
        visit(argument, &[column], &mut functions, &mut places);
    }
    ((relation, functions), places)
}

fn measure(table: &GroundTable, functions: &Functions, places: &Places, terms: &Terms) -> MeasuredShape {
    let mut rows = 0usize;
    let mut seen = vec![FxHashSet::default(); places.len()];
    for row in (0..table.len()).filter_map(|row| u32::try_from(row).ok()) {
        let cells = table.row(row);
        let has = |(path, symbol): &(Vec<u16>, Symbol)| {
            at(cells, path, terms).is_some_and(|term| terms.symbol(term) == *symbol)
        };
        if table.is_active(row) && functions.iter().all(has) {
            rows += 1;
            for (set, (path, _)) in seen.iter_mut().zip(places) {
                set.extend(at(cells, path, terms));
            }
        }
    }
    let distinct = places.iter().zip(&seen).map(|((path, _), set)| (path.clone(), set.len() as f64));
    MeasuredShape { rows: rows as f64, distinct: distinct.collect() }
}

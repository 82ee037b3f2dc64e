//! Features of places: how many pieces of a kind stand on cells of one class.
//!
//! A corner is not the middle of an edge. Cells that the symmetries of the board carry into each other
//! are one class (the orbits of the group that they generate), so that eight corners and edges of a
//! board share what random games say of them. Where that gives too many classes, cells are put
//! together by their distance from the border, along each coordinate.

use rustc_hash::FxHashMap;

use super::{About, Feature, Formula, Speaks};
use crate::facts::Value;
use crate::pieces::Kind;
use crate::shapes::Shape;
use crate::symmetry::Symmetry;
use crate::understanding::Understanding;

/// Features of places of all kinds together: more are not measured well by random games.
const MAX_FEATURES: usize = 80;

/// A cell this far from the border is in the middle.
const MIDDLE: usize = 2;

/// A cell by its places in the orders of both coordinates.
type Cell = (usize, usize);

/// The facts of a kind on the cells of a class, and the first of these cells in words.
struct Class {
    cell: Cell,
    weights: Vec<(u32, f32)>,
    first: String,
}

/// Classes of cells: which cells are alike.
type Classes = FxHashMap<Cell, Cell>;

/// The features of all kinds on the largest board.
pub(super) fn places(understood: &Understanding, kinds: &[&Kind]) -> Vec<Feature> {
    let Some(at) = kinds.iter().map(|kind| kind.shape).max_by_key(|&at| understood.shapes[at].facts) else {
        return Vec::new();
    };
    let shape = &understood.shapes[at];
    let kinds: Vec<&&Kind> = kinds.iter().filter(|kind| kind.shape == at).collect();
    let Some(cells) = cells(understood, shape) else { return Vec::new() };
    let all = || cells.values().copied();
    let by_symmetry = orbits(all(), &understood.symmetries);
    let by_border = border(all());
    let count = |classes: &Classes| {
        let mut found: Vec<Cell> = classes.values().copied().collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    let fits = |classes: &&Classes| count(classes) * kinds.len() <= MAX_FEATURES && count(classes) > 1;
    let Some(classes) = [&by_symmetry, &by_border].into_iter().find(fits) else { return Vec::new() };
    kinds.iter().flat_map(|kind| of_kind(understood, shape, kind, &cells, classes)).collect()
}

fn of_kind(
    understood: &Understanding,
    shape: &Shape,
    kind: &Kind,
    cells: &FxHashMap<Vec<Value>, Cell>,
    classes: &Classes,
) -> Vec<Feature> {
    let facts = &understood.facts;
    let mut members: Vec<Class> = Vec::new();
    for &id in &facts.fluents[shape.fluent].facts {
        let Some(fact) = facts.get(id).filter(|fact| shape.content_of(&fact.arguments) == kind.values) else {
            continue;
        };
        let key = shape.key_of(&fact.arguments);
        let Some(class) = cells.get(&key).and_then(|cell| classes.get(cell)) else { continue };
        match members.iter_mut().find(|known| known.cell == *class) {
            Some(known) => known.weights.push((id.0, 1.0)),
            None => {
                members.push(Class { cell: *class, weights: vec![(id.0, 1.0)], first: facts.words(&key) })
            }
        }
    }
    let feature = |Class { weights, first, .. }: Class| Feature {
        name: format!("{} {} on cells like {first}", kind.board, kind.content),
        about: About::new("cells", [kind.board.as_str(), &kind.content, &first]),
        speaks: Speaks::Control,
        formula: Formula::Sum(weights),
    };
    members.into_iter().map(feature).collect()
}

/// The cells of a board with two ordered coordinates; none of others.
fn cells(understood: &Understanding, shape: &Shape) -> Option<FxHashMap<Vec<Value>, Cell>> {
    let orders: Vec<_> = shape.key.iter().filter_map(|&place| shape.order(place)).collect();
    let [first, second] = orders[..] else { return None };
    if shape.key.len() != 2 {
        return None;
    }
    let facts = &understood.facts;
    let known = facts.fluents[shape.fluent].facts.iter().filter_map(|&id| facts.get(id));
    known
        .map(|fact| {
            let place = (
                first.position(fact.arguments[first.place])?,
                second.position(fact.arguments[second.place])?,
            );
            Some((shape.key_of(&fact.arguments), place))
        })
        .collect()
}

/// By cell: the least of the cells that symmetries carry it to.
fn orbits(cells: impl Iterator<Item = Cell>, symmetries: &[Symmetry]) -> Classes {
    let cells: Vec<Cell> = cells.collect();
    let (low, high) = extent(&cells);
    let image = |(a, b): Cell, symmetry: &Symmetry| match symmetry {
        Symmetry::Reflected(0) => (low.0 + high.0 - a, b),
        Symmetry::Reflected(_) => (a, low.1 + high.1 - b),
        Symmetry::Turned => (low.0 + high.0 - a, low.1 + high.1 - b),
        Symmetry::Exchanged => (low.0 + b.saturating_sub(low.1), low.1 + a.saturating_sub(low.0)),
    };
    let mut classes = Classes::default();
    for &cell in &cells {
        // At most eight images: walked in full.
        let mut orbit = vec![cell];
        let mut at = 0;
        while let Some(&next) = orbit.get(at) {
            for symmetry in symmetries {
                let other = image(next, symmetry);
                if !orbit.contains(&other) {
                    orbit.push(other);
                }
            }
            at += 1;
        }
        classes.insert(cell, orbit.into_iter().min().unwrap_or(cell));
    }
    classes
}

/// By cell: how far it is from the border, along each coordinate.
fn border(cells: impl Iterator<Item = Cell>) -> Classes {
    let cells: Vec<Cell> = cells.collect();
    let (low, high) = extent(&cells);
    let from = |at: usize, low: usize, high: usize| (at - low).min(high - at).min(MIDDLE);
    let class = |&(a, b): &Cell| ((a, b), (from(a, low.0, high.0), from(b, low.1, high.1)));
    cells.iter().map(class).collect()
}

fn extent(cells: &[Cell]) -> (Cell, Cell) {
    let least = |of: fn(&Cell) -> usize| cells.iter().map(of).min().unwrap_or(0);
    let most = |of: fn(&Cell) -> usize| cells.iter().map(of).max().unwrap_or(0);
    ((least(|c| c.0), least(|c| c.1)), (most(|c| c.0), most(|c| c.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(size: usize) -> impl Iterator<Item = Cell> {
        (0..size).flat_map(move |a| (0..size).map(move |b| (a, b)))
    }

    fn count(classes: &Classes) -> usize {
        let mut all: Vec<Cell> = classes.values().copied().collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    #[test]
    fn symmetric_cells_are_one_class() {
        let all = [Symmetry::Reflected(0), Symmetry::Reflected(1), Symmetry::Exchanged];
        let classes = orbits(square(8), &all);
        assert_eq!(count(&classes), 10);
        assert!([(7, 7), (0, 7), (7, 0)].iter().all(|corner| classes[corner] == classes[&(0, 0)]));
        assert_eq!(count(&orbits(square(8), &all[..1])), 32);
        assert_eq!(count(&orbits(square(8), &[Symmetry::Turned])), 32);
        assert_eq!(count(&orbits(square(3), &[])), 9);
    }

    #[test]
    fn borders_have_corners_and_edges() {
        let classes = border(square(8));
        assert_eq!(count(&classes), 9);
        assert_eq!(classes[&(7, 7)], classes[&(0, 0)]);
        assert_ne!(classes[&(0, 3)], classes[&(0, 1)]);
        assert_eq!(classes[&(3, 3)], classes[&(2, 5)]);
    }
}

//! What the fluents of a game are: boards, counters, quantities, variables, sets.
//!
//! # How
//! A set of places is a key of a fluent if no state of play has two of its facts that agree there.
//! Two places that are a key are coordinates, and what the other places say is the content of a cell.
//! Where the empty set is a key, at most one fact holds at a time: a variable. Places whose values
//! lie in one chain of a successor relation are ordered.
//!
//! Keys are confirmed by play, not proved: states that play does not reach may break them.

use ludex_game::model::Statics;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::facts::{Facts, Fluent, Value};
use crate::random_play::{PlayedGame, Position, thinned, transitions};
use crate::successions::Succession;

/// Facts with more places are not looked at: all sets of places are tried.
const MAX_PLACES: usize = 6;

/// States that a key is checked in.
const CHECKED: usize = 300;

/// Fewer cells are no board.
const MIN_CELLS: usize = 4;

/// A board fills at least this part of its rectangle: a tenth (stars and crosses fill about a third).
const MIN_FILLED: usize = 10;

/// A place of a fluent whose values have an order.
#[derive(Clone, Debug, Serialize)]
pub struct OrderedPlace {
    /// The place, from 0.
    pub place: usize,
    /// The relation that orders it.
    pub by: String,
    /// Number of values.
    pub count: usize,
    #[serde(skip)]
    positions: FxHashMap<Value, usize>,
}

impl OrderedPlace {
    /// Where a value stands in the order.
    pub fn position(&self, value: Value) -> Option<usize> {
        self.positions.get(&value).copied()
    }
}

/// What a fluent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Cells with contents, or a set of cells.
    Board,
    /// One value that moves on by one in every step.
    StepCounter,
    /// An ordered value, alone or for each key.
    Quantity,
    /// At most one fact at a time.
    Variable,
    /// One value for each key.
    Mapping,
    /// It holds or not.
    Flag,
    /// Any number of facts.
    Set,
    /// The same facts in every state of play.
    Constant,
}

/// A fluent and what it is.
#[derive(Clone, Debug, Serialize)]
pub struct Shape {
    /// Name of the fluent.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Number of places.
    pub arity: usize,
    /// Places that identify a fact: the coordinates of a board.
    pub key: Vec<usize>,
    /// The other places.
    pub content: Vec<usize>,
    /// Places with an order.
    pub ordered: Vec<OrderedPlace>,
    /// Facts that can hold, as far as known.
    pub facts: usize,
    /// By key place of a board: how many values.
    pub size: Vec<usize>,
    /// A relation of the rules that links cells with a single coordinate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjacency: Option<String>,
    /// Of a step counter and a quantity: whether it grew and whether it fell in play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// Number of the fluent.
    #[serde(skip)]
    pub fluent: usize,
}

/// How an ordered value changed in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// It grew in some step.
    pub grows: bool,
    /// It fell in some step.
    pub falls: bool,
}

impl Shape {
    /// The order of a place.
    pub fn order(&self, place: usize) -> Option<&OrderedPlace> {
        self.ordered.iter().find(|ordered| ordered.place == place)
    }

    /// The values at the content places.
    pub fn content_of(&self, arguments: &[Value]) -> Vec<Value> {
        self.content.iter().filter_map(|&place| arguments.get(place).copied()).collect()
    }

    /// The values at the key places.
    pub fn key_of(&self, arguments: &[Value]) -> Vec<Value> {
        self.key.iter().filter_map(|&place| arguments.get(place).copied()).collect()
    }
}

/// The shapes of all fluents, in their order.
pub(crate) fn shapes(
    facts: &Facts,
    statics: Option<&Statics>,
    successions: &[Succession],
    games: &[PlayedGame],
) -> Vec<Shape> {
    let sample = thinned(games, CHECKED);
    let fluents = facts.fluents.iter().enumerate();
    fluents.map(|(at, fluent)| shape(at, fluent, facts, statics, successions, games, &sample)).collect()
}

fn shape(
    at: usize,
    fluent: &Fluent,
    facts: &Facts,
    statics: Option<&Statics>,
    successions: &[Succession],
    games: &[PlayedGame],
    sample: &[&Position],
) -> Shape {
    let ordered = ordered_places(fluent, successions);
    let mut shape = Shape {
        name: fluent.name.clone(),
        role: Role::Set,
        arity: fluent.arity,
        key: (0..fluent.arity).collect(),
        content: Vec::new(),
        ordered,
        facts: fluent.facts.len(),
        size: Vec::new(),
        adjacency: None,
        changes: None,
        fluent: at,
    };
    if never_changes(at, facts, sample) {
        shape.role = Role::Constant;
        return shape;
    }
    if fluent.arity == 0 {
        shape.role = Role::Flag;
        return shape;
    }
    if fluent.arity > MAX_PLACES {
        return shape;
    }
    let keys = minimal_keys(at, fluent.arity, facts, sample);
    if let Some(board) = best_board(fluent, &keys, &shape.ordered, facts) {
        shape.key = board;
        shape.role = Role::Board;
    } else if let Some(key) = best_key(&keys, &shape.ordered, fluent) {
        shape.key = key;
        shape.role = if shape.key.is_empty() { Role::Variable } else { Role::Mapping };
    }
    shape.content = (0..fluent.arity).filter(|place| !shape.key.contains(place)).collect();
    // A sequence is no board: its order says more than who is next to whom.
    if let ([place], Role::Mapping) = (&shape.key[..], shape.role)
        && shape.order(*place).is_none()
    {
        shape.adjacency = statics.and_then(|statics| adjacency(&fluent.values[shape.key[0]], statics, facts));
        if shape.adjacency.is_some() {
            shape.role = Role::Board;
        }
    }
    if shape.role == Role::Board {
        shape.size = shape.key.iter().map(|&place| fluent.values[place].len()).collect();
    }
    if let ([place], Role::Variable | Role::Mapping) = (&shape.content[..], shape.role)
        && let Some(order) = shape.order(*place)
    {
        let (changes, counts) = changes(&shape, *place, order, facts, games);
        shape.changes = Some(changes);
        shape.role = if counts { Role::StepCounter } else { Role::Quantity };
    }
    shape
}

fn ordered_places(fluent: &Fluent, successions: &[Succession]) -> Vec<OrderedPlace> {
    let mut ordered = Vec::new();
    for (place, values) in fluent.values.iter().enumerate().filter(|(_, values)| values.len() > 1) {
        // The tightest chain: numbers for steps also order the rows of a board.
        let fitting = successions.iter().filter_map(|succession| {
            let positions = succession.positions(values)?;
            let chain = succession.place(values[0])?.0;
            Some((succession.chains[chain].len(), succession, positions))
        });
        if let Some((_, succession, positions)) = fitting.min_by_key(|found| found.0) {
            ordered.push(OrderedPlace {
                place,
                by: succession.relation.clone(),
                count: values.len(),
                positions: values.iter().copied().zip(positions).collect(),
            });
        }
    }
    ordered
}

fn never_changes(fluent: usize, facts: &Facts, sample: &[&Position]) -> bool {
    let of = |position: &Position| -> Vec<u32> {
        let mut ids: Vec<u32> = facts.of_fluent(fluent, &position.facts).map(|(id, _)| id.0).collect();
        ids.sort_unstable();
        ids
    };
    let Some(first) = sample.first().map(|position| of(position)) else { return false };
    sample.len() > 1 && sample.iter().all(|position| of(position) == first)
}

/// The smallest sets of places that identify a fact in all these states, as bits; none but the set
/// of all places gives an empty list.
fn minimal_keys(fluent: usize, arity: usize, facts: &Facts, sample: &[&Position]) -> Vec<u32> {
    let rows: Vec<Vec<&[Value]>> = sample
        .iter()
        .map(|position| facts.of_fluent(fluent, &position.facts).map(|(_, arguments)| arguments).collect())
        .collect();
    if rows.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let mut masks: Vec<u32> = (0..(1u32 << arity) - 1).collect();
    masks.sort_by_key(|mask| (mask.count_ones(), *mask));
    let mut keys: Vec<u32> = Vec::new();
    let mut seen: FxHashSet<Vec<Value>> = FxHashSet::default();
    for mask in masks {
        if keys.iter().any(|key| key & mask == *key) {
            continue;
        }
        let is_key = rows.iter().all(|rows| {
            seen.clear();
            rows.iter().all(|arguments| {
                seen.insert((0..arity).filter(|at| mask >> at & 1 == 1).map(|at| arguments[at]).collect())
            })
        });
        if is_key {
            keys.push(mask);
        }
    }
    keys
}

fn places(mask: u32, arity: usize) -> Vec<usize> {
    (0..arity).filter(|at| mask >> at & 1 == 1).collect()
}

/// The key whose places are coordinates; or all places, if each has an order.
fn best_board(fluent: &Fluent, keys: &[u32], ordered: &[OrderedPlace], facts: &Facts) -> Option<Vec<usize>> {
    if keys.contains(&0) {
        return None;
    }
    let is_ordered = |place: &usize| ordered.iter().any(|found| found.place == *place);
    let mut best: Option<((usize, usize), Vec<usize>)> = None;
    let all = (keys.is_empty() && fluent.arity >= 2).then_some((1u32 << fluent.arity) - 1);
    for &mask in keys.iter().chain(&all) {
        let key = places(mask, fluent.arity);
        if key.len() < 2 || (key.len() == fluent.arity && !key.iter().all(is_ordered)) {
            continue;
        }
        let cells: FxHashSet<Vec<Value>> = fluent
            .facts
            .iter()
            .filter_map(|&id| facts.get(id))
            .map(|fact| key.iter().map(|&place| fact.arguments[place]).collect())
            .collect();
        let rectangle: usize = key.iter().map(|&place| fluent.values[place].len()).product();
        let narrow = key.iter().any(|&place| fluent.values[place].len() < 2);
        if cells.len() < MIN_CELLS || narrow || 100 * cells.len() < MIN_FILLED * rectangle {
            continue;
        }
        let score = (key.iter().filter(|place| is_ordered(place)).count() * 2, cells.len());
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, key));
        }
    }
    best.map(|(_, key)| key)
}

/// The smallest key; of several the one that leaves an ordered place as the value.
fn best_key(keys: &[u32], ordered: &[OrderedPlace], fluent: &Fluent) -> Option<Vec<usize>> {
    let score = |mask: &u32| {
        let outside = ordered.iter().filter(|found| mask >> found.place & 1 == 0).count();
        (mask.count_ones(), std::cmp::Reverse(outside))
    };
    keys.iter().min_by_key(|mask| score(mask)).map(|&mask| places(mask, fluent.arity))
}

/// A relation that links most of these values with each other.
fn adjacency(values: &[Value], statics: &Statics, facts: &Facts) -> Option<String> {
    if values.len() < MIN_CELLS {
        return None;
    }
    let cells: FxHashSet<Value> = values.iter().copied().collect();
    let links = |relation: &&ludex_game::model::StaticRelation| {
        let mut linked: FxHashSet<Value> = FxHashSet::default();
        for row in relation.rows() {
            let known = row.iter().filter_map(|&term| facts.find(&statics.terms.text(term)));
            let inside: Vec<Value> = known.filter(|value| cells.contains(value)).collect();
            if let [a, b] = inside[..]
                && a != b
            {
                linked.extend([a, b]);
            }
        }
        linked.len() * 5 >= cells.len() * 4
    };
    let found = statics.relations.iter().filter(|relation| (2..=4).contains(&relation.arity)).find(links)?;
    Some(statics.terms.symbols().text(found.name).to_owned())
}

/// How an ordered value changes, and whether it counts steps: always one further.
fn changes(
    shape: &Shape,
    place: usize,
    order: &OrderedPlace,
    facts: &Facts,
    games: &[PlayedGame],
) -> (Changes, bool) {
    let mut changes = Changes { grows: false, falls: false };
    let (mut counts, mut steps) = (shape.key.is_empty(), 0);
    for (before, after) in transitions(games) {
        let values = |position: &Position| -> FxHashMap<Vec<Value>, usize> {
            let rows = facts.of_fluent(shape.fluent, &position.facts);
            rows.filter_map(|(_, a)| Some((shape.key_of(a), order.position(a[place])?))).collect()
        };
        let (old, new) = (values(before), values(after));
        counts &= !old.is_empty();
        #[allow(clippy::iter_over_hash_type, reason = "sets flags only")]
        for (key, old) in &old {
            let Some(new) = new.get(key) else { continue };
            changes.grows |= new > old;
            changes.falls |= new < old;
            counts &= new.abs_diff(*old) == 1;
            steps += 1;
        }
    }
    // A counter that never counted is none, and one that goes back and forth is not one either.
    (changes, counts && steps > 1 && changes.grows != changes.falls)
}

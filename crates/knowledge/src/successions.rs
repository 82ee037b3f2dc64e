//! Successor relations and orders among the relations that never change.
//!
//! A binary relation is a successor relation if it is functional, injective and without a cycle:
//! its pairs form chains (Schiffel and Thielscher, Fluxplayer, AAAI 2007: structures are semantic
//! properties of relations, whatever their names). An order relates every value to all later ones.

use ludex_game::model::{StaticRelation, Statics};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::facts::{Facts, Value};

/// Values of a chain at least: two values in a row are no succession yet.
const MIN_CHAIN: usize = 3;

/// Values of an order at most: the check looks at all pairs.
const MAX_ORDER: usize = 300;

/// A relation that puts values into a sequence.
#[derive(Clone, Debug, Serialize)]
pub struct Succession {
    /// Name of the relation.
    pub relation: String,
    /// Whether it relates a value to all later ones, not only to the next.
    pub is_order: bool,
    /// The values of each chain, as text.
    pub chains: Vec<Vec<String>>,
    #[serde(skip)]
    places: FxHashMap<Value, (usize, usize)>,
}

impl Succession {
    /// The chain that a value is in, and its place there.
    pub fn place(&self, value: Value) -> Option<(usize, usize)> {
        self.places.get(&value).copied()
    }

    /// The places of these values if all of them are in one chain.
    pub(crate) fn positions(&self, values: &[Value]) -> Option<Vec<usize>> {
        let chain = self.place(*values.first()?)?.0;
        let place = |&value: &Value| self.place(value).filter(|place| place.0 == chain).map(|place| place.1);
        values.iter().map(place).collect()
    }
}

/// All of them, in the order of the rules.
pub(crate) fn successions(statics: Option<&Statics>, facts: &mut Facts) -> Vec<Succession> {
    let Some(statics) = statics else { return Vec::new() };
    let binary = statics.relations.iter().filter(|relation| relation.arity == 2);
    binary
        .filter_map(|relation| {
            let pairs = pairs(statics, relation, facts);
            let name = statics.terms.symbols().text(relation.name);
            chains(&pairs)
                .map(|chains| succession(name, false, chains, facts))
                .or_else(|| Some(succession(name, true, vec![order(&pairs)?], facts)))
        })
        .collect()
}

fn pairs(statics: &Statics, relation: &StaticRelation, facts: &mut Facts) -> Vec<(Value, Value)> {
    let mut pairs = Vec::new();
    for row in relation.rows() {
        if let [a, b] = row {
            let (a, b) = (statics.terms.text(*a), statics.terms.text(*b));
            pairs.push((facts.value(&a), facts.value(&b)));
        }
    }
    pairs
}

fn succession(name: &str, is_order: bool, chains: Vec<Vec<Value>>, facts: &Facts) -> Succession {
    let mut places = FxHashMap::default();
    for (number, chain) in chains.iter().enumerate() {
        for (at, &value) in chain.iter().enumerate() {
            places.insert(value, (number, at));
        }
    }
    let text = |chain: &Vec<Value>| chain.iter().map(|&value| facts.text(value).to_owned()).collect();
    let chains = chains.iter().map(text).collect();
    Succession { relation: name.to_owned(), is_order, chains, places }
}

/// The chains of a successor relation; none if it is not one.
fn chains(pairs: &[(Value, Value)]) -> Option<Vec<Vec<Value>>> {
    let mut next: FxHashMap<Value, Value> = FxHashMap::default();
    let mut before: FxHashMap<Value, Value> = FxHashMap::default();
    for &(a, b) in pairs {
        if next.insert(a, b).is_some_and(|other| other != b) || before.insert(b, a).is_some_and(|x| x != a) {
            return None;
        }
    }
    let mut chains = Vec::new();
    let mut reached = 0;
    for &(first, _) in pairs.iter().filter(|(a, _)| !before.contains_key(a)) {
        let mut chain = vec![first];
        while let Some(&value) = chain.last().and_then(|last| next.get(last)) {
            chain.push(value);
        }
        reached += chain.len() - 1;
        chains.push(chain);
    }
    // Pairs that no start reaches are in a cycle.
    if reached != next.len() {
        return None;
    }
    chains.retain(|chain| chain.len() >= MIN_CHAIN);
    (!chains.is_empty()).then_some(chains)
}

/// The values of a total order from the first on; none if it is not one.
fn order(pairs: &[(Value, Value)]) -> Option<Vec<Value>> {
    let mut later: FxHashMap<Value, usize> = FxHashMap::default();
    let mut values: Vec<Value> = Vec::new();
    for &(a, b) in pairs {
        for value in [a, b] {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if values.len() > MAX_ORDER {
            return None;
        }
        if a != b {
            *later.entry(a).or_default() += 1;
        }
    }
    values.sort_by_key(|value| std::cmp::Reverse(later.get(value).copied().unwrap_or(0)));
    let place: FxHashMap<Value, usize> = values.iter().enumerate().map(|(at, &value)| (value, at)).collect();
    // All pairs go forward, and as many as there can be, each once: the order is total.
    let mut forward: Vec<_> = pairs.iter().filter(|(a, b)| place[a] < place[b]).collect();
    let backward = pairs.iter().any(|(a, b)| place[a] > place[b]);
    forward.sort_unstable();
    forward.dedup();
    let count = values.len();
    (count >= MIN_CHAIN && !backward && forward.len() == count * (count - 1) / 2).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(u32, u32)]) -> Vec<(Value, Value)> {
        pairs.iter().map(|&(a, b)| (Value(a), Value(b))).collect()
    }

    #[test]
    fn chains_branch_nowhere_and_end() {
        let found = chains(&of(&[(2, 3), (1, 2), (7, 8), (8, 9), (20, 21)])).unwrap();
        let values: Vec<Vec<u32>> = found.iter().map(|c| c.iter().map(|v| v.0).collect()).collect();
        assert_eq!(values, [vec![1, 2, 3], vec![7, 8, 9]]);
        assert!(chains(&of(&[(1, 2), (2, 3), (3, 1)])).is_none(), "a cycle");
        assert!(chains(&of(&[(1, 2), (2, 3), (1, 4)])).is_none(), "branches");
        assert!(chains(&of(&[(1, 2), (2, 3), (4, 3)])).is_none(), "meets");
        assert!(chains(&of(&[(1, 2)])).is_none(), "two values");
        assert!(chains(&of(&[(1, 2), (2, 3), (8, 9), (9, 8)])).is_none(), "a cycle beside a chain");
    }

    #[test]
    fn orders_relate_all_values() {
        let values = order(&of(&[(1, 3), (1, 2), (2, 3), (1, 1)])).unwrap();
        assert_eq!(values.iter().map(|v| v.0).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(order(&of(&[(1, 2), (2, 3)])).is_none());
        assert!(order(&of(&[(1, 2), (2, 3), (3, 1)])).is_none());
    }
}

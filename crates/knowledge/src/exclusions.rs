//! Pairs of facts that exclude each other, by induction over the effects of moves.
//!
//! # Formula
//! The pair {f, g} is kept if not both hold in the beginning, and each move that can turn f on turns g off,
//! or leaves it and needs it off; and the other way round. A move needs g off if it says so itself, or if
//! it needs a fact that excludes g. The largest set of pairs with this property is found by leaving out
//! pairs until nothing changes (as h², P. Haslum, H. Geffner, Admissible heuristics for optimal planning,
//! 2000, section 4, for candidates only: pairs that some move exchanges).
//!
//! # What it is good for
//! The mutex groups of a model are guessed from terms and may miss a pair. Here every cell that a move
//! fills is found, whatever its facts are called.

use std::collections::{HashMap, HashSet};

use ludex_game::FactId;
use ludex_game::model::GroundModel;

use crate::effects::{Effect, MoveEffects};

/// Pairs that are looked at, at most.
const MAX_PAIRS: usize = 500_000;

/// Lets the effects of moves know which facts exclude each other: more is needed, and what is turned off
/// without ever being on is no change.
pub(crate) fn sharpen(model: &GroundModel, effects: &mut [MoveEffects]) {
    let Some(pairs) = exclusions(model, effects) else { return };
    let mut others: HashMap<FactId, Vec<FactId>> = HashMap::new();
    for &(one, other) in &pairs {
        others.entry(one).or_default().push(other);
        others.entry(other).or_default().push(one);
    }
    for made in effects {
        let on: Vec<FactId> = made.needs.iter().filter(|need| need.1).map(|need| need.0).collect();
        let off = on.iter().filter_map(|fact| others.get(fact)).flatten();
        made.needs.extend(off.map(|&fact| (fact, false)));
        made.needs.sort_unstable();
        made.needs.dedup();
        let needs = &made.needs;
        made.changes
            .retain(|&(fact, effect)| effect != Effect::Off || needs.binary_search(&(fact, false)).is_err());
    }
}

/// The pairs, sorted; none if there are too many candidates.
fn exclusions(model: &GroundModel, effects: &[MoveEffects]) -> Option<Vec<(FactId, FactId)>> {
    let mut turned_on: HashMap<FactId, Vec<usize>> = HashMap::new();
    let mut pairs: HashSet<(FactId, FactId)> = HashSet::new();
    for (number, made) in effects.iter().enumerate() {
        let is_off = |change: &&(FactId, Effect)| change.1 == Effect::Off;
        for &(on, _) in made.changes.iter().filter(|change| !is_off(change)) {
            turned_on.entry(on).or_default().push(number);
            for &(off, _) in made.changes.iter().filter(is_off) {
                if !(model.facts[on.index()].initial && model.facts[off.index()].initial) {
                    pairs.insert((on.min(off), on.max(off)));
                }
            }
        }
        if pairs.len() > MAX_PAIRS {
            return None;
        }
    }
    loop {
        let excludes = |one: FactId, other: FactId| pairs.contains(&(one.min(other), one.max(other)));
        let needs_off = |made: &MoveEffects, fact: FactId| {
            let need = |&(needed, on): &(FactId, bool)| {
                if on { excludes(needed, fact) } else { needed == fact }
            };
            made.needs.iter().any(need)
        };
        let stays = |on: FactId, off: FactId| {
            turned_on.get(&on).into_iter().flatten().all(|&number| {
                let made = &effects[number];
                match made.changes.binary_search_by_key(&off, |change| change.0) {
                    Ok(at) => made.changes[at].1 == Effect::Off,
                    Err(_) => needs_off(made, off),
                }
            })
        };
        let broken = |&&(one, other): &&(FactId, FactId)| !stays(one, other) || !stays(other, one);
        let broken: Vec<(FactId, FactId)> = pairs.iter().filter(broken).copied().collect();
        if broken.is_empty() {
            let mut pairs: Vec<(FactId, FactId)> = pairs.into_iter().collect();
            pairs.sort_unstable();
            return Some(pairs);
        }
        for pair in broken {
            pairs.remove(&pair);
        }
    }
}

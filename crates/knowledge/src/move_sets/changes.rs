//! How facts change: once, or as counters of moves.

use std::collections::{HashMap, HashSet};

use ludex_game::FactId;
use ludex_game::model::GroundModel;

use crate::effects::{Effect, MoveEffects};

/// How a fact changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    /// Moves that change it for certain, and those that may.
    pub(super) by: Vec<usize>,
    pub(super) maybe: Vec<usize>,
}

/// A fact of the final state.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// As in the beginning.
    Constant,
    /// It turns on, or off.
    Latch { on: bool, change: Change },
    /// The value of a counter, by number of the counter and the steps to it; none: it has passed.
    Counter(usize, Option<usize>),
    /// It depends on nothing but the number of moves: those after which it holds.
    Timed(Vec<usize>),
}

/// Facts that count moves.
pub(super) struct Counter {
    /// From the value that holds at the beginning.
    pub(super) values: Vec<FactId>,
    /// By input: whether the move counts.
    pub(super) counts: Vec<bool>,
}

/// Finds the counters: facts that take over each other's value with some moves, one of which holds.
/// None if they are something else.
pub(super) fn counters(model: &GroundModel, effects: &[MoveEffects], start: &[bool]) -> Option<Vec<Counter>> {
    let mut next: HashMap<FactId, FactId> = HashMap::new();
    let mut before: HashMap<FactId, FactId> = HashMap::new();
    for &(fact, effect) in effects.iter().flat_map(|effects| &effects.changes) {
        if let Effect::Copy(from) = effect {
            let one_way = *next.entry(from).or_insert(fact) == fact;
            if !one_way || *before.entry(fact).or_insert(from) != from {
                return None;
            }
        }
    }
    let mut counters = Vec::new();
    let mut firsts: Vec<FactId> = next.keys().filter(|fact| !before.contains_key(fact)).copied().collect();
    firsts.sort_unstable();
    let mut seen = 0;
    for first in firsts {
        let mut chain = vec![first];
        while let Some(&follows) = chain.last().and_then(|last| next.get(last)) {
            chain.push(follows);
        }
        seen += chain.len();
        let holding: Vec<usize> = (0..chain.len()).filter(|&at| start[chain[at].index()]).collect();
        let [at] = holding[..] else { return None };
        let place: HashMap<FactId, usize> = chain.iter().enumerate().map(|(at, &fact)| (fact, at)).collect();
        let mut counts = Vec::with_capacity(effects.len());
        for effects in effects {
            let changes: Vec<_> =
                effects.changes.iter().filter(|(fact, _)| place.contains_key(fact)).collect();
            let moved = |&&(fact, effect): &&(FactId, Effect)| match effect {
                Effect::Copy(from) => before.get(&fact) == Some(&from),
                Effect::Off => fact == first,
                Effect::On | Effect::Depends => false,
            };
            if !changes.is_empty() && (changes.len() != chain.len() || !changes.iter().all(moved)) {
                return None;
            }
            counts.push(!changes.is_empty());
        }
        counters.push(Counter { values: chain.split_off(at), counts });
    }
    // What is left goes in circles.
    let in_chains = next.keys().chain(before.keys()).collect::<HashSet<_>>().len();
    (seen == in_chains && model.inputs.len() == effects.len()).then_some(counters)
}

/// How each fact changes; none if some fact neither latches nor counts.
pub(super) fn kinds(model: &GroundModel, effects: &[MoveEffects], counters: &[Counter]) -> Option<Vec<Kind>> {
    let count = model.facts.len();
    let mut changes: Vec<Vec<(usize, Effect)>> = vec![Vec::new(); count];
    let mut counted = vec![false; count];
    for (input, effects) in effects.iter().enumerate() {
        for &(fact, effect) in &effects.changes {
            changes[fact.index()].push((input, effect));
            if let Effect::Copy(from) = effect {
                counted[fact.index()] = true;
                counted[from.index()] = true;
            }
        }
    }
    let mut steps = vec![None; count];
    for (number, counter) in counters.iter().enumerate() {
        for (step, fact) in counter.values.iter().enumerate() {
            steps[fact.index()] = Some((number, step));
        }
    }
    let (mut stays_on, mut stays_off) = (vec![false; count], vec![false; count]);
    model.stays_on.iter().for_each(|fact| stays_on[fact.index()] = true);
    model.stays_off.iter().for_each(|fact| stays_off[fact.index()] = true);
    let kind = |fact: usize| {
        if counted[fact] {
            let place = steps[fact];
            return Some(Kind::Counter(place.map_or(0, |(number, _)| number), place.map(|(_, step)| step)));
        }
        let changes = &changes[fact];
        if changes.is_empty() {
            return Some(Kind::Constant);
        }
        let all = |wanted: Effect| changes.iter().all(|&(_, effect)| effect == wanted);
        let on = stays_on[fact] || all(Effect::On);
        if !on && !stays_off[fact] && !all(Effect::Off) {
            return None;
        }
        let (certain, never) = if on { (Effect::On, Effect::Off) } else { (Effect::Off, Effect::On) };
        let of = |wanted: &dyn Fn(Effect) -> bool| {
            changes.iter().filter(|&&(_, effect)| wanted(effect)).map(|&(input, _)| input).collect()
        };
        let change = Change {
            by: of(&|effect| effect == certain),
            maybe: of(&|effect| effect != certain && effect != never),
        };
        Some(Kind::Latch { on, change })
    };
    (0..count).map(kind).collect()
}

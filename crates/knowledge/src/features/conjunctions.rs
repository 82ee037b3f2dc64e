//! Goals as disjunctions of conjunctions of facts, and how near a state is to one.

use ludex_game::model::{Literal, Node};
use ludex_game::{FactId, GroundModel};
use rustc_hash::FxHashMap;

/// Conjunctions of a goal at most.
const MAX_CONJUNCTIONS: usize = 600;

/// Facts of a conjunction at most.
const MAX_FACTS: usize = 24;

/// A conjunction that lacks more facts than this counts nothing.
const MAX_MISSING: usize = 3;

/// What a conjunction with one more missing fact is worth: a quarter.
const STEP: f32 = 0.25;

/// A goal: it holds if all facts of some conjunction hold.
#[derive(Clone, Debug)]
pub struct Conjunctions {
    list: Vec<Vec<Part>>,
}

/// A condition of a conjunction.
#[derive(Clone, Debug)]
struct Part {
    fact: u32,
    positive: bool,
    /// Facts that, once true, make the condition false for good.
    blockers: Vec<u32>,
}

impl Conjunctions {
    /// The conjunctions under which a signal of the model holds; none if there are too many, or if
    /// it is no formula over facts.
    pub(super) fn of(model: &GroundModel, signal: Literal) -> Option<Self> {
        let mut memory = FxHashMap::default();
        let list = expand(model, signal, &mut memory)?;
        let stays: Vec<bool> = {
            let mut stays = vec![false; model.facts.len()];
            model.stays_on.iter().for_each(|fact| stays[fact.index()] = true);
            stays
        };
        let mut excluded: FxHashMap<FactId, Vec<u32>> = FxHashMap::default();
        for group in &model.mutexes {
            for &fact in &group.facts {
                let others = group.facts.iter().filter(|other| **other != fact && stays[other.index()]);
                excluded.entry(fact).or_default().extend(others.map(|other| other.0));
            }
        }
        let part = |&(fact, positive): &(u32, bool)| {
            let id = FactId(fact);
            let blockers = match positive {
                true => excluded.get(&id).cloned().unwrap_or_default(),
                false if stays[id.index()] => vec![fact],
                false => Vec::new(),
            };
            Part { fact, positive, blockers }
        };
        let list: Vec<Vec<Part>> = list.iter().map(|parts| parts.iter().map(part).collect()).collect();
        // One fact alone is not nearly satisfied: it holds or not.
        list.iter().any(|parts| parts.len() > 1).then_some(Self { list })
    }

    /// Conditions in all.
    pub(super) fn cost(&self) -> usize {
        self.list.iter().map(Vec::len).sum()
    }

    /// Σ 4⁻ᵐ over the conjunctions that can still come true, m the number of missing facts.
    pub(super) fn near(&self, holds: &[bool]) -> f32 {
        let is = |fact: u32| holds.get(fact as usize).copied().unwrap_or(false);
        let mut sum = 0.0;
        'all: for parts in &self.list {
            let (mut missing, mut worth) = (0, 1.0);
            for part in parts {
                if is(part.fact) != part.positive {
                    missing += 1;
                    if missing > MAX_MISSING || part.blockers.iter().any(|&fact| is(fact)) {
                        continue 'all;
                    }
                    worth *= STEP;
                }
            }
            sum += worth;
        }
        sum
    }
}

type Normal = Vec<Vec<(u32, bool)>>;

/// The disjunctive normal form of a literal.
fn expand(
    model: &GroundModel,
    literal: Literal,
    memory: &mut FxHashMap<Literal, Option<Normal>>,
) -> Option<Normal> {
    if let Some(known) = memory.get(&literal) {
        return known.clone();
    }
    let found = compute(model, literal, memory);
    memory.insert(literal, found.clone());
    found
}

fn compute(
    model: &GroundModel,
    literal: Literal,
    memory: &mut FxHashMap<Literal, Option<Normal>>,
) -> Option<Normal> {
    // Gates are nested as deeply as the circuit: limited, so that deep ones do not exhaust the stack.
    const MAX_NODES: usize = 3_000;
    if memory.len() > MAX_NODES {
        return None;
    }
    if let Some(value) = literal.constant() {
        return Some(if value { vec![Vec::new()] } else { Vec::new() });
    }
    match model.gates.nodes().get(literal.node() as usize)? {
        Node::Fact(fact) => Some(vec![vec![(fact.0, !literal.is_inverted())]]),
        Node::And { .. } => {
            let inputs = model.gates.inputs(literal.node());
            let mut all: Normal = if literal.is_inverted() { Vec::new() } else { vec![Vec::new()] };
            for &input in inputs {
                memory.entry(literal).or_insert(None); // counts the depth
                let of = expand(model, if literal.is_inverted() { !input } else { input }, memory)?;
                all =
                    if literal.is_inverted() { all.into_iter().chain(of).collect() } else { both(&all, &of) };
                if all.len() > MAX_CONJUNCTIONS || all.iter().any(|parts| parts.len() > MAX_FACTS) {
                    return None;
                }
            }
            all.sort_unstable();
            all.dedup();
            Some(all)
        }
        Node::False | Node::Does(_) | Node::Loop(_) => None,
    }
}

/// All pairs that do not contradict themselves.
fn both(a: &Normal, b: &Normal) -> Normal {
    let mut all = Vec::new();
    for one in a {
        for other in b {
            let mut parts: Vec<(u32, bool)> = one.iter().chain(other).copied().collect();
            parts.sort_unstable();
            parts.dedup();
            if parts.windows(2).all(|pair| pair[0].0 != pair[1].0) {
                all.push(parts);
            }
            if all.len() > MAX_CONJUNCTIONS {
                return all;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tic_tac_toe_are_near_as_long_as_nobody_blocks_them() {
        let game = ludex_testkit::game("tic_tac_toe", "batch");
        let model = game.model().unwrap().ground().unwrap();
        let goal = |role: usize| {
            let goals = model.goals.iter();
            let mut of =
                goals.filter(|goal| goal.role.index() == role && model.terms.text(goal.value) == "100");
            Conjunctions::of(model, of.next().unwrap().holds).unwrap()
        };
        let near = |role: usize, facts: &[&str]| {
            let mut holds = vec![false; model.facts.len()];
            for fact in facts {
                holds[game.find_fact(fact).unwrap().index()] = true;
            }
            goal(role).near(&holds)
        };
        let two = ["(cell 1 1 x)", "(cell 1 2 x)"];
        let blocked = ["(cell 1 1 x)", "(cell 1 2 x)", "(cell 1 3 o)"];
        assert!(near(0, &two) > near(0, &two[..1]));
        assert!(near(0, &blocked) < near(0, &two));
        assert!(near(1, &blocked) > 0.0);
    }
}

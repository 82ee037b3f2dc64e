//! How nearly a formula holds: goals and the end of a game by fuzzy logic.
//!
//! After Fluxplayer (Schiffel and Thielscher, AAAI 2007; Finnsson 2007, section 3.5.2). A true fact
//! has the value p, a false one 1 − p. A disjunction has S(a, b) = min(1, (a^q + b^q)^(1/q)), of the
//! Yager family; a conjunction the dual T(a, b) = 1 − S(1 − a, 1 − b). So that long conjunctions of
//! true facts stay above one half, T is at least the threshold t where all parts are above one half,
//! and S, its dual, at most 1 − t where all are below.
//!
//! A false fact about a piece that moves, or about a quantity, is the truer the nearer a true one is:
//! its value is 1 − p + (2p − 1) · (1 − d/D) · c for the distance d along the orders of its places, D
//! the greatest distance and c < 1, so that near is not there.
//!
//! The value of a role combines its goals: h = (1/Σg) · ⊕ g/100 · h(g) with the product sum
//! a ⊕ b = a + b − ab, where h(g) is goal(g) ∨ terminal if the goal holds now, and goal(g) ∧ ¬terminal
//! if not.
//!
//! The gates of the model are read instead of the rules: AND gates with inverted inputs give the
//! same formulas without names.

use std::sync::Arc;

use ludex_game::Game;
use ludex_game::model::{Literal, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::Value;
use crate::random_play::thinned;
use crate::shapes::Role;
use crate::state_reader::StateReader;
use crate::understanding::Understanding;

/// The constants of the logic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FuzzyOptions {
    /// p: the value of a true fact.
    pub truth: f32,
    /// q: how close the connectives are to the greatest and the smallest of their parts.
    pub q: f32,
    /// t: what a conjunction of true facts has at least.
    pub threshold: f32,
    /// Whether false facts count by their distance from true ones.
    pub distances: bool,
}

impl Default for FuzzyOptions {
    fn default() -> Self {
        Self { truth: 0.75, q: 25.0, threshold: 0.6, distances: true }
    }
}

/// c: the share of the way from false to true that a distance of nearly nothing is worth.
const NEAR: f32 = 0.9;

/// Gates that are evaluated in a state, at most.
const MAX_GATES: usize = 200_000;

/// Rounds for recursive atoms.
const ROUNDS: usize = 3;

/// A gate, in the order in which gates are computed.
#[derive(Clone, Debug)]
enum Gate {
    Fact(u32),
    And {
        start: u32,
        end: u32,
    },
    Loop,
    /// A move or the constant false.
    False,
}

/// Facts of one kind of piece, or of one quantity.
#[derive(Clone, Debug, Default)]
struct Placed {
    /// By fact: where it is.
    places: FxHashMap<u32, Vec<f32>>,
    /// Facts whose value depends on others of the group.
    asked: Vec<u32>,
    farthest: f32,
}

/// The goals of a game as fuzzy formulas.
pub struct Fuzzy {
    game: Arc<dyn Game>,
    reader: StateReader,
    options: FuzzyOptions,
    /// q, if it is whole.
    whole: Option<i32>,
    gates: Vec<Gate>,
    inputs: Vec<(u32, bool)>,
    /// Loop gates and what they become.
    loops: Vec<(u32, (u32, bool))>,
    terminal: (u32, bool),
    /// By role: goal values and their gates.
    goals: Vec<Vec<(f32, (u32, bool))>>,
    placed: Vec<Placed>,
    /// Number of facts of the model.
    facts: usize,
}

/// Facts with their places.
type Members = Vec<(u32, Vec<f32>)>;

/// What one thread needs to evaluate.
#[derive(Clone, Debug, Default)]
pub struct FuzzyScratch {
    facts: Vec<u32>,
    values: Vec<f32>,
    truths: Vec<f32>,
    holds: Vec<bool>,
}

impl Fuzzy {
    /// The formulas of a game; none if its rules are not grounded, or too large.
    pub fn new(game: &Arc<dyn Game>, understood: &Understanding, options: FuzzyOptions) -> Option<Self> {
        const CHECKED: usize = 20;
        let model = game.model()?.ground()?;
        let mut roots = vec![model.terminal];
        let mut goals: Vec<Vec<(f32, Literal)>> = vec![Vec::new(); game.role_count()];
        for goal in &model.goals {
            if let Ok(value) = model.terms.text(goal.value).parse::<u8>() {
                goals.get_mut(goal.role.index())?.push((f32::from(value), goal.holds));
                roots.push(goal.holds);
            }
        }
        let mut cone: FxHashSet<u32> = FxHashSet::default();
        let mut stack: Vec<u32> = roots.iter().map(|root| root.node()).collect();
        let becomes: FxHashMap<u32, Literal> = model
            .gates
            .loops()
            .iter()
            .flat_map(|group| group.nodes.iter().copied().zip(group.becomes.iter().copied()))
            .collect();
        while let Some(node) = stack.pop() {
            if cone.insert(node) {
                stack.extend(model.gates.inputs(node).iter().map(|input| input.node()));
                stack.extend(becomes.get(&node).map(|literal| literal.node()));
            }
            if cone.len() > MAX_GATES {
                return None;
            }
        }
        let mut order: Vec<u32> = cone.into_iter().collect();
        order.sort_unstable();
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let places: FxHashMap<u32, u32> =
            order.iter().enumerate().map(|(at, &node)| (node, number(at))).collect();
        let at =
            |literal: Literal| (places.get(&literal.node()).copied().unwrap_or(0), literal.is_inverted());
        let (mut gates, mut inputs, mut loops) = (Vec::new(), Vec::new(), Vec::new());
        for &node in &order {
            gates.push(match model.gates.nodes()[node as usize] {
                Node::Fact(fact) => Gate::Fact(fact.0),
                Node::And { .. } => {
                    let start = number(inputs.len());
                    inputs.extend(model.gates.inputs(node).iter().map(|&input| at(input)));
                    Gate::And { start, end: number(inputs.len()) }
                }
                Node::Loop(_) => {
                    loops.push((places[&node], at(becomes.get(&node).copied().unwrap_or(Literal::FALSE))));
                    Gate::Loop
                }
                Node::False | Node::Does(_) => Gate::False,
            });
        }
        let asked: FxHashSet<u32> = gates
            .iter()
            .filter_map(|gate| if let Gate::Fact(fact) = gate { Some(*fact) } else { None })
            .collect();
        let placed = if options.distances { placed(understood, &asked) } else { Vec::new() };
        Some(Self {
            reader: StateReader::new(&**game, &thinned(&understood.games, CHECKED)),
            game: Arc::clone(game),
            options,
            #[allow(clippy::cast_possible_truncation, reason = "at most 100")]
            whole: (options.q.fract() == 0.0).then_some(options.q as i32),
            terminal: at(model.terminal),
            goals: goals
                .iter()
                .map(|of| of.iter().map(|&(value, goal)| (value, at(goal))).collect())
                .collect(),
            facts: model.facts.len(),
            gates,
            inputs,
            loops,
            placed,
        })
    }

    /// Gates that are evaluated in a state.
    pub fn cost(&self) -> usize {
        self.gates.len()
    }

    /// By role: how near it is to its goals, from 0 to 1.
    pub fn evaluate(&self, words: &[u64], scratch: &mut FuzzyScratch, values: &mut [f32]) {
        self.truths(words, scratch);
        scratch.values.clear();
        scratch.values.resize(self.gates.len(), 0.0);
        for &(gate, _) in &self.loops {
            scratch.values[gate as usize] = 1.0 - self.options.truth;
        }
        for _ in 0..if self.loops.is_empty() { 1 } else { ROUNDS } {
            for (at, gate) in self.gates.iter().enumerate() {
                let value = match *gate {
                    Gate::Fact(fact) => scratch.truths[fact as usize],
                    Gate::And { start, end } => self.all(start, end, &scratch.values),
                    Gate::Loop => continue,
                    Gate::False => 1.0 - self.options.truth,
                };
                scratch.values[at] = value;
            }
            for &(gate, becomes) in &self.loops {
                scratch.values[gate as usize] = read(&scratch.values, becomes);
            }
        }
        let terminal = read(&scratch.values, self.terminal);
        for (value, goals) in values.iter_mut().zip(&self.goals) {
            let total: f32 = goals.iter().map(|(points, _)| points).sum();
            let mut sum = 0.0;
            for &(points, gate) in goals {
                let goal = read(&scratch.values, gate);
                let near = if goal > 0.5 {
                    1.0 - self.both(1.0 - goal, 1.0 - terminal)
                } else {
                    self.both(goal, 1.0 - terminal)
                };
                let part = near * points / 100.0;
                sum = sum + part - sum * part;
            }
            *value = if total > 0.0 { sum * 100.0 / total.max(100.0) } else { 0.5 };
        }
    }

    /// The values of all facts.
    fn truths(&self, words: &[u64], scratch: &mut FuzzyScratch) {
        let (high, low) = (self.options.truth, 1.0 - self.options.truth);
        self.reader.read(&*self.game, words, &mut scratch.facts);
        scratch.truths.clear();
        scratch.truths.resize(self.facts, low);
        scratch.holds.clear();
        scratch.holds.resize(self.facts, false);
        for &fact in &scratch.facts {
            if let Some(value) = scratch.truths.get_mut(fact as usize) {
                *value = high;
                scratch.holds[fact as usize] = true;
            }
        }
        for group in &self.placed {
            let there: Vec<&Vec<f32>> =
                scratch.facts.iter().filter_map(|fact| group.places.get(fact)).collect();
            for &fact in &group.asked {
                if scratch.holds[fact as usize] {
                    continue;
                }
                let Some(place) = group.places.get(&fact) else { continue };
                let distance = |other: &&Vec<f32>| -> f32 {
                    place.iter().zip(other.iter()).map(|(a, b)| (a - b).abs()).sum()
                };
                let nearest = there.iter().map(distance).fold(f32::INFINITY, f32::min);
                if nearest.is_finite() {
                    let near = NEAR * (1.0 - nearest / group.farthest.max(1.0)).max(0.0);
                    scratch.truths[fact as usize] = low + (high - low) * near;
                }
            }
        }
    }

    /// A conjunction of many.
    fn all(&self, start: u32, end: u32, values: &[f32]) -> f32 {
        let (mut sum, mut least) = (0.0f32, 1.0f32);
        for &input in &self.inputs[start as usize..end as usize] {
            let value = read(values, input);
            least = least.min(value);
            sum += self.power(1.0 - value);
        }
        self.bounded(1.0 - sum.powf(1.0 / self.options.q).min(1.0), least)
    }

    /// a^q; whole exponents, which are usual, by repeated squares.
    fn power(&self, a: f32) -> f32 {
        match self.whole {
            Some(q) => a.powi(q),
            None => a.powf(self.options.q),
        }
    }

    /// A conjunction of two.
    fn both(&self, a: f32, b: f32) -> f32 {
        let sum = self.power(1.0 - a) + self.power(1.0 - b);
        self.bounded(1.0 - sum.powf(1.0 / self.options.q).min(1.0), a.min(b))
    }

    /// Parts above one half keep the whole above the threshold, but never above the least of them.
    fn bounded(&self, value: f32, least: f32) -> f32 {
        if least > 0.5 { value.max(self.options.threshold.min(least)) } else { value }
    }
}

fn read(values: &[f32], (gate, inverted): (u32, bool)) -> f32 {
    let value = values[gate as usize];
    if inverted { 1.0 - value } else { value }
}

/// Groups of facts with distances: pieces that move, and quantities.
#[allow(clippy::cast_precision_loss, reason = "places in an order are small")]
fn placed(understood: &Understanding, asked: &FxHashSet<u32>) -> Vec<Placed> {
    let facts = &understood.facts;
    let mut groups: Vec<Placed> = Vec::new();
    let mut add = |members: Members| {
        let wanted: Vec<u32> = members.iter().map(|(id, _)| *id).filter(|id| asked.contains(id)).collect();
        if wanted.is_empty() || members.first().is_none_or(|(_, place)| place.is_empty()) {
            return;
        }
        let count = members[0].1.len();
        let spread = |axis: usize| {
            let values = members.iter().map(|(_, place)| place[axis]);
            values.clone().fold(0.0, f32::max) - values.fold(f32::INFINITY, f32::min)
        };
        let farthest = (0..count).map(spread).sum();
        groups.push(Placed { places: members.into_iter().collect(), asked: wanted, farthest });
    };
    for kind in understood.kinds.iter().filter(|kind| kind.moves) {
        let shape = &understood.shapes[kind.shape];
        let orders: Vec<_> = shape.key.iter().filter_map(|&place| shape.order(place)).collect();
        let members = facts.fluents[shape.fluent].facts.iter().filter_map(|&id| {
            let known = facts.get(id)?;
            if shape.content_of(&known.arguments) != kind.values {
                return None;
            }
            let place: Option<Vec<f32>> = orders
                .iter()
                .map(|order| Some(order.position(known.arguments[order.place])? as f32))
                .collect();
            Some((id.0, place?))
        });
        add(members.collect());
    }
    for shape in understood.with_role(Role::Quantity) {
        let Some(order) = shape.content.first().and_then(|&place| shape.order(place)) else { continue };
        let mut by_key: Vec<(Vec<Value>, Members)> = Vec::new();
        for &id in &facts.fluents[shape.fluent].facts {
            let Some(known) = facts.get(id) else { continue };
            let Some(at) = order.position(known.arguments[order.place]) else { continue };
            let key = shape.key_of(&known.arguments);
            let member = (id.0, vec![at as f32]);
            match by_key.iter_mut().find(|(found, _)| *found == key) {
                Some((_, members)) => members.push(member),
                None => by_key.push((key, vec![member])),
            }
        }
        by_key.into_iter().for_each(|(_, members)| add(members));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::PlayLimits;

    fn value(name: &str, facts: &[&str], options: FuzzyOptions) -> Vec<f32> {
        let game = ludex_testkit::game(name, "batch");
        let understood = Understanding::of(&*game, &PlayLimits::default()).unwrap();
        let fuzzy = Fuzzy::new(&game, &understood, options).unwrap();
        let facts: Vec<_> = facts.iter().map(|fact| game.find_fact(fact).unwrap()).collect();
        let state = game.state_with(&facts);
        let mut values = vec![0.0; game.role_count()];
        fuzzy.evaluate(state.words(), &mut FuzzyScratch::default(), &mut values);
        values
    }

    #[test]
    fn two_in_a_row_is_nearer_than_one() {
        let options = FuzzyOptions { q: 2.0, ..FuzzyOptions::default() };
        let blanks = ["(cell 3 1 blank)", "(cell 3 2 blank)", "(cell 3 3 blank)", "(control o)"];
        let of = |marks: &[&str]| {
            let facts: Vec<&str> = marks.iter().chain(&blanks).copied().collect();
            value("tic_tac_toe", &facts, options)[0]
        };
        let one = of(&["(cell 1 1 x)", "(cell 1 2 blank)", "(cell 1 3 blank)"]);
        let two = of(&["(cell 1 1 x)", "(cell 1 2 x)", "(cell 1 3 blank)"]);
        assert!(two > one, "{one} {two}");
    }

    #[test]
    fn pawns_that_have_come_further_are_worth_more() {
        let options = FuzzyOptions::default();
        let of = |row: &str| value("breakthrough", &[row, "(pawn a 8 black)", "(control white)"], options);
        let (near, far) = (of("(pawn d 6 white)"), of("(pawn d 3 white)"));
        assert!(near[0] > far[0] && near[1] <= far[1], "{near:?} {far:?}");
    }
}

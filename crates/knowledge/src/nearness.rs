//! How near a state is to a goal: the circuit of the goal, evaluated with degrees of truth.
//!
//! A conjunction is as true as its inputs are on average, a disjunction as true as the best of them
//! (after S. Schiffel, M. Thielscher, Fluxplayer, 2007, section 4, with other norms: the average of a
//! conjunction counts the conditions that hold). A fact is 0 or 1. For the goals "all lights are out" or
//! "each disc is on the third peg" it is the share of lights and discs.

use ludex_game::RoleId;
use ludex_game::model::{GroundModel, Literal, Node};

/// A gate of the cone: what it is made of.
enum Term {
    Fact(usize),
    And(Vec<(usize, bool)>),
    /// Constants, and recursive atoms, of which nothing is known.
    Fixed(f32),
}

/// Evaluates states.
pub struct Nearness {
    terms: Vec<Term>,
    /// The terms of terminal and of the goal, with whether they are inverted.
    roots: Vec<(usize, bool)>,
    /// By term: how true it is, and how false.
    values: Vec<(f32, f32)>,
}

/// Gates of a goal, at most: evaluation is for each state.
const MAX_GATES: usize = 20_000;

impl Nearness {
    /// For the end of the game with the highest goal of a role up to `most`; none if there is no such
    /// goal, or it reads too many gates.
    pub fn new(model: &GroundModel, role: RoleId, most: u8) -> Option<Self> {
        let value = |at: usize| model.terms.text(model.goals[at].value).parse::<u8>().ok();
        let of_role = (0..model.goals.len()).filter(|&at| model.goals[at].role == role);
        let best =
            of_role.filter(|&at| value(at).is_some_and(|value| value <= most)).max_by_key(|&at| value(at))?;
        let goal = model.goals[best].holds;
        let mut places = vec![usize::MAX; model.gates.len()];
        let mut nearness = Self { terms: Vec::new(), roots: Vec::new(), values: Vec::new() };
        for root in [model.terminal, goal] {
            // Of a constant there is nothing to learn.
            if root.constant().is_none() {
                let place = nearness.add(model, root, &mut places)?;
                nearness.roots.push((place, root.is_inverted()));
            }
        }
        nearness.values = vec![(0.0, 0.0); nearness.terms.len()];
        Some(nearness)
    }

    /// Adds a gate and all that it reads; gives its place.
    fn add(&mut self, model: &GroundModel, root: Literal, places: &mut [usize]) -> Option<usize> {
        let mut stack = vec![root.node()];
        while let Some(&node) = stack.last() {
            if places[node as usize] != usize::MAX {
                stack.pop();
                continue;
            }
            let term = match model.gates.nodes()[node as usize] {
                Node::Fact(fact) => Term::Fact(fact.index()),
                Node::False | Node::Does(_) => Term::Fixed(0.0),
                Node::Loop(_) => Term::Fixed(0.5),
                Node::And { .. } => {
                    let inputs = model.gates.inputs(node);
                    let before = stack.len();
                    let open = inputs.iter().map(|input| input.node());
                    stack.extend(open.filter(|&input| places[input as usize] == usize::MAX));
                    if stack.len() > before {
                        continue;
                    }
                    let read = |input: &Literal| (places[input.node() as usize], input.is_inverted());
                    Term::And(inputs.iter().map(read).collect())
                }
            };
            places[node as usize] = self.terms.len();
            self.terms.push(term);
            stack.pop();
            if self.terms.len() > MAX_GATES {
                return None;
            }
        }
        Some(places[root.node() as usize])
    }

    /// How near a state is, from 0 to 1: the average of terminal and the goal.
    pub fn of(&mut self, state: &[u64]) -> f32 {
        for at in 0..self.terms.len() {
            let read = |&(place, inverted): &(usize, bool)| {
                let (yes, no) = self.values[place];
                if inverted { (no, yes) } else { (yes, no) }
            };
            self.values[at] = match &self.terms[at] {
                Term::Fixed(value) => (*value, 1.0 - value),
                Term::Fact(fact) => {
                    let holds = state.get(fact / 64).is_some_and(|word| word >> (fact % 64) & 1 == 1);
                    if holds { (1.0, 0.0) } else { (0.0, 1.0) }
                }
                Term::And(inputs) => {
                    let (sum, falsest) = inputs
                        .iter()
                        .map(read)
                        .fold((0.0, 0.0_f32), |(sum, most), (yes, no)| (sum + yes, most.max(no)));
                    (sum / inputs.len().max(1) as f32, falsest)
                }
            };
        }
        let value = |&(place, inverted): &(usize, bool)| {
            let (yes, no) = self.values[place];
            if inverted { no } else { yes }
        };
        let sum: f32 = self.roots.iter().map(value).sum();
        sum / self.roots.len().max(1) as f32
    }
}

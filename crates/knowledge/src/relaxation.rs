//! How far a state is from a goal if nothing that was true ever gets lost: the additive heuristic, on the
//! gates of a circuit, for many states at once.
//!
//! # Formula
//! Each gate has a cost of being true, c⁺, and one of being false, c⁻ (B. Bonet, H. Geffner, Planning as
//! heuristic search, 2001, section 3, with gates instead of operators and both polarities, so that
//! nothing needs to be compiled into STRIPS):
//!
//! | node | c⁺ | c⁻ |
//! |---|---|---|
//! | fact that holds | 0 | min over time of 1 + c⁻(next) |
//! | fact that does not hold | min over time of 1 + c⁺(next) | 0 |
//! | move | c⁺(legal) | 0: another one can be made |
//! | conjunction | sum of c⁺ of its inputs | least c⁻ of its inputs |
//!
//! A fact that may be both is both: this is what "without delete lists" means. The costs are iterated to
//! their fixpoint. The distance is c⁺(terminal) + c⁺(goal). Infinite means that the goal cannot be
//! reached at all, for the relaxation allows more than the game does.
//!
//! # Cost
//! Each round is one pass over the gates that matter, for [`LANES`] states side by side; the number of
//! rounds is about the length of a plan of the relaxation.

use ludex_game::RoleId;
use ludex_game::model::{GroundModel, Literal, Node};

/// States that are evaluated at once.
pub const LANES: usize = 32;

/// No way to get there.
pub const UNREACHABLE: u16 = u16::MAX;

/// The highest price: sums that would exceed it stay below [`UNREACHABLE`].
const DEAREST: u16 = UNREACHABLE - 1;

/// Gates of the cone, at most: rounds are passes over all of them.
const MAX_GATES: usize = 60_000;

/// Rounds at most. What is not reached by then counts as far away, not as unreachable.
const MAX_ROUNDS: usize = 200;

/// Costs of a node in all lanes.
type Costs = [u16; LANES];

const FREE: Costs = [0; LANES];
const NEVER: Costs = [UNREACHABLE; LANES];

/// A node of the cone.
enum Term {
    /// It cannot be true.
    False,
    /// A fact: see [`Relaxation::facts`].
    Fact,
    /// What makes a move legal, or supports a recursive atom: cost of being true; it can always be false.
    Again(u32),
    /// Inputs: where they start in the pool, and where they end.
    And(u32, u32),
}

/// The costs of facts and gates of a game.
pub struct Relaxation {
    terms: Vec<Term>,
    /// Two times the place of a term, plus one if inverted.
    pool: Vec<u32>,
    /// Place of a fact, its number, and the literal of its next value.
    facts: Vec<(u32, usize, u32)>,
    /// The literals of the end and the goal.
    roots: Vec<u32>,
    /// What the goal is worth.
    goal: u8,
    /// By term: the cost of being true, and of being false.
    costs: Vec<[Costs; 2]>,
}

impl Relaxation {
    /// Distances to the end of the game with the highest goal of a role up to `most`; none if there is no
    /// such goal, or there are too many gates.
    pub fn new(model: &GroundModel, role: RoleId, most: u8) -> Option<Self> {
        let value = |at: usize| model.terms.text(model.goals[at].value).parse::<u8>().ok();
        let of_role = (0..model.goals.len()).filter(|&at| model.goals[at].role == role);
        let best =
            of_role.filter(|&at| value(at).is_some_and(|value| value <= most)).max_by_key(|&at| value(at))?;
        let roots = [model.terminal, model.goals[best].holds];
        let needed = needed(model, &roots);
        let mut places = vec![u32::MAX; model.gates.len()];
        let mut count = 0;
        for (place, _) in places.iter_mut().zip(&needed).filter(|&(_, &needed)| needed) {
            *place = count;
            count += 1;
        }
        if count as usize > MAX_GATES {
            return None;
        }
        let literal =
            |literal: Literal| places[literal.node() as usize] << 1 | u32::from(literal.is_inverted());
        let (mut terms, mut pool, mut facts) = (Vec::new(), Vec::new(), Vec::new());
        for (node, kind) in (0u32..).zip(model.gates.nodes()).filter(|&(node, _)| needed[node as usize]) {
            terms.push(match *kind {
                Node::False => Term::False,
                Node::Fact(fact) => {
                    facts.push((
                        places[node as usize],
                        fact.index(),
                        literal(model.facts[fact.index()].next),
                    ));
                    Term::Fact
                }
                Node::Does(input) => Term::Again(literal(model.inputs[input as usize].legal)),
                Node::Loop(at) => {
                    let group = &model.gates.loops()[at as usize];
                    let place = group.nodes.iter().position(|&other| other == node)?;
                    Term::Again(literal(group.becomes[place]))
                }
                Node::And { .. } => {
                    let start = u32::try_from(pool.len()).ok()?;
                    pool.extend(model.gates.inputs(node).iter().map(|&input| literal(input)));
                    Term::And(start, u32::try_from(pool.len()).ok()?)
                }
            });
        }
        let roots = roots.map(literal).to_vec();
        let costs = vec![[NEVER; 2]; terms.len()];
        Some(Self { terms, pool, facts, roots, goal: value(best)?, costs })
    }

    /// What the goal is worth.
    pub fn goal(&self) -> u8 {
        self.goal
    }

    /// The distances of states, up to [`LANES`] of them, from the end with the goal.
    pub fn distances(&mut self, states: &[&[u64]]) -> [u16; LANES] {
        self.begin(states);
        // A move is read before the gates that make it legal: only a second quiet round is the fixpoint.
        let (mut rounds, mut quiet) = (0, 0);
        while quiet < 2 && rounds < MAX_ROUNDS {
            let changed = self.pass() | self.step();
            quiet = if changed { 0 } else { quiet + 1 };
            rounds += 1;
        }
        let mut distances = FREE;
        for &root in &self.roots {
            add(&mut distances, self.of(root, 0));
        }
        if rounds >= MAX_ROUNDS {
            distances.iter_mut().for_each(|distance| *distance = (*distance).min(DEAREST));
        }
        distances
    }

    /// What is free at the start.
    fn begin(&mut self, states: &[&[u64]]) {
        for (term, costs) in self.terms.iter().zip(&mut self.costs) {
            *costs = match term {
                Term::False => [NEVER, FREE],
                Term::Fact | Term::And(..) => [NEVER; 2],
                Term::Again(_) => [NEVER, FREE],
            };
        }
        for &(place, fact, _) in &self.facts {
            let [on, off] = &mut self.costs[place as usize];
            for lane in 0..LANES {
                let words = states.get(lane).or(states.first());
                let holds = words.is_some_and(|words| words[fact / 64] >> (fact % 64) & 1 == 1);
                *(if holds { &mut on[lane] } else { &mut off[lane] }) = 0;
            }
        }
    }

    /// The cost of a literal being true (0) or false (1).
    fn of(&self, literal: u32, polarity: u32) -> &Costs {
        &self.costs[(literal >> 1) as usize][((literal & 1) ^ polarity) as usize]
    }

    /// All gates, in order. False if no move and no recursive atom got cheaper.
    fn pass(&mut self) -> bool {
        let mut changed = false;
        for at in 0..self.terms.len() {
            match self.terms[at] {
                Term::False | Term::Fact => {}
                Term::Again(literal) => {
                    let (cost, before) = (*self.of(literal, 0), self.costs[at][0]);
                    least(&mut self.costs[at][0], &cost);
                    changed |= self.costs[at][0] != before;
                }
                Term::And(start, end) => {
                    let (mut on, mut off) = (FREE, NEVER);
                    for &input in &self.pool[start as usize..end as usize] {
                        add(&mut on, self.of(input, 0));
                        least(&mut off, self.of(input, 1));
                    }
                    self.costs[at] = [on, off];
                }
            }
        }
        changed
    }

    /// A step of the game: facts become what they can become. False if nothing got cheaper.
    fn step(&mut self) -> bool {
        let mut changed = false;
        for at in 0..self.facts.len() {
            let (place, _, next) = self.facts[at];
            for polarity in 0..2 {
                let mut cost = *self.of(next, polarity);
                add(&mut cost, &[1; LANES]);
                let known = &mut self.costs[place as usize][polarity as usize];
                let before = *known;
                least(known, &cost);
                changed |= *known != before;
            }
        }
        changed
    }
}

/// Adds costs. What has a price keeps one, however high it is.
fn add(sum: &mut Costs, costs: &Costs) {
    for lane in 0..LANES {
        let (one, other) = (sum[lane], costs[lane]);
        let priced = one.saturating_add(other).min(DEAREST);
        sum[lane] = if one.max(other) == UNREACHABLE { UNREACHABLE } else { priced };
    }
}

fn least(known: &mut Costs, costs: &Costs) {
    for lane in 0..LANES {
        known[lane] = known[lane].min(costs[lane]);
    }
}

/// By node: whether the distance depends on it.
fn needed(model: &GroundModel, roots: &[Literal]) -> Vec<bool> {
    let mut needed = vec![false; model.gates.len()];
    let mut stack: Vec<u32> = roots.iter().map(|root| root.node()).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut needed[node as usize], true) {
            continue;
        }
        match model.gates.nodes()[node as usize] {
            Node::False => {}
            Node::Fact(fact) => stack.push(model.facts[fact.index()].next.node()),
            Node::Does(input) => stack.push(model.inputs[input as usize].legal.node()),
            Node::And { .. } => stack.extend(model.gates.inputs(node).iter().map(|input| input.node())),
            Node::Loop(at) => {
                stack.extend(model.gates.loops()[at as usize].becomes.iter().map(|becomes| becomes.node()));
            }
        }
    }
    needed
}

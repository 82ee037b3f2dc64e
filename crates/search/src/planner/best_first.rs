//! Best-first search: novel states first, then those that are near to the goal.
//!
//! # What it does
//! There are two forms, which differ in what "near" means ([`Guide`]):
//!
//! | method | queues |
//! |---|---|
//! | `best-first` | one: (novelty, nearness) |
//! | `relaxed` | two in turns: (distance), (novelty, distance) |
//!
//! Novelty: first states with a fact that no equally near state had, then those with a new pair of facts,
//! then all others (N. Lipovetzky, H. Geffner, Best-first width search, 2017, BFWS(w, #g)). Nearness is
//! read off the circuit of the goal ([`ludex_knowledge::Nearness`]): cheap. The distance is that of the
//! relaxation ([`ludex_knowledge::Relaxation`]): dear, and it sees what stands between a state and the
//! goal. Queues in turns: G. Röger, M. Helmert, The more, the merrier, 2010.
//!
//! The best states are expanded at once, in lanes. Nothing is pruned, so an empty queue is a proof, unless
//! the step counter is not part of the keys.
//!
//! # Cost
//! A packed state, 4 bytes for its parent, 8 for the table and 8 in each queue; the novelty tables. It
//! gives up when memory is used up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use ludex_game::{ExpandOptions, Expansion, Failure, RoleId, Simulator, SimulatorConfig};
use ludex_knowledge::{LANES, Nearness, Relaxation, UNREACHABLE};

use super::closed::Closed;
use super::method::{Method, Slice, Status};
use super::novelty::{Novelty, STAGES};
use super::packing::Packing;
use super::paths::moves_to;
use super::problem::Problem;
use super::record::Plan;

/// States that are expanded at once: fewer follow the queue more closely, more fill the lanes.
const AT_ONCE: usize = 128;

/// The same where distances are computed, which are dear: it pays to follow them. Their children should
/// not take more than so many lanes.
const FEW_AT_ONCE: usize = 8;
const MOST_LANES: usize = 2 * LANES;

/// Children of one call of `expand`, about.
const MOST_CHILDREN: usize = 1 << 14;

/// What says how near a state is.
enum Guide {
    Nearness(Nearness),
    /// With the distance of the start.
    Relaxation(Box<Relaxation>, u16),
}

impl Guide {
    fn name(&self) -> &'static str {
        match self {
            Guide::Nearness(_) => "best-first",
            Guide::Relaxation(..) => "relaxed",
        }
    }

    /// States to expand at once, with so many children each.
    fn at_once(&self, branching: usize) -> usize {
        match self {
            Guide::Nearness(_) => AT_ONCE.min(MOST_CHILDREN / branching).max(1),
            Guide::Relaxation(..) => (MOST_LANES / branching).clamp(1, FEW_AT_ONCE),
        }
    }

    /// Nodes that a state counts as: computing a distance takes about as long as so many states.
    fn nodes(&self) -> u64 {
        if matches!(self, Guide::Nearness(_)) { 1 } else { 16 }
    }

    /// How near some states are, from 0 to 2^16 - 1.
    fn nearness(&mut self, states: &[&[u64]]) -> Vec<u16> {
        match self {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^16")]
            Guide::Nearness(nearness) => {
                states.iter().map(|state| (nearness.of(state).clamp(0.0, 1.0) * 65_535.0) as u16).collect()
            }
            Guide::Relaxation(relaxation, _) => {
                let lanes = states.chunks(LANES).flat_map(|states| {
                    let distances = relaxation.distances(states);
                    distances.into_iter().take(states.len())
                });
                lanes.map(|distance| UNREACHABLE - distance).collect()
            }
        }
    }

    /// Which states count as equally near.
    fn stage(&self, near: u16) -> usize {
        match self {
            Guide::Nearness(_) => usize::from(near) * STAGES / 65_535,
            Guide::Relaxation(_, start) => {
                usize::from(UNREACHABLE - near) * (STAGES - 1) / usize::from(*start).max(1)
            }
        }
    }
}

/// Best-first search.
pub(crate) struct BestFirst {
    simulator: Box<dyn Simulator>,
    expansion: Expansion,
    packing: Packing,
    closed: Closed,
    /// By state: what is not in the key.
    rest: Vec<u64>,
    /// Urgency and number of states; queues have turns.
    queues: Vec<BinaryHeap<(u32, Reverse<u32>)>>,
    turn: usize,
    /// By state: whether it was expanded.
    expanded: Vec<bool>,
    novelty: Novelty,
    guide: Guide,
    branching: usize,
    started: bool,
}

impl BestFirst {
    /// With nearness; none without a circuit, or where states are no bits.
    pub(crate) fn near(problem: &Problem) -> Option<Self> {
        let model = problem.game.model()?.ground()?;
        Self::new(problem, Guide::Nearness(Nearness::new(model, RoleId::new(0), problem.bound)?))
    }

    /// With the distance of the relaxation; none without a circuit, or where states are no bits.
    pub(crate) fn relaxed(problem: &Problem) -> Option<Self> {
        let model = problem.game.model()?.ground()?;
        problem.facts.as_ref()?;
        let goals = problem.goals.iter().copied().filter(|&goal| goal <= problem.bound);
        let mut goals: Vec<u8> = goals.collect();
        // What the relaxation cannot reach from the start is no guide.
        while let Some(goal) = goals.pop() {
            let mut relaxation = Relaxation::new(model, RoleId::new(0), goal)?;
            let distance = relaxation.distances(&[problem.start.words()])[0];
            if distance < UNREACHABLE || relaxation.goal() != goal {
                return Self::new(problem, Guide::Relaxation(Box::new(relaxation), distance));
            }
        }
        None
    }

    fn new(problem: &Problem, guide: Guide) -> Option<Self> {
        let facts = problem.facts.as_ref()?;
        let packing = Packing::new(facts, problem.start.words(), false);
        let queues = if matches!(guide, Guide::Nearness(_)) { 1 } else { 2 };
        Some(Self {
            simulator: Arc::clone(&problem.game).simulator(SimulatorConfig::default()),
            expansion: Expansion::new(),
            closed: Closed::new(Some(packing.key_words())),
            packing,
            rest: Vec::new(),
            queues: (0..queues).map(|_| BinaryHeap::new()).collect(),
            turn: 0,
            expanded: Vec::new(),
            novelty: Novelty::new(facts.constant.len()),
            guide,
            branching: 1,
            started: false,
        })
    }

    /// Adds a state that was reached from another one, if it is new; says whether it is.
    fn add(&mut self, state: &[u64], parent: u32, row: &mut [u64]) -> Option<u32> {
        self.packing.pack(state, row);
        let (key, rest) = row.split_at(self.packing.key_words());
        let number = self.closed.insert(key, parent)?;
        self.rest.extend_from_slice(rest);
        self.expanded.push(false);
        Some(number)
    }

    /// Puts new states, with their numbers and the states that they were reached from, into the queues.
    fn queue(&mut self, states: &[(u32, &[u64], &[u64])]) {
        let words: Vec<&[u64]> = states.iter().map(|&(_, state, _)| state).collect();
        let near = self.guide.nearness(&words);
        for (&(number, state, parent), near) in states.iter().zip(near) {
            let class = self.novelty.note(state, parent, self.guide.stage(near));
            let urgency = u32::from(2 - class) << 20 | u32::from(near);
            let last = self.queues.len() - 1;
            self.queues[last].push((urgency, Reverse(number)));
            if last > 0 {
                self.queues[0].push((u32::from(near), Reverse(number)));
            }
        }
    }

    /// The next state to expand.
    fn next(&mut self) -> Option<u32> {
        loop {
            self.turn = (self.turn + 1) % self.queues.len();
            let turn = self.turn;
            // A state is in all queues: if one is empty, all have been expanded.
            let (_, Reverse(number)) = self.queues[turn].pop()?;
            if !std::mem::replace(&mut self.expanded[number as usize], true) {
                return Some(number);
            }
        }
    }

    fn restore(&self, state: u32, width: usize) -> Vec<u64> {
        let rest_words = self.packing.words() - self.packing.key_words();
        let mut row = self.closed.row(state).to_vec();
        row.extend_from_slice(&self.rest[state as usize * rest_words..][..rest_words]);
        let mut words = vec![0; width];
        self.packing.unpack(&row, &mut words);
        words
    }

    fn bytes(&self) -> usize {
        let queues: usize = self.queues.iter().map(|queue| queue.capacity() * 8).sum();
        self.rest.capacity() * 8 + queues + self.expanded.capacity() + self.novelty.bytes()
    }

    /// Expands the best states; false if memory is used up.
    fn expand(&mut self, slice: &Slice<'_>) -> Result<bool, Failure> {
        let count = self.guide.at_once(self.branching);
        let room = count * self.branching.max(2);
        // The children of one call are in memory all at once.
        let children = room * (slice.problem.start.words().len() * 8 + 16);
        let growing = self.bytes() * 2 + children;
        if !self.closed.has_room(room, slice.memory.saturating_sub(growing)) {
            return Ok(false);
        }
        let width = slice.problem.start.words().len();
        let numbers: Vec<u32> = std::iter::from_fn(|| self.next()).take(count).collect();
        if numbers.is_empty() {
            return Ok(true);
        }
        let states: Vec<Vec<u64>> = numbers.iter().map(|&number| self.restore(number, width)).collect();
        let words: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
        let mut expansion = std::mem::take(&mut self.expansion);
        self.simulator.expand(&words, ExpandOptions { legal: false, goals: true }, &mut expansion)?;
        self.branching = self.branching.max(expansion.len() / words.len().max(1));
        let (mut row, mut new) = (vec![0; self.packing.words()], Vec::new());
        for child in 0..expansion.len() {
            let at = expansion.parent(child);
            let parent = numbers[at];
            if !expansion.is_terminal(child) {
                if let Some(number) = self.add(expansion.words(child), parent, &mut row) {
                    new.push((number, expansion.words(child), words[at]));
                }
                continue;
            }
            let score = expansion.goal(child, 0).unwrap_or(0);
            if slice.record.score().is_none_or(|best| score > best) {
                let packing = Some(&self.packing);
                let mut moves = moves_to(slice.problem, &mut *self.simulator, packing, &self.closed, parent)?;
                moves.extend_from_slice(expansion.joint(child));
                slice.record.offer(slice.problem, Plan { moves, score, method: self.name() })?;
            }
        }
        self.queue(&new);
        slice.count(expansion.len() as u64 * self.guide.nodes());
        self.expansion = expansion;
        Ok(true)
    }
}

impl Method for BestFirst {
    fn name(&self) -> &'static str {
        self.guide.name()
    }

    fn work(&mut self, slice: &Slice<'_>) -> Result<Status, Failure> {
        if !self.started {
            self.started = true;
            let start = slice.problem.start.words().to_vec();
            let view = slice.problem.game.view(&slice.problem.start)?;
            self.branching = view.legal.first().map_or(1, |legal| legal.len().max(1));
            let nothing = vec![0; start.len()];
            let mut row = vec![0; self.packing.words()];
            if let Some(number) = self.add(&start, 0, &mut row) {
                self.queue(&[(number, &start, &nothing)]);
            }
        }
        while !slice.is_over() {
            if self.queues.iter().any(BinaryHeap::is_empty) {
                if slice.problem.facts.as_ref().is_some_and(|facts| facts.counter.is_none()) {
                    slice.record.settle(self.name());
                }
                return Ok(Status::Done);
            }
            if !self.expand(slice)? {
                let states = self.closed.len();
                self.closed = Closed::new(Some(0));
                (self.rest, self.expanded) = (Vec::new(), Vec::new());
                self.queues.iter_mut().for_each(|queue| *queue = BinaryHeap::new());
                self.novelty = Novelty::new(0);
                return Ok(Status::GaveUp(format!("no memory for more than {states} states")));
            }
        }
        Ok(Status::Working)
    }
}

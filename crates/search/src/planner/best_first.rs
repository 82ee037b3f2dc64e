//! Best-first width search: novel states first, then those that are near to the goal.
//!
//! # What it does
//! A state's place in the queue is (novelty, nearness): first states with a fact that no equally near
//! state had, then those with a new pair of facts, then all others; among them the nearest to the end
//! with the highest goal (N. Lipovetzky, H. Geffner, Best-first width search, 2017, BFWS(w, #g)). Nearness
//! is read off the circuit of the goal ([`ludex_knowledge::Nearness`]). The best few hundred states are
//! expanded at once, in lanes. Nothing is pruned, so an empty queue is a proof, unless the step counter
//! is not part of the keys.
//!
//! # Cost
//! A packed state, 4 bytes for its parent, 8 for the table and 8 in the queue; the novelty tables. It
//! gives up when memory is used up.

use std::collections::BinaryHeap;
use std::sync::Arc;

use ludex_game::{ExpandOptions, Expansion, Failure, RoleId, Simulator, SimulatorConfig};
use ludex_knowledge::Nearness;

use super::closed::Closed;
use super::method::{Method, Slice, Status};
use super::novelty::{Novelty, STAGES};
use super::packing::Packing;
use super::paths::moves_to;
use super::problem::Problem;
use super::record::Plan;

const NAME: &str = "best-first";

/// States that are expanded at once: fewer follow the queue more closely, more fill the lanes.
const AT_ONCE: usize = 128;

/// Children of one call of `expand`, about.
const MOST_CHILDREN: usize = 1 << 14;

/// Best-first width search.
pub(crate) struct BestFirst {
    simulator: Box<dyn Simulator>,
    expansion: Expansion,
    packing: Packing,
    closed: Closed,
    /// By state: what is not in the key.
    rest: Vec<u64>,
    /// Urgency and number of states.
    queue: BinaryHeap<(u32, std::cmp::Reverse<u32>)>,
    novelty: Novelty,
    nearness: Nearness,
    branching: usize,
    started: bool,
}

impl BestFirst {
    /// None without a circuit, or where states are no bits.
    pub(crate) fn new(problem: &Problem) -> Option<Self> {
        let model = problem.game.model()?.ground()?;
        let facts = problem.facts.as_ref()?;
        let packing = Packing::new(facts, problem.start.words(), false);
        Some(Self {
            simulator: Arc::clone(&problem.game).simulator(SimulatorConfig::default()),
            expansion: Expansion::new(),
            closed: Closed::new(Some(packing.key_words())),
            packing,
            rest: Vec::new(),
            queue: BinaryHeap::new(),
            novelty: Novelty::new(facts.constant.len()),
            nearness: Nearness::new(model, RoleId::new(0), problem.bound)?,
            branching: 1,
            started: false,
        })
    }

    /// Adds a state that was reached from another one, if it is new.
    fn add(&mut self, state: &[u64], parent: (u32, &[u64]), row: &mut [u64]) {
        self.packing.pack(state, row);
        let (key, rest) = row.split_at(self.packing.key_words());
        let Some(number) = self.closed.insert(key, parent.0) else { return };
        self.rest.extend_from_slice(rest);
        let near = self.nearness.of(state).clamp(0.0, 1.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^16")]
        let (stage, near) = ((near * STAGES as f32) as usize, (near * 65_535.0) as u32);
        let class = self.novelty.note(state, parent.1, stage);
        let urgency = u32::from(2 - class) << 20 | near;
        self.queue.push((urgency, std::cmp::Reverse(number)));
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
        self.rest.capacity() * 8 + self.queue.capacity() * 8 + self.novelty.bytes()
    }

    /// Expands the best states; false if memory is used up.
    fn expand(&mut self, slice: &Slice<'_>) -> Result<bool, Failure> {
        let room = AT_ONCE.min(MOST_CHILDREN / self.branching).max(1) * self.branching.max(2);
        // The children of one call are in memory all at once.
        let children = room * (slice.problem.start.words().len() * 8 + 16);
        let growing = self.bytes() * 2 + children;
        if !self.closed.has_room(room, slice.memory.saturating_sub(growing)) {
            return Ok(false);
        }
        let width = slice.problem.start.words().len();
        let count = AT_ONCE.min(MOST_CHILDREN / self.branching).max(1);
        let numbers: Vec<u32> =
            std::iter::from_fn(|| self.queue.pop()).take(count).map(|(_, at)| at.0).collect();
        let states: Vec<Vec<u64>> = numbers.iter().map(|&number| self.restore(number, width)).collect();
        let words: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
        let mut expansion = std::mem::take(&mut self.expansion);
        self.simulator.expand(&words, ExpandOptions { legal: false, goals: true }, &mut expansion)?;
        self.branching = self.branching.max(expansion.len() / words.len().max(1));
        let mut row = vec![0; self.packing.words()];
        for child in 0..expansion.len() {
            let at = expansion.parent(child);
            let parent = numbers[at];
            if !expansion.is_terminal(child) {
                self.add(expansion.words(child), (parent, words[at]), &mut row);
                continue;
            }
            let score = expansion.goal(child, 0).unwrap_or(0);
            if slice.record.score().is_none_or(|best| score > best) {
                let packing = Some(&self.packing);
                let mut moves = moves_to(slice.problem, &mut *self.simulator, packing, &self.closed, parent)?;
                moves.extend_from_slice(expansion.joint(child));
                slice.record.offer(slice.problem, Plan { moves, score, method: NAME })?;
            }
        }
        slice.count(expansion.len() as u64);
        self.expansion = expansion;
        Ok(true)
    }
}

impl Method for BestFirst {
    fn name(&self) -> &'static str {
        NAME
    }

    fn work(&mut self, slice: &Slice<'_>) -> Result<Status, Failure> {
        if !self.started {
            self.started = true;
            let start = slice.problem.start.words().to_vec();
            let view = slice.problem.game.view(&slice.problem.start)?;
            self.branching = view.legal.first().map_or(1, |legal| legal.len().max(1));
            let nothing = vec![0; start.len()];
            let mut row = vec![0; self.packing.words()];
            self.add(&start, (0, &nothing), &mut row);
        }
        while !slice.is_over() {
            if self.queue.is_empty() {
                if slice.problem.facts.as_ref().is_some_and(|facts| facts.counter.is_none()) {
                    slice.record.settle(NAME);
                }
                return Ok(Status::Done);
            }
            if !self.expand(slice)? {
                let states = self.closed.len();
                self.closed = Closed::new(Some(0));
                (self.rest, self.queue) = (Vec::new(), BinaryHeap::new());
                self.novelty = Novelty::new(0);
                return Ok(Status::GaveUp(format!("no memory for more than {states} states")));
            }
        }
        Ok(Status::Working)
    }
}

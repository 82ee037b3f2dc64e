//! Breadth-first search in lanes: every state once, layer by layer.
//!
//! # What it does
//! All children of hundreds of states are computed at once. States are equal if their keys are
//! ([`super::packing`]): the step counter is not in the key where it only ends the game. The first
//! plan of a worth is a shortest one. When no layer is left, the best plan is the best there is, unless
//! the counter was left out and only the limit could give more; then it searches again with the counter.
//!
//! # Cost
//! A state takes the words of its key, 4 bytes for its parent and about 8 for the table; those of two
//! layers their other words too. It gives up when memory is used up.

use std::sync::Arc;

use ludex_game::{ExpandOptions, Expansion, Failure, Simulator, SimulatorConfig};

use super::closed::Closed;
use super::method::{Method, Slice, Status};
use super::packing::Packing;
use super::paths::moves_to;
use super::problem::Problem;
use super::record::Plan;

const NAME: &str = "breadth-first";

/// States that are expanded at once, at most.
const MOST_PARENTS: usize = 1024;

/// Children of one call of `expand`, about: more would make slices long and need much memory.
const MOST_CHILDREN: usize = 1 << 16;

/// Breadth-first search.
pub(crate) struct BreadthFirst {
    simulator: Box<dyn Simulator>,
    expansion: Expansion,
    /// None: states are taken as they are.
    packing: Option<Packing>,
    closed: Closed,
    /// States of the layer that is expanded, and how many of them are.
    layer: std::ops::Range<u32>,
    done: u32,
    /// What is not in keys, of the states of this layer and the next.
    rest: Vec<u64>,
    next_rest: Vec<u64>,
    depth: usize,
    /// The most children of a state so far.
    branching: usize,
    /// Whether equal keys mean equal states in every respect that counts.
    whole: bool,
    started: bool,
}

impl BreadthFirst {
    pub(crate) fn new(problem: &Problem) -> Self {
        Self::with(problem, false)
    }

    fn with(problem: &Problem, whole: bool) -> Self {
        let packing = problem.facts.as_ref().map(|facts| Packing::new(facts, problem.start.words(), whole));
        let counter = problem.facts.as_ref().is_some_and(|facts| facts.counter.is_some());
        Self {
            simulator: Arc::clone(&problem.game).simulator(SimulatorConfig::default()),
            expansion: Expansion::new(),
            closed: Closed::new(packing.as_ref().map(Packing::key_words)),
            packing,
            layer: 0..0,
            done: 0,
            rest: Vec::new(),
            next_rest: Vec::new(),
            depth: 0,
            branching: 1,
            whole: whole || !counter,
            started: false,
        }
    }

    fn rest_words(&self) -> usize {
        self.packing.as_ref().map_or(0, |packing| packing.words() - packing.key_words())
    }

    /// Adds a state; true if it is new.
    fn add(&mut self, state: &[u64], parent: u32, row: &mut Vec<u64>) -> bool {
        match &self.packing {
            None => self.closed.insert(state, parent).is_some(),
            Some(packing) => {
                row.resize(packing.words(), 0);
                packing.pack(state, row);
                let (key, rest) = row.split_at(packing.key_words());
                let is_new = self.closed.insert(key, parent).is_some();
                if is_new {
                    self.next_rest.extend_from_slice(rest);
                }
                is_new
            }
        }
    }

    /// The words of states of the current layer.
    fn states(&self, states: std::ops::Range<u32>, width: usize) -> Vec<Vec<u64>> {
        let Some(packing) = &self.packing else {
            return states.map(|state| self.closed.row(state).to_vec()).collect();
        };
        let rest_words = self.rest_words();
        let mut row = vec![0; packing.words()];
        let restored = states.map(|state| {
            let (key, rest) = row.split_at_mut(packing.key_words());
            key.copy_from_slice(self.closed.row(state));
            let at = (state - self.layer.start) as usize;
            rest.copy_from_slice(&self.rest[at * rest_words..][..rest_words]);
            let mut words = vec![0; width];
            packing.unpack(&row, &mut words);
            words
        });
        restored.collect()
    }

    /// Expands some states of the layer; false if memory is used up.
    fn expand(&mut self, slice: &Slice<'_>) -> Result<bool, Failure> {
        let left = self.layer.end - self.layer.start - self.done;
        let at_once = (MOST_CHILDREN / self.branching).clamp(1, MOST_PARENTS);
        let count = u32::try_from(at_once).unwrap_or(1).min(left);
        let first = self.layer.start + self.done;
        let states = self.states(first..first + count, slice.problem.start.words().len());
        let room = states.len() * self.branching.max(2);
        let layers = (self.rest.capacity() + self.next_rest.capacity()) * 16;
        // The children of one call are in memory all at once.
        let children = room * (slice.problem.start.words().len() * 8 + 16);
        if !self.closed.has_room(room, slice.memory.saturating_sub(layers + children)) {
            return Ok(false);
        }
        let words: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
        let mut expansion = std::mem::take(&mut self.expansion);
        self.simulator.expand(&words, ExpandOptions { legal: false, goals: true }, &mut expansion)?;
        self.branching = self.branching.max(expansion.len() / states.len());
        let mut row = Vec::new();
        for child in 0..expansion.len() {
            let parent = first + u32::try_from(expansion.parent(child)).unwrap_or(0);
            if !expansion.is_terminal(child) {
                self.add(expansion.words(child), parent, &mut row);
                continue;
            }
            let score = expansion.goal(child, 0).unwrap_or(0);
            if slice.record.wants(score, self.depth + 1) {
                let (packing, closed) = (self.packing.as_ref(), &self.closed);
                let mut moves = moves_to(slice.problem, &mut *self.simulator, packing, closed, parent)?;
                moves.extend_from_slice(expansion.joint(child));
                slice.record.offer(slice.problem, Plan { moves, score, method: NAME })?;
            }
        }
        slice.count(expansion.len() as u64);
        self.expansion = expansion;
        self.done += count;
        Ok(true)
    }

    /// When all layers are searched: whether the proof is complete.
    fn exhausted(&mut self, slice: &Slice<'_>) -> Status {
        let counter = slice.problem.facts.as_ref().and_then(|facts| facts.counter.as_ref());
        let at_limit = counter.filter(|_| !self.whole).map_or(0, |counter| counter.best_at_limit);
        if slice.record.score().is_none_or(|score| score < at_limit) && !self.whole {
            slice.record.prove_bound(at_limit.max(slice.record.score().unwrap_or(0)), NAME);
            *self = Self::with(slice.problem, true);
            return Status::Working;
        }
        slice.record.settle(NAME);
        Status::Done
    }
}

impl Method for BreadthFirst {
    fn name(&self) -> &'static str {
        NAME
    }

    fn work(&mut self, slice: &Slice<'_>) -> Result<Status, Failure> {
        loop {
            if !self.started {
                self.started = true;
                let view = slice.problem.game.view(&slice.problem.start)?;
                self.branching = view.legal.first().map_or(1, |legal| legal.len().max(1));
                self.add(slice.problem.start.words(), 0, &mut Vec::new());
                self.rest = std::mem::take(&mut self.next_rest);
                (self.layer, self.done, self.depth) = (0..1, 0, 0);
            }
            if self.done == self.layer.end - self.layer.start {
                let end = u32::try_from(self.closed.len()).unwrap_or(u32::MAX);
                self.layer = self.layer.end..end;
                (self.done, self.depth) = (0, self.depth + 1);
                std::mem::swap(&mut self.rest, &mut self.next_rest);
                self.next_rest.clear();
                if self.layer.is_empty() {
                    match self.exhausted(slice) {
                        Status::Working => continue,
                        status => return Ok(status),
                    }
                }
            }
            if slice.is_over() {
                return Ok(Status::Working);
            }
            if !self.expand(slice)? {
                let states = self.closed.len();
                // What it has seen is of no use any more.
                self.closed = Closed::new(Some(0));
                (self.rest, self.next_rest) = (Vec::new(), Vec::new());
                return Ok(Status::GaveUp(format!("no memory for more than {states} states")));
            }
        }
    }
}

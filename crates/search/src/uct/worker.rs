//! What each thread of a search has for itself: a batch of leaves, and a strategy that learns from its playouts.

use std::sync::Arc;
use std::time::Instant;

use ludex_game::{Failure, Game, Guide, Leaf, Leaves, MoveId, Simulation, Simulator, SimulatorConfig};

use super::amaf::Amaf;
use super::batch_sizer::{BatchSize, BatchTime};
use super::descend::Descent;
use super::options::UctOptions;
use super::timed_policy::TimedPolicy;
use crate::flat::MAX_STEPS;
use crate::playout::{Path, Strategy};
use crate::search::SearchTimes;
use crate::utility::Utility;

/// One thread's part of a search.
pub(crate) struct Worker {
    pub(crate) strategy: Box<dyn Strategy>,
    /// The strategy looks at paths.
    pub(crate) needs_paths: bool,
    /// Somebody looks at the nodes of paths.
    pub(crate) needs_nodes: bool,
    /// What was made in its playouts, for RAVE.
    pub(super) amaf: Option<Amaf>,
    /// By number of a leaf.
    pub(crate) descents: Vec<Descent>,
    pub(crate) paths: Vec<Path>,
    /// Numbers that no leaf has, the smallest last.
    free: Vec<usize>,
    /// The leaves of the batch that has been gathered, and playouts behind each.
    pub(crate) selected: Vec<usize>,
    weight: u32,
    /// Leaves that have been simulated, but not to the end.
    in_flight: usize,
    /// Playouts that have come back since the strategy was last prepared.
    unlearned: u64,
    /// Lanes to be kept busy; 0: all playouts are to end before the simulation comes back.
    busy_lanes: usize,
    roles: usize,
    /// Runs the playouts, and owns those that are in flight.
    simulator: Box<dyn Simulator>,
    pub(crate) seed: u64,
    /// The states that the last moves of the paths are made in, one after the other, and where each ends: copies, because
    /// the tree may change meanwhile.
    words: Vec<u64>,
    word_ends: Vec<usize>,
    pub(crate) results: Leaves,
    /// How long the simulation took.
    pub(crate) took: SearchTimes,
    // For choices among untried moves.
    pub(crate) untried: Vec<usize>,
    pub(crate) untried_moves: Vec<MoveId>,
}

impl Worker {
    pub(crate) fn new(options: &UctOptions, utility: &Utility, game: &Arc<dyn Game>) -> Self {
        let strategy = options.strategy(utility);
        let config = SimulatorConfig { max_steps: MAX_STEPS, discount: options.discount };
        Self {
            needs_paths: strategy.needs_paths() || options.uses_rave(),
            needs_nodes: strategy.looks_at_facts() || options.uses_rave(),
            amaf: options.uses_rave().then(|| Amaf::new(utility.clone(), options.discount)),
            strategy,
            descents: Vec::new(),
            paths: Vec::new(),
            free: Vec::new(),
            selected: Vec::new(),
            weight: 1,
            in_flight: 0,
            unlearned: 0,
            busy_lanes: 0,
            roles: game.role_count(),
            simulator: Arc::clone(game).simulator(config),
            seed: 0,
            words: Vec::new(),
            word_ends: Vec::new(),
            results: Leaves::new(),
            took: SearchTimes::default(),
            untried: Vec::new(),
            untried_moves: Vec::new(),
        }
    }

    /// Begins a batch, with this many playouts behind each leaf, and makes room for so many. Gives how many leaves there may be: if playouts
    /// are under way, only as many as there are lanes for that are free.
    pub(crate) fn begin(&mut self, size: BatchSize, lanes: usize, refills: bool) -> usize {
        let busy_lanes = usize::try_from(size.total()).unwrap_or(lanes).clamp(1, lanes.max(1));
        let leaves = match self.in_flight {
            0 => size.leaves,
            _ => {
                let busy = lanes.saturating_sub(self.results.room);
                (size.leaves * busy_lanes.saturating_sub(busy) / busy_lanes).max(1)
            }
        };
        let known = self.descents.len();
        let needed = self.in_flight + leaves + 1;
        if known < needed {
            self.descents.resize_with(needed, Descent::default);
            self.paths.resize_with(needed, Vec::new);
            self.free.extend(known..needed);
        }
        if self.in_flight == 0 {
            self.free.sort_unstable_by(|a, b| b.cmp(a));
        }
        (self.weight, self.busy_lanes) = (size.playouts, if refills { busy_lanes } else { 0 });
        self.selected.clear();
        self.words.clear();
        self.word_ends.clear();
        leaves
    }

    /// The number of the leaf that is gathered next.
    pub(crate) fn next_leaf(&self) -> usize {
        self.free.last().copied().unwrap_or(0)
    }

    /// The descent that was made last is a leaf of the batch; its last moves are made in this state.
    pub(crate) fn keep(&mut self, from: &[u64]) {
        self.words.extend_from_slice(from);
        self.word_ends.push(self.words.len());
        self.selected.extend(self.free.pop());
    }

    /// Leaves are back: their numbers can be used again.
    pub(crate) fn release_finished(&mut self) {
        self.free.extend_from_slice(self.results.finished());
    }

    /// Whether playouts are under way.
    pub(crate) fn has_in_flight(&self) -> bool {
        self.in_flight > 0
    }

    /// How long the last batch took since it was begun; where lanes are refilled, with the playouts of leaves that came back.
    pub(crate) fn batch_time_since(&self, begun: Instant) -> BatchTime {
        let finished = (self.busy_lanes > 0).then(|| self.finished_playouts());
        BatchTime { all: begun.elapsed(), playouts: self.took.playouts, finished }
    }

    /// The playouts of leaves that the last simulation has finished.
    fn finished_playouts(&self) -> u64 {
        let finished = self.results.finished().iter();
        finished.map(|&leaf| u64::from(self.descents[leaf].weight)).sum()
    }

    /// Whatever is under way is forgotten: its tree is not the one that is thought about any more.
    pub(crate) fn reset(&mut self) {
        self.simulator.reset();
        self.free = (0..self.descents.len()).collect();
        (self.in_flight, self.busy_lanes) = (0, 0);
        self.selected.clear();
    }

    /// Plays what is under way to its end.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.selected.clear();
        self.words.clear();
        self.word_ends.clear();
        self.busy_lanes = 0;
        // Nothing was gathered that could have brought another.
        self.seed = fastrand::Rng::with_seed(self.seed).u64(..);
        self.simulate()
    }

    /// Plays behind the leaves of the batch, and on behind those that are under way.
    pub(crate) fn simulate(&mut self) -> Result<(), Failure> {
        self.took = SearchTimes::default();
        let roles = self.roles;
        if self.selected.is_empty() && self.in_flight == 0 {
            self.results.begin(roles);
            return Ok(());
        }
        // Where lanes are refilled, there are many calls for as many playouts as there are in a batch. Strategies that look at paths play
        // everything to its end: then numbers are 0, 1, 2, ...
        if self.in_flight == 0 || self.unlearned >= self.busy_lanes as u64 {
            self.strategy.begin_batch(&self.paths[..self.selected.len()]);
            self.unlearned = 0;
        }
        if self.strategy.looks_at_facts() {
            let ways = self.selected.iter();
            ways.for_each(|&at| self.strategy.set_path_facts(at, &self.descents[at].facts));
        }
        let mut leaves = Vec::with_capacity(self.selected.len());
        let mut start = 0;
        for (&number, &end) in self.selected.iter().zip(&self.word_ends) {
            let path = &self.paths[number];
            let joint = &path[path.len() - roles..];
            leaves.push(Leaf { number, from: &self.words[start..end], joint });
            start = end;
        }
        let (mut recording, mut clocked);
        let guide = match (&mut self.amaf, self.strategy.guide()) {
            (Some(amaf), guide) => {
                recording = amaf.record(guide, leaves.len());
                Guide::ByLane(&mut recording)
            }
            (None, Guide::ByStep(policy)) => {
                clocked = TimedPolicy { policy, choosing: &mut self.took.choosing };
                Guide::ByStep(&mut clocked)
            }
            (None, guide) => guide,
        };
        let mut simulation = Simulation {
            leaves: &leaves,
            playouts: self.weight,
            seed: self.seed,
            guide,
            keep_busy: self.busy_lanes,
        };
        let begun = Instant::now();
        let steps_before = self.simulator.time_in_steps();
        self.simulator.simulate(&mut simulation, &mut self.results)?;
        self.took.stepping = self.simulator.time_in_steps().saturating_sub(steps_before);
        self.took.playouts = begun.elapsed();
        self.in_flight = self.in_flight + leaves.len() - self.results.finished().len();
        self.unlearned += self.finished_playouts();
        Ok(())
    }
}

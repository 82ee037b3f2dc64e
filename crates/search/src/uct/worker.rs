//! State of one search thread: its batch of leaves, and a strategy that learns from its playouts.

use std::sync::Arc;
use std::time::Instant;

use ludex_game::{
    Expansion, Failure, Game, Leaf, LeafResults, MoveId, PlayoutPolicy, Simulation, Simulator,
    SimulatorConfig,
};

use super::amaf::Amaf;
use super::batch_sizer::{BatchSize, BatchTime};
use super::descend::Descent;
use super::options::UctOptions;
use super::solver::OpenEdges;
use super::timed_policy::TimedPolicy;
use crate::flat::MAX_STEPS;
use crate::playout::{Path, Strategy};
use crate::search::SearchTimes;
use crate::utility::Utility;

/// One thread of a search.
pub(crate) struct Worker {
    pub(crate) strategy: Box<dyn Strategy>,
    /// The strategy needs paths.
    pub(crate) needs_paths: bool,
    /// The strategy or RAVE needs the nodes of paths.
    pub(crate) needs_nodes: bool,
    /// Moves of its playouts, for RAVE.
    pub(super) amaf: Option<Amaf>,
    /// By leaf number.
    pub(crate) descents: Vec<Descent>,
    pub(crate) paths: Vec<Path>,
    /// Unused leaf numbers, the smallest last.
    free: Vec<usize>,
    /// The leaves of the selected batch, and playouts per leaf.
    pub(crate) selected: Vec<usize>,
    weight: u32,
    /// Leaves with unfinished playouts.
    in_flight: usize,
    /// Playouts finished since the strategy last began a batch.
    unlearned: u64,
    /// Lanes to keep busy; 0: all playouts end before the simulation returns.
    busy_lanes: usize,
    roles: usize,
    /// Runs the playouts, and owns those that are in flight.
    pub(super) simulator: Box<dyn Simulator>,
    /// Children of newly expanded nodes, for the solver.
    pub(super) expansion: Expansion,
    pub(crate) seed: u64,
    /// The states of the last joint moves, one after another, and the end of each. Copies, because
    /// other threads may change the tree.
    words: Vec<u64>,
    word_ends: Vec<usize>,
    pub(crate) results: LeafResults,
    /// Time of the last simulation.
    pub(crate) took: SearchTimes,
    // Buffers for the choice among untried moves.
    pub(crate) untried: Vec<usize>,
    pub(crate) untried_moves: Vec<MoveId>,
    pub(super) open_edges: OpenEdges,
}

impl Worker {
    pub(crate) fn new(options: &UctOptions, utility: &Utility, game: &Arc<dyn Game>) -> Self {
        let mut strategy = options.strategy(utility, &**game);
        strategy.allow_vectors(game.engine().instructions == "avx512");
        let config = SimulatorConfig { max_steps: MAX_STEPS, discount: options.discount };
        Self {
            needs_paths: strategy.needs_paths() || options.uses_rave(),
            needs_nodes: strategy.looks_at_facts() || options.uses_rave() || options.solver,
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
            results: LeafResults::new(),
            took: SearchTimes::default(),
            untried: Vec::new(),
            untried_moves: Vec::new(),
            open_edges: OpenEdges::default(),
            expansion: Expansion::new(),
        }
    }

    /// Begins a batch of this size. Returns how many leaves to select: if playouts are in flight,
    /// only enough for the idle lanes.
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

    /// Playouts per leaf of the selected batch.
    pub(super) fn weight(&self) -> u32 {
        self.weight
    }

    /// The number of the leaf that is selected next.
    pub(crate) fn next_leaf(&self) -> usize {
        self.free.last().copied().unwrap_or(0)
    }

    /// Adds the last descent to the batch; its last joint move is made in the state `from`.
    pub(crate) fn keep(&mut self, from: &[u64]) {
        self.words.extend_from_slice(from);
        self.word_ends.push(self.words.len());
        self.selected.extend(self.free.pop());
    }

    /// Frees the numbers of finished leaves.
    pub(crate) fn release_finished(&mut self) {
        self.free.extend_from_slice(self.results.finished());
    }

    /// Whether playouts are in flight.
    pub(crate) fn has_in_flight(&self) -> bool {
        self.in_flight > 0
    }

    /// Time since the batch began; if lanes are refilled, with the number of finished playouts.
    pub(crate) fn batch_time_since(&self, begun: Instant) -> BatchTime {
        let finished = (self.busy_lanes > 0).then(|| self.finished_playouts());
        BatchTime { all: begun.elapsed(), playouts: self.took.playouts, finished }
    }

    /// Playouts of the leaves that the last simulation finished.
    fn finished_playouts(&self) -> u64 {
        let finished = self.results.finished().iter();
        finished.map(|&leaf| u64::from(self.descents[leaf].weight)).sum()
    }

    /// Discards playouts in flight: they belong to an old tree.
    pub(crate) fn reset(&mut self) {
        self.simulator.reset();
        self.free = (0..self.descents.len()).collect();
        (self.in_flight, self.busy_lanes) = (0, 0);
        self.selected.clear();
    }

    /// Finishes the playouts in flight.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.selected.clear();
        self.words.clear();
        self.word_ends.clear();
        self.busy_lanes = 0;
        // No batch was selected that would have set a new seed.
        self.seed = fastrand::Rng::with_seed(self.seed).u64(..);
        self.simulate()
    }

    /// Runs playouts after the leaves of the batch, and continues those in flight.
    pub(crate) fn simulate(&mut self) -> Result<(), Failure> {
        self.took = SearchTimes::default();
        let roles = self.roles;
        if self.selected.is_empty() && self.in_flight == 0 {
            self.results.begin(roles);
            return Ok(());
        }
        // If lanes are refilled, a batch takes many calls. Strategies that need paths finish every
        // call's playouts, so their leaf numbers are 0, 1, 2, ...
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
        let policy = match (&mut self.amaf, self.strategy.playout_policy()) {
            (Some(amaf), policy) => {
                recording = amaf.record(policy, leaves.len());
                PlayoutPolicy::Step(&mut recording)
            }
            (None, PlayoutPolicy::Step(policy)) => {
                clocked = TimedPolicy { policy, choosing: &mut self.took.choosing };
                PlayoutPolicy::Step(&mut clocked)
            }
            (None, policy) => policy,
        };
        let mut simulation = Simulation {
            leaves: &leaves,
            playouts: self.weight,
            seed: self.seed,
            policy,
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

//! What each thread of a search has for itself: a batch of leaves, and a strategy that learns from its playouts.

use std::time::Instant;

use ludex_game::{Failure, Game, Guide, Leaf, Leaves, MoveId, Simulation};

use super::amaf::Amaf;
use super::clocked::Clocked;
use super::descend::Descent;
use super::options::UctOptions;
use crate::flat::MAX_STEPS;
use crate::playout::{Path, Strategy};
use crate::search::Times;

/// One thread's part of a search.
pub(crate) struct Worker {
    pub(crate) strategy: Box<dyn Strategy>,
    /// The strategy looks at paths.
    pub(crate) keeps_paths: bool,
    /// Somebody looks at the nodes of paths.
    pub(crate) keeps_nodes: bool,
    /// What was made in its playouts, for RAVE.
    pub(super) amaf: Option<Amaf>,
    pub(crate) descents: Vec<Descent>,
    pub(crate) paths: Vec<Path>,
    /// Leaves of the batch: so many of the descents and paths count.
    pub(crate) gathered: usize,
    /// Playouts behind each.
    pub(crate) weight: u32,
    pub(crate) seed: u64,
    /// The states that the last moves of the paths are made in, one after the other, and where each ends: copies, because
    /// the tree may change meanwhile.
    words: Vec<u64>,
    word_ends: Vec<usize>,
    pub(crate) results: Leaves,
    /// How long the simulation took.
    pub(crate) took: Times,
    // For choices among untried moves.
    pub(crate) untried: Vec<usize>,
    pub(crate) untried_moves: Vec<MoveId>,
}

impl Worker {
    pub(crate) fn new(options: &UctOptions, roles: usize) -> Self {
        let strategy = options.strategy(roles);
        Self {
            keeps_paths: strategy.keeps_paths() || options.is_rave(),
            keeps_nodes: strategy.looks_at_facts() || options.is_rave(),
            amaf: options.is_rave().then(|| Amaf::new(roles, options.discount)),
            strategy,
            descents: Vec::new(),
            paths: Vec::new(),
            gathered: 0,
            weight: 1,
            seed: 0,
            words: Vec::new(),
            word_ends: Vec::new(),
            results: Leaves::new(),
            took: Times::default(),
            untried: Vec::new(),
            untried_moves: Vec::new(),
        }
    }

    /// Makes room for a batch.
    pub(crate) fn begin(&mut self, leaves: usize, weight: u32) {
        if self.descents.len() < leaves {
            self.descents.resize_with(leaves, Descent::default);
            self.paths.resize_with(leaves, Vec::new);
        }
        (self.gathered, self.weight) = (0, weight);
        self.words.clear();
        self.word_ends.clear();
    }

    /// The descent that was made last is a leaf of the batch; its last moves are made in this state.
    pub(crate) fn keep(&mut self, from: &[u64]) {
        self.words.extend_from_slice(from);
        self.word_ends.push(self.words.len());
        self.gathered += 1;
    }

    /// Plays behind the leaves of the batch.
    pub(crate) fn simulate(&mut self, game: &dyn Game, discount: f64) -> Result<(), Failure> {
        self.took = Times::default();
        if self.gathered == 0 {
            return Ok(());
        }
        let roles = game.role_count();
        let paths = &self.paths[..self.gathered];
        self.strategy.prepare(paths);
        if self.strategy.looks_at_facts() {
            let ways = self.descents[..self.gathered].iter().enumerate();
            ways.for_each(|(at, way)| self.strategy.came_by(at, &way.facts));
        }
        let mut leaves = Vec::with_capacity(paths.len());
        let mut start = 0;
        for (path, &end) in paths.iter().zip(&self.word_ends) {
            leaves.push(Leaf { from: &self.words[start..end], joint: &path[path.len() - roles..] });
            start = end;
        }
        let (mut recording, mut clocked);
        let guide = match (&mut self.amaf, self.strategy.guide()) {
            (Some(amaf), guide) => {
                recording = amaf.record(guide, paths.len());
                Guide::ByLane(&mut recording)
            }
            (None, Guide::ByStep(policy)) => {
                clocked = Clocked { policy, choosing: &mut self.took.choosing };
                Guide::ByStep(&mut clocked)
            }
            (None, guide) => guide,
        };
        let mut simulation = Simulation {
            leaves: &leaves,
            playouts: self.weight,
            max_steps: MAX_STEPS,
            discount,
            seed: self.seed,
            guide,
        };
        let begun = Instant::now();
        game.simulate(&mut simulation, &mut self.results)?;
        self.took.playouts = begun.elapsed();
        Ok(())
    }
}

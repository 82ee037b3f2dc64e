//! `ary-uct` and `ary-uct+t`: UCT as in Ary, without and with transpositions.
//!
//! # What it does
//! From the root it takes the arc with the highest m + C·√(ln t / s), where m is the mean goal of the
//! playouts through the child, s the number of its visits, and t the sum of s over all children. Where
//! an arc is unexplored, one of these is drawn instead. Behind it is a new node, which gets a random
//! playout, or with transpositions a known one, from which the descent goes on. An end, and the
//! root of a fully explored subtree, has an exact value and needs no playout; its value is that of
//! the best child for whoever moves. Nodes have the statistics, not arcs, and a result counts for
//! the nodes on the path only.
//!
//! One role: the best playout is remembered and its first move is played; a playout of 100 ends
//! the search. Several roles: each wants its own goal, and the move with the highest mean is played.
//! Where several roles choose at once, each takes the best of its own moves by the means over the
//! others' moves, and values are never exact; chance draws. The paper leaves both open.
//!
//! Playouts run in batches; visits without a result count as goals of 0 (virtual loss). A batch is
//! at most a quarter of what was visited before, so that the first ones do not go astray. When memory
//! is full, the search goes on without new nodes.
//!
//! # Parameters
//! `c-one`: C with one role (100); `c`: with several (40). `batch` (0: as many as the engine has
//! lanes; 1: as published).
//!
//! # References
//! J. Méhat, T. Cazenave, Combining UCT and nested Monte-Carlo search for single-player general game
//! playing, 2010, section 3.
//!
//! # Status
//! As published, but for the batches.

use std::sync::Arc;

use ludex_game::{Failure, Leaf, LeafResults, PlayoutPolicy, Simulation, Simulator, SimulatorConfig, State};

use super::descent::{Descent, Path, Target};
use super::pace::Pace;
use super::plan::{Incumbent, Plan};
use super::recorder::Recorder;
use super::tree::Tree;
use super::uct_report::report;
use crate::budget::Budget;
use crate::report::SearchReport;
use crate::search::{Search, SearchContext, StopReason};
use crate::utility::is_chance;

/// Options of Ary's UCT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AryUctOptions {
    /// Transpositions: equal states of a depth are one node.
    pub table: bool,
    /// C with one role.
    pub c_one: f64,
    /// C with several roles.
    pub c: f64,
    /// Playouts per batch at most; 0: as many as the game has lanes.
    pub batch: usize,
}

/// A batch has at most one part in this many of the visits of the root, but never less than
/// [`MIN_BATCH`]: lanes that stay idle cost nothing.
const PART: u64 = 4;
const MIN_BATCH: u64 = 16;

/// Ary's UCT.
pub struct AryUct {
    context: SearchContext,
    simulator: Box<dyn Simulator>,
    options: AryUctOptions,
    random: fastrand::Rng,
    descent: Descent,
    root: Option<State>,
    tree: Tree,
    /// The only role is a player: the best playout is a plan.
    is_puzzle: bool,
    best: Incumbent,
    recorder: Recorder,
    results: LeafResults,
    pace: Pace,
    playouts: u64,
    steps: u64,
    depth: u32,
}

impl AryUct {
    /// A search for a role of a game.
    pub fn new(context: SearchContext, options: AryUctOptions) -> Self {
        let lanes = context.game.engine().lanes.max(1);
        let chance: Vec<bool> = context.game.roles().iter().map(|role| is_chance(role)).collect();
        let is_puzzle = chance == [false];
        let c = if chance.len() > 1 { options.c } else { options.c_one };
        let mut random = fastrand::Rng::with_seed(context.seed);
        let batch = if options.batch == 0 { lanes } else { options.batch };
        Self {
            simulator: Arc::clone(&context.game).simulator(SimulatorConfig::default()),
            tree: Tree::new(chance.len(), options.table, random.u64(..)),
            descent: Descent::new(Arc::clone(&context.game), c, chance, random.u64(..)),
            random,
            options: AryUctOptions { batch, ..options },
            context,
            root: None,
            is_puzzle,
            best: Incumbent::default(),
            recorder: Recorder::default(),
            results: LeafResults::new(),
            pace: Pace::default(),
            playouts: 0,
            steps: 0,
            depth: 0,
        }
    }

    /// Whether more search cannot change the move.
    fn is_finished(&self) -> bool {
        let moves = || self.tree.counts(0).get(self.context.role.index()).copied().unwrap_or(0);
        self.tree.len() == 0 || self.best.is_perfect() || self.tree.exact(0).is_some() || moves() < 2
    }

    /// Visits the tree, at most so often; returns the number of visits.
    fn visit(&mut self, most: usize, memory: usize) -> Result<usize, Failure> {
        let mut visits = 0;
        let mut pending: Vec<(Path, Box<[u64]>)> = Vec::new();
        while visits < most && !self.is_finished() {
            // An array that grows has twice its size for a moment.
            let may_grow = self.tree.bytes() < memory / 2;
            let (path, target) = self.descent.descend(&mut self.tree, may_grow)?;
            visits += 1;
            self.depth = self.depth.max(u32::try_from(path.nodes.len() - 1).unwrap_or(u32::MAX));
            self.tree.begin_visit(&path.nodes);
            match target {
                Target::Playout(state) => pending.push((path, state)),
                Target::Goals(goals) => {
                    self.tree.end_visit(&path.nodes, &goals);
                    self.descent.prove(&mut self.tree, &path);
                    self.note_exact(&path, &goals);
                }
            }
        }
        self.play_out(&pending)?;
        self.playouts += visits as u64;
        Ok(visits)
    }

    /// The best plan may lead to an exact value.
    fn note_exact(&mut self, path: &Path, goals: &[f64]) {
        let score = whole(goals.first().copied().unwrap_or(0.0));
        // Where nothing can be done although the game is not over, the value is 0: no plan.
        if self.is_puzzle && score > 0 && self.best.is_beaten_by(score) {
            self.best.offer(Plan { score, moves: path.moves_to_end(&self.tree) });
        }
    }

    fn play_out(&mut self, pending: &[(Path, Box<[u64]>)]) -> Result<(), Failure> {
        if pending.is_empty() {
            return Ok(());
        }
        let leaf = |(number, pending)| {
            let (_, from): &(Path, Box<[u64]>) = pending;
            Leaf { number, from, joint: &[] }
        };
        let leaves: Vec<Leaf<'_>> = pending.iter().enumerate().map(leaf).collect();
        let threshold = self.best.plan().map_or(-1, |plan| i16::from(plan.score));
        self.recorder.begin_batch(leaves.iter().map(|_| threshold));
        let policy = match self.is_puzzle {
            true => PlayoutPolicy::Step(&mut self.recorder),
            false => PlayoutPolicy::Uniform,
        };
        let seed = self.random.u64(..);
        let mut simulation = Simulation { leaves: &leaves, playouts: 1, seed, policy, keep_busy: 0 };
        self.simulator.simulate(&mut simulation, &mut self.results)?;
        self.steps += self.results.steps;
        for (leaf, (path, _)) in pending.iter().enumerate() {
            let goals = self.results.goals(leaf);
            self.tree.end_visit(&path.nodes, goals);
            let score = whole(goals.first().copied().unwrap_or(0.0));
            if self.is_puzzle
                && self.best.is_beaten_by(score)
                && let Some(rest) = self.recorder.take(leaf)
            {
                let mut moves = path.moves(&self.tree);
                moves.extend(rest);
                self.best.offer(Plan { score, moves });
            }
        }
        Ok(())
    }

    /// How many playouts the next batch may have.
    fn batch(&self) -> usize {
        let visits = (self.tree.completed(0) / PART).max(MIN_BATCH);
        self.options.batch.min(usize::try_from(visits).unwrap_or(usize::MAX))
    }
}

/// A goal as a whole number, which it is.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
fn whole(goal: f64) -> u8 {
    goal as u8
}

impl Search for AryUct {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        (self.playouts, self.steps, self.depth) = (0, 0, 0);
        if self.root.as_ref() == Some(state) {
            return Ok(());
        }
        if let Some(before) = self.root.take()
            && self.is_puzzle
        {
            self.best.follow(&self.context.game, &before, state)?;
        }
        let known = if self.tree.len() > 0 { self.tree.find_below(0, state.words()) } else { None };
        match known {
            Some(id) => self.tree = self.tree.keep_below(id),
            None => {
                self.tree =
                    Tree::new(self.context.game.role_count(), self.options.table, self.random.u64(..));
                self.descent.plant(&mut self.tree, state)?;
            }
        }
        if let Some(goals) = self.tree.exact(0).map(<[f64]>::to_vec) {
            self.note_exact(&Path::root(), &goals);
        }
        self.root = Some(state.clone());
        Ok(())
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        if self.root.is_none() {
            return Ok(StopReason::Finished);
        }
        let mut left = budget.playouts;
        self.pace.begin(budget);
        loop {
            if self.is_finished() {
                return Ok(StopReason::Finished);
            }
            let begun = match self.pace.next(budget, left) {
                Ok(begun) => begun,
                Err(reason) => return Ok(reason),
            };
            let most = left.and_then(|left| usize::try_from(left).ok()).unwrap_or(usize::MAX);
            let done = self.visit(self.batch().min(most), budget.memory)?;
            left = left.map(|left| left.saturating_sub(done as u64));
            self.pace.done(begun);
        }
    }

    fn report(&self) -> SearchReport {
        let own = self.context.role.index();
        let plan = self.best.plan().filter(|_| self.is_puzzle);
        let report = report(&self.tree, own, plan);
        SearchReport {
            playouts: self.playouts,
            steps: self.steps,
            depth: self.depth,
            proven: report.proven || self.best.is_perfect(),
            ..report
        }
    }
}

//! Flat Monte Carlo: uniform playouts after each root move; the move with the best mean is played.
//!
//! # What it does
//! `Q(a) = (1/n_a) Σ goal_i`: the mean goal of the searching role over `n_a` playouts that begin
//! with its move `a`. The moves take turns, so all `n_a` are equal but for one. The first moves of
//! the other roles are drawn uniformly for each turn. There is no tree: a new root starts from
//! nothing.
//!
//! # Parameters
//! `each` (playouts, default 0 = as many as the game has lanes): playouts of a move per turn. All
//! of them share the moves of the other roles, so with simultaneous moves fewer are fairer.
//!
//! # References
//! H. Finnsson, CADIA-Player: A General Game Playing Agent, 2007, chapter 5: MC_org.
//!
//! # Status
//! A baseline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_game::{Failure, MoveId, Simulator, SimulatorConfig, State};

use crate::budget::Budget;
use crate::report::{Candidate, SearchReport};
use crate::search::{Search, SearchContext, StopReason};

/// Step limit of a playout. Games without a step counter may never end.
pub(crate) const MAX_STEPS: u32 = 10_000;

/// Options of flat Monte Carlo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatOptions {
    /// Playouts of a move per turn; 0: as many as the game has lanes.
    pub each: u64,
}

/// Flat Monte Carlo.
pub struct Flat {
    context: SearchContext,
    simulator: Box<dyn Simulator>,
    each: u64,
    random: fastrand::Rng,
    /// By role: its legal moves at the root.
    legal: Vec<Vec<MoveId>>,
    root: Option<State>,
    /// By move of the searching role.
    arms: Vec<Arm>,
    /// Index of the arm whose turn it is.
    turn: usize,
    steps: u64,
    /// Longest time of a turn so far.
    longest: Duration,
}

#[derive(Clone, Debug, Default)]
struct Arm {
    playouts: u64,
    /// By role: sum of goals.
    sums: Vec<u64>,
}

impl Flat {
    /// A search for a role of a game.
    pub fn new(context: SearchContext, options: FlatOptions) -> Self {
        let each = if options.each == 0 { context.game.engine().lanes as u64 } else { options.each };
        let random = fastrand::Rng::with_seed(context.seed);
        let config = SimulatorConfig { max_steps: MAX_STEPS, ..SimulatorConfig::default() };
        Self {
            simulator: Arc::clone(&context.game).simulator(config),
            context,
            each,
            random,
            legal: Vec::new(),
            root: None,
            arms: Vec::new(),
            turn: 0,
            steps: 0,
            longest: Duration::ZERO,
        }
    }

    /// Runs `count` playouts after the move whose turn it is; returns their number.
    fn play_out_arm(&mut self, root: &State, count: u64) -> Result<u64, Failure> {
        let game = &self.context.game;
        let own = self.context.role.index();
        let mut joint = Vec::with_capacity(self.legal.len());
        for (role, legal) in self.legal.iter().enumerate() {
            let drawn = if role == own { self.turn } else { self.random.usize(..legal.len()) };
            joint.push(legal[drawn]);
        }
        let state = game.next(root, &joint)?;
        let seed = self.random.u64(..);
        let playouts = self.simulator.playouts(&state, count, seed)?;
        let arm = &mut self.arms[self.turn];
        arm.playouts += playouts.ended();
        for (sum, more) in arm.sums.iter_mut().zip(&playouts.goal_sums) {
            *sum += more;
        }
        self.steps += playouts.steps;
        self.turn = (self.turn + 1) % self.arms.len();
        Ok(count)
    }
}

impl Search for Flat {
    fn set_root(&mut self, state: &State) -> Result<(), Failure> {
        let view = self.context.game.view(state)?;
        let roles = view.legal.len();
        let moves = view.legal.get(self.context.role.index()).map_or(0, Vec::len);
        self.arms = vec![Arm { playouts: 0, sums: vec![0; roles] }; moves];
        self.legal = view.legal;
        self.root = Some(state.clone());
        self.turn = 0;
        self.steps = 0;
        Ok(())
    }

    fn think(&mut self, budget: &Budget) -> Result<StopReason, Failure> {
        let Some(root) = self.root.clone() else { return Ok(StopReason::Finished) };
        if self.legal.iter().any(Vec::is_empty) || self.arms.len() < 2 {
            return Ok(StopReason::Finished);
        }
        // If one slow turn took longer than a whole move, halve the estimate: it must not stop the
        // search for good.
        let time = budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if time.is_some_and(|time| self.longest >= time) {
            self.longest /= 2;
        }
        let mut left = budget.playouts;
        // With few playouts, every move gets the same share.
        let share = left.map_or(u64::MAX, |left| left / self.arms.len() as u64);
        let each = self.each.min(share.max(1));
        loop {
            if left == Some(0) {
                return Ok(StopReason::Playouts);
            }
            if budget.stop.is_set() {
                return Ok(StopReason::Requested);
            }
            let begun = Instant::now();
            if budget.deadline.is_some_and(|deadline| begun + self.longest >= deadline) {
                return Ok(StopReason::Time);
            }
            let count = each.min(left.unwrap_or(u64::MAX));
            let done = self.play_out_arm(&root, count)?;
            left = left.map(|left| left - done);
            self.longest = self.longest.max(begun.elapsed());
        }
    }

    fn report(&self) -> SearchReport {
        let own = self.context.role.index();
        let moves = self.legal.get(own).map_or(&[][..], Vec::as_slice);
        let mut candidates: Vec<Candidate> = moves
            .iter()
            .zip(&self.arms)
            .map(|(&id, arm)| Candidate {
                id,
                visits: arm.playouts,
                values: means(&arm.sums, arm.playouts),
                proof: None,
            })
            .collect();
        // The sort is stable: of equal moves, the one with the lowest id comes first.
        let worth = |c: &Candidate| c.values.get(own).copied().unwrap_or(-1.0);
        candidates.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        let values = candidates.first().map(|best| best.values.clone()).unwrap_or_default();
        SearchReport {
            best: candidates.first().map(|best| best.id),
            values,
            candidates,
            playouts: self.arms.iter().map(|arm| arm.playouts).sum(),
            steps: self.steps,
            ..SearchReport::default()
        }
    }
}

fn means(sums: &[u64], playouts: u64) -> Vec<f64> {
    if playouts == 0 {
        return Vec::new();
    }
    sums.iter().map(|&sum| sum as f64 / playouts as f64).collect()
}

//! Totals of playouts from one state.

use crate::game::Failure;
use crate::leaf_results::LeafResults;
use crate::policy::PlayoutPolicy;
use crate::simulate::{Leaf, Simulation};
use crate::simulator::Simulator;
use crate::state::State;

/// Totals of uniform playouts from one state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playouts {
    /// Playouts that reached a terminal state.
    pub finished: u64,
    /// Playouts that were cut off at the step limit.
    pub cut_off: u64,
    /// Playouts that ended because a role had no legal move.
    pub stuck: u64,
    /// State transitions in all.
    pub steps: u64,
    /// By role: sum of the goal values of finished playouts; a goal that is not exactly one value
    /// counts 0 here and 1 in `faulty_goals`.
    pub goal_sums: Vec<u64>,
    /// By role: finished playouts without exactly one goal value.
    pub faulty_goals: Vec<u64>,
}

impl Playouts {
    /// Playouts that ended, in any way.
    pub fn ended(&self) -> u64 {
        self.finished + self.cut_off + self.stuck
    }
}

/// Playouts of one call of `simulate`, at most.
const MAX_AT_ONCE: u64 = 1 << 30;

/// [`Simulator::playouts`] as simulations with one leaf.
pub(crate) fn playouts_from<S: Simulator + ?Sized>(
    simulator: &mut S,
    from: &State,
    count: u64,
    seed: u64,
) -> Result<Playouts, Failure> {
    let leaves = [Leaf { number: 0, from: from.words(), joint: &[] }];
    let mut results = LeafResults::new();
    let mut all = Playouts::default();
    let mut left = count;
    while left > 0 {
        let now = left.min(MAX_AT_ONCE);
        let mut simulation = Simulation {
            leaves: &leaves,
            playouts: u32::try_from(now).map_err(|_| Failure::Misuse("too many playouts".into()))?,
            seed: seed.wrapping_add(count - left),
            policy: PlayoutPolicy::Uniform,
            keep_busy: 0,
        };
        simulator.simulate(&mut simulation, &mut results)?;
        // From a terminal state one playout is run; all others are equal to it.
        let times = if results.is_terminal(0) { now } else { 1 };
        all.add(&results, times);
        left -= now;
    }
    Ok(all)
}

impl Playouts {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sums of goals are whole")]
    fn add(&mut self, results: &LeafResults, times: u64) {
        let endings = &results.endings;
        self.finished += times * endings.finished;
        self.cut_off += times * endings.cut_off;
        self.stuck += times * endings.stuck;
        self.steps += times * results.steps;
        self.goal_sums.resize(endings.faulty_goals.len(), 0);
        self.faulty_goals.resize(endings.faulty_goals.len(), 0);
        for (sum, goal) in self.goal_sums.iter_mut().zip(results.goals(0)) {
            *sum += times * goal.round() as u64;
        }
        for (sum, count) in self.faulty_goals.iter_mut().zip(&endings.faulty_goals) {
            *sum += times * count;
        }
    }
}

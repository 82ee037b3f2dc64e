//! Playout policies: how playouts choose moves, and what they learn.
//!
//! A [`Strategy`] guides playouts and chooses among untried moves of the tree. After a simulation
//! it learns from all of its moves, those in the tree included.

mod chance;
mod context;
mod facts;
mod lane_contexts;
mod lane_sampler;
mod lgr;
mod mast;
mod move_averages;
mod ngrams;
mod noops;
mod nst;
mod packed_mean;
mod past;
mod replies;
mod sampling;
mod score_policy;
mod scoring;
mod steps;
mod uniform;
mod unseen;

pub(crate) use chance::WithChance;
pub(crate) use context::CONTEXT_STEPS;
pub(crate) use facts::StepFacts;
pub(crate) use lgr::{lgr_mast, lgr_nst};
pub(crate) use mast::{MastRanked, mast};
pub use noops::NoopContexts;
pub(crate) use noops::Noops;
pub(crate) use nst::nst;
pub(crate) use past::Past;
pub(crate) use sampling::Sampling;
pub(crate) use score_policy::ScorePolicy;
pub(crate) use steps::Steps;
pub(crate) use uniform::Uniform;
pub use unseen::Unseen;

use ludex_game::{FactId, MoveId, PlayoutPolicy};

/// The joint moves from the root to a leaf, in order; `roles` moves per step.
pub(crate) type Path = Vec<MoveId>;

/// A node of the tree in which a move is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionPoint<'a> {
    /// The path to it.
    pub path: &'a [MoveId],
    /// The facts that hold there, if the strategy uses facts.
    pub facts: &'a [FactId],
}

/// A playout strategy: chooses moves where the tree has no statistics.
pub(crate) trait Strategy: Send {
    /// Playouts after these leaves are about to begin; `paths` leads to each of them.
    fn begin_batch(&mut self, paths: &[Path]);

    /// Allows or forbids vector instructions for scoring; the choices are the same.
    fn allow_vectors(&mut self, _allowed: bool) {}

    /// Whether it needs the facts that hold in nodes.
    fn looks_at_facts(&self) -> bool {
        false
    }

    /// The facts before each step of the path to a leaf: called after
    /// [`begin_batch`](Self::begin_batch), if it uses facts.
    fn set_path_facts(&mut self, _leaf: usize, _facts: &StepFacts) {}

    /// The policy that chooses moves in playouts.
    fn playout_policy(&mut self) -> PlayoutPolicy<'_>;

    /// Chooses one of several untried moves of a role in a node. Returns an index into `untried`.
    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        place: DecisionPoint<'_>,
        random: &mut fastrand::Rng,
    ) -> usize;

    /// Learns from the path to a leaf: the number of its playouts, and the mean goal by role.
    /// Strategies that see every playout have already learned from the moves after the leaf.
    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]);

    /// Learns from a path that ended in the tree, so there were no playouts to see. `facts` has the
    /// facts before each step, if it uses facts.
    fn learn_terminal(&mut self, _path: &[MoveId], _facts: &StepFacts, _playouts: u32, _goals: &[f64]) {}

    /// Whether it needs paths; otherwise paths have only their last step.
    fn needs_paths(&self) -> bool {
        true
    }
}

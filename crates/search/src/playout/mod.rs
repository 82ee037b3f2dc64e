//! How playouts choose moves, and what they learn from them.
//!
//! A [`Strategy`] guides playouts and decides among moves of the tree that were never tried; after a
//! simulation it learns from the whole of it, the part in the tree included.

mod chance;
mod context;
mod facts;
mod lane_sampler;
mod lgr;
mod mast;
mod move_averages;
mod ngrams;
mod nst;
mod packed_mean;
mod past;
mod replies;
mod sampling;
mod score_policy;
mod scoring;
mod steps;
mod uniform;

pub(crate) use chance::WithChance;
pub(crate) use facts::StepFacts;
pub(crate) use lgr::{lgr_mast, lgr_nst};
pub(crate) use mast::{MastRanked, mast};
pub(crate) use nst::nst;
pub(crate) use past::Past;
pub(crate) use sampling::Sampling;
pub(crate) use uniform::Uniform;

use ludex_game::{FactId, Guide, MoveId};

/// The joint moves that lead from the root to a leaf, the last first made last; `roles` moves a step.
pub(crate) type Path = Vec<MoveId>;

/// Where in the tree a move is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionPoint<'a> {
    /// The way there.
    pub path: &'a [MoveId],
    /// What holds there, if the strategy looks at facts.
    pub facts: &'a [FactId],
}

/// How moves are chosen where the tree has nothing to say.
pub(crate) trait Strategy: Send {
    /// Playouts behind these leaves are about to begin; `paths` leads to each of them.
    fn begin_batch(&mut self, paths: &[Path]);

    /// Whether it is told what holds in the states of the tree.
    fn looks_at_facts(&self) -> bool {
        false
    }

    /// What held before each step of the way to a leaf: after [`begin_batch`](Self::begin_batch), if it looks at facts.
    fn set_path_facts(&mut self, _leaf: usize, _facts: &StepFacts) {}

    /// Who chooses moves in playouts.
    fn guide(&mut self) -> Guide<'_>;

    /// One of several moves of a role that were never tried in a node of the tree. An index into `untried`.
    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        place: DecisionPoint<'_>,
        random: &mut fastrand::Rng,
    ) -> usize;

    /// Playouts behind a leaf are over: how many, and by role the mean goal. Strategies that see every
    /// playout have learned already from what came behind the leaf.
    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]);

    /// The same for a way that ended in the tree, so that there were no playouts to see. `facts` has what held before
    /// each step, if it looks at facts.
    fn learn_terminal(&mut self, _path: &[MoveId], _facts: &StepFacts, _playouts: u32, _goals: &[f64]) {}

    /// Whether it looks at paths; if not, they have their last step only.
    fn needs_paths(&self) -> bool {
        true
    }
}

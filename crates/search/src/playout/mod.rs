//! How playouts choose moves, and what they learn from them.
//!
//! A [`Strategy`] guides playouts and decides among moves of the tree that were never tried; after a
//! simulation it learns from the whole of it, the part in the tree included.

mod context;
mod learned;
mod lgr;
mod mast;
mod ngrams;
mod nst;
mod uniform;

pub(crate) use learned::Choice;
pub(crate) use lgr::LastGoodReply;
pub(crate) use mast::{MastGibbs, MastGreedy};
pub(crate) use nst::Nst;
pub(crate) use uniform::Uniform;

use ludex_game::{Guide, MoveId};

/// The joint moves that lead from the root to a leaf, the last first made last; `roles` moves a step.
pub(crate) type Path = Vec<MoveId>;

/// How moves are chosen where the tree has nothing to say.
pub(crate) trait Strategy: Send {
    /// Playouts behind these leaves are about to begin; `paths` leads to each of them.
    fn prepare(&mut self, paths: &[Path]);

    /// Who chooses moves in playouts.
    fn guide(&mut self) -> Guide<'_>;

    /// One of several moves of a role that were never tried in a node of the tree; `path` leads there. An
    /// index into `untried`.
    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        path: &[MoveId],
        random: &mut fastrand::Rng,
    ) -> usize;

    /// Playouts behind a leaf are over: how many, and by role the mean goal. Strategies that see every
    /// playout have learned already.
    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]);

    /// Whether it looks at paths; if not, they have their last step only.
    fn keeps_paths(&self) -> bool {
        true
    }
}

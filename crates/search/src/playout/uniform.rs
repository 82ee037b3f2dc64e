//! Uniformly random playouts: the fastest policy, with nothing to learn.

use ludex_game::{MoveId, PlayoutPolicy};

use super::{DecisionPoint, Path, Strategy};

/// Uniformly random moves.
pub(crate) struct Uniform;

impl Strategy for Uniform {
    fn begin_batch(&mut self, _: &[Path]) {}

    fn playout_policy(&mut self) -> PlayoutPolicy<'_> {
        PlayoutPolicy::Uniform
    }

    fn choose_untried(
        &mut self,
        _: usize,
        untried: &[MoveId],
        _: DecisionPoint<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        random.usize(..untried.len())
    }

    fn learn(&mut self, _: &[MoveId], _: u32, _: &[f64]) {}

    fn needs_paths(&self) -> bool {
        false
    }
}

//! Mean rewards of single moves in any state: the table of MAST.

use ludex_game::MoveId;

use super::packed_mean::fixed;
use super::sampling::RunningMean;
use super::unseen::HIGHEST_SCORE;

/// By role and move: the mean reward.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveAverages {
    by_role: Vec<Vec<RunningMean>>,
}

impl MoveAverages {
    pub(crate) fn new(roles: usize) -> Self {
        Self { by_role: vec![Vec::new(); roles] }
    }

    /// Moves of a role that have an entry.
    pub(crate) fn len(&self, role: usize) -> usize {
        self.by_role[role].len()
    }

    /// The mean reward of a move; the highest reward if it was never made.
    #[inline(always)]
    pub(crate) fn score(&self, role: usize, id: MoveId) -> f32 {
        self.score_or(role, id, HIGHEST_SCORE)
    }

    /// The mean reward of a move, or another value if it was never made.
    #[inline(always)]
    pub(crate) fn score_or(&self, role: usize, id: MoveId, unseen: f32) -> f32 {
        match self.by_role[role].get(id.index()) {
            Some(mean) if mean.count > 0.0 => mean.value,
            _ => unseen,
        }
    }

    /// Appends the means of moves as integers, see [`fixed`].
    pub(crate) fn means(&self, role: usize, moves: &[MoveId], list: &mut Vec<u32>) {
        list.extend(moves.iter().map(|&id| fixed(f64::from(self.score(role, id)))));
    }

    /// Adds `weight` rewards with this mean.
    #[inline(always)]
    pub(crate) fn add(&mut self, role: usize, id: MoveId, weight: f32, value: f32) {
        let means = &mut self.by_role[role];
        if means.len() <= id.index() {
            means.resize(id.index() + 1, RunningMean::default());
        }
        means[id.index()].add(weight, value);
    }

    /// Adds the moves of a path, one per role and step, with the mean goals of a number of
    /// playouts.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn add_path(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]) {
        for (role, &goal) in goals.iter().enumerate() {
            for &id in path.iter().skip(role).step_by(goals.len()) {
                self.add(role, id, playouts as f32, goal as f32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::packed_mean::MAX_MEAN;
    use super::*;

    #[test]
    fn moves_have_their_mean_reward() {
        let (a, b, c) = (MoveId(1), MoveId(3), MoveId(7));
        let mut averages = MoveAverages::new(2);
        averages.add_path(&[a, b, a, c], 3, &[80.0, 20.0]);
        averages.add_path(&[b, b], 2, &[0.0, 100.0]);
        assert_eq!(
            (averages.score(0, a), averages.score(0, b), averages.score(0, c)),
            (80.0, 0.0, HIGHEST_SCORE)
        );
        assert_eq!((averages.score(1, b), averages.score(1, c)), (52.0, 20.0));
        let mut means = Vec::new();
        averages.means(1, &[a, b, MoveId(1000)], &mut means);
        assert_eq!(means, [MAX_MEAN, fixed(52.0), MAX_MEAN]);
    }
}

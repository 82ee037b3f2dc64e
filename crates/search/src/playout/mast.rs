//! MAST, the move-average sampling technique: a move that is good in one state is likely good in
//! others.
//!
//! # What it does
//! `Q_h(a)` is the mean reward of the simulations in which the role made the move `a` in any state.
//! Playouts, and the choice among untried moves of a node, prefer moves with a high `Q_h`: by Gibbs
//! measure, or ε-greedily. Unseen moves count 100, or see [`super::unseen`].
//!
//! # Parameters
//! `tau` (10): temperature of the Gibbs measure; `epsilon` (0.4): probability of a random move.
//!
//! # Differs from the paper
//! In lanes, the ε-greedy form learns and sorts moves once per batch, not after each simulation
//! (after each with `batch=1`). If lanes are refilled, it does so whenever as many playouts have
//! finished as there are busy lanes. A move that is made twice in a playout counts once. Lanes that
//! are simulated together make random moves in the same steps (not the same moves); each choice is
//! still random with probability ε. CP_imp, whose playouts are uniform, learns in the same way,
//! with ε = 1. If an engine cannot sample moves in lanes (roles with very many of them), playouts
//! neither follow the ranking nor learn; paths through the tree do.
//!
//! # References
//! H. Finnsson, Y. Björnsson, Simulation-based approach to general game playing, AAAI 2008; M. Tak,
//! M. Winands, Y. Björnsson, N-grams and the last-good-reply policy applied in general game
//! playing, IEEE TCIAIG 2012, IV-A.
//!
//! # Status
//! Optional.

use ludex_game::{MoveId, PlayoutPolicy, Ranking, Tally};

use super::move_averages::MoveAverages;
use super::sampling::{Sampling, sample_by};
use super::score_policy::{ScorePolicy, Scores};
use super::unseen::Unseen;
use super::{DecisionPoint, Path, Strategy};

/// MAST that sees every choice: for the Gibbs measure, and wherever a ranking is not enough.
pub(crate) fn mast(roles: usize, choice: Sampling) -> ScorePolicy {
    ScorePolicy::new(roles, Scores::Moves(MoveAverages::new(roles)), choice)
}

/// MAST whose playouts follow a ranking of all moves, ε-greedily, for all lanes at once.
pub(crate) struct MastRanked {
    averages: MoveAverages,
    ranking: Ranking,
    among_untried: Sampling,
    unseen: Unseen,
}

impl MastRanked {
    /// MAST with this ε in playouts, and this sampling among untried moves of the tree; only there
    /// `unseen` counts, in playouts unseen moves come first.
    pub(crate) fn new(roles: usize, epsilon: f64, among_untried: Sampling, unseen: Unseen) -> Self {
        let (order, tallies) = (vec![Vec::new(); roles], vec![Vec::new(); roles]);
        let ranking = Ranking { epsilon, order, version: 0, tallies };
        Self { averages: MoveAverages::new(roles), ranking, among_untried, unseen }
    }

    /// Adds the counts of playouts to the averages.
    #[allow(clippy::cast_precision_loss, reason = "counts of a batch are small")]
    fn merge_tallies(&mut self) {
        for (role, tallies) in self.ranking.tallies.iter_mut().enumerate() {
            for (at, tally) in tallies.iter_mut().enumerate().filter(|(_, tally)| tally.count > 0) {
                let mean = tally.sum as f32 / tally.count as f32;
                self.averages.add(role, MoveId::new(at), tally.count as f32, mean);
                *tally = Tally::default();
            }
        }
    }

    /// Sorts the moves by score; unseen ones first.
    fn sort(&mut self) {
        // Uniform playouts need no ranking.
        if self.ranking.epsilon >= 1.0 {
            return;
        }
        let Self { averages, ranking, .. } = self;
        ranking.version += 1;
        for (role, order) in ranking.order.iter_mut().enumerate() {
            let known = averages.len(role);
            for at in order.len()..known {
                order.push(MoveId::new(at));
            }
            let score = |id: &MoveId| averages.score(role, *id);
            order.sort_by(|a, b| score(b).total_cmp(&score(a)));
        }
    }
}

impl Strategy for MastRanked {
    fn begin_batch(&mut self, _: &[Path]) {
        self.merge_tallies();
        self.sort();
    }

    fn playout_policy(&mut self) -> PlayoutPolicy<'_> {
        PlayoutPolicy::Ranked(&mut self.ranking)
    }

    fn choose_untried(
        &mut self,
        role: usize,
        untried: &[MoveId],
        _: DecisionPoint<'_>,
        random: &mut fastrand::Rng,
    ) -> usize {
        let fill = |list: &mut Vec<f32>| {
            let score = |&id: &MoveId| self.averages.score_or(role, id, self.unseen.mark());
            list.extend(untried.iter().map(score));
            self.unseen.complete(list);
        };
        sample_by(self.among_untried, untried.len(), &mut Vec::new(), fill, random)
    }

    fn learn(&mut self, path: &[MoveId], playouts: u32, goals: &[f64]) {
        self.averages.add_path(path, playouts, goals);
    }
}

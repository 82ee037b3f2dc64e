//! The best playout so far, and how it is kept while its moves are played.
//!
//! With one player a playout can be repeated: it is a plan, and its score a lower bound of what the
//! root is worth. "In single-player games UCT memorizes the best playout and its score. When the
//! program has to send back a move, it selects the first move of this playout" (Méhat, Cazenave
//! 2010, section 3.2).

use std::sync::Arc;

use ludex_game::{Failure, Game, MoveId, State};

use crate::report::Proof;

/// The highest goal of the language: nothing is left to search.
pub(crate) const BEST_SCORE: u8 = 100;

/// Moves from the root to the end of the game, and the goal there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) score: u8,
    pub(crate) moves: Vec<MoveId>,
}

/// The best plan for the root; none if no playout has ended yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incumbent {
    plan: Option<Plan>,
}

impl Incumbent {
    /// The plan.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Whether a score is better than the plan's.
    pub(crate) fn is_beaten_by(&self, score: u8) -> bool {
        self.plan.as_ref().is_none_or(|plan| plan.score < score)
    }

    /// Takes a better plan.
    pub(crate) fn offer(&mut self, plan: Plan) {
        if self.is_beaten_by(plan.score) {
            self.plan = Some(plan);
        }
    }

    /// Whether no plan can be better.
    pub(crate) fn is_perfect(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.score >= BEST_SCORE)
    }

    /// What the plan proves about the root: at least its score.
    pub(crate) fn proof(&self) -> Option<Proof> {
        self.plan.as_ref().map(|plan| Proof { low: plan.score, high: BEST_SCORE, steps: None })
    }

    /// The root moved. The plan stays without its first moves if it leads there, else it is dropped.
    pub(crate) fn follow(&mut self, game: &Arc<dyn Game>, from: &State, to: &State) -> Result<(), Failure> {
        let Some(mut plan) = self.plan.take() else { return Ok(()) };
        let mut state = from.clone();
        for (at, &made) in plan.moves.iter().enumerate() {
            state = game.next(&state, &[made])?;
            if state == *to {
                plan.moves.drain(..=at);
                self.plan = Some(plan);
                return Ok(());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_better_plans_are_taken() {
        let plan = |score, id| Plan { score, moves: vec![MoveId(id)] };
        let mut best = Incumbent::default();
        assert!(best.is_beaten_by(0) && !best.is_perfect() && best.proof().is_none());
        best.offer(plan(40, 1));
        best.offer(plan(40, 2));
        best.offer(plan(30, 3));
        assert_eq!(best.plan(), Some(&plan(40, 1)));
        assert_eq!(best.proof(), Some(Proof { low: 40, high: 100, steps: None }));
        best.offer(plan(100, 4));
        assert!(best.is_perfect());
    }

    #[test]
    fn a_plan_goes_on_with_the_match() {
        let game = ludex_testkit::game("hanoi", "batch");
        let mut states = vec![game.initial()];
        let mut moves = Vec::new();
        for _ in 0..5 {
            let last = &states[states.len() - 1];
            moves.push(game.view(last).unwrap().legal[0][0]);
            states.push(game.next(last, &moves[moves.len() - 1..]).unwrap());
        }
        let mut best = Incumbent::default();
        best.offer(Plan { score: 20, moves: moves.clone() });
        best.follow(&game, &states[0], &states[1]).unwrap();
        assert_eq!(best.plan().unwrap().moves, moves[1..]);
        best.follow(&game, &states[1], &states[3]).unwrap();
        assert_eq!(best.plan().unwrap().moves, moves[3..], "messages may be lost");
        best.follow(&game, &states[3], &states[1]).unwrap();
        assert_eq!(best.plan(), None, "it does not lead back");
    }
}

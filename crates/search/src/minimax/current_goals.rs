//! Goals of positions that are not terminal, as an evaluation.
//!
//! Many sheets give goals in every state: points so far, pieces that are left. Where exactly one
//! goal holds for a role, it is the value; elsewhere the value of [`Neutral`]. A goal that only holds
//! because nothing else does yet ("0 unless the line is complete") says nothing, so values are
//! mixed: half goal, half neutral.

use std::sync::Arc;

use ludex_game::{Failure, Game, State};

use super::evaluation::{Evaluation, Neutral, Positions};

/// The goals that hold at the horizon.
pub struct CurrentGoals {
    game: Arc<dyn Game>,
    neutral: Neutral,
}

impl CurrentGoals {
    /// For a game.
    pub fn new(game: &Arc<dyn Game>) -> Self {
        Self { neutral: Neutral::new(&**game), game: Arc::clone(game) }
    }
}

impl Evaluation for CurrentGoals {
    fn evaluate(&mut self, positions: &Positions<'_>, values: &mut [f32]) -> Result<(), Failure> {
        self.neutral.evaluate(positions, values)?;
        for (&words, values) in positions.states().iter().zip(values.chunks_mut(positions.roles().max(1))) {
            let goals = self.game.goals(&State::from_words(words))?;
            for (value, goal) in values.iter_mut().zip(goals) {
                *value = goal.value().map_or(*value, |goal| f32::midpoint(*value, f32::from(goal)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_count_where_there_is_exactly_one() {
        let game = ludex_testkit::game_from(
            "(role a) (role b) (init (s 1)) (legal a go) (legal b go) (<= (next (s 2)) (does a go))
             (<= terminal (true (s 2))) (goal a 100) (<= (goal b 20) (true (s 2))) (<= (goal b 60) (true (s 2)))",
            "batch",
        );
        let mut values = [0.0; 2];
        let initial = game.initial();
        let mut evaluation = CurrentGoals::new(&game);
        evaluation.evaluate(&Positions::new(&[initial.words()], 2, &[]), &mut values).unwrap();
        assert_eq!(values, [100.0, 40.0]);
    }
}

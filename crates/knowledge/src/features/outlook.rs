//! What positions are worth in random play: the mean result of many playouts from each, in lanes.
//!
//! The result of a single random game says little about a state early in it. The mean of n playouts
//! from the state has the same expectation and an nth of the variance, and all states of a game can
//! be asked at once: their playouts fill the lanes of the engine. So a few hundred states say as much
//! about features as thousands of games.

use std::sync::Arc;

use ludex_game::{Failure, Game, Leaf, LeafResults, PlayoutPolicy, Simulation, Simulator, SimulatorConfig};

use crate::random_play::PlayedGame;

/// Longer playouts count 0 for everyone.
const MAX_STEPS: u32 = 1_000;

/// Plays on from positions of random games.
pub struct Outlook {
    simulator: Box<dyn Simulator>,
    results: LeafResults,
    /// Playouts from each position.
    playouts: u32,
}

impl Outlook {
    /// With so many playouts from each position.
    pub fn new(game: &Arc<dyn Game>, playouts: u32) -> Self {
        let config = SimulatorConfig { max_steps: MAX_STEPS, ..SimulatorConfig::default() };
        Self { simulator: Arc::clone(game).simulator(config), results: LeafResults::new(), playouts }
    }

    /// States that the engine handles at once: with few of them, playouts are slow.
    pub fn lanes(&self) -> usize {
        self.simulator.capabilities().lanes
    }

    /// By position of a game but the last: the mean goals of playouts from every `every`th of them,
    /// and the steps of all playouts. Where some goal was undefined there is nothing.
    pub fn of(
        &mut self,
        game: &PlayedGame,
        every: usize,
        seed: u64,
    ) -> Result<(Vec<Option<Vec<f64>>>, u64), Failure> {
        let asked: Vec<usize> = (0..game.steps()).step_by(every.max(1)).collect();
        let leaves: Vec<Leaf<'_>> = asked
            .iter()
            .enumerate()
            .map(|(number, &at)| Leaf { number, from: game.positions[at].state.words(), joint: &[] })
            .collect();
        let mut outlooks = vec![None; game.steps()];
        self.results = LeafResults::new();
        let mut simulation = Simulation {
            leaves: &leaves,
            playouts: self.playouts,
            seed,
            policy: PlayoutPolicy::Uniform,
            keep_busy: 0,
        };
        self.simulator.simulate(&mut simulation, &mut self.results)?;
        let endings = &self.results.endings;
        let is_clean = endings.stuck == 0 && endings.faulty_goals.iter().all(|&count| count == 0);
        if is_clean {
            for (number, &at) in asked.iter().enumerate() {
                let count = f64::from(self.results.count(number).max(1));
                outlooks[at] = Some(self.results.goals(number).iter().map(|goal| goal / count).collect());
            }
        }
        Ok((outlooks, self.results.steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::{PlayLimits, random_games};

    /// In tic-tac-toe, x wins about 58 % of random games and 13 % are drawn.
    #[test]
    fn outlooks_are_means_of_random_play() {
        let game = ludex_testkit::game("tic_tac_toe", "batch");
        let limits = PlayLimits { games: 1, ..PlayLimits::default() };
        let played = random_games(&*game, &limits, &mut || true).unwrap();
        let mut outlook = Outlook::new(&game, 4_000);
        let (found, steps) = outlook.of(&played[0], 2, 7).unwrap();
        let first = found[0].clone().unwrap();
        assert!((first[0] - 64.8).abs() < 3.0 && (first[0] + first[1] - 100.0).abs() < 1e-6, "{first:?}");
        assert!(found[1].is_none() && found.len() == played[0].steps() && steps > 4_000);
    }
}

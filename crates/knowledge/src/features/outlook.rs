//! Random games with the outlook of every position: the mean result of many playouts from it, in
//! lanes.
//!
//! The result of a single random game says little about a state early in it. The mean of n playouts
//! from the state has the same expectation and an nth of the variance. All games are played in
//! lockstep: a call of the simulator makes the next move of every game, reports the states behind
//! them, and runs the playouts from there. So a game costs little more than its playouts, and a few
//! dozen games say as much about features as thousands of results.

use std::sync::Arc;

use ludex_game::{
    Failure, Game, Leaf, LeafResults, MoveId, PlayoutPolicy, RoleKind, Simulation, Simulator,
    SimulatorConfig, State,
};

use crate::random_play::{PlayedGame, Position, Random};

/// Longer playouts count 0 for everyone.
const MAX_STEPS: u32 = 1_000;

/// Longer games are cut off.
const STEPS_OF_GAME: usize = 1_000;

/// By position but the last: the mean goal of each role; nothing where some goal was undefined.
pub type Outlooks = Vec<Option<Vec<f64>>>;

/// Plays random games in lanes.
pub struct Outlook {
    game: Arc<dyn Game>,
    simulator: Box<dyn Simulator>,
    results: LeafResults,
    is_player: Vec<bool>,
    /// Playouts from each position.
    playouts: u32,
}

/// A game that is being played.
struct Open {
    played: PlayedGame,
    outlooks: Outlooks,
    state: State,
    legal: Vec<Vec<MoveId>>,
    /// It has ended, or cannot go on.
    over: bool,
}

impl Outlook {
    /// With so many playouts from each position.
    pub fn new(game: &Arc<dyn Game>, playouts: u32) -> Self {
        let config = SimulatorConfig { max_steps: MAX_STEPS, ..SimulatorConfig::default() };
        Self {
            simulator: Arc::clone(game).simulator(config),
            is_player: game.roles().iter().map(|name| RoleKind::of(name) == RoleKind::Player).collect(),
            game: Arc::clone(game),
            results: LeafResults::new(),
            playouts,
        }
    }

    /// States that the engine handles at once: with few of them, playouts are slow.
    pub fn lanes(&self) -> usize {
        self.simulator.capabilities().lanes
    }

    /// So many random games from the initial state, with outlooks. The positions do not list their
    /// facts. The same seed gives the same games.
    pub fn games(&mut self, count: usize, seed: u64) -> Result<Vec<(PlayedGame, Outlooks)>, Failure> {
        let mut random = Random::new(seed);
        let mut open = self.begin(count, seed)?;
        for step in 1..STEPS_OF_GAME {
            let playing: Vec<usize> = (0..open.len()).filter(|&at| !open[at].over).collect();
            if playing.is_empty() {
                break;
            }
            let joints: Vec<Vec<MoveId>> = playing
                .iter()
                .map(|&at| open[at].legal.iter().map(|moves| moves[random.below(moves.len())]).collect())
                .collect();
            let states: Vec<State> = playing.iter().map(|&at| open[at].state.clone()).collect();
            let leaves: Vec<Leaf<'_>> = states
                .iter()
                .zip(&joints)
                .enumerate()
                .map(|(number, (state, joint))| Leaf { number, from: state.words(), joint })
                .collect();
            self.simulate(&leaves, seed.wrapping_add(step as u64) << 20)?;
            for (number, &at) in playing.iter().enumerate() {
                self.arrive(number, &mut open[at]);
            }
        }
        Ok(open.into_iter().map(|open| (open.played, open.outlooks)).collect())
    }

    /// All games in the initial state.
    fn begin(&mut self, count: usize, seed: u64) -> Result<Vec<Open>, Failure> {
        let initial = self.game.initial();
        self.simulate(&[Leaf { number: 0, from: initial.words(), joint: &[] }], seed)?;
        let mut first = Open {
            played: PlayedGame::default(),
            outlooks: Outlooks::new(),
            state: initial,
            legal: Vec::new(),
            over: false,
        };
        self.arrive(0, &mut first);
        let again = |_| Open {
            played: first.played.clone(),
            outlooks: first.outlooks.clone(),
            state: first.state.clone(),
            legal: first.legal.clone(),
            over: first.over,
        };
        Ok((0..count).map(again).collect())
    }

    fn simulate(&mut self, leaves: &[Leaf<'_>], seed: u64) -> Result<(), Failure> {
        let mut simulation = Simulation {
            leaves,
            playouts: self.playouts,
            seed,
            policy: PlayoutPolicy::Uniform,
            keep_busy: 0,
        };
        self.simulator.simulate(&mut simulation, &mut self.results)
    }

    /// The state behind a leaf becomes the last position of a game.
    fn arrive(&self, leaf: usize, open: &mut Open) {
        let results = &self.results;
        let roles = self.game.role_count();
        let count = f64::from(results.count(leaf).max(1));
        let means: Vec<f64> = results.goals(leaf).iter().map(|goal| goal / count).collect();
        let is_clean = results.endings.faulty_goals.iter().all(|&count| count == 0);
        open.state = State::from_words(results.words(leaf));
        let terminal = results.is_terminal(leaf);
        open.legal = (0..roles).map(|role| results.legal(leaf, role).to_vec()).collect();
        let legal: Vec<u32> =
            open.legal.iter().map(|moves| u32::try_from(moves.len()).unwrap_or(u32::MAX)).collect();
        let mut choosers = (0..roles).filter(|&role| self.is_player[role] && legal[role] > 1);
        let mover = choosers.next().filter(|_| choosers.next().is_none());
        let position = Position { state: open.state.clone(), facts: Vec::new(), legal, mover };
        open.played.positions.push(position);
        open.over = terminal || open.legal.iter().any(Vec::is_empty);
        if terminal && is_clean {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "goals are 0 to 100")]
            let goals = means.iter().map(|goal| Some(goal.clamp(0.0, 100.0) as u8)).collect();
            open.played.goals = goals;
        }
        if !terminal {
            open.outlooks.push((is_clean && results.endings.stuck == 0).then_some(means));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In tic-tac-toe, x wins about 58 % of random games and 13 % are drawn.
    #[test]
    fn outlooks_are_means_of_random_play() {
        let game = ludex_testkit::game("tic_tac_toe", "batch");
        let mut outlook = Outlook::new(&game, 4_000);
        let found = outlook.games(3, 7).unwrap();
        assert_eq!(found.len(), 3);
        for (played, outlooks) in &found {
            let first = outlooks[0].clone().unwrap();
            assert!((first[0] - 64.8).abs() < 3.0 && (first[0] + first[1] - 100.0).abs() < 1e-6, "{first:?}");
            assert_eq!(outlooks.len(), played.steps());
            assert_eq!(played.goals.len(), 2);
            // Each position follows from the one before, and ends are where the rules say.
            for (at, pair) in played.positions.windows(2).enumerate() {
                let view = game.view(&pair[0].state).unwrap();
                assert!(!view.terminal && outlooks[at].is_some());
                let counts: Vec<usize> = view.legal.iter().map(Vec::len).collect();
                assert_eq!(counts, pair[0].legal.iter().map(|&count| count as usize).collect::<Vec<_>>());
                let follows = ludex_game::joint_moves(&view)
                    .iter()
                    .any(|joint| game.next(&pair[0].state, joint).unwrap() == pair[1].state);
                assert!(follows);
            }
            let last = &played.positions[played.steps()].state;
            assert!(game.view(last).unwrap().terminal);
            let goals = game.goals(last).unwrap();
            assert_eq!(played.goals, goals.iter().map(|goal| goal.value()).collect::<Vec<_>>());
        }
        assert_ne!(found[0].0.positions[1].state, found[1].0.positions[1].state);
    }
}

//! Seeded random games, state by state: what guesses about the rules are checked against.

use ludex_game::{FactId, Failure, Game, Goal, RoleKind, State};
use rustc_hash::FxHashSet;

/// How much is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayLimits {
    /// Games.
    pub games: usize,
    /// Steps of a game; longer ones are cut off.
    pub steps_of_game: usize,
    /// Steps of all games together: no game is begun beyond.
    pub steps: usize,
    /// The same seed gives the same games.
    pub seed: u64,
}

impl Default for PlayLimits {
    /// The 25 games that Cluneplayer starts with (Finnsson 2007, section 3.5.1).
    fn default() -> Self {
        Self { games: 25, steps_of_game: 1_000, steps: 10_000, seed: 1 }
    }
}

/// A state of a game that was played.
#[derive(Clone, Debug)]
pub struct Position {
    /// The state.
    pub state: State,
    /// Its facts.
    pub facts: Vec<FactId>,
    /// By role: how many legal moves; 0 for all in the last state.
    pub legal: Vec<u32>,
    /// The only player with more than one legal move.
    pub mover: Option<usize>,
}

/// A random game.
#[derive(Clone, Debug, Default)]
pub struct PlayedGame {
    /// All states, the terminal one included.
    pub positions: Vec<Position>,
    /// By role: the goal at the end; empty if the game was cut off or got stuck.
    pub goals: Vec<Option<u8>>,
}

impl PlayedGame {
    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }
}

/// Seeded numbers (SplitMix64, Steele et al. 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        // The bias is below 2⁻³² for any number of moves.
        usize::try_from((u128::from(bits) * count as u128) >> 64).unwrap_or(0)
    }
}

/// Plays at random from the initial state. `go_on` is asked before each game but the first.
pub fn random_games(
    game: &dyn Game,
    limits: &PlayLimits,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<PlayedGame>, Failure> {
    let kinds: Vec<RoleKind> = game.roles().iter().map(|name| RoleKind::of(name)).collect();
    let mut random = Random::new(limits.seed);
    let mut games = Vec::new();
    let mut steps = 0;
    while games.len() < limits.games && steps < limits.steps && (games.is_empty() || go_on()) {
        let played = one_game(game, &kinds, limits.steps_of_game, &mut random)?;
        steps += played.steps().max(1);
        games.push(played);
    }
    Ok(games)
}

fn one_game(
    game: &dyn Game,
    kinds: &[RoleKind],
    most: usize,
    random: &mut Random,
) -> Result<PlayedGame, Failure> {
    let mut played = PlayedGame::default();
    let mut state = game.initial();
    loop {
        let view = game.view(&state)?;
        let legal: Vec<u32> =
            view.legal.iter().map(|moves| u32::try_from(moves.len()).unwrap_or(u32::MAX)).collect();
        let mut choosers =
            (0..kinds.len()).filter(|&role| kinds[role] == RoleKind::Player && legal[role] > 1);
        let mover = choosers.next().filter(|_| choosers.next().is_none());
        played.positions.push(Position { facts: game.facts(&state), state: state.clone(), legal, mover });
        if view.terminal {
            played.goals = game.goals(&state)?.iter().map(Goal::value).collect();
            return Ok(played);
        }
        if played.steps() >= most || view.legal.iter().any(Vec::is_empty) {
            return Ok(played);
        }
        let joint: Vec<_> = view.legal.iter().map(|moves| moves[random.below(moves.len())]).collect();
        state = game.next(&state, &joint)?;
    }
}

/// All positions of some games, thinned out evenly to at most `most`.
pub(crate) fn thinned(games: &[PlayedGame], most: usize) -> Vec<&Position> {
    let all: Vec<&Position> = games.iter().flat_map(|game| &game.positions).collect();
    let every = all.len().div_ceil(most.max(1)).max(1);
    all.into_iter().step_by(every).collect()
}

/// Pairs of neighbouring positions.
pub(crate) fn transitions(games: &[PlayedGame]) -> impl Iterator<Item = (&Position, &Position)> {
    games.iter().flat_map(|game| game.positions.windows(2).map(|pair| (&pair[0], &pair[1])))
}

/// The facts that come and those that go in a step.
pub(crate) fn changes(before: &Position, after: &Position) -> (Vec<FactId>, Vec<FactId>) {
    let old: FxHashSet<FactId> = before.facts.iter().copied().collect();
    let new: FxHashSet<FactId> = after.facts.iter().copied().collect();
    let come = after.facts.iter().copied().filter(|fact| !old.contains(fact)).collect();
    let go = before.facts.iter().copied().filter(|fact| !new.contains(fact)).collect();
    (come, go)
}

//! Sizes of a game: states, length, choices, and whether it is small enough to be solved.

use ludex_game::{Game, GroundModel};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::random_play::PlayedGame;

/// Games with fewer states (as a power of ten) can be solved by looking at all of them.
const SOLVABLE: f64 = 7.0;

/// Sizes of a game, from its model and from random play.
#[derive(Clone, Debug, Serialize)]
pub struct Estimates {
    /// Random games that were looked at.
    pub games: usize,
    /// Mean number of steps; of games that ended if any did.
    pub mean_length: f64,
    /// The shortest game.
    pub shortest: usize,
    /// The longest game.
    pub longest: usize,
    /// Games that were cut off.
    pub cut_off: usize,
    /// Mean number of joint moves in states with a choice.
    pub branching: f64,
    /// Mean decimal logarithm of the number of ways to play as long as a random game.
    pub log10_tree: f64,
    /// Decimal logarithm of an upper bound on the number of states, from facts that exclude each
    /// other; none without a ground model.
    pub log10_states: Option<f64>,
    /// Different states that were seen.
    pub states_seen: usize,
    /// Whether the bound says that all states can be looked at.
    pub solvable: bool,
    /// By role: the mean goal of random play.
    pub mean_goals: Vec<f64>,
}

/// Estimates from these games.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2⁵²")]
pub(crate) fn estimates(game: &dyn Game, games: &[PlayedGame]) -> Estimates {
    let ended: Vec<&PlayedGame> = games.iter().filter(|game| !game.goals.is_empty()).collect();
    let counted: Vec<&PlayedGame> = if ended.is_empty() { games.iter().collect() } else { ended.clone() };
    let lengths = || counted.iter().map(|game| game.steps());
    let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { sum / count as f64 };
    let joint = |legal: &[u32]| legal.iter().map(|&moves| f64::from(moves.max(1))).product::<f64>();
    let choices: Vec<f64> = games
        .iter()
        .flat_map(|game| &game.positions)
        .map(|position| joint(&position.legal))
        .filter(|&joint| joint > 1.0)
        .collect();
    let tree = |game: &&PlayedGame| game.positions.iter().map(|p| joint(&p.legal).log10()).sum::<f64>();
    let seen: FxHashSet<&[u64]> =
        games.iter().flat_map(|game| &game.positions).map(|position| position.state.words()).collect();
    let log10_states = game.model().and_then(|model| model.ground()).map(bound);
    let goals = |role: usize| {
        let of_role = ended.iter().filter_map(|game| game.goals.get(role).copied().flatten());
        let values: Vec<f64> = of_role.map(f64::from).collect();
        mean(values.iter().sum(), values.len())
    };
    Estimates {
        games: games.len(),
        mean_length: mean(lengths().sum::<usize>() as f64, counted.len()),
        shortest: lengths().min().unwrap_or(0),
        longest: lengths().max().unwrap_or(0),
        cut_off: games.len() - ended.len(),
        branching: mean(choices.iter().sum(), choices.len()),
        log10_tree: mean(counted.iter().map(tree).sum(), counted.len()),
        solvable: log10_states.is_some_and(|log| log <= SOLVABLE),
        log10_states,
        states_seen: seen.len(),
        mean_goals: (0..game.role_count()).map(goals).collect(),
    }
}

/// Facts that change are counted, each in at most one group of facts that exclude each other.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2⁵²")]
fn bound(model: &GroundModel) -> f64 {
    let changes = |fact: usize| {
        let fact = &model.facts[fact];
        fact.next.constant() != Some(fact.initial)
    };
    let mut free: Vec<bool> = (0..model.facts.len()).map(changes).collect();
    let mut groups: Vec<_> = model.mutexes.iter().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.facts.len()));
    let mut log = 0.0;
    for group in groups {
        let count = group.facts.iter().filter(|fact| free[fact.index()]).count();
        if count > 1 {
            let whole = count == group.facts.len() && group.exactly_one;
            log += ((count + usize::from(!whole)) as f64).log10();
            group.facts.iter().for_each(|fact| free[fact.index()] = false);
        }
    }
    log + free.iter().filter(|&&free| free).count() as f64 * 2f64.log10()
}

//! Expansion for benchmarks: children per second, from states of random games.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use ludex_game::{ExpandOptions, Expansion, Game, SimulatorConfig, State};

use super::playing::thread_time;

/// States of random games that are expanded again and again.
const STATES: usize = 512;
/// Children that one call should give: enough to fill all lanes, few enough for the cache.
const CHILDREN: usize = 4096;

/// Children per CPU second, with legal moves of all and goals of terminal ones; 0 if the game is
/// over at once.
pub(super) fn children_per_second(game: &Arc<dyn Game>, seconds: f64) -> Result<f64> {
    let states = states_of_random_games(&**game, STATES)?;
    let mut simulator = Arc::clone(game).simulator(SimulatorConfig::default());
    let mut children = Expansion::new();
    let words: Vec<&[u64]> = states.iter().map(State::words).collect();
    let (mut at_once, mut count, mut cpu, started) = (16, 0u64, Duration::ZERO, Instant::now());
    while !words.is_empty() && started.elapsed().as_secs_f64() < seconds {
        let begun = thread_time();
        let mut rest = &words[..];
        while !rest.is_empty() && started.elapsed().as_secs_f64() < 2.0 * seconds {
            let parents;
            (parents, rest) = rest.split_at(at_once.clamp(1, rest.len()));
            simulator.expand(parents, ExpandOptions::default(), &mut children)?;
            count += children.len() as u64;
            at_once = CHILDREN * parents.len() / children.len().max(1);
        }
        cpu += thread_time().saturating_sub(begun);
    }
    Ok(count as f64 / cpu.as_secs_f64().max(1e-9))
}

/// States in which the game goes on, met in games with uniformly random moves.
fn states_of_random_games(game: &dyn Game, count: usize) -> Result<Vec<State>> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut states = Vec::with_capacity(count);
    // Games that are over at once must not keep this going for ever.
    let (mut state, started) = (game.initial(), Instant::now());
    for _ in 0..10 * count {
        let view = game.view(&state)?;
        if view.terminal || view.legal.iter().any(Vec::is_empty) {
            state = game.initial();
            continue;
        }
        let joint: Vec<_> = view.legal.iter().map(|moves| moves[random.usize(..moves.len())]).collect();
        let next = game.next(&state, &joint)?;
        states.push(std::mem::replace(&mut state, next));
        if states.len() == count || started.elapsed() > Duration::from_secs(5) {
            break;
        }
    }
    Ok(states)
}
